"""Figures on one report, as `ldp explain` has them, and the questions that a page can
ask.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ldp.errors import Problem
from ldp.numbers.accounting import CERTAIN, posterior, posterior_of
from ldp.numbers.exact import log_text, percent_below, text_upper
from ldp.privacy.certificate import exact_ratios, totals
from ldp.survey.survey import Question, Survey
from ldp_service.respondents.presentation import PageError

TYPES = (
    "boolean",
    "category",
    "multi",
    "integer",
    "number",
    "key-value",
    "text",
    "table",
    "place",
)
"""Types of questions that a page has fields for."""

_MOST_WRITTEN_OUT = 64
_PLACES = 3


def check_askable(survey: Survey) -> None:
    """Whether a page can ask all questions. Raises `PageError`, which lists those that
    it cannot.

    Several records of a device and vectors are for apps, which have sensors.
    """
    problems = []
    for question in survey:
        place = f"question {question.name}"
        if question.domain.type not in TYPES:
            problems.append(
                Problem(place, f"type {', '.join(TYPES)}", question.domain.type)
            )
        if question.domain.per_device:
            problems.append(Problem(place, "one answer of a person", "per_device"))
    if problems:
        raise PageError(problems)


def figures(question: Question) -> dict[str, Any]:
    """Return the figures on one report to a question."""
    # A page asks once, of memoized questions as well.
    ratio, _ = exact_ratios(question)
    return {
        "epsilon": log_text(ratio, _PLACES),
        "percent": percent_below(posterior(ratio)),
        "bytes": question.width,
        "same": _same(question),
    }


def total_figures(survey: Survey) -> dict[str, str]:
    """Return the figures on all reports of one respondent together."""
    epsilon = Fraction(totals(survey)["one_report_each"] or CERTAIN)
    belief = posterior_of(epsilon)
    return {"epsilon": text_upper(epsilon, _PLACES), "percent": percent_below(belief)}


def _same(question: Question) -> str:
    """How many in a hundred who give an answer have this very answer sent.

    Empty where reports are no answers, or it is not the same for all.
    """
    size, layout = question.domain.size, question.layout
    plain = layout.symbols == size and layout.cohorts == layout.places == 1
    if (
        size is None
        or size > _MOST_WRITTEN_OUT
        or question.domain.most is not None
        or not plain
    ):
        return ""
    rows = question.randomizer.channel().rows
    kept = {row[value] for value, row in enumerate(rows)}
    if len(rows) != size or len(rows[0]) != size or len(kept) > 1:
        return ""
    return f"{float(100 * kept.pop()):.0f}"
