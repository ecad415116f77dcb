"""Counts of answers from a table with a row for each respondent, in groups by other
columns.

A design with several answers of each respondent has a column for each; one with several
samples a column that says which, by the names of the samples or by their numbers from
1. Where designs differ by row, columns say their numbers or their words: `warner
p={p}`, `{design}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.law import NO, YES, Arm
from ldp_aggregator.analyses.designs.words import SAME_AS
from ldp_aggregator.analyses.rows.codes import (
    Coded,
    code_column,
    text_of,
    with_left_out,
)
from ldp_aggregator.analyses.rows.columns import RowTable, Table, columns_of
from ldp_aggregator.numerics.arrays import Flags, Floats, Integers

ALL: tuple[str, ...] = ()
"""The group of all rows that count."""


@dataclass(frozen=True, eq=False)
class DesignRows(RowTable):
    """A table of respondents, and which of them count."""

    @classmethod
    def read(cls, table: Table) -> DesignRows:
        """The rows of a file or frame. Raises `EstimateError`."""
        return cls(columns_of(table))

    def fill_template(self, template: str) -> list[str]:
        """Fill a text such as `warner p={p}` for each row; empty where a cell is
        missing.
        """
        names = [
            name for _, name, _, _ in Formatter().parse(template) if name is not None
        ]
        cells = [self.texts(name) for name in names]
        return [
            template.format(**dict(zip(names, row, strict=True))) if all(row) else ""
            for row in zip(*cells, strict=True)
        ]

    def groups(
        self, by: Sequence[str], where: Mapping[str, str] | None = None
    ) -> dict[tuple[str, ...], Flags]:
        """Which rows are in each group, (rows,): all of them, then by the values of
        columns.
        """
        some = self.having(where or {})
        groups = {ALL: some}
        if by:
            labels = list(zip(*(self.texts(name) for name in by), strict=True))
            known = sorted({label for label in labels if all(label)})
            numbers = {label: number for number, label in enumerate(known)}
            own = np.array([numbers.get(label, -1) for label in labels])
            groups |= {
                label: some & (own == number) for label, number in numbers.items()
            }
        return groups


def answers_of(
    rows: DesignRows,
    columns: Sequence[str],
    answers: Sequence[str],
    codes: Mapping[str, Any] | None = None,
) -> tuple[Integers, list[str]]:
    """Return each row's place among the answers, -1 for none, and how columns were
    read.

    Raises `EstimateError` for columns that have no such answers.
    """
    parts = answers[0].count("+") + 1
    if len(columns) != parts:
        raise EstimateError(
            f"expected {parts} columns of answers, in the order of the questions, got "
            f"{len(columns)}"
        )
    labels = list(answers) if parts == 1 else [NO, YES]
    if set(labels) == {YES, NO}:
        labels = [NO, YES]
    said, texts = [], []
    for name in columns:
        read = _code(name, rows.column(name), labels, codes=codes)
        said.append(f"column {name}: {with_left_out(read.said, read.left_out)}")
        texts.append([labels[place] if place >= 0 else "" for place in read.places])
    known = {answer: place for place, answer in enumerate(answers)}
    whole = ("+".join(row) for row in zip(*texts, strict=True))
    return np.array([known.get(answer, -1) for answer in whole], dtype=np.int64), said


def _code(
    name: str,
    cells: Sequence[Any],
    labels: Sequence[str],
    codes: Mapping[str, Any] | None,
) -> Coded:
    if codes is None and set(labels) == {YES, NO}:
        cells = [SAME_AS.get(text_of(cell).casefold(), cell) for cell in cells]
    return code_column(name, cells, labels, codes=codes)


def arms_of(texts: Sequence[str] | None, arms: Sequence[Arm], people: int) -> Integers:
    """Return each row's place among the samples, -1 for none, from what it says of
    them.

    Raises `EstimateError` for samples that there are not.
    """
    if texts is None and len(arms) == 1:
        return np.zeros(people, dtype=np.int64)
    named = ", ".join(f"{place} ({arm.name})" for place, arm in enumerate(arms, 1))
    if texts is None:
        raise EstimateError(
            f"expected a column that says the sample of each row: {named}"
        )
    known = {str(place): place - 1 for place in range(1, len(arms) + 1)}
    known |= {arm.name: place for place, arm in enumerate(arms)}
    unknown = sorted({text for text in texts if text and text not in known})
    if unknown:
        raise EstimateError(f"expected samples {named}; got {', '.join(unknown[:5])}")
    return np.array([known.get(text, -1) for text in texts], dtype=np.int64)


def table_of(
    places: Integers, arms: Integers, shape: tuple[int, int], some: Flags
) -> Floats:
    """Return counts (arms, answers) of some rows."""
    counts = np.zeros(shape)
    some = some & (places >= 0) & (arms >= 0)
    np.add.at(counts, (arms[some], places[some]), 1)
    return counts


def numbers_of(rows: DesignRows, column: str) -> Floats:
    """Return the numbers of a column, NaN where there is none. Raises
    `EstimateError`.
    """
    numbers = []
    for text in rows.texts(column):
        try:
            numbers.append(float(text))
        except ValueError:
            numbers.append(np.nan)
    if np.isnan(numbers).all():
        raise EstimateError(f"column {column!r}: expected numbers, got none")
    return np.array(numbers)
