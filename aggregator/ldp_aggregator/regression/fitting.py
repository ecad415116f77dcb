"""From reports and a formula to coefficients.

What reports cost is said first, and what follows costs no more. Covariates in the clear allow for
the likelihood of the channel; where what is explained is a number, or predictors are randomized,
the unbiased equations take its place. Everything is for the population that the respondents were
drawn from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, ndtri

from ldp.errors import EstimateError, UnknownNameError
from ldp.survey import Survey
from ldp_aggregator.arrays import Floats
from ldp_aggregator.checks import Remark
from ldp_aggregator.regression.design import Design, design_of
from ldp_aggregator.regression.equations import LINEAR, LOGIT, MODELS, Solution, solved
from ldp_aggregator.regression.formula import Formula, formula_of
from ldp_aggregator.regression.likelihood import Fit, Observed, likeliest
from ldp_aggregator.regression.profile import likelihood_ratio, profile_interval
from ldp_aggregator.regression.result import Coefficient, Regression, Test
from ldp_aggregator.weighting.answers import Answers, Part
from ldp_aggregator.weighting.columns import Table
from ldp_aggregator.weighting.reading import Design as Weights
from ldp_aggregator.weighting.reading import Tallies, answers_in
from ldp_aggregator.weighting.rows import REPORT, SamplingFrame, answers_of_rows

LIKELIHOOD, EQUATIONS = "likelihood", "equations"
METHODS = (LIKELIHOOD, EQUATIONS)
WALD, PROFILE = "wald", "profile"
INTERVALS = (WALD, PROFILE)
SANDWICH, MODEL = "sandwich", "model"
ERRORS = (SANDWICH, MODEL)


@dataclass(frozen=True)
class RegressionOptions:
    """What an analyst may choose. Raises `EstimateError` for what does not exist."""

    model: str | None = None
    """`logit` or `linear`; without, by what is explained."""
    event: str | None = None
    """The value whose chance a logit explains; the last of two, if it is None."""
    method: str | None = None
    """`likelihood` or `equations`; without, the likelihood where it is known."""
    interval: str = WALD
    """`wald`, or `profile` for the likelihood."""
    errors: str = SANDWICH
    """`sandwich`, or `model` for the likelihood: right only where the model is."""
    level: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise EstimateError(f"expected a level between 0 and 1, such as 0.95, got {self.level}")
        for name, known in (
            ("model", (None, *MODELS)),
            ("method", (None, *METHODS)),
            ("interval", INTERVALS),
            ("errors", ERRORS),
        ):
            if getattr(self, name) not in known:
                listed = ", ".join(str(one) for one in known if one is not None)
                raise EstimateError(
                    f"expected {name} to be one of {listed}, got {getattr(self, name)!r}"
                )


_DEFAULTS = RegressionOptions()


def regress(
    tallies: Tallies,
    name: str,
    formula: str,
    choices: RegressionOptions = _DEFAULTS,
    *,
    attributes: Sequence[str] = (),
    design: Weights | None = None,
) -> Regression:
    """A regression from tallies: on randomized predictors, on public attributes, or on both.

    tallies     one, of a question whose fields are outcome and predictors; or one for each
                combination of the values of public attributes
    name        of the question; `a & b` of questions that were answered together
    formula     such as `smokes ~ age + sex` (`ldp_aggregator.regression.formula`)
    attributes  the names of the public attributes
    design      the design weight of each combination's respondents

    Raises `EstimateError` for what cannot be estimated, with what to do.
    """
    answers = answers_in(tallies, name, attributes=attributes, design=design)
    return fitted(answers, formula_of(formula), choices)


def regress_rows(
    survey: Survey,
    formula: str,
    table: Table,
    choices: RegressionOptions = _DEFAULTS,
    *,
    question: str | None = None,
    report: str = REPORT,
    frame: SamplingFrame = SamplingFrame(),  # noqa: B008 (it is never changed)
) -> Regression:
    """A regression from rows: each a report beside covariates that lie in the clear.

    formula   what is explained is the question, or a field of the question that is named
    table     a file, a frame or columns (`ldp_aggregator.weighting.columns`)
    report    the column of reports, in the framework's own bytes
    frame     columns of design weights, strata and clusters, if any
    """
    read = formula_of(formula)
    name = read.outcome if question is None else question
    fields = {field.name for field in survey[name].domain.fields}
    attributes = [one for one in read.names if one not in fields]
    answers = answers_of_rows(
        survey, name, table, attributes=attributes, report=report, frame=frame
    )
    return fitted(answers, read, choices)


def fitted(answers: Answers, formula: Formula, choices: RegressionOptions) -> Regression:
    """The same from answers that have been read."""
    part = _explained(answers, formula)
    model, event, outcome = _outcome(answers, part, choices)
    design = design_of(answers, formula)
    observed = _observed(answers, design, outcome, model=model)
    method = _method(observed, choices)
    if method == LIKELIHOOD and observed is not None:
        fit = likeliest(observed)
        return _of_likelihood(
            answers, formula, choices, design=design, event=event, observed=observed, fit=fit
        )
    if choices.interval == PROFILE or choices.errors == MODEL:
        raise EstimateError(
            "expected Wald intervals and sandwich errors for estimating equations, which have no "
            "likelihood"
        )
    solution = solved(answers, design, outcome, model=model)
    covariance = solution.covariance
    wald = tuple(
        _wald(name, places, solution.coefficients, covariance=covariance)
        for name, places in design.terms
    )
    return Regression(
        answers.name,
        answers.spent,
        formula.text,
        model=model,
        method=EQUATIONS,
        event=event,
        reports=answers.reports,
        level=choices.level,
        interval=WALD,
        errors=SANDWICH,
        coefficients=_coefficients(design, solution.coefficients, covariance, level=choices.level),
        covariance=covariance,
        tests=wald,
        log_likelihood=None,
        converged=solution.converged,
        steps=solution.steps,
        remarks=tuple(_remarks(answers, design, solution, part=part)),
    )


def _explained(answers: Answers, formula: Formula) -> Part:
    for part in answers.parts:
        if part.name == formula.outcome:
            return part
    names = [part.name for part in answers.parts]
    raise UnknownNameError(formula.outcome, names, "what a report tells")


def _outcome(
    answers: Answers, part: Part, choices: RegressionOptions
) -> tuple[str, str | None, Floats]:
    """The model, the event of a logit, and what each cell counts for, (cells,)."""
    two = len(part.values) == 2
    model = choices.model
    if model is None:
        is_share = not answers.is_mean and (two or choices.event is not None)
        model = LOGIT if is_share else LINEAR
    if answers.is_mean:
        if model == LOGIT or choices.event is not None:
            raise EstimateError(
                f"expected a linear model of {part.name!r}, whose mean reports tell"
            )
        return model, None, np.ones(1)
    codes = np.broadcast_to(answers.column(part.name).codes, (1, answers.cells))[0]
    if model == LINEAR and part.numbers is not None and choices.event is None:
        return model, None, np.asarray(part.numbers[codes], dtype=np.float64)
    event = choices.event
    if event is None:
        if not two:
            raise EstimateError(
                f"expected the value of {part.name!r} whose chance is explained (event), of "
                f"{', '.join(part.values)}"
            )
        event = part.values[1]
    if event not in part.values:
        raise UnknownNameError(event, part.values, f"a value of {part.name!r}")
    return model, event, (codes == part.values.index(event)).astype(np.float64)


def _observed(answers: Answers, design: Design, outcome: Floats, *, model: str) -> Observed | None:
    """What the likelihood needs; None where it is not known."""
    units = answers.units
    if model != LOGIT or not design.public or units is None or units.law is None:
        return None
    if answers.cells != 2 or units.cluster is not None or units.stratum is not None:
        return None
    second = int(np.argmax(outcome))
    return Observed(
        np.ascontiguousarray(design.table[units.combination, 0]),
        units.alike,
        units.design,
        chances=units.law[:, [1 - second, second]],
    )


def _method(observed: Observed | None, choices: RegressionOptions) -> str:
    if choices.method == LIKELIHOOD and observed is None:
        raise EstimateError(
            "expected, for the likelihood, an outcome with two values, predictors in the clear, "
            "no clusters, and a mechanism whose channel is known; use method equations"
        )
    if choices.method is not None:
        return choices.method
    return EQUATIONS if observed is None else LIKELIHOOD


def _of_likelihood(
    answers: Answers,
    formula: Formula,
    choices: RegressionOptions,
    *,
    design: Design,
    event: str | None,
    observed: Observed,
    fit: Fit,
) -> Regression:
    covariance = fit.covariance(robust=choices.errors == SANDWICH)
    rows = _coefficients(design, fit.coefficients, covariance, level=choices.level)
    if choices.interval == PROFILE:
        ends = [
            profile_interval(observed, fit, place, level=choices.level)
            for place in range(len(rows))
        ]
        rows = tuple(row.within(*pair) for row, pair in zip(rows, ends, strict=True))
    tests = tuple(
        Test(name, "likelihood ratio", *likelihood_ratio(observed, fit, places), len(places))
        for name, places in design.terms
    )
    remarks = _common_remarks(answers, design, converged=fit.converged)
    return Regression(
        answers.name,
        answers.spent,
        formula.text,
        model=LOGIT,
        method=LIKELIHOOD,
        event=event,
        reports=answers.reports,
        level=choices.level,
        interval=choices.interval,
        errors=choices.errors,
        coefficients=rows,
        covariance=covariance,
        tests=tests,
        log_likelihood=fit.log_likelihood,
        converged=fit.converged,
        steps=fit.steps,
        remarks=tuple(remarks),
    )


def _coefficients(
    design: Design, coefficients: Floats, covariance: Floats, level: float
) -> tuple[Coefficient, ...]:
    quantile = float(ndtri((1 + level) / 2))
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)).tolist()
    rows = []
    for name, value, error in zip(design.names, coefficients.tolist(), errors, strict=True):
        ends = value - quantile * error, value + quantile * error
        square = (value / error) ** 2 if error > 0 else float("nan")
        rows.append(
            Coefficient(
                name,
                value,
                error,
                low=ends[0],
                high=ends[1],
                p_value=float(chdtrc(1, square)),
            )
        )
    return tuple(rows)


def _wald(name: str, places: tuple[int, ...], coefficients: Floats, covariance: Floats) -> Test:
    own = coefficients[list(places)]
    block = covariance[np.ix_(places, places)]
    statistic = float(own @ np.linalg.pinv(block, hermitian=True) @ own)
    return Test(
        name, "Wald", statistic, p_value=float(chdtrc(len(places), statistic)), freedom=len(places)
    )


def _remarks(answers: Answers, design: Design, solution: Solution, part: Part) -> list[Remark]:
    remarks = _common_remarks(answers, design, converged=solution.converged)
    if solution.negative:
        remarks.append(
            Remark(
                "negative-cells",
                f"{solution.negative:,} of {answers.shares.size:,} cells have an unbiased share "
                "below 0; they are used as they are, and only the start of the search is at the "
                "nearest shares that are not",
            )
        )
    if part.numbers is not None and not answers.is_mean:
        whole = np.all(part.numbers == np.round(part.numbers))
        if not whole:
            remarks.append(
                Remark("middles", f"numbers of {part.name} stand in the middles of cells")
            )
    return remarks


def _common_remarks(answers: Answers, design: Design, *, converged: bool) -> list[Remark]:
    remarks = []
    if not converged:
        remarks.append(
            Remark(
                "not-converged",
                "the search came to no maximum: there are too few reports for this formula at this "
                "epsilon, or a group has only one answer. Coefficients and errors say nothing; "
                "leave predictors out, or merge values",
            )
        )
    if design.references:
        remarks.append(Remark("reference", f"in comparison to {', '.join(design.references)}"))
    if answers.refused:
        remarks.append(Remark("rows-left-out", f"rows left out: {answers.refused}"))
    return remarks
