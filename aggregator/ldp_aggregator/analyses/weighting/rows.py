"""Answers from rows: each respondent's report beside what is known of them in the
clear.

Rows whose answers do not count were left out as they were read (`analyses.rows`); those
that lack a covariate are left out here, and told of with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.rows.codes import LeftOut, text_of
from ldp_aggregator.analyses.rows.columns import RowTable
from ldp_aggregator.analyses.rows.reading import SurveyRows
from ldp_aggregator.analyses.weighting.answers import ReportAnswers, ReportPart, Units
from ldp_aggregator.analyses.weighting.reading import (
    check_reports,
    checked_design,
    parts_of,
    repeats_in,
    spent_on,
)
from ldp_aggregator.analyses.weighting.worth import row_law, row_scores, worth_of
from ldp_aggregator.numerics.arrays import Flags, Floats, Integers
from ldp_aggregator.tallies.counting.counting import count_rows

NO_COVARIATE = "lacking a covariate"


class SamplingFrame(NamedTuple):
    """Columns of a sampling frame, by name; none where there is none.

    >>> import ldp_aggregator
    >>> frame = ldp_aggregator.SamplingFrame(weight="w", stratum="region", cluster="school")
    """

    weight: str | None = None
    """The design weight of a row: how many people it stands for."""
    stratum: str | None = None
    cluster: str | None = None
    size: str | None = None
    """How many clusters, or people, the row's stratum has in the population."""


def answers_of_rows(
    rows: SurveyRows,
    name: str,
    *,
    attributes: Sequence[str],
    frame: SamplingFrame = SamplingFrame(),  # noqa: B008 (it is never changed)
) -> ReportAnswers:
    """What rows say of a question: a report each, beside public attributes.

    attributes  the columns that are used
    frame       the columns of a sampling frame

    Raises `UnknownNameError` for columns that are not there, and `EstimateError` where
    no row can be counted.
    """
    question, answered = rows.survey[name], rows[name]
    kept, lacking = with_covariates(rows, answered.rows, attributes)
    reports = answered.reports[kept]
    check_reports(name, len(reports))
    worth = worth_of(question, count_rows(reports, question.layout))
    answers = answers_beside(
        rows,
        answered.rows[kept],
        RowAnswers(
            name,
            spent_on((question,)),
            parts_of(question),
            is_mean=worth.is_mean,
            scores=row_scores(question, worth, reports),
            law=row_law(question, worth, reports),
        ),
        attributes=attributes,
        frame=frame,
        left_out=(*answered.left_out, *lacking),
    )
    if frame.cluster is not None:
        # A device is in one cluster, whose reports may go together as they like.
        return answers
    epochs: Mapping[int, int] = {}
    if question.memoizes and len(answered.epochs):
        epochs = Counter(answered.epochs[kept].tolist())
    return replace(answers, **repeats_in(question, epochs))


class RowAnswers(NamedTuple):
    """Answers of some rows."""

    name: str
    spent: tuple[str, ...]
    parts: tuple[ReportPart, ...]
    is_mean: bool
    scores: Floats
    """(rows, cells)."""
    law: Floats | None


def with_covariates(
    table: RowTable, chosen: Integers, attributes: Sequence[str]
) -> tuple[Flags, tuple[LeftOut, ...]]:
    """Which of the chosen rows have all covariates, (chosen,), and those that have
    not.
    """
    kept = np.ones(len(chosen), dtype=bool)
    for name in attributes:
        kept &= np.array([text != "" for text in table.texts(name)], dtype=bool)[chosen]
    lacking = tuple((chosen[~kept] + 1).tolist())
    return kept, (LeftOut(NO_COVARIATE, lacking),) if lacking else ()


def answers_beside(
    table: RowTable,
    chosen: Integers,
    told: RowAnswers,
    *,
    attributes: Sequence[str],
    frame: SamplingFrame,
    left_out: Sequence[LeftOut],
) -> ReportAnswers:
    """What the chosen rows of a table tell, beside their columns."""
    numbers = chosen.tolist()
    texts = [
        [text_of(table.column(name)[row]) for row in numbers] for name in attributes
    ]
    combinations = list(zip(*texts, strict=True)) if attributes else [()] * len(numbers)
    places = {values: place for place, values in enumerate(dict.fromkeys(combinations))}
    known = {
        column: [table.column(column)[row] for row in numbers]
        for column in frame
        if column is not None
    }
    stratum, sizes = _strata(frame, known, len(numbers))
    return ReportAnswers(
        told.name,
        told.spent,
        tuple(attributes),
        combinations=tuple(places),
        parts=told.parts,
        is_mean=told.is_mean,
        reports=len(numbers),
        units=Units(
            np.array([places[values] for values in combinations], dtype=np.int64),
            np.ones(len(numbers)),
            _weights(frame, known, len(numbers)),
            scores=told.scores,
            law=told.law,
            cluster=None if frame.cluster is None else _codes(known[frame.cluster]),
            stratum=stratum,
            sizes=sizes,
            row=chosen,
        ),
        refused="; ".join(map(str, left_out)),
    )


def _codes(cells: Sequence[Any]) -> Integers:
    texts = [text_of(cell) for cell in cells]
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return np.array([places[text] for text in texts], dtype=np.int64)


def _weights(frame: SamplingFrame, known: dict[str, list[Any]], size: int) -> Floats:
    if frame.weight is None:
        return np.ones(size)
    return checked_design(_floats(frame.weight, known[frame.weight]))


def _floats(name: str, cells: Sequence[Any]) -> Floats:
    try:
        return np.array([float(cell) for cell in cells])
    except (TypeError, ValueError):
        raise EstimateError(
            f"expected numbers in column {name!r}, got something else"
        ) from None


def _strata(
    frame: SamplingFrame, known: dict[str, list[Any]], size: int
) -> tuple[Integers | None, Floats | None]:
    """The stratum of each row, and how many each stratum has in the population."""
    if frame.stratum is None and frame.size is None:
        return None, None
    stratum = np.zeros(size, dtype=np.int64)
    if frame.stratum is not None:
        stratum = _codes(known[frame.stratum])
    if frame.size is None:
        return stratum, None
    sizes = np.zeros(int(stratum.max()) + 1)
    by_row = _floats(frame.size, known[frame.size])
    sizes[stratum] = by_row
    if not np.array_equal(sizes[stratum], by_row):
        raise EstimateError(
            f"expected one number in column {frame.size!r} for each stratum, got "
            "several"
        )
    return stratum, sizes
