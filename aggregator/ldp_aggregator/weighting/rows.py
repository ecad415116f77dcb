"""Answers from rows: each respondent's report beside what is known of them in the clear.

Rules
- A row is counted whole or not at all: one whose report is damaged, of another question, or comes
  under an id that came before is left out, counted by its reason, and told of.
- A row without a report is somebody who did not answer: left out, and told of too.
- Covariates that are missing leave their row out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp.survey import Question, Survey
from ldp.wire import Batch, read_frames
from ldp_aggregator.arrays import Floats, Integers, Rows
from ldp_aggregator.tallies.counting import count_rows
from ldp_aggregator.tallies.screening import Refusal, screened
from ldp_aggregator.tallies.tally import DUPLICATE
from ldp_aggregator.weighting.answers import Answers, Units
from ldp_aggregator.weighting.columns import Table, columns_of, report_bytes_of
from ldp_aggregator.weighting.reading import (
    check_reports,
    checked_design,
    parts_of,
    spent_on,
)
from ldp_aggregator.weighting.worth import row_law, row_scores, worth_of

REPORT = "report"
"""What the column of reports is called, unless said otherwise."""
NO_REPORT, NO_COVARIATE, SEVERAL = "no-report", "no-covariate", "several-reports"


class SamplingFrame(NamedTuple):
    """Columns of a sampling frame, by name; none where there is none."""

    weight: str | None = None
    """The design weight of a row: how many people it stands for."""
    stratum: str | None = None
    cluster: str | None = None
    size: str | None = None
    """How many clusters, or people, the row's stratum has in the population."""


def answers_of_rows(
    survey: Survey,
    name: str,
    table: Table,
    *,
    attributes: Sequence[str],
    report: str = REPORT,
    frame: SamplingFrame = SamplingFrame(),  # noqa: B008 (it is never changed)
) -> Answers:
    """What rows say of a question: a report each, beside public attributes.

    table       of rows (`ldp_aggregator.weighting.columns`)
    attributes  the columns that are used
    report      the column of reports, in the framework's own bytes
    frame       the columns of a sampling frame

    Raises `EstimateError` for columns that are not there, and where no row can be counted.
    """
    question = survey[name]
    columns = columns_of(table)
    wanted = [report, *attributes, *(column for column in frame if column is not None)]
    missing = [column for column in wanted if column not in columns]
    if missing:
        raise EstimateError(
            f"expected columns {', '.join(wanted)}, got none called {missing[0]!r} among "
            f"{', '.join(columns) or 'none'}"
        )
    chosen, rows, outcomes = _reports(question, columns[report])
    texts = [[_text(columns[column][row]) for row in chosen] for column in attributes]
    complete = [place for place, values in enumerate(zip(*texts, strict=True)) if all(values)]
    if attributes and len(complete) < len(chosen):
        outcomes[NO_COVARIATE] += len(chosen) - len(complete)
        chosen = [chosen[place] for place in complete]
        rows = rows[complete]
        texts = [[column[place] for place in complete] for column in texts]
    check_reports(name, len(chosen))
    worth = worth_of(question, count_rows(rows, question.layout))
    combinations = list(zip(*texts, strict=True)) if attributes else [()] * len(chosen)
    places = {values: place for place, values in enumerate(dict.fromkeys(combinations))}
    known = {
        column: [columns[column][row] for row in chosen] for column in frame if column is not None
    }
    stratum, sizes = _strata(frame, known, len(chosen))
    return Answers(
        name,
        spent_on((question,)),
        tuple(attributes),
        combinations=tuple(places),
        parts=parts_of(question),
        is_mean=worth.is_mean,
        reports=len(chosen),
        units=Units(
            np.array([places[values] for values in combinations], dtype=np.int64),
            np.ones(len(chosen)),
            _weights(frame, known, len(chosen)),
            scores=row_scores(question, worth, rows),
            law=row_law(question, worth, rows),
            cluster=None if frame.cluster is None else _codes(known[frame.cluster]),
            stratum=stratum,
            sizes=sizes,
        ),
        refused="; ".join(f"{count:,} {reason}" for reason, count in sorted(outcomes.items())),
    )


def _reports(question: Question, cells: Sequence[Any]) -> tuple[list[int], Rows, Counter[str]]:
    """Which rows have a report that counts, their bytes, and why others have none."""
    outcomes: Counter[str] = Counter()
    envelopes = {question.fingerprint: question}
    payloads, holders = [], []
    for row, cell in enumerate(cells):
        if _text(cell) == "" and not isinstance(cell, bytes):
            outcomes[NO_REPORT] += 1
            continue
        frames = read_frames(report_bytes_of(cell, row + 1))
        payloads += frames
        holders += [row] * len(frames)
    seen: set[bytes] = set()
    chosen: dict[int, bytes] = {}
    for row, item in zip(holders, screened(payloads, envelopes), strict=True):
        if isinstance(item, Refusal):
            outcomes[item.reason] += 1
        elif item.id in seen:
            outcomes[DUPLICATE] += 1
        else:
            seen.add(item.id)
            _take(chosen, row, item, outcomes=outcomes)
    content = b"".join(chosen.values())
    return [*chosen], np.frombuffer(content, dtype=np.uint8).reshape(-1, question.width), outcomes


def _take(chosen: dict[int, bytes], row: int, batch: Batch, outcomes: Counter[str]) -> None:
    """A row has one report: of several, none is the one that goes with its covariates."""
    if batch.size != 1 or row in chosen:
        outcomes[SEVERAL] += batch.size
        return
    chosen[row] = batch.rows


def _text(cell: object) -> str:
    """What a cell says; nothing where it is missing."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell).strip()


def _codes(cells: Sequence[Any]) -> Integers:
    texts = [_text(cell) for cell in cells]
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
        raise EstimateError(f"expected numbers in column {name!r}, got something else") from None


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
            f"expected one number in column {frame.size!r} for each stratum, got several"
        )
    return stratum, sizes
