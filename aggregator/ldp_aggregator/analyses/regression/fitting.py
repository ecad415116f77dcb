"""From reports and a formula to coefficients.

What reports cost is said first, and what follows costs no more. Covariates in the clear
allow for the likelihood of the channel; where what is explained is a number, or
predictors are randomized, the unbiased equations take its place. Everything is for the
population that the respondents were drawn from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc, stdtr, stdtrit

from ldp.errors import EstimateError
from ldp_aggregator.analyses.regression.design import DesignMatrix, design_of, row_of
from ldp_aggregator.analyses.regression.equations import Solution, solve_equations
from ldp_aggregator.analyses.regression.formula import Formula, formula_of
from ldp_aggregator.analyses.regression.joint_likelihood import likeliest_together
from ldp_aggregator.analyses.regression.likelihood import RegressionFit, likeliest
from ldp_aggregator.analyses.regression.links import Link
from ldp_aggregator.analyses.regression.options import (
    EQUATIONS,
    LIKELIHOOD,
    MODEL,
    PROFILE,
    SANDWICH,
    WALD,
    RegressionOptions,
)
from ldp_aggregator.analyses.regression.outcomes import (
    RegressionOutcome,
    observed_of,
    outcome_of,
    together_of,
)
from ldp_aggregator.analyses.regression.profile import (
    chi_square,
    likelihood_ratio,
    profile_interval,
)
from ldp_aggregator.analyses.regression.result import (
    Coefficient,
    Prediction,
    Regression,
    TermTest,
)
from ldp_aggregator.analyses.rows.reading import SurveyRows
from ldp_aggregator.analyses.weighting.answers import ReportAnswers
from ldp_aggregator.analyses.weighting.design_rows import (
    DesignedRows,
    answers_of_any,
    fields_of,
)
from ldp_aggregator.analyses.weighting.reading import Design as Weights
from ldp_aggregator.analyses.weighting.reading import Tallies, answers_in
from ldp_aggregator.analyses.weighting.rows import SamplingFrame
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.checks import Remark

_DEFAULTS = RegressionOptions()
_EMPTY = (
    "combinations of predictors are held by no one, by the likelihood; errors take "
    "that for granted (method equations does not)"
)


class _Likely(NamedTuple):
    """A likelihood, and what its greatest value says."""

    fit: RegressionFit
    ratio: Callable[[RegressionFit, tuple[int, ...]], tuple[float, float]]
    """The chi-square of leaving columns out, and its p-value."""
    ends: Callable[[RegressionFit, int, float], tuple[float, float]] | None
    """The profile interval of a coefficient, at a level."""


def regress(
    tallies: Tallies,
    name: str,
    formula: str,
    choices: RegressionOptions = _DEFAULTS,
    *,
    attributes: Sequence[str] = (),
    design: Weights | None = None,
) -> Regression:
    """A regression from tallies: on randomized predictors, on public attributes, or on
    both.

    tallies     one, of a question whose fields are outcome and predictors; or one for
                each combination of the values of public attributes
    name        of the question; `a & b` of questions that were answered together
    formula     such as `smokes ~ age + sex`
                (`ldp_aggregator.analyses.regression.formula`)
    attributes  the names of the public attributes
    design      the design weight of each combination's respondents

    Raises `EstimateError` for what cannot be estimated, with what to do.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> fields = [ldp.field("smokes", type="boolean"), ldp.field("sex", ["f", "m"])]
    >>> habits = ldp.question("habits", type="table", fields=fields, epsilon="2")
    >>> survey = ldp.survey("health", habits)
    >>> people = {"smokes": [True, False] * 500, "sex": ["f", "m", "m", "f"] * 250}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> fitted = ldp_aggregator.regress(tally, "habits", "smokes ~ sex")
    >>> len(fitted.coefficients)
    2
    """
    read = formula_of(formula)
    answers = answers_in(
        tallies, name, attributes=attributes, design=design, among=read.names
    )
    return fit_answers(answers, read, choices)


def regress_rows(
    rows: SurveyRows | DesignedRows,
    formula: str,
    choices: RegressionOptions = _DEFAULTS,
    *,
    question: str | None = None,
    frame: SamplingFrame = SamplingFrame(),  # noqa: B008 (it is never changed)
) -> Regression:
    """A regression from rows (`read_rows`, `DesignedRows`), with covariates in the
    clear.

    formula   explains the question, a field of the question that is named, or a column
              in the clear; of a design, the column of answers is its question
    frame     columns of design weights, strata and clusters, if any

    >>> import ldp, ldp_aggregator
    >>> copied = ldp.question("copied", type="boolean", mechanism="warner", truth="0.8")
    >>> survey = ldp.survey("exam", copied)
    >>> table = {"z": [1, 0, 1, 0, 0, 0, 0, 1] * 100, "age": list(range(20, 60)) * 20}
    >>> rows = ldp_aggregator.read_rows(survey, table, "z")
    >>> fitted = ldp_aggregator.regress_rows(rows, "copied ~ age")
    >>> [one.name for one in fitted.coefficients]
    ['(intercept)', 'age']
    """
    read = formula_of(formula)
    name = question or read.outcome
    if isinstance(rows, DesignedRows):
        name = question or rows.answers
    randomized = {name, *fields_of(rows, name)}
    attributes = [one for one in (read.outcome, *read.names) if one not in randomized]
    return fit_answers(
        answers_of_any(rows, name, attributes=attributes, frame=frame), read, choices
    )


def fit_answers(
    answers: ReportAnswers, formula: Formula, choices: RegressionOptions
) -> Regression:
    """Do the same with answers that have been read."""
    answers = answers.of_each(choices.reports_per_person).with_mean_weight_1()
    outcome = outcome_of(answers, formula, choices)
    design = design_of(answers, formula)
    if outcome.public and design.public:
        raise EstimateError(
            f"expected {answers.name!r}, which is randomized, in the formula, got "
            "columns in the clear alone"
        )
    likely = _likely(answers, design, outcome, penalty=choices.penalty)
    if _method(likely, design, choices) == LIKELIHOOD and likely is not None:
        fit = _of_likelihood(
            answers, formula, choices, design=design, outcome=outcome, likely=likely
        )
    else:
        fit = _of_equations(answers, formula, choices, design=design, outcome=outcome)
    points = [(given, row_of(answers, formula, given)) for given in choices.predict]
    predictions = [_predict(fit, outcome.link, given, row=row) for given, row in points]
    return replace(fit, predictions=tuple(predictions))


def _predict(
    fit: Regression, link: Link, given: Mapping[str, Any], row: Floats
) -> Prediction:
    """The mean of those with some values; its ends are those of the predictor x'b."""
    middle = float(row @ [one.estimate for one in fit.coefficients])
    error = math.sqrt(max(float(row @ fit.covariance @ row), 0.0))
    reach = float(stdtrit(fit.freedom, (1 + fit.level) / 2)) * error
    places = np.array([middle, middle - reach, middle + reach])
    estimate, low, high = link.at(places).mean.tolist()
    named = ", ".join(f"{name}={value}" for name, value in given.items())
    return Prediction(named, estimate, low, high=high)


