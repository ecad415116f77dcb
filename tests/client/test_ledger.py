"""What a device charges, when it stops, and how it says so: exact, for good, in plain
words.
"""

import math
import time
from fractions import Fraction
from functools import partial
from unittest.mock import patch

import pytest
from surveys import DEVICE_SURVEY, MIRROR, mirror, survey_of, yes_no

from ldp import AlreadyAnsweredError, BudgetError, SurveyError
from ldp.numbers.exact import exp_lower
from ldp_client import Client, EmbeddedClient
from ldp_client.answering.budget import MOST_EPSILON, Budget, Limit, _at_most, fit
from ldp_client.answering.ledger import ASIDE, CHARGE, NOTHING, Ledger, product, spent
from ldp_client.keeping.database import Database
from ldp_client.keeping.scope import Scope
from ldp_client.keeping.store import ProcessStore


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
    ("lifetime", "answered"),
    [("2", 2), ("1.9999999", 1), ("3", 3), ("0.5", 0), ("2.9999999", 2), ("1/3", 0)],
)
def test_the_lifetime_is_a_hard_stop(lifetime, answered):
    """As many questions of epsilon 1 are answered as fit `lifetime_epsilon`, compared
    exactly.

    Then none.
    """
    survey = survey_of(
        yes_no("a"), yes_no("b"), yes_no("c"), head=f'lifetime_epsilon = "{lifetime}"'
    )
    assert answer_everything(survey) == answered


def test_charges_are_compared_exactly():
    """A charge fits a bound that equals the product to the last digit, and no smaller
    one.
    """
    prices = [Fraction(10**18 + number, 3**30) for number in range(20)]
    prices[1] = Fraction(81)  # which is written without a denominator
    whole = math.prod(prices)
    first = product(prices[:1])
    charges = {
        b"%d" % number: ("s", "q", str(price), "c", 0)
        for number, price in enumerate(prices[1:-1])
    }
    aside = {b"": ("s", "q", str(prices[-1]), "c", 1)}

    def is_all(spent):
        below = whole - Fraction(1, 10**900)
        return fit([Limit(whole, spent)], first) and not fit(
            [Limit(below, spent)], first
        )

    for survey, collector, *counted in (
        ("s", "c", True, True, True),
        ("another survey", "c", False, False, True),
        ("s", "another collector", False, True, True),
    ):
        products = spent(charges, aside, survey, collector=collector)
        assert [is_all(spent) for spent in products] == counted
        assert all(is_all(spent) or spent == NOTHING for spent in products)


def test_surveys_share_the_cap_of_the_app():
    """What one survey spends is missing for the next in the same store.

    `lifetime_epsilon` counts one survey only.
    """
    store = ProcessStore()
    for name in "abc":
        survey = survey_of(yes_no(name), name=name, head='lifetime_epsilon = "1"')
        budget = Budget(store, survey, Scope.of(""), cap=exp_lower(Fraction(2)))
        work = partial(
            store.transact,
            lambda budget=budget, survey=survey, name=name: budget.charge_once(
                survey[name]
            ),
        )
        if name == "c":
            with pytest.raises(BudgetError, match="lifetime_cap"):
                work()
        else:
            work()


@pytest.mark.parametrize("together", ["2", "3"])
def test_the_lifetime_counts_what_went_to_any_address(together):
    """An app that moves to another address asks no one again beyond
    `lifetime_epsilon`.
    """
    survey = survey_of(
        yes_no("a"), mirror("m"), head=f'lifetime_epsilon = "{together}"'
    )
    store = ProcessStore()
    for number, address in enumerate(
        ("https://c.example", "https://relay.example", "")
    ):
        budget = Budget(store, survey, Scope.of(address), cap=None)
        if number < int(together):
            store.transact(budget.charge_once, survey["a"])
        else:
            for charge, name in ((budget.charge_once, "a"), (budget.charge_value, "m")):
                with pytest.raises(
                    BudgetError, match="beyond lifetime_epsilon of survey 's'"
                ):
                    store.transact(charge, survey[name])


