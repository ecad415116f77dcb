"""Regressions under the weights and strata of a sampling frame: nothing false is printed."""

import numpy as np
import pytest

import ldp
from ldp import EstimateError
from ldp_aggregator import RegressionOptions, SamplingFrame, read_rows, regress_rows

SURVEY = ldp.survey(
    "frames",
    ldp.question("q", type="boolean", mechanism="forced", forced_true="1/6", forced_false="1/12"),
)
PEOPLE = 300


@pytest.fixture(scope="module")
def rows():
    """Randomized answers beside a covariate, by a fixed seed."""
    generator = np.random.default_rng(1)
    x = generator.integers(0, 2, PEOPLE)
    answers = generator.random(PEOPLE) < 0.3 + 0.2 * x
    return {
        "x": x,
        "h": np.arange(PEOPLE) // 150,
        "c": np.arange(PEOPLE) // 30,
        "w": generator.uniform(0.5, 2, PEOPLE),
        "one": np.ones(PEOPLE),
        "q": answers,
    }


def fit(rows, scale=1.0, column="w", **choices):
    """A regression under weights, in some unit."""
    return regress_rows(
        read_rows(SURVEY, {**rows, column: rows[column] * scale}),
        "q ~ x",
        choices=RegressionOptions(**choices),
        frame=SamplingFrame(column),
    )


def numbers(regression):
    """Everything that it states."""
    of_tests = [(test.statistic, test.p_value) for test in regression.tests]
    of_rows = [
        (row.estimate, row.standard_error, row.low, row.high) for row in regression.coefficients
    ]
    return np.array([number for pair in (*of_rows, *of_tests) for number in pair])


@pytest.mark.parametrize("column", ["w", "one"])
@pytest.mark.parametrize("scale", [1000, 0.1])
def test_the_unit_of_weights_changes_nothing(rows, column, scale):
    """A chi-square of 3.7 became one of 3,735 where weights were counts of people."""
    expected, other = fit(rows, column=column), fit(rows, scale, column=column)
    assert numbers(other) == pytest.approx(numbers(expected), rel=1e-6)
    assert [test.kind for test in other.tests] == [test.kind for test in expected.tests]


def test_under_weights_there_is_no_likelihood(rows):
    """Wald's test, sandwich errors, and no log-likelihood."""
    regression = fit(rows)
    assert [test.kind for test in regression.tests] == ["Wald"]
    assert regression.log_likelihood is None
    assert "log-likelihood" not in str(regression)
    [test], slope = regression.tests, regression["x"]
    assert test.statistic == pytest.approx((slope.estimate / slope.standard_error) ** 2)


@pytest.mark.parametrize("choices", [{"interval": "profile"}, {"errors": "model"}])
def test_what_needs_a_likelihood_is_refused_under_weights(rows, choices):
    """A profile was .003 wide where the Wald interval was .7."""
    with pytest.raises(EstimateError, match="under design weights"):
        fit(rows, **choices)


def test_equal_weights_are_none(rows):
    """Their likelihood is that of the reports."""
    plain = regress_rows(read_rows(SURVEY, rows), "q ~ x")
    assert fit(rows, 7.0, column="one").log_likelihood == pytest.approx(plain.log_likelihood)


@pytest.mark.parametrize("frame", [SamplingFrame(stratum="h"), SamplingFrame(None, "h", "c")])
@pytest.mark.parametrize("model", ["linear", "logit"])
def test_strata_that_change_nothing_are_refused(rows, frame, model):
    """Errors were the same to the last digit."""
    with pytest.raises(EstimateError, match="expected no strata"):
        regress_rows(
            read_rows(SURVEY, rows), "q ~ x", choices=RegressionOptions(model=model), frame=frame
        )
