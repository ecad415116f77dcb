"""Reading rows: each respondent's answers as reports, beside what is known of them in
the clear.

An answer was randomized before: by a coin, a die, a spinner or cards, or by a device,
of whose report a column has the bytes. Either is a report of its question, so that
everything that is made of reports can be made of rows.

Rules
- A row counts for a question or not at all. Those without an answer, with a code that
  is none, with a damaged report, or with one that came before, are counted by reason,
  with their numbers.
- Nothing else is lost: a row that lacks one answer counts for the others.
- A file of rows is in the hands of who analyses it, so groups of any size may be looked
  at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp.numbers.epochs import epoch_of
from ldp.survey.survey import Question, Survey
from ldp.wire.wire import REPORTS_MAGIC, read_frames
from ldp_aggregator.analyses.rows.codes import (
    NO_ANSWER,
    LeftOut,
    code_column,
    labels_of,
    text_of,
    with_left_out,
)
from ldp_aggregator.analyses.rows.columns import (
    RowTable,
    Table,
    columns_of,
    report_bytes_of,
)
from ldp_aggregator.numerics import arrays
from ldp_aggregator.numerics.arrays import Flags, Integers
from ldp_aggregator.tallies.intake.screening import Rejection, screen
from ldp_aggregator.tallies.tally import DUPLICATE

SEVERAL = "several reports"
_MOST_NUMBERED = 1 << 16
"""Symbols that are called by their numbers."""


class Answered(NamedTuple):
    """The answers to a question, row by row."""

    column: str
    reports: arrays.Rows
    """Report bytes of the rows that count, (answers, width)."""
    rows: Integers
    """Which rows these are, (answers,)."""
    said: str
    left_out: tuple[LeftOut, ...]
    epochs: Integers = np.empty(0, dtype=np.int64)
    """Those of reports, (answers,), where devices say them; else none."""

    def __str__(self) -> str:
        return with_left_out(self.said, self.left_out)


@dataclass(frozen=True, eq=False)
class SurveyRows(RowTable):
    """A table of respondents whose answers to some questions of a survey have been
    read.

    `read_rows` has an example.
    """

    survey: Survey
    answers: Mapping[str, Answered]
    """By question."""

    def __getitem__(self, question: str) -> Answered:
        if question not in self.answers:
            raise UnknownNameError(
                question, self.answers, "a question whose answers were read"
            )
        return self.answers[question]

    def said(self) -> tuple[str, ...]:
        """How the answers to each question were read, and what was left out."""
        return tuple(
            f"{name}, from column {answered.column}: {answered}"
            for name, answered in self.answers.items()
        )

    def where(self, values: Mapping[str, str]) -> SurveyRows:
        """The rows whose columns have these values."""
        return self.taken(self.having(values))

    def taken(self, chosen: Flags) -> SurveyRows:
        """Some of the rows, (people,)."""
        place = np.cumsum(chosen) - 1
        answers = {}
        for name, answered in self.answers.items():
            kept = chosen[answered.rows]
            own = answered._replace(
                reports=answered.reports[kept],
                rows=place[answered.rows[kept]],
                epochs=answered.epochs[kept]
                if len(answered.epochs)
                else answered.epochs,
            )
            answers[name] = own
        numbers = np.flatnonzero(chosen).tolist()
        columns = {
            name: [column[number] for number in numbers]
            for name, column in self.columns.items()
        }
        return replace(self, columns=columns, answers=answers)


def read_rows(
    survey: Survey,
    table: Table,
    answers: str | Mapping[str, str] | None = None,
    *,
    codes: Mapping[str, Any] | None = None,
    questions: Iterable[str] = (),
) -> SurveyRows:
    """The rows of a table, a respondent each, with answers that were randomized before.

    table      the path of a CSV or Parquet file, a frame of pandas or polars, a table
               of pyarrow, a mapping of columns, or mappings, one for each row
    answers    the column of a question's answers; of several questions by their names.
               Unless given, the columns that have the names of questions
    codes      the cell that says each answer, such as {"yes": 1, "no": 2}
    questions  those that matter; all unless given

    Raises `EstimateError`, `FileError` and `UnknownNameError`.

    >>> import ldp, ldp_aggregator
    >>> copied = ldp.question("copied", type="boolean", mechanism="warner", truth="0.7")
    >>> rows = ldp_aggregator.read_rows(ldp.survey("exam", copied), {"z": [1, 0, 1, None]}, "z")
    >>> rows.said()
    ('copied, from column z: false (0) 1, true (1) 2; left out: 1 no answer (row 4)',)
    """
    columns = columns_of(table)
    by_question = _columns_of_answers(
        survey, columns, answers, questions=tuple(questions)
    )
    read = {
        name: _read_answers(survey[name], column, columns[column], codes=codes)
        for name, column in by_question.items()
    }
    return SurveyRows(columns, survey, read)


def _columns_of_answers(
    survey: Survey,
    columns: Mapping[str, Any],
    answers: str | Mapping[str, str] | None,
    questions: tuple[str, ...],
) -> dict[str, str]:
    """The column of each question."""
    asked = {question.name for question in survey}
    for name in questions:
        if name not in asked:
            raise UnknownNameError(name, asked, "one of the survey's questions")
    wanted = questions or tuple(question.name for question in survey)
    if isinstance(answers, str):
        if len(wanted) != 1:
            raise EstimateError(
                f"expected to know of which question column {answers!r} has the "
                f"answers, such as --answer {wanted[0]}={answers}, or --question "
                f"{wanted[0]}"
            )
        answers = {wanted[0]: answers}
    if answers is None:
        answers = {name: name for name in wanted if name in columns}
        if not answers or set(questions) - answers.keys():
            raise EstimateError(
                f"expected the column of answers to {', '.join(wanted)} (--answer), of "
                f"{', '.join(columns) or 'none'}"
            )
    for name, column in answers.items():
        if name not in asked:
            raise UnknownNameError(name, asked, "one of the survey's questions")
        if column not in columns:
            raise UnknownNameError(column, columns, "a column of the table")
    return {
        name: column
        for name, column in answers.items()
        if not questions or name in questions
    }


def _read_answers(
    question: Question,
    column: str,
    cells: Sequence[Any],
    codes: Mapping[str, Any] | None,
) -> Answered:
    first = next(
        (cell for cell in cells if isinstance(cell, bytes) or text_of(cell)), None
    )
    if codes is None and _is_report(first):
        return _of_reports(question, column, cells)
    layout = question.layout
    labels = labels_of(question)
    if not labels and layout.places == 1 and 0 < layout.symbols <= _MOST_NUMBERED:
        labels = tuple(map(str, range(layout.symbols)))
    if not labels or layout.prefix_width:
        raise EstimateError(
            f"question {question.name!r}: expected reports as bytes or hexadecimal, as "
            f"no cell can say what a report of {question.mechanism} does"
        )
    read = code_column(column, cells, labels, codes=codes)
    rows = np.flatnonzero(read.places >= 0)
    symbols = read.places[rows].astype("<u4").view(np.uint8).reshape(-1, 4)
    reports = np.ascontiguousarray(symbols[:, : question.width])
    return Answered(column, reports, rows, said=read.said, left_out=read.left_out)


def _is_report(cell: object) -> bool:
    """Whether a cell has a report of a device, and no code."""
    if cell is None or isinstance(cell, int | float):
        return False
    try:
        return report_bytes_of(cell, 0).startswith(REPORTS_MAGIC)
    except EstimateError:
        return False


def _of_reports(question: Question, column: str, cells: Sequence[Any]) -> Answered:
    """Reports of devices: one a row, each batch once."""
    left_out: dict[str, list[int]] = {}
    payloads, holders = [], []
    for row, cell in enumerate(cells):
        if not isinstance(cell, bytes) and text_of(cell) == "":
            left_out.setdefault(NO_ANSWER, []).append(row + 1)
            continue
        frames = read_frames(report_bytes_of(cell, row + 1))
        payloads += frames
        holders += [row] * len(frames)
    seen: set[bytes] = set()
    chosen: dict[int, bytes] = {}
    epochs = []
    envelopes = {question.fingerprint: question}
    for row, item in zip(holders, screen(payloads, envelopes), strict=True):
        if isinstance(item, Rejection):
            left_out.setdefault(item.reason, []).append(row + 1)
        elif item.id in seen:
            left_out.setdefault(DUPLICATE, []).append(row + 1)
        else:
            seen.add(item.id)
            if item.size == 1 and row not in chosen:
                chosen[row] = item.rows
                if question.epoch is not None:
                    epochs.append(epoch_of(item.id))
            else:
                # Of several, none is the one that goes with the row.
                left_out.setdefault(SEVERAL, []).append(row + 1)
    reports = np.frombuffer(b"".join(chosen.values()), dtype=np.uint8)
    return Answered(
        column,
        reports.reshape(-1, question.width),
        np.array([*chosen], dtype=np.int64),
        said=f"reports of devices {len(chosen):,}",
        left_out=tuple(
            LeftOut(reason, tuple(rows)) for reason, rows in sorted(left_out.items())
        ),
        epochs=np.array(epochs, dtype=np.int64),
    )