LIFETIME = (
    "lifetime_epsilon of survey 's' and what survey 's' asked for when it was agreed to"
)
CAP = "the app's lifetime_cap for all surveys"


@pytest.mark.parametrize(
    ("lifetime", "cap", "passed"),
    [
        ("10", "1.5", CAP),
        ("1.5", "1000", LIFETIME),
        (None, "1.5", CAP),
        ("1.5", "1.5", f"{LIFETIME} and {CAP}"),
    ],
)
def test_the_limits_that_are_in_the_way_are_told(lifetime, cap, passed):
    """Those, and no others."""
    head = f'lifetime_epsilon = "{lifetime}"' if lifetime else ""
    client = Client(survey_of(yes_no("a"), yes_no("b"), head=head), lifetime_cap=cap)
    client.record("a", True)
    with pytest.raises(BudgetError) as refused:
        client.record("b", True)
    assert str(refused.value).endswith(f"(see the ledger): beyond {passed}")


@pytest.mark.parametrize("most", [1, 2, 3])
def test_as_many_charges_are_set_aside_as_there_may_be_values(most):
    """However much more the limits leave."""
    survey = survey_of(mirror("m", most), head='lifetime_epsilon = "900"')
    client = Client(survey, lifetime_cap="1000")
    client.record("m", "a")
    ledger = client.ledger()
    assert ledger.aside == ledger.ratio() ** (most - 1)


def test_every_value_of_a_memoized_question_is_charged_once():
    """A value met before costs nothing, a new one the price of everything ever sent
    about it.
    """
    survey = survey_of(mirror("m"))
    client = Client(survey)
    for charges, value in [(1, "a"), (1, "a"), (2, "b"), (2, "a"), (3, "c"), (3, "b")]:
        client.record("m", value)
        assert client.ledger().ratio() == survey["m"].price ** charges
    assert survey["m"].price == survey["m"].randomizer.lifetime_ratio


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_values_beyond_the_last_are_reported_as_if_nothing_had_changed(most):
    """`memoized_values` of c keeps c values apart.

    For a further one the response is used that was reported last.
    """
    survey = survey_of(mirror("m", most))
    client = Client(survey)
    rows = [client.record("m", f"value {number}").row for number in range(20)]
    assert len(set(rows)) == most
    assert len(set(rows[most - 1 :])) == 1
    assert (
        client.record("m", "value 0").row
        == client.record("m", "value 30").row
        == rows[0]
    )
    assert len(client.ledger().charges) == most == survey["m"].charges


def test_a_small_domain_has_room_for_all_values():
    """With as many memoized values as values, each has a response of its own."""
    closed = (
        'name = "m"\ntype = "category"\nvalues = ["a", "b", '
        f'"c"]\nmemoized_values = 3\n{MIRROR}'
    )
    # One-hot responses of three bits collide often: the charges tell how many are kept.
    client = Client(survey_of(closed))
    for value in ("b", "c", "a", "b"):
        client.record("m", value)
    assert len(client.ledger().charges) == 3


def test_a_cap_may_be_as_large_as_an_app_likes():
    """Its ratio has more digits than Python writes out."""
    client = Client(survey_of(yes_no("a")), lifetime_cap="100000")
    client.record("a", True)
    assert len(client.ledger().charges) == 1


class ReadStore(ProcessStore):
    """A store that notes what is read of which kind."""

    def __init__(self):
        super().__init__()
        self.read = []

    def get(self, kind, key):
        """One record."""
        self.read.append(kind)
        return super().get(kind, key)

    def records(self, kind, prefix=b""):
        """Many."""
        self.read.append(kind)
        return super().records(kind, prefix)


