"""Counting bits by a tree of adders gives what taking every vector apart gives."""

import numpy as np
import pytest

from ldp_aggregator.tallies.counting import bit_counting
from ldp_aggregator.tallies.counting.bit_counting import bit_counts, ones_by_row


@pytest.mark.parametrize("chunk", [1, 40, 1 << 17])
@pytest.mark.parametrize("width", [1, 3, 8, 9, 128])
@pytest.mark.parametrize("reports", [0, 1, 2, 3, 4, 100, 1001])
def test_counts_are_those_of_the_bits(monkeypatch, reports, width, chunk):
    """Whatever the number of vectors, their width, and the size of a chunk.

    And the rows stay as they are.
    """
    monkeypatch.setattr(bit_counting, "_CHUNK", chunk)
    rows = np.random.default_rng(reports + width).integers(0, 256, (reports, width), dtype=np.uint8)
    before = rows.copy()
    assert (bit_counts(rows) == np.unpackbits(rows, axis=1, bitorder="little").sum(axis=0)).all()
    assert (ones_by_row(rows) == np.unpackbits(rows, axis=1).sum(axis=1)).all()
    assert (rows == before).all()


@pytest.mark.parametrize("reports", [5, 3**7, 5000])
def test_vectors_of_ones_count_to_their_number(reports):
    """No carry is lost: every bit of every vector is set."""
    assert (bit_counts(np.full((reports, 10), 255, dtype=np.uint8)) == reports).all()
