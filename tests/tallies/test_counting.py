"""Counting in bulk agrees, for every layout, with reading reports one by one
(docs/wire.md).
"""

import random

import numpy as np
import pytest

from ldp.numbers.layout import Layout
from ldp_aggregator.tallies.counting import hash_counting
from ldp_aggregator.tallies.counting.counting import (
    count_rows,
    empty_counts,
    faults,
    total_reports,
)

SYMBOLS = (2, 3, 255, 256, 257, 300, 65_535, 65_536, 65_537, 70_000)
LAYOUTS = (
    *(Layout(symbols=symbols) for symbols in SYMBOLS),
    *(
        Layout(cohorts, symbols=symbols)
        for cohorts in (2, 300)
        for symbols in (2, 256, 257)
    ),
    Layout(2, symbols=65_537),
    *(Layout(bits=bits) for bits in range(1, 21)),
    *(
        Layout(cohorts, bits=bits)
        for cohorts in (2, 256, 300)
        for bits in (*range(1, 21), 128)
    ),
    Layout(1 << 16, bits=2),
    *(Layout(cohorts, bits=1001) for cohorts in (2, 30)),
    *(Layout(bits=bits, ones=ones) for bits, ones in ((5, 2), (8, 7), (9, 1), (16, 8))),
    *(
        Layout(symbols=symbols, places=places)
        for symbols in (2, 6, 255, 256, 257)
        for places in (2, 3, 10)
    ),
    *(
        Layout(symbols=symbols, modulus=7, hashed=hashed)
        for symbols, hashed in ((2, 2), (3, 7), (7, 5))
    ),
    *(
        Layout(symbols=symbols, modulus=2**31 - 1, hashed=10)
        for symbols in (2, 3, 300, 65_536)
    ),
)

ROWS = 1000
"""Enough that, of hashed reports, the possible ones are counted by values, and few
enough to be read one by one.
"""