@pytest.mark.parametrize("cap", [None, exp_lower(Fraction(1000))])
def test_what_was_spent_is_read_once_for_each_charge(cap):
    """However many limits there are: in a file each look is one statement for all
    charges.
    """
    store = ReadStore()
    survey = survey_of(
        yes_no("a"), yes_no("b"), mirror("m"), head='lifetime_epsilon = "900"'
    )
    budget = Budget(store, survey, Scope.of(""), cap=cap)
    looks = {"a": (1, 1), "b": (1, 1), "m": (4, 2)}
    for name, (charges, asides) in looks.items():
        store.read.clear()
        charge = budget.charge_value if survey[name].memoizes else budget.charge_once
        store.transact(lambda charge=charge, name=name: charge(survey[name]))
        assert (store.read.count(CHARGE), store.read.count(ASIDE)) == (
            charges,
            asides,
        ), name


def test_what_a_device_may_spend_does_not_hang_on_others_in_its_process():
    """Devices with one survey and other limits, one by one: each stops where it would
    alone.
    """
    survey = survey_of(yes_no("a"), mirror("m", 3))
    price = survey["m"].price
    for _ in range(2):
        # One charge is left for the other question, whose ratio is below 3.
        for limit, apart in (
            (price**4 * 3, 3),
            (price**2 * 3, 2),
            (price, 1),
            (price - 1, 0),
            (price**3 * 3, 3),
        ):
            store = ProcessStore()
            budget = Budget(store, survey, Scope.of(""), cap=limit)
            if not apart:
                with pytest.raises(BudgetError, match="lifetime_cap"):
                    store.transact(
                        lambda budget=budget: budget.charge_value(survey["m"])
                    )
                continue
            left = [
                store.transact(lambda budget=budget: budget.charge_value(survey["m"]))
                for _ in range(4)
            ]
            assert left == [True] * apart + [False] * (4 - apart), limit


PRICE = 2 * 2 * 1.0986122886681098
"""Epsilon of a value's permanent response to `mirror`: 2 h ln((1 - f/2) / (f/2)) with h
= 2, f = 1/2.
"""


@pytest.mark.parametrize("stop", ["lifetime", "cap", "memoized_values"])
@pytest.mark.parametrize("apart", [1, 2, 3])
def test_no_stop_tells_what_was_answered(stop, apart):
    """Whatever stops a question, every answer is reported, from the responses it can
    afford.
    """
    most = f"{PRICE * (apart + 0.5):.6f}"
    survey = survey_of(
        mirror("m", apart if stop == "memoized_values" else 4),
        head=f'lifetime_epsilon = "{most}"' if stop == "lifetime" else "",
    )
    for answers in ("aaaaaaaa", "aabbccdd", "abcddcba", "ddccbbaa"):
        client = Client(survey, lifetime_cap=most if stop == "cap" else "1000")
        rows = [client.record("m", answer).row for answer in answers]
        assert len(set(rows)) == min(apart, len(set(answers)))


@pytest.mark.parametrize("answers", ["aaaa", "abcd"])
def test_what_one_question_was_answered_does_not_stop_another(answers):
    """The charges that an answer may cost are set aside at once, one left for each
    other.
    """
    survey = survey_of(
        mirror("m"), yes_no("n"), head=f'lifetime_epsilon = "{2 * PRICE + 1.1:.6f}"'
    )
    client = Client(survey)
    for answer in answers:
        client.record("m", answer)
    client.record("n", True)
    ledger = client.ledger()
    charged, aside = (2, 0) if len(set(answers)) > 1 else (1, 1)
    assert len(ledger.charges) == charged + 1
    assert ledger.aside == survey["m"].price ** aside
    assert (
        "Set aside, whether or not answers change: epsilon 4.394" in str(ledger)
    ) == bool(aside)


@pytest.mark.parametrize("answers", ["aaaa", "abcd"])
def test_what_was_answered_before_does_not_stop_a_renewed_secret(answers):
    """What was set aside stays so: a device with a new secret has what the cap leaves
    it.
    """
    survey = survey_of(mirror("m", 2))
    for cap, answered in ((PRICE * 3.5, 1), (PRICE * 2.5, 0)):
        with EmbeddedClient(survey, state=None, lifetime_cap=f"{cap:.6f}") as client:
            for answer in answers:
                assert client.record("m", answer)
            client.rotate()
            assert [client.record("m", answer) for answer in answers] == [
                bool(answered)
            ] * 4


