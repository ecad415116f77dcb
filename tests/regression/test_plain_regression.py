"""Without noise every way is that of statsmodels: coefficients, sandwich, intervals and
tests.
"""

import numpy as np
import pytest
from plain_data import (
    anes_data,
    coefficients,
    fair_data,
    reports_to,
    survey_of,
    with_intercept,
)

import ldp
import ldp_aggregator
from ldp_aggregator import (
    RegressionOptions,
    aggregate,
    read_rows,
    regress,
    regress_rows,
)

NAMES = ["age", "yrs_married", "religious"]
EQUAL = {"rel": 1e-8, "abs": 1e-8}


@pytest.fixture
def sm():
    """Statsmodels, which takes a while to load."""
    import statsmodels.api

    return statsmodels.api


@pytest.fixture(scope="module")
def affairs():
    data = fair_data()
    survey = survey_of("affair", type="boolean")
    rows = {name: data[name].tolist() for name in NAMES}
    rows["report"] = reports_to(survey, "affair", data["affair"].tolist())
    rows["w"] = np.where(data["age"] > 30, 2.5, 1.0)
    return data, read_rows(survey, rows, "report")


@pytest.mark.parametrize("method", ["likelihood", "equations"])
@pytest.mark.parametrize("link", ["Logit", "Probit", "CLogLog"])
def test_chances(sm, affairs, method, link):
    """Of covariates in the clear, with the HC0 sandwich."""
    data, rows = affairs
    outcome, table = data["affair"].astype(float), with_intercept(data, NAMES)
    family = sm.families.Binomial(getattr(sm.families.links, link)())
    fit = sm.GLM(outcome, table, family=family).fit(
        method="newton", tol=1e-14, cov_type="HC0"
    )
    point = {"age": 30, "yrs_married": 5, "religious": 2.5}
    regression = regress_rows(
        rows,
        "affair ~ age + yrs_married + religious",
        choices=RegressionOptions(link.lower(), method=method, predict=(point,)),
    )
    [predicted] = regression.predictions
    assert predicted.estimate == pytest.approx(fit.predict([1, *point.values()])[0])
    assert predicted.low < predicted.estimate < predicted.high
    estimates, errors = coefficients(regression)
    assert regression.converged
    assert estimates == pytest.approx(fit.params.to_numpy(), **EQUAL)
    assert errors == pytest.approx(fit.bse.to_numpy(), **EQUAL)
    assert [row.p_value for row in regression.coefficients] == pytest.approx(
        fit.pvalues.tolist(), rel=1e-6
    )


@pytest.mark.parametrize(
    ("model", "outcome", "family"),
    [
        ("linear", "age", "Gaussian"),
        ("poisson", "children", "Poisson"),
        ("logit", "religious_one", "Binomial"),
    ],
)
def test_an_outcome_in_the_clear(sm, affairs, model, outcome, family):
    """On a randomized predictor and another in the clear."""
    data, rows = affairs
    data = data.assign(religious_one=(data["religious"] == 1).astype(int))
    clear = {name: data[name].tolist() for name in (outcome, "yrs_married")}
    table = read_rows(rows.survey, {**clear, "report": rows.column("report")}, "report")
    fit = sm.GLM(
        data[outcome],
        with_intercept(data.astype({"affair": float}), ["affair", "yrs_married"]),
        family=getattr(sm.families, family)(),
    ).fit(tol=1e-14, cov_type="HC0")
    regression = regress_rows(
        table,
        f"{outcome} ~ affair + yrs_married",
        RegressionOptions(model),
        question="affair",
    )
    estimates, errors = coefficients(regression)
    assert regression.method == "equations"
    assert estimates == pytest.approx(fit.params.to_numpy(), **EQUAL)
    assert errors == pytest.approx(fit.bse.to_numpy(), **EQUAL)