def _of_equations(
    answers: ReportAnswers,
    formula: Formula,
    choices: RegressionOptions,
    *,
    design: DesignMatrix,
    outcome: RegressionOutcome,
) -> Regression:
    if choices.penalty is not None:
        raise EstimateError(
            "expected no penalty for estimating equations, which have no likelihood"
        )
    if choices.interval == PROFILE or choices.errors == MODEL:
        raise EstimateError(
            "expected Wald intervals and sandwich errors for estimating equations, "
            "which have no likelihood"
        )
    solution = solve_equations(answers, design, outcome)
    covariance, freedom = solution.covariance, _freedom(answers, design)
    wald = tuple(
        _wald(
            name, places, solution.coefficients, covariance=covariance, freedom=freedom
        )
        for name, places in design.terms
    )
    rows = _coefficients(
        design, solution.coefficients, covariance, level=choices.level, freedom=freedom
    )
    return Regression(
        answers.name,
        answers.spent,
        formula.text,
        model=outcome.link.name,
        method=EQUATIONS,
        event=outcome.event,
        reports=answers.reports,
        level=choices.level,
        interval=WALD,
        errors=SANDWICH,
        coefficients=rows,
        covariance=covariance,
        freedom=freedom,
        tests=wald,
        log_likelihood=None,
        converged=solution.converged,
        steps=solution.steps,
        remarks=tuple(_remarks(answers, design, solution, outcome=outcome)),
    )


