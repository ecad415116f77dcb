"""From rows of report bytes to counts: the only loops over reports, all of them in numpy.

A tally of symbols has shape (cohorts, symbols). A tally of bits has shape (cohorts, 1 + bits): the number of reports
of each cohort, then how many of them set each bit. Both are constant in the number of reports.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.layout import COHORT_WIDTH, Layout

Rows = NDArray[np.uint8]
Counts = NDArray[np.int64]

_SYMBOL_TYPES = {1: "<u1", 2: "<u2", 4: "<u4"}
_BITS_OF_BYTE = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)


def empty_counts(layout: Layout) -> Counts:
    """Zero counts of the shape that the layout calls for."""
    return np.zeros((layout.cohorts, 1 + layout.bits if layout.bits else layout.symbols), dtype=np.int64)


def total_reports(counts: Counts, layout: Layout) -> int:
    """How many reports were counted."""
    return int(counts[:, 0].sum() if layout.bits else counts.sum())


def count_rows(rows: Rows, layout: Layout) -> Counts:
    """The counts of checked rows, an array of shape (reports, width)."""
    cohort = _cohorts(rows, layout)
    if not layout.bits:
        cells = cohort * layout.symbols + _symbols(rows, layout)
        return np.bincount(cells, minlength=layout.cohorts * layout.symbols).reshape(layout.cohorts, layout.symbols)
    counts = empty_counts(layout)
    counts[:, 0] = np.bincount(cohort, minlength=layout.cohorts) if layout.cohorts > 1 else len(rows)
    # One histogram of byte values for each byte of a report, turned into bit counts by a 256 x 8 table.
    columns = np.ascontiguousarray(rows[:, layout.cohort_width :].T)
    cells = cohort * 256
    for index, column in enumerate(columns):
        of_byte = np.bincount(cells + column if layout.cohorts > 1 else column, minlength=layout.cohorts * 256)
        start = 1 + 8 * index
        width = min(8, layout.bits - 8 * index)
        counts[:, start : start + width] = (of_byte.reshape(layout.cohorts, 256) @ _BITS_OF_BYTE)[:, :width]
    return counts


def faults(rows: Rows, layout: Layout) -> list[tuple[str, NDArray[np.bool_]]]:
    """Why rows cannot be reports of this layout: (reason, which rows), for the reasons that occur."""
    found = []
    if layout.cohorts > 1:
        found.append(("cohort-range", _cohorts(rows, layout) >= layout.cohorts))
    if not layout.bits:
        found.append(("symbol-range", _symbols(rows, layout) >= layout.symbols))
    elif layout.bits % 8:
        found.append(("padding-bits", rows[:, -1] >> (layout.bits % 8) != 0))
    return [(reason, wrong) for reason, wrong in found if wrong.any()]


def _cohorts(rows: Rows, layout: Layout) -> NDArray[Any]:
    if layout.cohorts == 1:
        return np.zeros(1, dtype=np.int64)
    return np.ascontiguousarray(rows[:, :COHORT_WIDTH]).view("<u2")[:, 0].astype(np.int64)


def _symbols(rows: Rows, layout: Layout) -> NDArray[Any]:
    body = np.ascontiguousarray(rows[:, layout.cohort_width :])
    return body.view(_SYMBOL_TYPES[layout.body_width])[:, 0].astype(np.int64)
