"""What a device charges, when it stops, and how it says so: exact, for good, in plain words."""

import time
from fractions import Fraction
from unittest.mock import patch

import pytest
from surveys import DEVICE_SURVEY, MIRROR, mirror, survey_of, yes_no

from ldp import AlreadyAnsweredError, BudgetError, SurveyError
from ldp.exact import exp_lower
from ldp_client import Client
from ldp_client.database import Database
from ldp_client.ledger import CHARGE, Ledger, within
from ldp_client.memory import Memory
from ldp_client.store import ProcessStore


def answer_everything(survey, answer=True):
    """How many questions a fresh device answers before it stops."""
    client = Client(survey)
    for number, question in enumerate(survey):
        try:
            client.record(question.name, answer)
        except BudgetError:
            return number
    return len(survey.questions)


@pytest.mark.parametrize(
    ("lifetime", "answered"), [("2", 2), ("1.9999999", 1), ("3", 3), ("0.5", 0), ("2.9999999", 2), ("1/3", 0)]
)
def test_the_lifetime_is_a_hard_stop(lifetime, answered):
    """As many questions of epsilon 1 are answered as fit `lifetime_epsilon`, compared exactly; then none."""
    survey = survey_of(yes_no("a"), yes_no("b"), yes_no("c"), head=f'lifetime_epsilon = "{lifetime}"')
    assert answer_everything(survey) == answered


def test_charges_are_compared_exactly():
    """A charge fits a bound that equals the product to the last digit, and not one that is smaller by any amount."""
    store = ProcessStore()
    prices = [Fraction(10**18 + number, 3**30) for number in range(20)]
    with store:
        for number, price in enumerate(prices[1:]):
            store.put(CHARGE, b"%d" % number, ("s", "q", str(price), 0))
        product = Fraction(1)
        for price in prices:
            product *= price
        assert within(product, store, None, prices[0])
        assert not within(product - Fraction(1, 10**900), store, None, prices[0])
        assert within(prices[0], store, "another survey", prices[0])


def test_surveys_share_the_cap_of_the_app():
    """What one survey spends is missing for the next in the same store; `lifetime_epsilon` counts one survey only."""
    store = ProcessStore()
    memory = Memory(store, exp_lower(Fraction(2)))
    first, second, third = (survey_of(yes_no(name), name=name, head='lifetime_epsilon = "1"') for name in "abc")
    with store:
        memory.charge(first, first["a"])
        memory.charge(second, second["b"])
        assert not memory.affordable(third, third["c"])
        with pytest.raises(BudgetError):
            memory.charge(third, third["c"])


def test_every_value_of_a_memoized_question_is_charged_once():
    """A value met before costs nothing, a new one the price of everything ever sent about it."""
    survey = survey_of(mirror("m"))
    client = Client(survey)
    for charges, value in [(1, "a"), (1, "a"), (2, "b"), (2, "a"), (3, "c"), (3, "b")]:
        client.record("m", value)
        assert client.ledger().ratio() == survey["m"].price ** charges
    assert survey["m"].price == survey["m"].randomizer.lifetime_ratio


@pytest.mark.parametrize("most", [2, 3, 5])
def test_values_beyond_the_last_get_the_response_of_a_fixed_one(most):
    """`memoized_values` of c keeps c - 1 values apart; all others share one response, for at most c charges."""
    survey = survey_of(mirror("m", most))
    client = Client(survey)
    rows = [client.record("m", f"value {number}").row for number in range(20)]
    assert len(set(rows)) == most
    assert len(set(rows[most - 1 :])) == 1
    assert client.record("m", "value 0").row == rows[0]
    assert len(client.ledger().charges) == most == survey["m"].charges


def test_a_small_domain_has_room_for_all_values():
    """With as many memoized values as there are values, each is reported from a response of its own."""
    closed = f'name = "m"\ntype = "category"\nvalues = ["a", "b", "c"]\nmemoized_values = 3\n{MIRROR}'
    # One-hot responses of three bits collide often: the charges tell how many are kept.
    client = Client(survey_of(closed))
    for value in ("b", "c", "a", "b"):
        client.record("m", value)
    assert len(client.ledger().charges) == 3


