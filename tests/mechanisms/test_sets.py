"""Questions with several values at once: answers, designs, estimates, populations."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from calling import run
from specimens import question

from ldp import AnswerError, EstimateError, Survey, SurveyError, parse_survey
from ldp.answers.domain import Domain
from ldp.answers.keys import Keys
from ldp.answers.sets import SetDomain, members, set_of, sets_of
from ldp.mechanisms import AUTOMATIC, MECHANISMS
from ldp.mechanisms.auto import total_error
from ldp.mechanisms.sets.set_unary import SetEncoding
from ldp.mechanisms.values.optimum import efficiency
from ldp_aggregator import Options
from ldp_client import Client
from ldp_simulations.holders import SetHolders, synthetic_sets
from ldp_simulations.simulation.simulation import LAW, simulate

MODES = SetDomain(("bus", "bike", "car", "walk"), 2)
OF_SETS = [name for name, row in MECHANISMS.items() if row.accepts(MODES) is None]
QUESTION = (
    'type = "multi"\nvalues = ["bus", "bike", "car", "walk"]\nmost = 2\nepsilon = "1"'
)
FILE = '[survey]\nname = "s"\n[[question]]\nname = "x"\nmechanism = "auto"\n'


def designed(mechanism, size, most, epsilon):
    domain = SetDomain(tuple(map(str, range(size))), most)
    return MECHANISMS[mechanism].design(Keys("x", {"epsilon": epsilon}), domain)


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_any_collection_is_a_set(kind):
    """Lists, tuples and sets of texts are answers, the empty one too; order does not
    matter.
    """
    assert (
        MODES.value(kind(["bike", "bus"])) == MODES.value(kind(["bus", "bike"])) == 0b11
    )
    assert MODES.value(kind([])) == 0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("bus", "a collection of texts"),
        (b"bus", "a collection of texts"),
        (3, "a collection of texts"),
        ({"bus": 1}, "a collection of texts"),
        ((value for value in ["bus"]), "a collection of texts"),
        (["plane"], "values, got something else"),
        (["bus", 7], "values, got something else"),
        ([["bus"]], "values, got something else"),
        (["bus", "bus"], "all differ"),
        (["bus", "bike", "car"], "at most 2"),
    ],
)
def test_what_is_no_set_of_its_values_is_refused(answer, expected):
    """The error says what was expected, and repeats no answer, whether it is a value or
    not.
    """
    survey = Survey("s", (question("pad-grr", QUESTION),))
    with pytest.raises(AnswerError, match=expected) as refused:
        Client(survey).record("x", answer)
    assert not any(text in str(refused.value) for text in ("bus", "plane", "7"))


def test_cells_of_tables():
    """Values are separated by bars, blanks do not count, and a bar alone is the empty
    set.
    """
    assert MODES.value(MODES.parse("bus | walk")) == 0b1001
    assert MODES.value(MODES.parse("car")) == 0b0100
    assert MODES.value(MODES.parse("|")) == 0
    for cell in ("bus|", "|bus", "bus||car", "||"):
        with pytest.raises(AnswerError):
            MODES.value(MODES.parse(cell))


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (
            QUESTION.replace("most = 2\n", ""),
            "most: expected a whole number from 1 to 4, got nothing",
        ),
        (
            QUESTION.replace("most = 2", "most = 5"),
            "most: expected a whole number from 1 to 4, got 5",
        ),
        (
            QUESTION.replace("most = 2", "most = 0"),
            "most: expected a whole number from 1 to 4, got 0",
        ),
        (QUESTION.replace("car", "car|van"), "values: expected values without |"),
        (QUESTION.replace("multi", "category"), "most: expected one of"),
    ],
)
def test_surveys_say_what_is_wrong(keys, problem):
    """Each has its place, what was expected and what came."""
    with pytest.raises(SurveyError) as refused:
        parse_survey(f"{FILE}{keys}")
    assert problem in str(refused.value)


def test_mechanisms_keep_to_their_questions():
    """Mechanisms of sets refuse other questions, and any other refuses sets."""
    assert OF_SETS == ["set-unary", "pad-grr", "pad-ss", "pad-pgr", "pad-hr"]
    single = Domain("category", MODES.values)
    assert all(MECHANISMS[mechanism].accepts(single) for mechanism in OF_SETS)


@pytest.mark.parametrize("mechanism", ["pad-ss", "pad-pgr", "pad-hr"])
def test_one_dummy_serves_half_of_the_values_at_most(mechanism):
    """Beyond that their ratio would not be known exactly; the other two serve any
    number.
    """
    whole = SetDomain(MODES.values, 3)
    assert "at most half" in MECHANISMS[mechanism].accepts(whole)
    assert (
        MECHANISMS["set-unary"].accepts(whole)
        is MECHANISMS["pad-grr"].accepts(whole)
        is None
    )


@pytest.mark.parametrize(
    ("size", "most", "epsilon"),
    [
        (2, 1, "1"),
        (4, 2, "0.1"),
        (5, 3, "2"),
        (5, 5, "1"),
        (9, 4, "4"),
        (40, 3, "1"),
        (40, 30, "3"),
        (300, 100, "8"),
    ],
)
def test_unary_encoding_takes_the_best_rates(size, most, epsilon):
    """No p of a grid does better, or near the chosen one, with the q that is left to
    it.
    """
    chosen, declared = designed("set-unary", size, most, epsilon=epsilon)
    assert chosen.ratio <= declared.bound
    span = 1 << chosen.word

    def best(if_true):
        low, high = 1, if_true - 1
        while low < high:
            middle = (low + high) // 2
            fits = (
                SetEncoding(size, most, if_true, if_other=middle).ratio
                <= declared.bound
            )
            low, high = (low, middle) if fits else (middle + 1, high)
        encoding = SetEncoding(size, most, if_true, if_other=low)
        return total_error(encoding, most) if encoding.ratio <= declared.bound else None

    tried = [span * step // 50 for step in range(1, 50)]
    tried += [
        int(chosen.if_true * (1 + sign * step))
        for sign, step in product((-1, 1), (1e-3, 1e-2))
    ]
    errors = [best(if_true) for if_true in tried if 1 < if_true < span]
    least = min(error for error in errors if error is not None)
    assert total_error(chosen, most) <= least * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3", "6"])
@pytest.mark.parametrize(
    ("size", "most"), [(4, 1), (4, 4), (20, 3), (100, 3), (100, 40)]
)
def test_auto_takes_the_least_error(size, most, epsilon):
    """Of all mechanisms of sets that can serve, at the full number of values held.

    Their efficiency is unknown.
    """
    domain = SetDomain(tuple(map(str, range(size))), most)
    able = [name for name in AUTOMATIC if MECHANISMS[name].accepts(domain) is None]
    errors = {
        name: total_error(designed(name, size, most, epsilon=epsilon)[0], most)
        for name in able
    }
    keys = (
        f'type = "multi"\nvalues = {list(domain.values)}\nmost = {most}\nepsilon = '
        f'"{epsilon}"'
    )
    asked = question("auto", keys)
    assert errors[asked.mechanism] == min(errors.values())
    assert efficiency(asked.randomizer) is None


def test_the_budget_is_that_of_the_set():
    """The more values may be held, the less of the set's epsilon is left to each."""
    errors = [
        total_error(designed("set-unary", 40, most, epsilon="1")[0])
        for most in (1, 2, 4, 8, 16)
    ]
    assert errors == sorted(errors)
    assert errors[-1] > 100 * errors[0]