def _freedom(answers: ReportAnswers, design: DesignMatrix) -> float:
    """Return the degrees of freedom of t: those of the sampling frame, less
    predictors.
    """
    freedom = answers.freedom - (len(design.names) - 1)
    if freedom < 1:
        raise EstimateError(
            f"{answers.freedom:g} clusters less strata are too few for "
            f"{len(design.names)} coefficients: leave predictors out, or merge strata"
        )
    return freedom


def _likely(
    answers: ReportAnswers,
    design: DesignMatrix,
    outcome: RegressionOutcome,
    *,
    penalty: str | None,
) -> _Likely | None:
    """The likelihood, where it is known."""
    observed = observed_of(answers, design, outcome)
    if observed is not None:
        if penalty is not None:
            observed = observed._replace(prior=observed.table)
        return _Likely(
            likeliest(observed),
            lambda fit, places: likelihood_ratio(observed, fit, places),
            lambda fit, place, level: profile_interval(
                observed, fit, place, level=level
            ),
        )
    reports = together_of(answers, design, outcome)
    if reports is None or penalty is not None:
        return None

    def ratio(fit: RegressionFit, places: tuple[int, ...]) -> tuple[float, float]:
        less = likeliest_together(reports.without(places))
        return chi_square(fit.log_likelihood - less.log_likelihood, len(places))

    return _Likely(likeliest_together(reports), ratio, None)


def _method(
    likely: _Likely | None, design: DesignMatrix, choices: RegressionOptions
) -> str:
    if choices.method == LIKELIHOOD and likely is None:
        raise EstimateError(
            "expected, for the likelihood, an outcome with two values, predictors that "
            "lie all in the clear or none, no clusters, and a mechanism whose channel "
            "is known; use method equations"
        )
    if choices.method is not None:
        return choices.method
    if likely is not None and design.public:
        return LIKELIHOOD
    return EQUATIONS


def _of_likelihood(
    answers: ReportAnswers,
    formula: Formula,
    choices: RegressionOptions,
    *,
    design: DesignMatrix,
    outcome: RegressionOutcome,
    likely: _Likely,
) -> Regression:
    fit = likely.fit
    if not answers.counts_people and (
        choices.interval == PROFILE or choices.errors == MODEL
    ):
        raise EstimateError(
            "expected Wald intervals and sandwich errors under design weights, or for "
            "several reports of each respondent: they count no people, so that there "
            "is no likelihood"
        )
    covariance = fit.covariance(robust=choices.errors == SANDWICH) * answers.repeats
    rows = _coefficients(design, fit.coefficients, covariance, level=choices.level)
    if choices.interval == PROFILE:
        if likely.ends is None:
            raise EstimateError(
                "expected Wald intervals where predictors are randomized"
            )
        ends = [likely.ends(fit, place, choices.level) for place in range(len(rows))]
        rows = tuple(row.within(*pair) for row, pair in zip(rows, ends, strict=True))
    tests = []
    for name, places in design.terms:
        if not answers.counts_people:
            tests.append(_wald(name, places, fit.coefficients, covariance=covariance))
        else:
            ratio = likely.ratio(fit, places)
            tests.append(TermTest(name, "likelihood ratio", *ratio, len(places)))
    remarks = _common_remarks(
        answers, design, converged=fit.converged, inside=fit.inside
    )
    if fit.empty:
        remarks.append(Remark("empty-combinations", f"{fit.empty:,} {_EMPTY}"))
    return Regression(
        answers.name,
        answers.spent,
        formula.text,
        model=outcome.link.name,
        method=LIKELIHOOD,
        event=outcome.event,
        reports=answers.reports,
        level=choices.level,
        interval=choices.interval,
        errors=choices.errors,
        coefficients=rows,
        covariance=covariance,
        freedom=math.inf,
        tests=tuple(tests),
        log_likelihood=fit.log_likelihood if answers.counts_people else None,
        converged=fit.converged,
        steps=fit.steps,
        remarks=tuple(remarks),
        penalty=choices.penalty,
    )


