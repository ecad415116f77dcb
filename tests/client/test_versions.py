"""What a collector gets by asking again: by another version, by another survey, after
consent.
"""

import pytest
from surveys import survey_of, yes_no

from ldp import AlreadyAnsweredError, BudgetError
from ldp_client import Client, EmbeddedClient

FRUIT = 'name = "fruit"\ntype = "category"\nmechanism = "grr"\n'


def spelt(number):
    """A version in which the spelling of a value differs."""
    return survey_of(FRUIT + f'epsilon = "1"\nvalues = ["apple", "pear{"s" * number}"]')


def dearer(number):
    """A version whose epsilon differs by very little."""
    return survey_of(
        FRUIT + f'epsilon = "{1 + number * 1e-9:.9f}"\nvalues = ["apple", "pear"]'
    )


def longer(number):
    """A version whose epochs differ by a minute."""
    return survey_of(
        FRUIT + 'epsilon = "1"\nvalues = ["apple", "pear"]',
        head=f'epoch = "{60 + number}m"',
    )


def raised(number):
    """A version that lets itself spend more."""
    values = f'epsilon = "1"\nvalues = ["apple", "pear{"s" * number}"]'
    return survey_of(FRUIT + values, head=f'lifetime_epsilon = "{1 + number}"')


def answered(surveys, state, **settings):
    """To how many surveys a device with one state file gives a report."""
    reports = 0
    for survey in surveys:
        with EmbeddedClient(survey, state=state, **settings) as client:
            reports += client.record("fruit", "apple")
    return reports


@pytest.mark.parametrize("version", [spelt, dearer, longer, raised])
def test_versions_of_a_survey_get_no_more_than_was_agreed_to(version, tmp_path):
    """Sixty versions of a survey, opened with defaults, get one report in all, from any
    client.
    """
    versions = [version(number) for number in range(60)]
    assert (
        len({survey["fruit"].fingerprint for survey in versions}) > 58
    )  # some epsilons share their integers
    assert answered(versions, tmp_path / "embedded") == 1
    first, *later = versions
    Client(first, state=tmp_path / "bare").record("fruit", "apple")
    for survey in later:
        with pytest.raises(
            (AlreadyAnsweredError, BudgetError),
            match=r"agreed to|answered on this device before",
        ):
            Client(survey, state=tmp_path / "bare").record("fruit", "apple")


def test_surveys_get_no_more_than_the_usual_cap(tmp_path):
    """Sixty surveys of epsilon 1, each named otherwise, get ten reports from a default
    device.
    """
    surveys = [
        survey_of(FRUIT + 'epsilon = "1"\nvalues = ["a", "apple"]', name=f"s{number}")
        for number in range(60)
    ]
    assert answered(surveys, tmp_path / "state") == 10
    with EmbeddedClient(surveys[0], state=tmp_path / "state") as client:
        assert client.ledger().epsilon() == pytest.approx(10, abs=1e-6)
    assert answered(surveys, tmp_path / "more", lifetime_cap="25") == 25


def test_a_first_survey_that_asks_for_more_sets_the_usual_cap(tmp_path):
    """By opening it the app has said that it may; what comes later gets nothing
    beyond.
    """
    first = survey_of(FRUIT + 'epsilon = "12"\nvalues = ["a", "apple"]', name="first")
    second = survey_of(FRUIT + 'epsilon = "1"\nvalues = ["a", "apple"]', name="second")
    assert answered([first, second], tmp_path / "state") == 1
    assert answered([second, first], tmp_path / "reversed") == 1


def test_consent_lets_a_new_version_ask(tmp_path):
    """A version that asks for more gets it once the person agrees to it, and the next
    does not.
    """
    versions = [spelt(number) for number in range(4)]
    state = tmp_path / "state"
    assert answered(versions[:2], state) == 1
    with EmbeddedClient(versions[2], state=state) as client:
        client.set_consent("on")
        client.set_consent("on")  # said again at every start, it adds nothing
        assert client.record("fruit", "apple")
    assert answered(versions, state) == 0
    bare = Client(versions[3], state=state)
    bare.agree()
    bare.record("fruit", "apple")
    assert bare.ledger().epsilon() == pytest.approx(3, abs=1e-6)


@pytest.mark.parametrize("erase", ["rotate", "forget"])
def test_erasing_gives_no_version_more(erase, tmp_path):
    """Neither a new secret nor forgetting lets a question be asked again, in any
    version.
    """
    with EmbeddedClient(spelt(0), state=tmp_path / "state") as client:
        assert client.record("fruit", "apple")
        for _ in range(3):
            if erase == "rotate":
                client.rotate()
            else:
                client.set_consent("forget")
                client.set_consent("on")
    assert answered([spelt(number) for number in range(10)], tmp_path / "state") == 0


def test_what_a_first_survey_writes_down_sets_no_cap(tmp_path):
    """A lifetime of 1,000 that it has no use for leaves the usual cap where it is."""
    first = survey_of(
        FRUIT + 'epsilon = "1"\nvalues = ["a", "apple"]',
        name="first",
        head='lifetime_epsilon = "1000"',
    )
    others = [
        survey_of(FRUIT + 'epsilon = "1"\nvalues = ["a", "apple"]', name=f"s{number}")
        for number in range(30)
    ]
    assert answered([first, *others], tmp_path / "state") == 10


def test_a_lower_limit_stays(tmp_path):
    """A version with a lower `lifetime_epsilon` than agreed to lowers it.

    A later one does not raise it again.
    """
    names = [yes_no(name) for name in "abcd"]
    state = tmp_path / "state"
    for head, name, recorded in (
        ('lifetime_epsilon = "3"', "a", True),
        ('lifetime_epsilon = "2"', "b", True),
        ('lifetime_epsilon = "3"', "c", False),
        ("", "d", False),
    ):
        with EmbeddedClient(survey_of(*names, head=head), state=state) as client:
            assert client.record(name, True) == recorded
