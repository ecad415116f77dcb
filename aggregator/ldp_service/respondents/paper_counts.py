"""Counts of answers on paper, counted by hand, as the bytes of reports.

    question,value,count            a line for each value that was written down
    affair,true,31
    affair,false,69

The law is that of the question, so that these reports are reports like any other: they
are uploaded, aggregated, pooled. Their order is that of the table, and says nothing.
"""

from __future__ import annotations

import time

from ldp.numbers.epochs import batch_id
from ldp.numbers.randomness import system
from ldp.survey.survey import Survey
from ldp.wire.wire import Batch, encode_batch, encode_frame
from ldp_aggregator.analyses.rows.codes import place_of
from ldp_aggregator.output.csv_rows import csv_rows
from ldp_service.respondents.paper import PaperError, rule_of

_COLUMNS = ["question", "value", "count"]
_TOGETHER = 1000
_MOST = 10_000_000
_DIGITS = 20


def paper_reports(survey: Survey, table: str) -> bytes:
    """The frames of reports that a table counts. Raises `PaperError`."""
    lines = csv_rows(table)
    header = next(lines, [])
    if header != _COLUMNS:
        raise PaperError(
            f"expected a table with the columns {', '.join(_COLUMNS)}, separated by "
            f"commas; got a header {','.join(header)[:80]!r}"
        )
    rows: dict[str, bytes] = {}
    for number, line in enumerate(filter(None, lines), 2):
        name, report = _read(survey, line, number)
        rows[name] = rows.get(name, b"") + report
    return b"".join(_frames(survey, name, reports) for name, reports in rows.items())


def _read(survey: Survey, line: list[str], number: int) -> tuple[str, bytes]:
    """The question of a line, and its reports."""
    if len(line) != len(_COLUMNS):
        raise PaperError(
            f"line {number}: expected {len(_COLUMNS)} cells, got {len(line)}"
        )
    name, value, count = line
    names = [question.name for question in survey]
    if name not in names:
        raise PaperError(
            f"line {number}: expected one of the questions {', '.join(names)}"
        )
    question = survey[name]
    rule_of(question)
    values = question.domain.values or ()
    place = place_of(value, values)
    if place is None:
        labels = map(question.domain.label, values)
        raise PaperError(f"line {number}: expected one of {', '.join(labels)}")
    # Python takes no numbers of thousands of digits.
    whole = count.isascii() and count.isdigit() and len(count) < _DIGITS
    if not whole or int(count) > _MOST:
        raise PaperError(
            f"line {number}: expected a whole number up to {_MOST:,} as the count"
        )
    return name, place.to_bytes(question.width, "little") * int(count)


def _frames(survey: Survey, name: str, reports: bytes) -> bytes:
    question = survey[name]
    step = _TOGETHER * question.width
    frames = []
    for start in range(0, len(reports), step):
        rows = reports[start : start + step]
        id_ = batch_id(system, survey.epoch, time.time())
        batch = Batch(question.fingerprint, id_, len(rows) // question.width, rows=rows)
        frames.append(encode_frame(encode_batch(batch)))
    return b"".join(frames)
