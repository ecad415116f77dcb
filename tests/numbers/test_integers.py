"""Questions of type integer: what may be answered, and the mean beside the
frequencies.
"""

import csv
import io

import numpy as np
import pytest

from ldp import AnswerError, SurveyError, parse_survey
from ldp_aggregator import Options, Tally, estimate
from ldp_client import Client
from ldp_simulations.answers import AnswersError, read_answers


def survey_of(low=-2, high=2, mechanism="geometric"):
    return parse_survey(
        '[survey]\nname = "counts"\n[[question]]\nname = "steps"\ntype = "integer"\n'
        f'low = {low}\nhigh = {high}\nmechanism = "{mechanism}"\nepsilon = 4\n'
    )


def estimated(counts, **options):
    survey = survey_of()
    tally = Tally.empty(survey)
    tally.counts["steps"] += np.array([counts])
    return estimate(tally, options=Options(**options))


def test_values_are_the_decimal_texts_from_low_to_high():
    """Every mechanism of listed values serves as it is, and `auto` chooses among
    them.
    """
    domain = survey_of()["steps"].domain
    assert domain.values == ("-2", "-1", "0", "1", "2")
    assert [domain.value(answer) for answer in range(-2, 3)] == [0, 1, 2, 3, 4]
    assert survey_of(mechanism="auto")["steps"].mechanism == "grr"


@pytest.mark.parametrize(
    "answer",
    [3, -3, 10**5000, True, "1", 1.0, None, np.int64(1)],
    ids=lambda argument: type(argument).__name__,
)
def test_other_answers_are_refused_and_not_repeated(answer):
    """An int within the range is an answer, and nothing else.

    The message has the bounds and the type only.
    """
    with pytest.raises(AnswerError) as refused:
        Client(survey_of()).record("steps", answer)
    assert str(refused.value).partition("expected ")[2] in (
        "a whole number from -2 to 2, got another",
        f"a whole number, got something of type {type(answer).__name__}",
    )


@pytest.mark.parametrize(
    ("cell", "answer"), [("1", 1), (" +2 ", 2), ("-0", 0), ("-2", -2)]
)
def test_cells_of_tables_are_read(cell, answer):
    """A cell holds a whole number as people write it."""
    assert survey_of()["steps"].domain.parse(cell) == answer


@pytest.mark.parametrize(
    "cell", ["1.0", "1_0", "\N{ARABIC-INDIC DIGIT ONE}", "one", "9" * 30, "3"]
)
def test_other_cells_are_refused_and_not_repeated(cell, tmp_path):
    """What is no whole number, or none of the question's, is named by its row."""
    path = tmp_path / "answers.csv"
    path.write_text(f"steps\n{cell}\n", encoding="utf-8")
    with pytest.raises(AnswersError, match="row 2: question 'steps'") as refused:
        list(read_answers(path, survey_of()))
    assert cell == "3" or cell not in str(refused.value).replace("got 1 that", "")


def test_the_fingerprint_covers_the_range():
    """Questions of as many values from another low are other questions."""
    assert survey_of()["steps"].fingerprint != survey_of(-1, 3)["steps"].fingerprint


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ("", ["low", "high"]),
        ('low = "0"\nhigh = 9', ["low"]),
        ("low = 5\nhigh = 5", ["high"]),
        ("low = 0\nhigh = 65536", ["high"]),
        ("low = 0\nhigh = 3\nvalues = ['a', 'b']", ["values"]),
    ],
)
def test_problems_of_ranges(keys, places):
    """A range has two ends, the high one above the low one, and at most 65,536
    numbers.
    """
    with pytest.raises(SurveyError) as refused:
        parse_survey(
            '[survey]\nname = "s"\n[[question]]\nname = "x"\n'
            'type = "integer"\nmechanism = "grr"\nepsilon = 1\n' + keys
        )
    assert [
        problem.place.rpartition(".")[2] for problem in refused.value.problems
    ] == places


def test_the_mean_stands_beside_the_frequencies():
    """Every form of a result has it, with its own standard error and interval."""
    estimates = estimated([120, 90, 310, 200, 80])
    mean = estimates["steps"].mean
    assert mean.low < mean.estimate < mean.high
    (row,) = (
        line.split()
        for line in repr(estimates).splitlines()
        if line.startswith(" mean ")
    )
    assert row == ["mean", *" ".join(mean.cells).split()]
    assert "<td>mean</td>" in estimates._repr_html_()
    assert estimates.to_dict()["questions"]["steps"]["mean"] == {
        "estimate": mean.estimate,
        "standard_error": mean.standard_error,
        "interval": [mean.low, mean.high],
    }
    *_, row = csv.DictReader(io.StringIO(estimates.to_csv()))
    assert (row["value"], float(row["frequency"]), float(row["count"])) == (
        "mean",
        mean.estimate,
        800,
    )
    rows = [
        line.split()[:2]
        for line in estimates.rendered().splitlines()
        if line.strip().startswith("mean")
    ]
    assert rows == [["mean", mean.cells[0]]]


def test_the_mean_is_that_of_its_estimand_and_level():
    """A population adds what its members differ by; a higher level is wider.

    Post-processing changes nothing.
    """
    counts = [120, 90, 310, 200, 80]
    plain = estimated(counts)["steps"].mean
    fixed = estimated(counts, estimand="respondents")["steps"].mean
    assert plain.standard_error > fixed.standard_error
    wide = estimated(counts, level=0.99)["steps"].mean
    assert wide.high - wide.low > plain.high - plain.low
    assert estimated(counts, post_process="norm-sub")["steps"].mean == plain


def test_no_reports_have_no_mean():
    """Nor has a result without reports any in its JSON."""
    estimates = estimated([0] * 5)
    assert estimates["steps"].mean is None
    assert "mean" not in estimates.to_dict()["questions"]["steps"]


def test_an_interval_of_a_mean_stays_in_the_range():
    """Few reports from the ends do not say that the mean is beyond them."""
    mean = estimated([3, 0, 0, 0, 0])["steps"].mean
    assert (mean.estimate < -2, mean.low) == (True, -2)
