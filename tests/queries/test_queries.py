"""Queries in words: what they are answered, and where a text departs from the
grammar.
"""

import json
import math

import numpy as np
import pytest
from calling import run

import ldp
from ldp_aggregator.analyses.queries.answering import query
from ldp_aggregator.analyses.queries.language import LONGEST, QueryError
from ldp_aggregator.answers.options import Options
from ldp_aggregator.tallies.tally import Tally
from ldp_simulations import randomize

MODES = ["car", "bus", "night train"]
SURVEY = ldp.survey(
    "trips",
    ldp.question("mode", MODES, epsilon="4", mechanism="grr"),
    ldp.question("kids", type="integer", low=0, high=5, epsilon="4", mechanism="grr"),
    ldp.question(
        "hours",
        type="integer",
        low=0,
        high=60,
        epsilon="4",
        mechanism="auto",
        goal="distribution",
    ),
    ldp.question(
        "pay", type="integer", low=0, high=100, epsilon="4", mechanism="dithered"
    ),
    ldp.question(
        "trip",
        type="table",
        epsilon="4",
        mechanism="auto",
        field=[
            {"name": "way", "type": "category", "values": ["rail", "road"]},
            {"name": "age", "type": "integer", "low": 0, "high": 2},
        ],
    ),
)
PEOPLE = 3000


