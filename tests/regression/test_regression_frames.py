"""Regressions under the weights and strata of a sampling frame: nothing false is
printed.
"""

import numpy as np
import pytest

import ldp
from ldp import EstimateError
from ldp_aggregator import RegressionOptions, SamplingFrame, read_rows, regress_rows

SURVEY = ldp.survey(
    "frames",
    ldp.question(
        "q", type="boolean", mechanism="forced", forced_true="1/6", forced_false="1/12"
    ),
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
        (row.estimate, row.standard_error, row.low, row.high)
        for row in regression.coefficients
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
    assert regression.log_likelihood is None is regression.aic
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
    assert plain.aic == pytest.approx(2 * 2 - 2 * plain.log_likelihood)
    assert fit(rows, 7.0, column="one").log_likelihood == pytest.approx(
        plain.log_likelihood
    )


def linear(rows, frame):
    """A linear model under a frame."""
    choices = RegressionOptions(model="linear")
    return regress_rows(read_rows(SURVEY, rows), "q ~ x", choices, frame=frame)


def by_svyglm(rows, stratum, cluster):
    """Slope and standard error of `svyglm` on unbiased scores, step by step.

    Weighted least squares; totals of influences by cluster, centred within strata, n/(n
    - 1).
    """
    score = (rows["q"] - 1 / 6) / (1 - 1 / 6 - 1 / 12)
    table = np.stack([np.ones(PEOPLE), rows["x"]], axis=1)
    weighted = table * rows["w"][:, None]
    inverse = np.linalg.inv(weighted.T @ table)
    coefficients = inverse @ weighted.T @ score
    influence = weighted * (score - table @ coefficients)[:, None] @ inverse
    spread = np.zeros((2, 2))
    for one in set(stratum):
        inside = stratum == one
        totals = np.array(
            [influence[inside & (cluster == c)].sum(0) for c in set(cluster[inside])]
        )
        spread += np.cov(totals.T) * len(totals)
    return coefficients[1], spread[1, 1] ** 0.5


@pytest.mark.parametrize(
    ("frame", "freedom"),
    [
        (SamplingFrame("w", "h", "c"), 10 - 2 - 1),
        (SamplingFrame("w", None, "c"), 10 - 1 - 1),
        (SamplingFrame("w", "h"), PEOPLE - 2 - 1),
    ],
)
def test_strata_and_clusters_as_by_svyglm(rows, frame, freedom):
    """Errors had no n/(n - 1), no centring, and the normal quantile: p .036 in place of
    .094.
    """
    from scipy.stats import t

    people = np.arange(PEOPLE)
    stratum = rows["h"] if frame.stratum else people * 0
    estimate, error = by_svyglm(rows, stratum, rows["c"] if frame.cluster else people)
    regression = linear(rows, frame)
    slope, [test] = regression["x"], regression.tests
    quantile = t.ppf(0.975, freedom)
    chance = 2 * t.sf(estimate / error, freedom)
    expected = [
        estimate,
        error,
        estimate - quantile * error,
        estimate + quantile * error,
        chance,
    ]
    stated = [
        slope.estimate,
        slope.standard_error,
        slope.low,
        slope.high,
        slope.p_value,
    ]
    assert stated == pytest.approx(expected, rel=1e-8)
    assert test.p_value == pytest.approx(chance, rel=1e-8)
    assert regression.to_dict()["degrees_of_freedom"] == freedom


def test_powers(rows):
    """A square is the column that one would add by hand."""
    age = np.arange(PEOPLE) % 7
    table = read_rows(SURVEY, {**rows, "age": age, "square": age**2})
    one, other = (
        regress_rows(table, f"q ~ age + {term}") for term in ("I(age^2)", "square")
    )
    assert one["I(age^2)"].interval == pytest.approx(other["square"].interval)
    with pytest.raises(EstimateError, match="has categories"):
        regress_rows(
            read_rows(SURVEY, {**rows, "sex": ["f", "m"] * 150}), "q ~ I(sex^2)"
        )


def test_too_few_clusters_for_a_formula_are_refused(rows):
    """Two clusters bear no slope."""
    with pytest.raises(EstimateError, match="1 clusters less strata are too few"):
        linear(rows, SamplingFrame(cluster="h"))
