"""Questions of type number: scales, what is done outside of them, and rounding without
bias.
"""

from decimal import Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldp
from ldp.answers.scales import read_number
from ldp.errors import AnswerError, SurveyError
from ldp.numbers.randomness import Replay
from ldp.survey.compiled import compile_survey


def asked(mechanism="dithered", **keys):
    """A question of type number."""
    question = ldp.question(
        "x", type="number", mechanism=mechanism, epsilon="1", **keys
    )
    return ldp.survey("s", question)["x"]


HOURS = {"low": 0, "high": "49.5", "step": "0.5", "unit": "hours"}


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        (0, 0),
        (39.0, 78),
        (np.float64(39.5), 79),
        (np.float32(39.5), 79),
        (np.int64(3), 6),
        (Decimal("49.50"), 99),
        (Fraction(7, 2), 7),
        (0.1 + 0.4, 1),
    ],
)
def test_points(answer, place):
    """Numbers of every kind are taken for what is written, exactly."""
    assert asked(**HOURS).place(answer) == (place, 0)


@pytest.mark.parametrize(
    "answer",
    [
        True,
        "3",
        None,
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        1j,
        [3],
        b"3",
        50,
        -0.5,
    ],
)
def test_others_are_refused_without_being_told(answer):
    """What is no number, or lies outside."""
    with pytest.raises(AnswerError, match="'x': expected a number") as caught:
        asked(**HOURS).value(answer)
    said = str(caught.value).partition("of type")[0]
    assert repr(answer) not in said.removeprefix(
        "question 'x': expected a number from 0 to 49.5"
    )
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.parametrize("digits", [400, 5000])
def test_integers_of_very_many_digits_are_refused(digits):
    """Even where others are clipped; the longest that are taken have 400 digits."""
    clipped = asked(**HOURS, outside="clip")
    assert clipped.place(10**400 - 1) == (99, 0)
    for answer in (10**digits, -(10**digits)):
        with pytest.raises(
            AnswerError,
            match=(
                "expected a number that is finite, of at most 400 digits, got another"
            ),
        ):
            clipped.place(answer)


def test_outside_is_part_of_the_question():
    """Refused, clipped or replaced; each has a fingerprint of its own, as has each
    unit.
    """
    questions = [
        asked(**HOURS, outside=outside) if outside else asked(**HOURS)
        for outside in (None, "clip", 12, "12.5")
    ]
    assert [question.place(70) for question in questions[1:]] == [
        (99, 0),
        (24, 0),
        (25, 0),
    ]
    assert [question.place(-1)[0] for question in questions[1:]] == [0, 24, 25]
    others = [asked(**(HOURS | {"unit": "minutes"})), asked(**HOURS, missing=["NA"])]
    fingerprints = {question.fingerprint for question in [*questions, *others]}
    assert len(fingerprints) == 6
    assert asked(**HOURS, outside="refuse").fingerprint == questions[0].fingerprint
    assert (
        asked(**(HOURS | {"step": "1/2", "low": "0.0"})).fingerprint
        == questions[0].fingerprint
    )


COUNTS = {"low": 0, "high": 9, "mechanism": "grr"}


@pytest.mark.parametrize(
    ("outside", "below", "above"), [("clip", 0, 9), (3, 3, 3), ("7", 7, 7)], ids=str
)
def test_whole_numbers_outside_count_as_the_survey_says(outside, below, above):
    """A heavy user is counted rather than refused, whichever way the survey was
    written.
    """
    survey = ldp.survey("s", ldp.question("x", outside=outside, epsilon=1, **COUNTS))
    domain = survey["x"].domain
    assert domain.type == "integer"
    assert [domain.value(number) for number in (-5, 4, 10**300)] == [below, 4, above]
    assert ldp.parse_survey(survey.to_toml()) == survey
    assert "[0, 9]" in domain.estimand