def test_a_spent_lifetime_does_not_silence_values_that_were_charged():
    """Once nothing new can be charged, values met before are still reported, and new ones raise."""
    price = 2 * 2 * 1.0986122886681098  # 2 h ln((1 - f/2) / (f/2)) with h = 2, f = 1/2
    survey = survey_of(mirror("m"), head=f'lifetime_epsilon = "{price * 1.5:.6f}"')
    client = Client(survey)
    row = client.record("m", "a").row
    with pytest.raises(BudgetError, match="'m'"):
        client.record("m", "b")
    assert client.record("m", "a").row == row


def test_a_group_is_charged_whole_or_not_at_all():
    """If one question of a group cannot be afforded, none is charged."""
    survey = survey_of(yes_no("a"), yes_no("b"), head='lifetime_epsilon = "1.5"\njoint = ["a", "b"]')
    client = Client(survey)
    with pytest.raises(BudgetError):
        client.record_together({"a": True, "b": False})
    assert client.ledger().charges == ()


def test_charges_outlive_the_process_and_new_parameters(tmp_path):
    """A question under other parameters is charged beside the old one, and the ledger says so."""
    for epsilon in ("1", "0.5"):
        Client(survey_of(yes_no("a", epsilon)), state=tmp_path / "state").record("a", True)
    with pytest.raises(AlreadyAnsweredError):
        Client(survey_of(yes_no("a")), state=tmp_path / "state").record("a", True)
    ledger = Ledger.read(Database(tmp_path / "state"))
    assert ledger.epsilon() == pytest.approx(1.5, abs=1e-8)
    assert "a: epsilon 1.500000, charged 2 times, its parameters having changed 1 times" in str(ledger)


def test_the_ledger_says_what_was_spent_where_and_when():
    """By question, by day and in all; rounded up; with what it means for somebody who guesses."""
    store = ProcessStore()
    memory = Memory(store)
    survey = survey_of(yes_no("a"), yes_no("b", "0.5"))
    for day, name in ((20_000, "a"), (20_001, "b")):
        with patch.object(time, "time", return_value=86_400.0 * day + 5), store:
            memory.charge(survey, survey[name])
    ledger = Ledger.read(store)
    assert [(each.question, each.day) for each in sorted(ledger.charges)] == [("a", 20_000), ("b", 20_001)]
    assert ledger.ratio(question="a") == ledger.ratio(day=20_000) == survey["a"].randomizer.ratio
    assert ledger.ratio() == survey["a"].randomizer.ratio * survey["b"].randomizer.ratio
    text = str(ledger)
    assert "Spent on this device, ever: epsilon 1.500000" in text
    assert "may come to think it 81.8% likely, at most" in text
    assert "2024-10-04: epsilon 1.000000" in text
    assert "2024-10-05: epsilon 0.500000" in text


def test_an_empty_ledger_says_so():
    """A device that has said nothing has spent nothing."""
    assert str(Client(DEVICE_SURVEY).ledger()) == "Nothing was spent: this device has made no report yet."


def test_terms_cover_what_costs_and_fingerprints_what_is_meant():
    """`lifetime_epsilon` and `memoized_values` change the terms and no fingerprint; anything else changes both."""
    plain, stop = survey_of(mirror("m")), survey_of(mirror("m"), head='lifetime_epsilon = "20"')
    more, renamed = survey_of(mirror("m", 5)), survey_of(mirror("n"))
    assert plain.fingerprint == stop.fingerprint == more.fingerprint != renamed.fingerprint
    assert len({each.terms for each in (plain, stop, more, renamed)}) == 4
    assert plain.terms == survey_of(mirror("m")).terms


@pytest.mark.parametrize(
    ("keys", "head", "place"),
    [
        (yes_no("a"), 'lifetime_epsilon = "0"', "lifetime_epsilon"),
        (yes_no("a"), "lifetime_epsilon = true", "lifetime_epsilon"),
        (yes_no("a") + "\nmemoized_values = 3", "", "memoized_values"),
        (mirror("m", 1), "", "memoized_values"),
        (mirror("m", 5000), "", "memoized_values"),
    ],
)
def test_terms_that_make_no_sense_are_problems(keys, head, place):
    """Each is reported at its place."""
    with pytest.raises(SurveyError) as caught:
        survey_of(keys, head=head)
    assert [problem.place.rpartition(".")[2] for problem in caught.value.problems] == [place]