def test_model_errors_and_ratio_tests(sm, affairs):
    """Errors of the model, log-likelihood, and the test of leaving a column out."""
    from scipy.stats import chi2

    data, rows = affairs
    outcome = data["affair"].astype(float)
    fit = sm.Logit(outcome, with_intercept(data, NAMES)).fit(disp=0, tol=1e-14)
    less = sm.Logit(outcome, with_intercept(data, NAMES[1:])).fit(disp=0, tol=1e-14)
    regression = regress_rows(
        rows,
        "affair ~ age + yrs_married + religious",
        choices=RegressionOptions(errors="model"),
    )
    assert coefficients(regression)[1] == pytest.approx(fit.bse.to_numpy(), **EQUAL)
    assert regression.log_likelihood == pytest.approx(fit.llf, rel=1e-10)
    test = regression.tests[0]
    assert test.term == "age"
    assert test.statistic == pytest.approx(2 * (fit.llf - less.llf), rel=1e-7)
    assert test.p_value == pytest.approx(chi2.sf(test.statistic, 1), rel=1e-10)


def test_profile_interval(sm, affairs):
    """At its ends the best of the other coefficients have lost what is allowed, and no
    more.
    """
    from scipy.stats import chi2

    data, rows = affairs
    outcome = data["affair"].astype(float)
    full = sm.Logit(outcome, with_intercept(data, ["age"])).fit(disp=0, tol=1e-14)
    regression = regress_rows(
        rows, "affair ~ age", choices=RegressionOptions(interval="profile", level=0.9)
    )
    row = regression["age"]
    for end in row.interval:
        fixed = sm.GLM(
            outcome,
            np.ones(len(data)),
            family=sm.families.Binomial(),
            offset=end * data["age"].to_numpy(),
        ).fit(tol=1e-12)
        assert 2 * (full.llf - fixed.llf) == pytest.approx(chi2.ppf(0.9, 1), rel=1e-6)
    assert row.low < row.estimate < row.high


@pytest.mark.parametrize("model", ["linear"])
def test_linear(sm, affairs, model):
    """Of a chance on covariates in the clear: least squares, HC0."""
    data, rows = affairs
    fit = sm.OLS(data["affair"].astype(float), with_intercept(data, NAMES)).fit(
        cov_type="HC0"
    )
    regression = regress_rows(
        rows,
        "affair ~ age + yrs_married + religious",
        choices=RegressionOptions(model=model),
    )
    estimates, errors = coefficients(regression)
    assert estimates == pytest.approx(fit.params.to_numpy(), **EQUAL)
    assert errors == pytest.approx(fit.bse.to_numpy(), **EQUAL)


def test_numbers_of_anes(sm):
    """A score from 1 to 7, whose values are the answers: least squares on three
    covariates.
    """
    data = anes_data()
    names = ["TVnews", "educ", "age"]
    survey = survey_of("PID", type="integer", low=0, high=6, mechanism="grr")
    rows = {name: data[name].tolist() for name in names}
    rows["report"] = reports_to(survey, "PID", data["PID"].astype(int).tolist())
    fit = sm.OLS(data["PID"], with_intercept(data, names)).fit(cov_type="HC0")
    regression = regress_rows(
        read_rows(survey, rows, "report"), "PID ~ TVnews + educ + age"
    )
    estimates, errors = coefficients(regression)
    assert (regression.model, regression.method) == ("linear", "equations")
    assert estimates == pytest.approx(fit.params.to_numpy(), **EQUAL)
    assert errors == pytest.approx(fit.bse.to_numpy(), **EQUAL)


@pytest.fixture(scope="module")
def joined():
    """Outcome and predictors in one report each."""
    data = fair_data()
    data = data.assign(
        rating=data["rate_marriage"].astype(int), faith=data["religious"].astype(int)
    )
    survey = ldp.survey(
        "plain",
        ldp.question(
            "life",
            fields=[
                ldp.field("affair", type="boolean"),
                ldp.field("rating", type="integer", low=1, high=5),
                ldp.field("faith", type="integer", low=1, high=4),
            ],
            mechanism="grr",
            epsilon="40",
        ),
    )
    answers = [
        {"affair": bool(affair), "rating": int(rating), "faith": int(faith)}
        for affair, rating, faith in zip(
            data["affair"], data["rating"], data["faith"], strict=True
        )
    ]
    return data, aggregate(survey, reports_to(survey, "life", answers))


