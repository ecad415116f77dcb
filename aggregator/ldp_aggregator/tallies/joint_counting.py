"""Joint tallies: for questions that are answered together, the products of what a respondent's
reports add to theirs.

A report adds 1 to some cells of its question's tally: those that it *marks*. A joint tally has a
cell for each combination of cells, one of each question, and counts the respondents whose reports
mark all of them. It is constant in the number of reports, adds up, and contains the tallies of its
questions. As an array it has an axis for each question; it is kept with the last one in columns and
the others, in order, in rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.layout import Layout
from ldp.survey import Envelope, Group, Question
from ldp_aggregator.arrays import Counts, Rows
from ldp_aggregator.tallies.counting import cohorts, count_rows, empty_counts, symbols_by_place


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


def counted(envelope: Envelope, rows: Rows) -> Iterator[tuple[Envelope, Counts]]:
    """What checked rows, of shape (reports, width), add to the tally of each question, and of the
    group if any.
    """
    for question, part in parts(envelope, rows):
        yield question, count_rows(part, question.layout)
    if isinstance(envelope, Group):
        yield envelope, count_together(envelope, rows)


def empty_counts_of(envelope: Envelope) -> Counts:
    """Zero counts of a question or group."""
    return (
        empty_joint_counts(envelope)
        if isinstance(envelope, Group)
        else empty_counts(envelope.layout)
    )


def count_together(group: Group, rows: Rows) -> Counts:
    """The joint counts of checked rows, an array of shape (reports, width)."""
    split = [(part, question.layout) for question, part in parts(group, rows)]
    return _products(split).reshape(-1, group.members[-1].layout.cells)


def _products(split: list[tuple[Rows, Layout]]) -> Counts:
    """For each mark of the first question, the joint counts of the others over the respondents who
    have it.
    """
    (rows, layout), *others = split
    if not others:
        return count_rows(rows, layout).ravel()
    marks, reports = marks_of(rows, layout)
    order = np.argsort(marks, kind="stable")
    present, starts = np.unique(marks[order], return_index=True)
    holders = np.split(reports[order], starts[1:])
    counts = np.zeros((layout.cells, math.prod(other.cells for _, other in others)), dtype=np.int64)
    for mark, who in zip(present.tolist(), holders, strict=True):
        counts[mark] = _products([(part[who], other) for part, other in others])
    return counts.ravel()


def marks_of(rows: Rows, layout: Layout) -> tuple[NDArray[Any], NDArray[Any]]:
    """(cell, report) of every 1 that the reports add to the flattened tally of their question."""
    reports = np.arange(len(rows))
    if not layout.bits:
        places = symbols_by_place(rows, layout).astype(np.int64)
        blocks = np.arange(layout.places)[:, None] + cohorts(rows, layout)
        return (blocks * layout.symbols + places).ravel(), np.tile(reports, layout.places)
    vectors = np.unpackbits(
        rows[:, layout.prefix_width :], axis=1, count=layout.bits, bitorder="little"
    )
    setters, bits = np.nonzero(vectors)
    starts = np.broadcast_to(cohorts(rows, layout) * (1 + layout.bits), reports.shape)
    return np.concatenate([starts, starts[setters] + 1 + bits]), np.concatenate([reports, setters])


def marked_once(layout: Layout) -> NDArray[np.bool_]:
    """Cells of which every report marks exactly one."""
    cells = np.arange(layout.cells)
    return cells % (1 + layout.bits) == 0 if layout.bits else cells < layout.cells // layout.places


def joint_table(group: Group, counts: Counts, names: Sequence[str]) -> Counts:
    """The joint counts of some questions of a group, in the order of `names`: one axis each."""
    table = counts.reshape([question.layout.cells for question in group.members])
    kept = [question.name for question in group.members if question.name in names]
    for axis, question in reversed(list(enumerate(group.members))):
        if question.name not in kept:
            table = np.compress(marked_once(question.layout), table, axis).sum(axis)
    return table.transpose([kept.index(name) for name in names])
