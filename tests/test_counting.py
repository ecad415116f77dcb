"""Counting in bulk agrees, for every layout, with reading one report at a time as docs/wire.md describes it."""

import random

import numpy as np
import pytest

from ldp.layout import Layout
from ldp_aggregator.counting import count_rows, empty_counts, faults, total_reports

SYMBOLS = (2, 3, 255, 256, 257, 300, 65_535, 65_536, 65_537, 70_000)
LAYOUTS = (
    *(Layout(symbols=symbols) for symbols in SYMBOLS),
    *(Layout(cohorts, symbols=symbols) for cohorts in (2, 300) for symbols in (2, 256, 257)),
    Layout(2, symbols=65_537),
    *(Layout(bits=bits) for bits in range(1, 21)),
    *(Layout(cohorts, bits=bits) for cohorts in (2, 256, 300) for bits in (*range(1, 21), 128)),
    Layout(1 << 16, bits=2),
)


def read_report(row, layout):
    """(reason it is impossible or None, cohort, symbol or list of bit positions)."""
    cohort = 0
    if layout.cohorts > 1:
        cohort, row = row[0] + 256 * row[1], row[2:]
        if cohort >= layout.cohorts:
            return "cohort-range", None, None
    body = int.from_bytes(row, "little")
    if layout.symbols:
        return (None, cohort, body) if body < layout.symbols else ("symbol-range", None, None)
    if body >= 2**layout.bits:
        return "padding-bits", None, None
    return None, cohort, [position for position in range(layout.bits) if row[position // 8] & 1 << position % 8]


def count_one_by_one(rows, layout):
    counts = empty_counts(layout)
    for row in rows:
        _, cohort, body = read_report(row, layout)
        if layout.symbols:
            counts[cohort, body] += 1
        else:
            counts[cohort, 0] += 1
            for position in body:
                counts[cohort, 1 + position] += 1
    return counts


def random_rows(layout, count):
    """Rows of the right width: random ones, and ones next to the edges of each part's range."""
    draw = random.Random(str(layout))
    cohorts = [0, layout.cohorts - 1, layout.cohorts, 65_535]
    top = layout.symbols or 1 << layout.bits
    bodies = [0, 1, top - 1, top, 256**layout.body_width - 1]
    rows = []
    for _ in range(count):
        body = draw.choice([draw.choice(bodies), draw.randrange(top), draw.randrange(256**layout.body_width)])
        cohort = draw.choice([draw.choice(cohorts), draw.randrange(layout.cohorts)])
        row = min(cohort, 65_535).to_bytes(layout.cohort_width, "little") if layout.cohort_width else b""
        rows.append(row + min(body, 256**layout.body_width - 1).to_bytes(layout.body_width, "little"))
    return rows


def as_array(rows, layout):
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, layout.width)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: "-".join(map(str, layout)))
def test_bulk_counting_agrees_with_reading_one_by_one(layout):
    """The same rows are impossible, for the same first reason, and the others give the same counts."""
    rows = random_rows(layout, 300)
    reasons = [read_report(row, layout)[0] for row in rows]
    found = [None] * len(rows)
    for reason, wrong in faults(as_array(rows, layout), layout):
        for place in np.flatnonzero(wrong):
            found[place] = found[place] or reason
    assert found == reasons
    possible = [row for row, reason in zip(rows, reasons, strict=True) if reason is None]
    assert len(possible) > 30
    assert faults(as_array(possible, layout), layout) == []
    counts = count_rows(as_array(possible, layout), layout)
    assert counts.dtype == np.int64
    assert (counts == count_one_by_one(possible, layout)).all()
    assert total_reports(counts, layout) == len(possible)


@pytest.mark.parametrize("layout", LAYOUTS[::7], ids=lambda layout: "-".join(map(str, layout)))
def test_no_rows_count_nothing(layout):
    """An empty array of rows has no faults and zero counts."""
    none = np.zeros((0, layout.width), dtype=np.uint8)
    assert faults(none, layout) == []
    assert (count_rows(none, layout) == empty_counts(layout)).all()