@pytest.mark.parametrize(
    ("model", "method"),
    [("logit", "equations"), ("logit", "likelihood"), ("linear", "equations")],
)
def test_randomized_predictors(sm, joined, model, method):
    """From the cells of a table alone, the regression of the rows."""
    data, tally = joined
    table = with_intercept(data, ["rating", "faith"])
    outcome = data["affair"].astype(float)
    if model == "logit":
        fit = sm.Logit(outcome, table).fit(disp=0, tol=1e-14, cov_type="HC0")
    else:
        fit = sm.OLS(outcome, table).fit(cov_type="HC0")
    options = RegressionOptions(model, method=method)
    regression = regress(tally, "life", "affair ~ rating + faith", options)
    estimates, errors = coefficients(regression)
    assert regression.converged
    assert estimates == pytest.approx(fit.params.to_numpy(), **EQUAL)
    assert errors == pytest.approx(fit.bse.to_numpy(), **EQUAL)


def test_categories_and_products(sm, joined):
    """C() makes columns of values; products are those of columns."""
    data, tally = joined
    rating = np.column_stack([data["rating"] == value for value in range(2, 6)]).astype(
        float
    )
    faith = data["faith"].to_numpy(dtype=float)
    table = np.column_stack(
        [np.ones(len(data)), rating, faith, rating * faith[:, None]]
    )
    fit = sm.OLS(data["affair"].astype(float), table).fit(cov_type="HC0")
    regression = regress(
        tally, "life", "affair ~ C(rating) * faith", RegressionOptions(model="linear")
    )
    names = [row.name for row in regression.coefficients]
    assert names[1:5] == [f"rating={value}" for value in range(2, 6)]
    assert names[5:] == ["faith", *(f"rating={value}:faith" for value in range(2, 6))]
    estimates, errors = coefficients(regression)
    assert estimates == pytest.approx(fit.params.to_numpy(), rel=1e-7, abs=1e-7)
    assert errors == pytest.approx(fit.bse.to_numpy(), rel=1e-7, abs=1e-7)
    assert regression.remarks[0].name == "reference"


def test_counts_by_public_cell(affairs):
    """Tallies of combinations of public attributes say the same as their rows."""
    data, rows = affairs
    groups = [str(int(value)) for value in data["religious"]]
    tallies = {
        (group,): aggregate(
            rows.survey,
            [
                one
                for one, own in zip(rows.columns["report"], groups, strict=True)
                if own == group
            ],
        )
        for group in sorted(set(groups))
    }
    by_rows = regress_rows(rows, "affair ~ religious")
    by_cells = regress(
        tallies, "affair", "affair ~ religious", attributes=["religious"]
    )
    assert coefficients(by_cells)[0] == pytest.approx(
        coefficients(by_rows)[0], rel=1e-10
    )
    assert coefficients(by_cells)[1] == pytest.approx(
        coefficients(by_rows)[1], rel=1e-10
    )
    assert by_cells.log_likelihood == pytest.approx(by_rows.log_likelihood, rel=1e-12)


def test_design_weights(sm, affairs):
    """Weights count a row as often: those of weighted least squares, with its
    sandwich.
    """
    data, rows = affairs
    weights = np.array(rows.columns["w"])
    fit = sm.WLS(
        data["affair"].astype(float),
        with_intercept(data, ["religious"]),
        weights=weights,
    ).fit(cov_type="HC0")
    regression = regress_rows(
        rows,
        "affair ~ religious",
        choices=RegressionOptions(model="linear"),
        frame=ldp_aggregator.SamplingFrame(weight="w"),
    )
    estimates, errors = coefficients(regression)
    assert estimates == pytest.approx(fit.params.to_numpy(), **EQUAL)
    assert errors == pytest.approx(fit.bse.to_numpy(), **EQUAL)