def people():
    """True answers, by question, with known shares."""
    number = np.arange(PEOPLE)
    return {
        "mode": (["car"] * 5 + ["bus"] * 3 + ["night train"] * 2) * (PEOPLE // 10),
        "kids": (number % 6).tolist(),
        "hours": (number % 60).tolist(),
        "pay": (number % 101).tolist(),
        "way": ["rail" if n % 4 else "road" for n in number],
        "age": (number % 3).tolist(),
    }


@pytest.fixture(scope="module")
def tally():
    from ldp_aggregator.tallies.intake.aggregation import aggregate

    return aggregate(SURVEY, randomize(SURVEY, people()))


RESPONDENTS = Options(estimand="respondents")
TRUTHS = {
    "share(mode = car)": 0.5,
    'share(mode in {bus, "night train"}) - share(mode = car)': 0.0,
    "share(mode != car)": 0.5,
    "2 * (share(mode = bus) - 10%) / 4 + 1": 1.1,
    "-share(mode = bus)": -0.3,
    "share(mode = bus) / share(mode = car)": 0.6,
    "1 - share(mode = bus) / share(mode = car) * 2": -0.2,
    "count(mode = bus)": 900,
    "score(mode, car: 2, bus: -1.5)": 0.55,
    "mean(kids)": 2.5,
    "share(kids > 2)": 0.5,
    "share(kids >= 2)": 4 / 6,
    "share(kids < 2)": 2 / 6,
    "share(kids <= 2)": 0.5,
    "share(kids in [1, 4))": 0.5,
    "share(kids = 3)": 1 / 6,
    "mean(hours)": 29.5,
    "share(hours in [10, 40))": 0.5,
    "share(hours >= 45)": 0.25,
    "mean(pay)": 49.85,
    "mean(pay) - 10 * mean(kids)": 24.85,
    "share(trip.way = rail)": 0.75,
    "share(trip.way = rail and trip.age > 0)": 0.5,
    "share(trip.way = rail given trip.age = 1)": 0.75,
    "mean(trip.age)": 1.0,
    "share(mode = car) + share(kids = 0)": 0.5 + 1 / 6,
}


@pytest.mark.parametrize(("text", "truth"), TRUTHS.items())
def test_answers(tally, text, truth):
    """Within five standard errors of what is true, for which errors are told that
    small.

    A false alarm has a chance of 6e-7 a query, given the operating system's randomness;
    an answer off by seven errors is found, which of most queries here is one tenth of
    what they ask.
    """
    (answer,) = query(tally, text, options=RESPONDENTS)
    number = answer.contrast
    assert abs(number.estimate - truth) < 5 * number.standard_error
    assert number.low < number.estimate < number.high
    assert not number.bound
    assert number.standard_error < max(0.1, 0.1 * abs(truth))
    assert all(source.epsilon == "4" for source in answer.sources)


def test_a_query_is_one_number_of_the_tally(tally):
    """It is what the shares add up to, so that answers are consistent with each
    other.
    """
    shares = query(tally, *(f'share(mode = "{mode}")' for mode in MODES))
    (total,) = query(tally, 'share(mode in {car, bus, "night train"})')
    assert sum(one.contrast.estimate for one in shares) == pytest.approx(
        total.contrast.estimate
    )
    assert total.contrast.standard_error == pytest.approx(0, abs=1e-6)


def test_bounds_for_populations(tally):
    """No report tells how answers to two questions go together."""
    text = "share(mode = car) + share(kids = 0)"
    (respondents,) = query(tally, text, options=RESPONDENTS)
    (population,) = query(tally, text)
    assert "several questions" in population.contrast.bound
    assert population.contrast.standard_error > respondents.contrast.standard_error


def test_a_family_of_queries(tally):
    """All intervals together."""
    texts = ("share(mode = car)", "mean(kids)", "share(mode = bus) / share(mode = car)")
    alone = query(tally, *texts)
    together = query(tally, *texts, options=Options(simultaneous="bonferroni"))
    for one, other in zip(alone, together, strict=True):
        assert (
            other.contrast.low
            < one.contrast.low
            < one.contrast.high
            < other.contrast.high
        )


@pytest.mark.parametrize(
    ("text", "truth"),
    [("median(hours)", 29), ("quantile(hours, .9)", 53), ("median(kids)", 2)],
)
def test_quantiles(tally, text, truth):
    """With the interval that they have in estimates, wider in a family."""
    (alone,) = query(tally, text)
    family = query(tally, text, text, options=Options(simultaneous="bonferroni"))
    low, high = family[0].contrast.interval
    assert low <= alone.contrast.low <= alone.contrast.high <= high
    assert low - 3 <= truth <= high + 3
    assert math.isnan(alone.contrast.p_value)


@pytest.mark.parametrize(
    ("text", "problem", "pointer"),
    [
        ("2 * median(hours)", "a quantile by itself", "median"),
        ("-median(hours)", "a quantile by itself", "median"),
        ("median(mode)", "numbers on a line", "median(mode)"),
        ("median(pay)", "the mean alone", "median(pay)"),
        ("quantile(hours, 2)", "between 0 and 1", "quantile(hours, 2)"),
        ("median(trip.age)", "a field", "median(trip.age)"),
        ("share(mode = bsu)", "did you mean 'bus'", "bsu"),
        ("share(moed = bus)", "did you mean 'mode'", "moed"),
        ("share(trip.wya = rail)", "one of the fields", "wya"),
        ("share(trip.way = sea)", "a value of field 'way'", "sea"),
        ("share(mode in {car bus})", "expected , or }", "bus"),
        ("shar(mode = bus)", "share(...)", "s"),
        ("share(mode)", "!=", ")"),
        (
            "share(mode = car) * share(mode = bus)",
            "no unbiased estimate",
            "share(mode = car) *",
        ),
        ("share(mode = car) / 0", "other than 0", "share(mode = car) / 0"),
        ("share(mode < 3)", "values that are numbers", "mode < 3"),
        ("share(kids in [4, 1))", "first end is below", "kids in [4, 1)"),
        ("share(pay > 3)", "the mean alone: mean(pay)", "pay > 3"),
        (
            "share(trip.way = rail and mode = car)",
            "tests of one question",
            "mode = car",
        ),
        (
            "share(mode = car given trip.way = rail)",
            "one report tells",
            "given trip.way = rail",
        ),
        (
            "1 / (share(mode = car) / share(mode = bus))",
            "ratio of ratios",
            "1 / (share",
        ),
        (
            "share(mode=car)/share(mode=bus) + share(kids=1)",
            "ask for the two apart",
            "share(mode=car)",
        ),
        ("mean(trip.way)", "values that are numbers", "trip.way"),
        ("mean(mode)", "whose values are numbers", "mean(mode)"),
        ("score(mode, boat: 1)", "one of the values", "boat"),
        ("score(mode, car: 1, car: 2)", "each value once, got 'car' again", "car: 2"),
        ("score(mode, car: 1e300)", "a number up to 1e+12", "1e300"),
        ("1e309 * share(mode = car)", "a number up to 1e+12", "1e309"),
        ("share(kids > 1e400)", "expected a number such as", "kids > 1e400"),
        ("share(kids in [1, 1e400))", "expected a number such as", "kids in"),
        ("share mode", "expected (, got 'mode':", "mode"),
        ("share(mode = car) & 1", "got '&':", "&"),
        ("share(mode = , bus)", "got ',':", ","),
        ('share(mode "a b")', "got '\"a b\"':", '"a b"'),
        ("share(mode = car) share(mode = bus)", "got 'share':", "share(mode = bus)"),
    ],
)
def test_errors_point_at_the_place(tally, text, problem, pointer):
    """The line is shown, with signs under what is meant."""
    with pytest.raises(QueryError) as caught:
        query(tally, text)
    said, line, signs = str(caught.value).split("\n")
    assert problem in said
    assert line == f"  {text}"
    start = signs.index("^") - 2
    assert text[start:].startswith(pointer) or pointer.startswith(text[start:])


@pytest.mark.parametrize("text", ["", "   ", "share(mode = car) +", "share(mode", "("])
def test_a_text_that_ends_too_early(tally, text):
    """The pointer stands at its end, and the message says so."""
    with pytest.raises(QueryError) as caught:
        query(tally, text)
    said, _, signs = str(caught.value).split("\n")
    assert said.endswith(", got the end:")
    assert signs.index("^") - 2 == len(text.rstrip())


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("3 + 4", "numbers alone"),
        ("mean(kids) + share(kids = 1)", "got both"),
        ("1" * (LONGEST + 1), "characters"),
    ],
)
def test_what_has_no_answer(tally, text, problem):
    """Said without a place."""
    with pytest.raises(QueryError, match=problem):
        query(tally, text)