def test_a_group_is_charged_whole_or_not_at_all():
    """If one question of a group cannot be afforded, none is charged."""
    survey = survey_of(
        yes_no("a"), yes_no("b"), head='lifetime_epsilon = "1.5"\njoint = ["a", "b"]'
    )
    client = Client(survey)
    with pytest.raises(BudgetError):
        client.record_together({"a": True, "b": False})
    assert client.ledger().charges == ()


def test_charges_outlive_the_process_and_new_parameters(tmp_path):
    """A question under other parameters is charged beside the old one, and the ledger
    says so.
    """
    for epsilon in ("1", "0.5"):
        survey = survey_of(yes_no("a", epsilon), head='lifetime_epsilon = "2"')
        Client(survey, state=tmp_path / "state").record("a", True)
    with pytest.raises(AlreadyAnsweredError):
        Client(survey_of(yes_no("a")), state=tmp_path / "state").record("a", True)
    ledger = Ledger.read(Database(tmp_path / "state"))
    assert ledger.epsilon() == pytest.approx(1.5, abs=1e-8)
    assert (
        "a: epsilon 1.500000, charged 2 times, its parameters having changed 1 times"
        in str(ledger)
    )


def test_the_ledger_says_what_was_spent_where_and_when():
    """By question, by day and in all; rounded up; with what it means for somebody who
    guesses.
    """
    store = ProcessStore()
    survey = survey_of(yes_no("a"), yes_no("b", "0.5"))
    budget = Budget(store, survey, Scope.of(""), cap=None)
    for day, name in ((20_000, "a"), (20_001, "b")):
        with patch.object(time, "time", return_value=86_400.0 * day + 5):
            store.transact(lambda name=name: budget.charge_once(survey[name]))
    ledger = Ledger.read(store)
    assert [(charge.question, charge.day) for charge in sorted(ledger.charges)] == [
        ("a", 20_000),
        ("b", 20_001),
    ]
    assert (
        ledger.ratio(question="a")
        == ledger.ratio(day=20_000)
        == survey["a"].randomizer.ratio
    )
    assert ledger.ratio() == survey["a"].randomizer.ratio * survey["b"].randomizer.ratio
    text = str(ledger)
    assert "Spent on this device, ever: epsilon 1.500000" in text
    assert "may come to think it 81.8% likely, at most" in text
    assert "2024-10-04: epsilon 1.000000" in text
    assert "2024-10-05: epsilon 0.500000" in text


def test_whatever_is_set_aside_is_told():
    """Be it as little as a tenth of an epsilon."""
    client = Client(survey_of(yes_no("a")))
    client.record("a", True)
    aside = client.ledger()._replace(aside=Fraction(11, 10))
    assert "Set aside, whether or not answers change: epsilon 0.0953" in str(aside)
    assert "or that it did not, may show beyond that" in str(aside)
    assert "Set aside" not in str(Ledger(client.ledger().charges))
    assert Ledger(()).aside == 1
    assert "may show beyond that" not in str(client.ledger())


def test_an_empty_ledger_says_so():
    """A device that has said nothing has spent nothing."""
    assert (
        str(Client(DEVICE_SURVEY).ledger())
        == "Nothing was spent: this device has made no report yet."
    )


def test_terms_cover_what_costs_and_fingerprints_what_is_meant():
    """`lifetime_epsilon` and `memoized_values` change the terms and no fingerprint.

    Anything else changes both.
    """
    plain = survey_of(mirror("m"))
    stop = survey_of(mirror("m"), head='lifetime_epsilon = "20"')
    more, renamed = survey_of(mirror("m", 5)), survey_of(mirror("n"))
    assert (
        plain.fingerprint == stop.fingerprint == more.fingerprint != renamed.fingerprint
    )
    assert len({survey.terms for survey in (plain, stop, more, renamed)}) == 4
    assert plain.terms == survey_of(mirror("m")).terms