def read_report(row, layout):
    """(reason it is impossible or None, cohort, what it supports: a symbol, or a list).

    Of a report with several symbols, what it supports is the tuple of them.
    """
    cohort = 0
    if layout.cohorts > 1:
        cohort, row = row[0] + 256 * row[1], row[2:]
        if cohort >= layout.cohorts:
            return "cohort-range", None, None
    body = int.from_bytes(row[8 if layout.modulus else 0 :], "little")
    if layout.modulus:
        a, b = (int.from_bytes(row[at : at + 4], "little") for at in (0, 4))
        if not 0 < a < layout.modulus or b >= layout.modulus:
            return "seed-range", None, None
        if body >= layout.symbols:
            return "symbol-range", None, None
        hashes = [
            (a * x + b) % layout.modulus * layout.symbols // layout.modulus
            for x in range(layout.hashed)
        ]
        return None, cohort, [x for x, symbol in enumerate(hashes) if symbol == body]
    if layout.places > 1:
        width = layout.width // layout.places
        places = tuple(
            int.from_bytes(row[at : at + width], "little")
            for at in range(0, layout.width, width)
        )
        if max(places) < layout.symbols:
            return (None, cohort, places)
        return ("symbol-range", None, None)
    if layout.symbols:
        if body < layout.symbols:
            return (None, cohort, body)
        return ("symbol-range", None, None)
    if body >= 2**layout.bits:
        return "padding-bits", None, None
    positions = [
        position
        for position in range(layout.bits)
        if row[position // 8] & 1 << position % 8
    ]
    if layout.ones and len(positions) != layout.ones:
        return "ones", None, None
    return None, cohort, positions


def count_one_by_one(rows, layout):
    counts = empty_counts(layout)
    for row in rows:
        _, cohort, body = read_report(row, layout)
        if isinstance(body, int):
            counts[cohort, body] += 1
        elif isinstance(body, tuple):
            for place, symbol in enumerate(body):
                counts[place, symbol] += 1
        else:
            counts[cohort, 0] += 1
            for position in body:
                counts[cohort, 1 + position] += 1
    return counts


def random_rows(layout, count):
    """Rows of the right width: random ones, and ones next to the edges of each part's
    range.
    """
    draw = random.Random(str(layout))
    if layout.places > 1:
        return [_symbols(draw, layout, draw.random() < 0.1) for _ in range(count)]
    top = layout.symbols or 1 << layout.bits
    bodies = [0, 1, top - 1, top, 256**layout.body_width - 1]
    rows = []
    for _ in range(count):
        body = draw.choice(
            [
                draw.choice(bodies),
                draw.randrange(top),
                draw.randrange(256**layout.body_width),
            ]
        )
        if layout.ones and draw.random() < 0.5:
            body = sum(
                1 << position
                for position in draw.sample(range(layout.bits), layout.ones)
            )
        prefix = b"".join(
            _part(draw, bound, width) for bound, width in _prefix_parts(layout)
        )
        rows.append(
            prefix
            + min(body, 256**layout.body_width - 1).to_bytes(
                layout.body_width, "little"
            )
        )
    return rows


def _symbols(draw, layout, out_of_range):
    """Symbols end to end, which may be too large if they are to be."""
    width = 1 if layout.symbols <= 256 else 2
    below = 256**width if out_of_range else layout.symbols
    return b"".join(
        draw.choice([0, below - 1, draw.randrange(below)]).to_bytes(width, "little")
        for _ in range(layout.places)
    )


def _prefix_parts(layout):
    """(bound, bytes) of each part of a prefix."""
    if layout.modulus:
        return [(layout.modulus, 4)] * 2
    return [(layout.cohorts, 2)] if layout.cohorts > 1 else []


def _part(draw, bound, width):
    edges = [0, 1, bound - 1, bound, 256**width - 1]
    return min(
        draw.choice([draw.choice(edges), *(draw.randrange(bound) for _ in range(3))]),
        256**width - 1,
    ).to_bytes(width, "little")


def as_array(rows, layout):
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(-1, layout.width)


@pytest.mark.parametrize(
    "layout", LAYOUTS, ids=lambda layout: "-".join(map(str, layout))
)
def test_bulk_counting_agrees_with_reading_one_by_one(layout):
    """The same rows are impossible, for the same first reason, and others count the
    same.
    """
    rows = random_rows(layout, ROWS)
    reasons = [read_report(row, layout)[0] for row in rows]
    one_by_one = [None] * len(rows)
    for reason, wrong in faults(as_array(rows, layout), layout):
        for place in np.flatnonzero(wrong):
            one_by_one[place] = one_by_one[place] or reason
    assert one_by_one == reasons
    possible = [
        row for row, reason in zip(rows, reasons, strict=True) if reason is None
    ]
    assert len(possible) > 30
    assert not layout.modulus or len(possible) > hash_counting._FEW
    assert faults(as_array(possible, layout), layout) == []
    counts = count_rows(as_array(possible, layout), layout)
    assert counts.dtype == np.int64
    assert (counts == count_one_by_one(possible, layout)).all()
    assert total_reports(counts, layout) == len(possible)


def test_cohorts_of_very_different_sizes_are_counted_alike():
    """Nearly all reports in one cohort, with as many bits as would else be counted at
    once.
    """
    layout = Layout(30, bits=1001)
    rows = [
        row for row in random_rows(layout, ROWS) if read_report(row, layout)[0] is None
    ]
    rows = [bytes(2) + row[2:] if place % 50 else row for place, row in enumerate(rows)]
    counts = count_rows(as_array(rows, layout), layout)
    assert counts[0, 0] > 0.9 * len(rows)
    assert (counts == count_one_by_one(rows, layout)).all()


@pytest.mark.parametrize(
    "layout", LAYOUTS[::7], ids=lambda layout: "-".join(map(str, layout))
)
def test_no_rows_count_nothing(layout):
    """An empty array of rows has no faults and zero counts."""
    none = np.zeros((0, layout.width), dtype=np.uint8)
    assert faults(none, layout) == []
    assert (count_rows(none, layout) == empty_counts(layout)).all()


@pytest.mark.parametrize(
    "layout",
    [layout for layout in LAYOUTS if layout.modulus],
    ids=lambda layout: "-".join(map(str, layout)),
)
def test_few_hashed_reports_count_like_many(layout, monkeypatch):
    """Report by report, value by value, and cut into vectors of any length: the same
    counts.
    """
    rows = [
        row for row in random_rows(layout, ROWS) if read_report(row, layout)[0] is None
    ]
    expected = count_one_by_one(rows, layout)
    for few, at_once in ((len(rows), 1), (0, 7), (0, len(rows))):
        monkeypatch.setattr(hash_counting, "_FEW", few)
        monkeypatch.setattr(hash_counting, "_AT_ONCE", at_once)
        assert (count_rows(as_array(rows, layout), layout) == expected).all()
