"""Shares of values of which a respondent may hold several: no sum of shares is printed
as one.
"""

import pytest

import ldp
import ldp_aggregator
from ldp import EstimateError
from ldp_aggregator import aggregate, estimate, query
from ldp_aggregator.analyses.queries.language import QueryError
from ldp_simulations import randomize

SURVEY = ldp.survey(
    "overlapping",
    ldp.question("apps", ["a", "b", "c"], type="multi", most=2, epsilon="8"),
    ldp.question("files", keys=["x", "y", "z"], low=0, high=5, most=2, epsilon="8"),
    ldp.question(
        "kind", parents={"cat": "pet", "dog": "pet", "car": "thing"}, epsilon="8"
    ),
    ldp.question(
        "trip",
        type="table",
        collect="subsets",
        fields=[
            ldp.field("way", ["rail", "road", "sea"]),
            ldp.field("far", type="boolean"),
            ldp.field("paid", type="boolean"),
        ],
        epsilon="8",
    ),
)
PEOPLE = 2000


@pytest.fixture(scope="module")
def tally():
    """Everyone holds a and b, both keys, a cat, and goes far by rail."""
    answers = {
        "apps": [["a", "b"]] * PEOPLE,
        "files": [{"x": 1, "y": 2}] * PEOPLE,
        "kind": ["cat"] * PEOPLE,
        "way": ["rail"] * PEOPLE,
        "far": [True] * PEOPLE,
        "paid": [False] * PEOPLE,
    }
    return aggregate(SURVEY, randomize(SURVEY, answers))


@pytest.mark.parametrize(
    "text",
    [
        "share(apps in {a, b})",
        "share(apps != c)",
        "share(apps = a and apps = b)",
        "count(apps in {a, b})",
        "share(files in {x, y})",
        "share(files != z)",
        "share(kind in {cat, pet})",
        "share(kind != dog)",
        "share(trip.way != sea)",
        "share(trip.way = rail and trip.far = true)",
        'share(trip in {"way: rail", "far: true"})',
    ],
)
def test_several_values_that_go_together_are_refused(tally, text):
    """Their sum was printed as a share, up to the number of values."""
    with pytest.raises(QueryError, match="expected a test of a single value"):
        ldp_aggregator.query(tally, text)


@pytest.mark.parametrize(
    "text",
    ["share(apps = a given apps = b)", "share(trip.way = rail given trip.far = true)"],
)
def test_a_condition_among_them_is_refused(tally, text):
    """It was 0, as no value is another one."""
    with pytest.raises(QueryError, match="no report tells who holds two"):
        ldp_aggregator.query(tally, text)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("share(apps = a)", 1),
        ("share(apps in {c})", 0),
        ("number(apps in {a, b})", 2),
        ("number(apps != a)", 1),
        ("number(files in {x, z})", 1),
        ("share(kind = pet)", 1),
        ("share(trip.way in {rail, sea})", 1),
        ("score(apps, a: 1, b: 1)", 2),
    ],
)
def test_what_can_be_told_is(tally, text, truth):
    """Within six standard errors, false alarms 2e-9 each, by the operating system's
    randomness.
    """
    (answer,) = ldp_aggregator.query(tally, text)
    assert answer.contrast.estimate == pytest.approx(
        truth, abs=6 * answer.contrast.standard_error
    )
    assert answer.contrast.standard_error < 0.2


def test_number_is_for_sets(tally):
    """Of others there is the share."""
    with pytest.raises(QueryError, match="of type multi or key-value, got 'kind'"):
        ldp_aggregator.query(tally, "number(kind = cat)")


def test_in_python_as_well(tally):
    """`share` takes a value, and names what adds up."""
    apps = estimate(tally)["apps"]
    with pytest.raises(EstimateError, match="expected a single value, got 2"):
        apps.share({"a", "b"})
    assert apps.share({"a"}).estimate == pytest.approx(1, abs=0.2)
    assert apps.contrast({"a": 1, "b": 1}).estimate == pytest.approx(2, abs=0.3)


def test_a_share_of_padded_sets():
    """The fourth cumulant of scores that are padded may be below what one score could
    have.
    """
    survey = ldp.survey(
        "sets", ldp.question("f", [*"abcd"], type="multi", most=2, epsilon="4")
    )
    people = {"f": [["a", "b"], ["c"]] * 500}
    [answer] = query(
        aggregate(survey, randomize(survey, people, seed=1)), "share(f = a)"
    )
    low, high = answer.contrast.interval
    assert low < answer.contrast.estimate < high