@pytest.mark.parametrize("outside", ["2.5", 10, "wrap"])
def test_whole_numbers_need_a_whole_stand_in(outside):
    """Of the range."""
    with pytest.raises(ldp.SurveyError, match="outside: expected refuse, clip or a"):
        ldp.survey("s", ldp.question("x", outside=outside, epsilon=1, **COUNTS))


def test_whole_numbers_that_are_refused_keep_their_fingerprint():
    """As it was before there was a choice."""
    fingerprints = {
        ldp.survey("s", ldp.question("x", epsilon=1, **COUNTS, **keys))[
            "x"
        ].fingerprint.hex()
        for keys in ({}, {"outside": "refuse"})
    }
    assert fingerprints == {"c4c992cce93011cad58d7d7f1795956c"}


@given(st.fractions(0, 1, max_denominator=10**6))
def test_rounding_is_unbiased(share):
    """To 2^-64 of a step: the chance of the upper point is the part of the way to
    it.
    """
    point, rest = asked(low=0, high=10, step=1).place(3 + share)
    assert 0 <= point + Fraction(rest, 1 << 64) - 3 <= share
    assert share - (point - 3 + Fraction(rest, 1 << 64)) < Fraction(1, 1 << 64)


def test_rounding_draws_as_many_bytes_for_any_answer():
    """Eight, also for numbers on the scale; and both points come up."""
    question = asked(low=0, high=10, step=1)
    for answer in (3, 3.25, 0, 10):
        source = Replay(bytes(8))
        question.value(answer, source)
        assert source.used == 8
    assert question.value(3.25, Replay(b"\xff" * 8)) == 3
    assert question.value(3.25, Replay(bytes(8))) == 4
    assert question.value(3.25, Replay((1 << 62).to_bytes(8, "little"))) == 3
    assert question.value(3.25, Replay(((1 << 62) - 1).to_bytes(8, "little"))) == 4


def test_memoized_numbers_are_not_rounded():
    """The same answer has to have the same permanent response: none is drawn for two
    points.
    """
    keys = {"epsilon_first": "1", "epsilon_lifetime": "2"}
    question = ldp.question(
        "x", low=0, high=3, step=1, unit="km", mechanism="l-grr", **keys
    )
    memoized = ldp.survey("s", question)["x"]
    source = Replay(b"")
    assert memoized.value(2.0, source) == 2
    assert source.used == 0
    with pytest.raises(AnswerError, match="between two points"):
        memoized.value(2.5, source)


@pytest.mark.parametrize(
    ("keys", "cells"),
    [
        (
            {"edges": [0, 18, 25, 65, "99.5"]},
            {0: 0, 17.99: 0, 18: 1, 64: 2, 65: 3, 99.5: 3},
        ),
        ({"low": 0, "high": 1, "bins": 4}, {0: 0, 0.25: 1, 0.2499: 0, 1: 3, 0.75: 3}),
        ({"low": 0, "high": 1, "bins": 3}, {Fraction(1, 3): 1, 0.333: 0, 1.0: 2}),
    ],
)
def test_cells(keys, cells):
    """Half-open, the last with both ends; frequencies are those of cells."""
    question = asked("auto", **keys)
    assert {answer: question.value(answer) for answer in cells} == cells
    assert question.mechanism == "grr"
    assert question.domain.values[0].startswith("[0, ")
    assert question.domain.values[-1].endswith("]")


