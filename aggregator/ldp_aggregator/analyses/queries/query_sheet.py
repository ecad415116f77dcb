"""Sheet of `ldp analyze query`: answers with intervals, their cost, and open
questions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ldp_aggregator.analyses.queries.answering import Answer
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.output.sheet import NOTHING, Sheet, TextTable

FORMAT = 1
COLUMNS = ("query", "estimate", "standard_error", "low", "high", "p_value")

_LEGEND = (
    "p-value: of the test that what is asked is 0, of a ratio that it is 1",
    (
        "answers cost no privacy: all are made of reports that were private when they "
        "were sent"
    ),
)


def query_sheet(answers: Sequence[Answer]) -> Sheet:
    """Sheet of one answer, or of several."""
    return Sheet(
        "answers",
        tables=lambda: [_table(answers)],
        record=lambda: {
            "format": FORMAT,
            "answers": [answer.to_dict() for answer in answers],
        },
        columns=COLUMNS,
        rows=lambda: map(_row, answers),
        legend=_LEGEND,
    )


def _table(answers: Sequence[Answer]) -> TextTable:
    options = answers[0].options
    family = ""
    if options.simultaneous:
        family = f", simultaneous ({options.simultaneous})"
    return TextTable(
        "",
        f"{options.level:.4g} intervals for {WHOM[options.estimand]}{family}",
        (
            "query",
            "estimate",
            "standard error",
            f"{options.level:.4g} interval",
            "p-value",
        ),
        rows=[_cells(answer) for answer in answers],
        remarks=[*_sources(answers), *dict.fromkeys(_open(answers))],
    )


def _cells(answer: Answer) -> tuple[str, ...]:
    number = answer.contrast
    decimals = 4
    # A quantile has ends alone.
    error = number.standard_error
    if math.isnan(error):
        error = (number.high - number.low) / 4
    if math.isfinite(error) and error > 0:
        decimals = min(max(0, 1 - math.floor(math.log10(error))), 9)
    show = _formatter(decimals)
    ends = f"[{show(number.low)}, {show(number.high)}]"
    return (
        " ".join(answer.query.split()),
        show(number.estimate),
        show(number.standard_error),
        ends,
        NOTHING if math.isnan(number.p_value) else f"{number.p_value:.3g}",
    )


def _formatter(decimals: int) -> Any:
    def show(number: float) -> str:
        if math.isnan(number):
            return NOTHING
        if math.isfinite(number):
            return f"{number:,.{decimals}f}"
        return str(number)

    return show


def _sources(answers: Sequence[Answer]) -> Iterator[str]:
    """Return the promises to respondents, by question."""
    for source in dict.fromkeys(
        source for answer in answers for source in answer.sources
    ):
        yield (
            f"{source.question}: {source.mechanism}, epsilon {source.epsilon}, "
            f"{source.reports:,} reports"
        )
        if source.note:
            yield source.note


def _open(answers: Sequence[Answer]) -> Iterator[str]:
    for answer in answers:
        number = answer.contrast
        if number.bound:
            yield f"the error of {answer.query.strip()} is {number.bound}"
        for remark in number.remarks:
            yield f"{answer.query.strip()}: {remark}"
        if answer.is_ratio and math.isinf(number.high):
            yield (
                f"what is below the line in {answer.query.strip()} may be 0: so may "
                "any ratio be"
            )


def _row(answer: Answer) -> list[str | float | None]:
    number = answer.contrast
    return [
        answer.query,
        number.estimate,
        number.standard_error,
        number.low,
        number.high,
        number.p_value,
    ]
