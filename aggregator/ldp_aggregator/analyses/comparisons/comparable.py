"""Conditions of comparisons: the same values, different reports, known errors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NoReturn

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates

SHOWN = 3
"""Values that are named in an error."""


def pair_of(
    first: QuestionEstimates | SurveyEstimates,
    second: QuestionEstimates | SurveyEstimates,
    question: str | None,
) -> tuple[QuestionEstimates, QuestionEstimates]:
    """The estimates of one question in both."""
    return _of_question(first, question, second), _of_question(second, question, first)


def _of_question(
    estimates: QuestionEstimates | SurveyEstimates,
    question: str | None,
    other: QuestionEstimates | SurveyEstimates,
) -> QuestionEstimates:
    if isinstance(estimates, QuestionEstimates):
        return estimates
    if question is not None:
        return estimates[question]
    if isinstance(other, QuestionEstimates):
        return estimates[other.name]
    if len(estimates.questions) != 1:
        names = ", ".join(estimates.questions)
        raise EstimateError(
            f"expected the name of a question to compare, one of {names}, got none"
        )
    return next(iter(estimates))


def check_pair(
    first: QuestionEstimates, second: QuestionEstimates, *, allow_equal: bool
) -> None:
    """Raise `EstimateError` unless a difference of the two means something."""

    def refuse(expected: str) -> NoReturn:
        raise EstimateError(f"question {second.name!r}: expected {expected}")

    if not (first.reports and second.reports):
        refuse(f"reports on both sides, got {first.reports:,} and {second.reports:,}")
    domains = first.question.domain, second.question.domain
    if domains[0].type != domains[1].type or domains[0].unit != domains[1].unit:
        kinds = " and ".join(
            f"{domain.type} {domain.unit or ''}".strip() for domain in domains
        )
        refuse(f"questions that ask for the same on both sides, got {kinds}")
    scales = [(domain.spacing, domain.size) for domain in domains]
    if first.mean is not None and scales[0] != scales[1]:
        refuse("numbers of the same range and steps on both sides, got others")
    if first.values != second.values:
        refuse(
            "the same values on both sides, got "
            f"{_differing(first.values, second.values)}"
        )
    if first.options.estimand != second.options.estimand:
        estimands = f"{first.options.estimand} and {second.options.estimand}"
        refuse(f"the same estimand on both sides, got {estimands}")
    if first.is_shape or second.is_shape:
        refuse("estimates with errors, got a biased shape (leave post out)")
    if not len(first) and (first.mean is None or second.mean is None):
        refuse("frequencies or a mean on both sides, got neither")
    if not allow_equal and _equal(first, second):
        refuse(
            "two different tallies, got the same estimates twice; if these really are "
            "of other reports, pass --allow-equal (allow_equal=True)"
        )


def _differing(first: Collection[str], second: Collection[str]) -> str:
    """Some of the values that one side lacks, or a word on their order."""
    alone = [value for value in first if value not in set(second)]
    alone += [value for value in second if value not in set(first)]
    if not alone:
        return "the same in another order"
    named = ", ".join(map(repr, alone[:SHOWN]))
    more = ""
    if len(alone) > SHOWN:
        more = f" and {len(alone) - SHOWN:,} more"
    return f"{named}{more} on one side only"


def _equal(first: QuestionEstimates, second: QuestionEstimates) -> bool:
    """Whether nothing tells the two apart: counts that agree to the last report."""
    return (
        first.question.fingerprint == second.question.fingerprint
        and first.reports == second.reports
        and np.array_equal(first.unbiased, second.unbiased)
        and first.mean == second.mean
    )


def at_level(estimates: QuestionEstimates, level: float | None) -> QuestionEstimates:
    """Return the estimates with another level in their options, if one is asked for."""
    if level is None:
        return estimates
    return replace(estimates, options=replace(estimates.options, level=level))