def simulated(mechanism, **options):
    survey = Survey("s", (question(mechanism, QUESTION),))
    holders = dict(
        zip(
            sets_of(4, 2), (500, 900, 0, 300, 0, 1000, 0, 400, 300, 100, 0), strict=True
        )
    )
    return simulate(
        survey, {"x": SetHolders.of(MODES, holders)}, seed=5, way=LAW, **options
    )


@pytest.mark.parametrize("mechanism", OF_SETS)
def test_errors_are_as_stated(mechanism):
    """Over 400 runs the error is the stated one within 6 standard errors (1.8 % each, 4
    values).
    """
    runs = simulated(mechanism, runs=400).runs["x"]
    assert runs.truth.tolist() == pytest.approx(
        [holders / 3500 for holders in (2300, 1400, 600, 500)]
    )
    ratio = np.sqrt((runs.empirical_error**2).mean() / (runs.stated_error**2).mean())
    assert ratio == pytest.approx(1, abs=6 * 0.018)


def test_shares_are_not_projected_on_the_simplex():
    """They need not sum to 1, which the estimates say.

    So norm-sub is refused, and base-cut is not.
    """
    assert "need not sum to 1" in simulated("pad-grr").first["x"].note
    assert (
        simulated("pad-grr", options=Options(post_process="base-cut"))
        .first["x"]
        .frequency.min()
        >= 0
    )
    with pytest.raises(EstimateError, match="sum to 1"):
        simulated("pad-grr", options=Options(post_process="norm-sub"))


def test_covariance_where_it_is_known():
    """Given the sets, the bits of unary encoding err independently.

    Elsewhere it depends on who holds both values.
    """
    estimates = simulated("set-unary", options=Options(covariance=True)).first["x"]
    assert np.allclose(
        estimates.covariance, np.diag(estimates.standard_error**2), atol=1e-12
    )
    with pytest.raises(EstimateError, match="covariance"):
        simulated("pad-ss", options=Options(covariance=True))


def test_made_up_populations():
    """Everyone holds a set that may be held, likelier values more, and the same each
    time.
    """
    weights = np.array([4.0, 2.0, 1.0, 0.0])
    holders = synthetic_sets(MODES, 12_345, weights)
    assert holders.respondents == 12_345
    assert max(map(len, holders.sets)) == 2
    assert () in holders.sets
    shares = holders.frequencies(MODES.values)
    assert shares == sorted(shares, reverse=True)
    assert shares[3] == 0
    assert (
        holders.counts.tolist()
        == synthetic_sets(MODES, 12_345, weights).counts.tolist()
    )


def test_a_set_is_its_members():
    """Sets and their members tell the same, over all sets of five values."""
    every = list(sets_of(5, 5))
    assert sorted(every) == list(range(32))
    assert [
        set_of(reversed(members(set_of_values))) for set_of_values in every
    ] == every


def test_the_commands_take_sets(tmp_path):
    """A table of sets is randomized, estimated, simulated and planned for from the
    command line.
    """
    survey, table, reports = tmp_path / "s.toml", tmp_path / "t.csv", tmp_path / "r"
    survey.write_text(f"{FILE}{QUESTION}")
    table.write_text("x\nbus|bike\n|\n\ncar\n")

    assert "the whole set" in run("explain", survey).output
    run("randomize", survey, "--input", table, "--output", reports)
    assert "3 reports" in run("estimate", survey, reports).output
    assert "0.3333" in run("simulate", survey, "--population", table).output
    assert (
        "1,000,000,000 respondents"
        in run("simulate", survey, "--respondents", "1e9").output
    )
    assert "pad-grr" in run("plan", survey, "--respondents", "1e5").output


def test_the_most_that_one_may_hold():
    """A hundred values."""
    accepts = MECHANISMS["set-unary"].accepts
    values = tuple(map(str, range(300)))
    assert accepts(SetDomain(values, 100)) is None
    assert accepts(SetDomain(values, 101))
