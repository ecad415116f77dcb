"""From rows of report bytes to counts: the only loops over reports, all of them in
numpy.

A tally of symbols has shape (cohorts, symbols), one of vectors of symbols (places,
symbols). A tally of bits has shape (cohorts, 1 + bits): the number of reports of each
cohort, then how many of them set each bit. A tally of hashed symbols has shape (1, 1 +
values): the number of reports, then how many of them support each value. One of
codewords has shape (1, 1 + 2 coordinates), as in `counting.codeword_counting`. A tally
of points that is folded has shape (slices, 1 + points of a slice), as in
`projective.folding`. All are constant in the number of reports.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.numbers.layout import COHORT_WIDTH, SEED_WIDTH, Layout
from ldp_aggregator.numerics.arrays import Counts, Rows, Words
from ldp_aggregator.tallies.counting.bit_counting import bit_counts, ones_by_row

_SYMBOL_TYPES = {1: "<u1", 2: "<u2", 4: "<u4"}
_MANY, _WORTH_ADDERS = 16, 1 << 16
"""Reports of a cohort, and bytes of all, from which on those of all cohorts are counted
at once.
"""
_UNPACKED = 1 << 15
"""Bits that are taken apart at a time, into bytes: of fewer rows than 16 bits can
number.
"""


def empty_counts(layout: Layout) -> Counts:
    """Zero counts of the shape that the layout calls for."""
    if layout.folding:
        from ldp_aggregator.numerics.projective.folding import folded_shape

        return np.zeros(folded_shape(layout.folding), dtype=np.int64)
    columns = layout.symbols
    if layout.counters:
        columns = 1 + layout.counters
    return np.zeros((layout.cohorts * layout.places, columns), dtype=np.int64)


def total_reports(counts: Counts, layout: Layout) -> int:
    """How many reports were counted."""
    if layout.folding:
        return int(counts[0].sum())
    return int(counts[:, 0].sum() if layout.counters else counts.sum() // layout.places)


def count_rows(rows: Rows, layout: Layout) -> Counts:
    """The counts of checked rows, an array of shape (reports, width)."""
    if layout.modulus:
        from ldp_aggregator.tallies.counting.hash_counting import hash_supports

        supports = hash_supports(seeds(rows), symbols(rows, layout), layout)
        return np.concatenate([[len(rows)], supports])[None]
    if layout.codewords:
        from ldp_aggregator.tallies.counting.codeword_counting import codeword_counts

        return codeword_counts(word_seeds(rows), symbols(rows, layout), layout)[None]
    if layout.folding:
        from ldp_aggregator.numerics.projective.folding import folded_points

        return folded_points(symbols(rows, layout), layout.folding)
    if layout.places > 1:
        by_place = symbols_by_place(rows, layout)
        return np.stack(
            [np.bincount(place, minlength=layout.symbols) for place in by_place]
        )
    if layout.bits:
        return _bits(rows, layout)
    return _symbols(rows, layout)


def _symbols(rows: Rows, layout: Layout) -> Counts:
    """The counts of symbols by cohort, of shape (cohorts, symbols)."""
    cells = cohorts(rows, layout) * layout.symbols + symbols(rows, layout)
    counts = np.bincount(cells, minlength=layout.cohorts * layout.symbols)
    return counts.reshape(layout.cohorts, layout.symbols)


def _bits(rows: Rows, layout: Layout) -> Counts:
    """The reports of each cohort and how many set each bit, of shape (cohorts, 1 +
    bits).
    """
    counts = empty_counts(layout)
    if layout.cohorts == 1:
        counts[0, 0] = len(rows)
        counts[0, 1:] = bit_counts(rows)[: layout.bits]
        return counts
    cohort = cohorts(rows, layout)
    order = np.argsort(cohort.astype(np.uint16), kind="stable")
    # The bodies of all reports, (reports, bytes), cohort after cohort.
    bodies = rows[order, layout.prefix_width :]
    sizes = np.bincount(cohort, minlength=layout.cohorts)
    counts[:, 0] = sizes
    present = np.flatnonzero(sizes)
    evenly = sizes.max(initial=0) * len(present) <= 2 * len(rows)
    if evenly and len(rows) >= _MANY * len(present) and bodies.size >= _WORTH_ADDERS:
        counts[present, 1:] = _side_by_side(bodies, sizes[present])[:, : layout.bits]
    else:
        _add_one_by_one(counts, cohort[order], bodies)
    return counts


def _add_one_by_one(counts: Counts, cohort: NDArray[np.int64], bodies: Rows) -> None:
    """Take apart the bodies of reports that are sorted by cohort, and add up the
    bits.
    """
    width = counts.shape[1] - 1
    step = max(1, _UNPACKED // width)
    for start in range(0, len(bodies), step):
        some = slice(start, start + step)
        present, starts = np.unique(cohort[some], return_index=True)
        bits = np.unpackbits(bodies[some], axis=1, count=width, bitorder="little")
        # The sums of each cohort's rows, (cohorts of these rows, bits).
        counts[present, 1:] += np.add.reduceat(bits, starts, axis=0, dtype=np.uint16)


def _side_by_side(bodies: Rows, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many set each bit, of shape (cohorts, 8 x bytes): counted as one cohort of
    wide rows.

    `bodies` are those of so many reports for each cohort, one cohort after another.
    """
    number = np.arange(len(sizes)).repeat(sizes)
    place = np.arange(len(bodies)) - (np.cumsum(sizes) - sizes)[number]
    # Rows that are missing set no bit: (most reports of a cohort, cohorts, bytes).
    wide = np.zeros((sizes.max(), len(sizes), bodies.shape[1]), dtype=np.uint8)
    wide[place, number] = bodies
    return bit_counts(wide.reshape(len(wide), -1)).reshape(len(sizes), -1)