@pytest.mark.parametrize(
    ("keys", "head", "place"),
    [
        (yes_no("a"), 'lifetime_epsilon = "0"', "lifetime_epsilon"),
        (yes_no("a"), "lifetime_epsilon = true", "lifetime_epsilon"),
        (yes_no("a") + "\nmemoized_values = 3", "", "memoized_values"),
        (mirror("m", 0), "", "memoized_values"),
        (mirror("m", 5000), "", "memoized_values"),
    ],
)
def test_terms_that_make_no_sense_are_problems(keys, head, place):
    """Each is reported at its place."""
    with pytest.raises(SurveyError) as caught:
        survey_of(keys, head=head)
    assert [problem.place.rpartition(".")[2] for problem in caught.value.problems] == [
        place
    ]


def test_a_ledger_says_that_changes_may_show():
    """Charges bound what was answered.

    Whether answers changed shows where a question has several responses to give.

    Where it has but one, by its limits, and where nothing is memoized, there is no
    change to be seen.
    """
    sentence = "When an answer changed, or that it did not, may show beyond that."
    for head, again in (("", True), (f'lifetime_epsilon = "{PRICE + 0.5:.6f}"', False)):
        client = Client(survey_of(mirror("m"), head=head))
        client.record("m", "an answer")
        assert (sentence in str(client.ledger())) is again
    client = Client(survey_of(mirror("m", 2)), lifetime_cap="1000")
    for answer in ("one", "another"):
        client.record("m", answer)
    assert sentence in str(client.ledger())
    once = Client(survey_of(yes_no("a")))
    once.record("a", True)
    assert sentence not in str(once.ledger())


@pytest.mark.parametrize(
    "epsilons",
    [
        ["1"],
        ["1/3", "1/3", "0.7"],
        ["40", "40", "40"],
        ["40"] * 24,
        ["40"] * 24 + ["35"],
        ["40"] * 24 + ["35.5"],
    ],
)
def test_all_charges_are_multiplied_up(epsilons):
    """What a survey could ask for is never understated, and off by at most a part in
    2^60.

    It is never above e^1000.
    """
    survey = survey_of(
        *(yes_no(f"q{number}", epsilon) for number, epsilon in enumerate(epsilons)),
        mirror("m", 1),
    )
    exact = math.prod(question.price**question.charges for question in survey)
    asked, largest = _at_most((3, 2), survey), exp_lower(MOST_EPSILON)
    exact *= Fraction(3, 2)
    if exact > largest:
        assert asked == largest
    else:
        assert exact <= asked <= exact * (1 + Fraction(1, 1 << 60))


def test_many_charges_with_odd_prices_are_multiplied_up():
    """A question's price is a ratio whose denominator is raised as well."""
    survey = survey_of(
        'name = "m"\ntype = "integer"\nlow = 0\nhigh = 99\n'
        'mechanism = "l-grr"\nmemoized_values = 7\n'
        'epsilon_first = "1"\nepsilon_lifetime = "2"'
    )
    (question,) = survey
    exact = question.price**7
    assert exact.denominator > 1
    assert exact <= _at_most(NOTHING, survey) <= exact * (1 + Fraction(1, 1 << 60))


def test_nothing_spent_is_an_epsilon_of_nothing():
    """Of a survey or a day that is not in the ledger."""
    client = Client(DEVICE_SURVEY)
    client.record("once", "red")
    ledger = client.ledger()
    assert ledger.epsilon("another") == ledger.epsilon(day=1) == 0.0
    assert str(ledger).splitlines()[2:4] == [
        "Survey device: epsilon 1.000000",
        "  once: epsilon 1.000000, charged once",
    ]
    assert "Set aside" not in str(ledger)


def test_hundreds_of_values_are_charged_one_by_one():
    """Each under a key of its own, however many there are."""
    survey = survey_of(
        'name = "m"\ntype = "integer"\nlow = 0\nhigh = 299\n'
        'mechanism = "l-grr"\nmemoized_values = 300\n'
        'epsilon_first = "0.001"\nepsilon_lifetime = "0.002"'
    )
    client = Client(survey)
    for value in range(270):
        client.record("m", value)
    assert len(client.ledger().charges) == 270