def test_the_longest_query(tally):
    """Of as many characters as are allowed, most of them blank."""
    (answer,) = query(tally, f"{'share(mode = car)':<{LONGEST}}")
    (short,) = query(tally, "share(mode = car)")
    assert answer.contrast.interval == short.contrast.interval


def test_without_reports():
    """Nothing is estimated of a question that has none."""
    with pytest.raises(QueryError, match="expected reports to question 'mode'"):
        query(Tally.empty(SURVEY), "share(mode = car)")


def test_a_denominator_that_may_be_0():
    """Any ratio may be true, which JSON has as null."""
    survey = ldp.survey("s", ldp.question("mode", MODES, epsilon=".1", mechanism="grr"))
    few = Tally(survey, {"mode": np.array([[50, 30, 20]])})
    (answer,) = query(few, "share(mode = car) / share(mode = bus)")
    assert (answer.contrast.low, answer.contrast.high) == (-math.inf, math.inf)
    assert answer.to_dict()["interval"] == [None, None]


FILE = """
[survey]
name = "trips"
[[question]]
name = "mode"
type = "category"
values = ["car", "bus"]
epsilon = "2"
mechanism = "grr"
"""


@pytest.fixture
def files(tmp_path):
    """A survey file and the reports of a hundred people."""
    survey, answers = tmp_path / "s.toml", tmp_path / "a.csv"
    survey.write_text(FILE, encoding="utf-8")
    answers.write_text("mode\n" + "car\nbus\n" * 50, encoding="utf-8")
    reports = tmp_path / "r.reports"
    run("randomize", str(survey), "-i", str(answers), "-o", str(reports), "-q")
    return str(survey), str(reports)


def test_the_command(files, tmp_path):
    """In every format, with what the respondents were promised."""
    texts = [
        "share(mode = car) - share(mode = bus)",
        "share(mode = car) / share(mode = bus)",
    ]
    shown = run("analyze", "query", *files, *texts, "-q").stdout
    assert "mode: grr, epsilon 2, 100 reports" in shown
    assert "cost no privacy" in shown
    answers = json.loads(
        run("analyze", "query", *files, *texts, "--format", "json", "-q").stdout
    )["answers"]
    assert [answer["query"] for answer in answers] == texts
    assert answers[0]["questions"] == [
        {"question": "mode", "mechanism": "grr", "epsilon": "2", "reports": 100}
    ]
    assert [answer["tested"] for answer in answers] == ["estimate = 0", "ratio = 1"]
    table = tmp_path / "out.csv"
    run("analyze", "query", *files, *texts, "-o", str(table), "--simultaneous", "-q")
    rows = table.read_text(encoding="utf-8").splitlines()
    assert rows[0] == "query,estimate,standard_error,low,high,p_value"
    assert len(rows) == 3


def test_the_command_points_at_mistakes(files):
    """Without a traceback, and with an exit status."""
    failed = run("analyze", "query", *files, "share(mode = bsu)", "-q", code=1)
    assert (
        "did you mean 'bus'?\n  share(mode = bsu)\n               ^^^" in failed.stderr
    )


def test_a_picture_of_what_has_none(files, tmp_path):
    """Is refused in words."""
    words = [
        "analyze",
        "query",
        *files,
        "share(mode = car)",
        "-q",
        "-o",
        tmp_path / "out.svg",
    ]
    assert "expected a file ending in one of" in run(*words, code=2).stderr