def test_cells_and_points_have_names():
    """Intervals of which the last has both ends, and decimals."""
    assert asked("grr", edges=["-0.5", 0, 18, "99.5"]).domain.values == (
        "[-0.5, 0)",
        "[0, 18)",
        "[18, 99.5]",
    )
    assert asked("dithered", low=-1, high="0.5", step="0.5").domain.values == (
        "-1",
        "-0.5",
        "0",
        "0.5",
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"low": 0, "high": 10, "step": 3}, "step: expected a number of which 10"),
        ({"low": 0, "high": 10, "step": 0}, "step: expected a number"),
        ({"low": 5, "high": 5}, "high: expected a number above 5"),
        ({"low": 0, "high": 1, "bins": 2, "step": 1}, "step: expected nothing"),
        ({"edges": [3, 2, 1]}, "edges: expected numbers that go up"),
        ({"edges": [1, 2]}, "edges: expected a list of 3"),
        ({"edges": [1, "x", 2]}, "edges: expected a number"),
        ({"edges": [1, 2, "1e16"]}, "edges: expected numbers from"),
        ({"low": 0, "edges": [1, 2, 3]}, "low: expected nothing"),
        (
            {"low": 0, "high": 1, "outside": "wrap"},
            "outside: expected refuse, clip or a number",
        ),
        (
            {"low": 0, "high": 1, "outside": 2},
            "outside: expected refuse, clip or a number",
        ),
        ({"low": 0, "high": 1, "missing": [3]}, "missing: expected a list of texts"),
        ({"low": "1e20", "high": 1}, "low: expected a number"),
        ({"low": 0, "high": 1, "steps": 2}, 'steps: expected "step"'),
    ],
)
def test_problems_have_a_place(keys, message):
    """Each of the keys says what it expected."""
    with pytest.raises(SurveyError) as caught:
        asked("auto", **keys)
    assert message in str(caught.value)


def test_the_ends_may_stand_in():
    """For numbers outside; and a hundred texts for no answer."""
    for end, place in ((0, 0), ("49.5", 99)):
        assert asked(**HOURS, outside=end).place(50) == (place, 0)
    texts = [f"none {number}" for number in range(101)]
    assert all(map(asked(**HOURS, missing=texts[:100]).domain.is_missing, texts[:100]))
    with pytest.raises(SurveyError, match="expected 1 to 100 values"):
        asked(**HOURS, missing=texts)


def test_many_points():
    """A scale of 10^15 steps costs no more than one of ten, and is not listed."""
    question = asked(low=0, high=10**15, step=1)
    assert question.domain.size == 10**15 + 1
    assert question.domain.values is None
    assert not question.domain.is_listed
    assert question.place(123456789012345) == (123456789012345, 0)
    with pytest.raises(SurveyError, match="at most 65536 points"):
        asked("grr", low=0, high=10**15, step=1)
    with pytest.raises(SurveyError, match="in steps"):
        asked("dithered", low=0, high=1, bins=4)


def test_surveys_go_to_text_and_back():
    """As TOML, in the compiled form, and in print."""
    for keys in (
        HOURS | {"outside": "clip", "missing": ["NA", "?"]},
        {"edges": [0, "1/3", 1]},
    ):
        question = ldp.question(
            "x", goal="mean" if "step" in keys else None, epsilon=1, **keys
        )
        survey = ldp.survey("s", question)
        assert ldp.parse_survey(survey.to_toml()) == survey
        scale = compile_survey(survey)["questions"][0]["scale"]
        assert scale["unit"] == keys.get("unit", "")
        assert "number from 0 to" in repr(survey)


@given(st.text(max_size=20))
def test_cells_of_tables_never_raise(text):
    """A cell is a number or is not; blanks around it do not count."""
    domain = asked(**HOURS).domain
    parsed = domain.parse(text)
    assert parsed == (
        text if read_number(text.strip()) is None else read_number(text.strip())
    )


def test_columns_are_rounded_one_by_one():
    """4,000 answers of 3.25 through the bulk path, seed 1: the mean keeps the quarter.

    Within six standard errors of rounding (.041); rounded all alike it would be .25 off
    or .75.
    """
    from ldp_simulations.simulation.randomizing import _round
    from ldp_simulations.tables import columns_of

    survey = ldp.survey(
        "s", ldp.question("x", low=0, high=10, step=1, goal="mean", unit="m", epsilon=1)
    )
    column = columns_of(survey, {"x": [3.25] * 4000})["x"]
    drawn = _round(survey["x"], column, column.codes, random=Random(1).randbytes)
    assert set(drawn.tolist()) == {3, 4}
    assert abs(drawn.mean() - 3.25) < 6 * (0.25 * 0.75 / 4000) ** 0.5
