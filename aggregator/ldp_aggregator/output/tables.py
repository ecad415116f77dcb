"""Estimates as text: aligned tables for people, JSON for machines."""

from __future__ import annotations

from collections.abc import Iterator

from ldp_aggregator.estimates.question_estimates import MEAN, QuestionEstimates
from ldp_aggregator.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.rendering.columns import columns
from ldp_aggregator.rendering.json_text import json_pieces

_SHOW_ALL = "--top all shows every value in the survey's order; --format csv and --format json have them all"


def table(estimates: SurveyEstimates, *, in_full: bool = True) -> str:
    """One aligned table for each question.

    Unless it is to be in full, with no more than the `brief` of its values.
    """
    parts = []
    for question in estimates:
        brief = question if in_full else question.brief
        parts += [_of_question(brief), *(f"  {sentence}\n" for sentence in brief.sentences)]
        if brief is not question:
            parts.append(f"  {_SHOW_ALL}\n")
    return "\n".join(parts)


def _of_question(question: QuestionEstimates) -> str:
    show = question.shown
    rows = [
        (
            e.value,
            f"{e.count:,.0f}",
            show(e.frequency),
            show(e.standard_error),
            f"[{show(e.low)}, {show(e.high)}]",
        )
        for e in question.everything
    ]
    if question.mean is not None:
        rows.append((MEAN, "", *question.mean.cells))
    level, post = f"{question.options.level:.4g} interval", question.options.post
    plain = ["value", "count", "frequency", "standard error", level]
    view = ["value", "count", f"frequency ({post})", "unbiased standard error", f"unbiased {level}"]
    return f"{question.name}: {question.describe()}\n{columns(view if post else plain, rows)}"


def as_json(estimates: SurveyEstimates) -> str:
    """The JSON format that docs/estimates.md describes."""
    return "".join(json_lines(estimates))


def json_lines(estimates: SurveyEstimates) -> Iterator[str]:
    """The same in pieces."""
    return json_pieces(estimates.record(iter))
