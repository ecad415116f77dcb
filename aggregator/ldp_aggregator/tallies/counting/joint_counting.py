"""Joint tallies: for questions that are answered together, the products of their
tallies.

A report adds 1 to some cells of its question's tally: those that it *marks*. A joint
tally has a cell for each combination of cells, one of each question, and counts the
respondents whose reports mark all of them. It is constant in the number of reports,
adds up, and contains the tallies of its questions. As an array it has an axis for each
question; it is kept with the last one in columns and the others, in order, in rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.numbers.layout import Layout
from ldp.survey.survey import Envelope, Group, Question
from ldp_aggregator.numerics.arrays import Counts, Rows
from ldp_aggregator.tallies.counting.counting import (
    cohorts,
    count_rows,
    empty_counts,
    symbols_by_place,
)


def empty_joint_counts(group: Group) -> Counts:
    """Zero counts."""
    *others, last = (question.layout.cells for question in group.members)
    return np.zeros((math.prod(others), last), dtype=np.int64)


def parts(envelope: Envelope, rows: Rows) -> Iterator[tuple[Question, Rows]]:
    """Each question with its own part of the rows."""
    start = 0
    for question in envelope.members:
        yield question, rows[:, start : start + question.width]
        start += question.width


def count_parts(envelope: Envelope, rows: Rows) -> Iterator[tuple[Envelope, Counts]]:
    """Count checked rows for the tally of each question, and of the group if any.

    Rows are of shape (reports, width).
    """
    for question, part in parts(envelope, rows):
        yield question, count_rows(part, question.layout)
    if isinstance(envelope, Group):
        yield envelope, count_together(envelope, rows)


def empty_counts_of(envelope: Envelope) -> Counts:
    """Zero counts of a question or group."""
    if isinstance(envelope, Group):
        return empty_joint_counts(envelope)
    return empty_counts(envelope.layout)


def count_together(group: Group, rows: Rows) -> Counts:
    """The joint counts of checked rows, an array of shape (reports, width)."""
    split = [(part, question.layout) for question, part in parts(group, rows)]
    return _products(split).reshape(-1, group.members[-1].layout.cells)


def _products(split: list[tuple[Rows, Layout]]) -> Counts:
    """The joint counts of the others for each mark of the first question, flattened.

    Those over the respondents who have the mark.
    """
    (rows, layout), *others = split
    if not others:
        return count_rows(rows, layout).ravel()
    # The reports that have each mark which occurs, one array for each mark.
    marks, reports = marks_of(rows, layout)
    order = np.argsort(marks, kind="stable")
    present, starts = np.unique(marks[order], return_index=True)
    holders = np.split(reports[order], starts[1:])
    # (cells of the first question, cells of all others).
    cells_of_others = math.prod(other.cells for _, other in others)
    counts = np.zeros((layout.cells, cells_of_others), dtype=np.int64)
    for mark, some in zip(present.tolist(), holders, strict=True):
        counts[mark] = _products([(part[some], other) for part, other in others])
    return counts.ravel()


def marks_of(rows: Rows, layout: Layout) -> tuple[NDArray[Any], NDArray[Any]]:
    """(cell, report) of every 1 that the reports add to the flattened tally of their
    question.
    """
    reports = np.arange(len(rows))
    if not layout.bits:
        # One mark a place, (places, reports): the row of the tally, and the symbol in
        # it.
        places = symbols_by_place(rows, layout).astype(np.int64)
        blocks = np.arange(layout.places)[:, None] + cohorts(rows, layout)
        return (blocks * layout.symbols + places).ravel(), np.tile(
            reports, layout.places
        )
    # Each report marks the first cell of its cohort's row, (reports,)...
    starts = np.broadcast_to(cohorts(rows, layout) * (1 + layout.bits), reports.shape)
    # ... and one cell for each bit that it sets; the vectors are (reports, bits).
    body = rows[:, layout.prefix_width :]
    vectors = np.unpackbits(body, axis=1, count=layout.bits, bitorder="little")
    setters, bits = np.nonzero(vectors)
    return np.concatenate([starts, starts[setters] + 1 + bits]), np.concatenate(
        [reports, setters]
    )


def marked_once(layout: Layout) -> NDArray[np.bool_]:
    """Cells of which every report marks exactly one."""
    cells = np.arange(layout.cells)
    marked: NDArray[np.bool_] = cells < layout.cells // layout.places
    if layout.bits:
        marked = cells % (1 + layout.bits) == 0
    return marked


def joint_table(group: Group, counts: Counts, names: Sequence[str]) -> Counts:
    """The joint counts of some questions of a group, in the order of `names`: one axis
    each.
    """
    # One axis a question, as the group has them.
    table = counts.reshape([question.layout.cells for question in group.members])
    order = [question.name for question in group.members if question.name in names]
    for axis, question in reversed(list(enumerate(group.members))):
        if question.name not in order:
            # Cells that every report marks once add up to the tally without this
            # question.
            table = np.compress(marked_once(question.layout), table, axis).sum(axis)
    return table.transpose([order.index(name) for name in names])