def _coefficients(
    design: DesignMatrix,
    coefficients: Floats,
    covariance: Floats,
    level: float,
    *,
    freedom: float = math.inf,
) -> tuple[Coefficient, ...]:
    quantile = float(stdtrit(freedom, (1 + level) / 2))
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)).tolist()
    rows = []
    for name, value, error in zip(
        design.names, coefficients.tolist(), errors, strict=True
    ):
        ends = value - quantile * error, value + quantile * error
        distance = math.nan
        if error > 0:
            distance = abs(value) / error
        rows.append(
            Coefficient(
                name,
                value,
                error,
                low=ends[0],
                high=ends[1],
                p_value=2 * float(stdtr(freedom, -distance)),
            )
        )
    return tuple(rows)


def _wald(
    name: str,
    places: tuple[int, ...],
    coefficients: Floats,
    covariance: Floats,
    *,
    freedom: float = math.inf,
) -> TermTest:
    own, many = coefficients[list(places)], len(places)
    block = covariance[np.ix_(places, places)]
    statistic = float(own @ np.linalg.pinv(block, hermitian=True) @ own)
    chance = chdtrc(many, statistic)
    if math.isfinite(freedom):
        chance = fdtrc(many, freedom, statistic / many)
    return TermTest(name, "Wald", statistic, p_value=float(chance), freedom=many)


def _remarks(
    answers: ReportAnswers,
    design: DesignMatrix,
    solution: Solution,
    outcome: RegressionOutcome,
) -> list[Remark]:
    remarks = _common_remarks(answers, design, converged=solution.converged)
    if solution.negative:
        remarks.append(
            Remark(
                "negative-cells",
                f"{solution.negative:,} of {answers.shares.size:,} cells have an "
                "unbiased share below 0; they are used as they are, and only the start "
                "of the search is at the nearest shares that are not",
            )
        )
    if outcome.numbers is not None and not outcome.public:
        whole = np.all(outcome.numbers == np.round(outcome.numbers))
        if not whole:
            remarks.append(
                Remark(
                    "middles",
                    f"numbers of {outcome.name} stand in the middles of cells",
                )
            )
    return remarks


def _common_remarks(
    answers: ReportAnswers,
    design: DesignMatrix,
    *,
    converged: bool,
    inside: bool = True,
) -> list[Remark]:
    remarks = [*answers.repeated]
    if not inside:
        remarks.append(
            Remark(
                "boundary",
                "reports are likeliest where a chance is 0 or 1, so that coefficients "
                "have no end: too few say yes beside what the design alone gives, or a "
                "group has only one answer. Profile intervals are right, with one open "
                "end; the penalty firth keeps coefficients finite",
            )
        )
    elif not converged:
        remarks.append(
            Remark(
                "not-converged",
                "the search came to no maximum: there are too few reports for this "
                "formula at this epsilon, or a group has only one answer. Coefficients "
                "and errors say nothing; leave predictors out, or merge values",
            )
        )
    if design.references:
        remarks.append(
            Remark("reference", f"in comparison to {', '.join(design.references)}")
        )
    if answers.refused:
        remarks.append(Remark("rows-left-out", f"rows left out: {answers.refused}"))
    return remarks