def faults(rows: Rows, layout: Layout) -> list[tuple[str, NDArray[np.bool_]]]:
    """Why rows cannot be reports of this layout: (reason, which rows), for reasons that
    occur.
    """
    checks = []
    if layout.cohorts > 1:
        checks.append(("cohort-range", cohorts(rows, layout) >= layout.cohorts))
    if layout.modulus:
        multiplier, shift = seeds(rows).T
        # A multiplier of 0 wraps around to the greatest number when 1 is taken off.
        wrong_multiplier = multiplier - 1 >= layout.modulus - 1
        checks.append(("seed-range", wrong_multiplier | (shift >= layout.modulus)))
    if not layout.bits:
        by_place = symbols_by_place(rows, layout)
        checks.append(("symbol-range", np.any(by_place >= layout.symbols, axis=0)))
    elif layout.bits % 8:
        checks.append(("padding-bits", rows[:, -1] >> (layout.bits % 8) != 0))
    if layout.ones:
        checks.append(
            ("ones", ones_by_row(rows[:, layout.prefix_width :]) != layout.ones)
        )
    return [(reason, wrong) for reason, wrong in checks if wrong.any()]


def cohorts(rows: Rows, layout: Layout) -> NDArray[Any]:
    """The cohorts, of shape (reports,); one 0 for all where there is only one."""
    if layout.cohorts == 1:
        return np.zeros(1, dtype=np.int64)
    return (
        np.ascontiguousarray(rows[:, :COHORT_WIDTH]).view("<u2")[:, 0].astype(np.int64)
    )


def seeds(rows: Rows) -> NDArray[np.uint32]:
    """The seeds (a, b) of hash functions, of shape (reports, 2)."""
    return np.ascontiguousarray(rows[:, :SEED_WIDTH]).view("<u4").astype(np.uint32)


def word_seeds(rows: Rows) -> Words:
    """The seeds of codewords, of shape (reports,)."""
    return (
        np.ascontiguousarray(rows[:, :SEED_WIDTH]).view("<u8")[:, 0].astype(np.uint64)
    )


def symbols(rows: Rows, layout: Layout) -> NDArray[np.int64]:
    """The symbols, of shape (reports,), of reports that have one each."""
    only: NDArray[np.int64] = symbols_by_place(rows, layout)[0].astype(np.int64)
    return only


def symbols_by_place(rows: Rows, layout: Layout) -> NDArray[Any]:
    """The symbols, of shape (places, reports)."""
    body = np.ascontiguousarray(rows[:, layout.prefix_width :])
    return np.ascontiguousarray(body.view(_SYMBOL_TYPES[layout.symbol_width]).T)
