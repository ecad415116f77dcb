"""Counting bits by a tree of adders gives what taking every vector apart gives."""

from itertools import product

import numpy as np
import pytest

from ldp_aggregator.tallies.counting import bit_counting
from ldp_aggregator.tallies.counting.bit_counting import bit_counts, ones_by_row


@pytest.mark.parametrize("chunk", [1, 40, 1 << 17])
def test_counts_are_those_of_the_bits(monkeypatch, chunk):
    """Whatever the number of vectors, their width, and the size of a chunk.

    And the rows stay as they are.
    """
    monkeypatch.setattr(bit_counting, "_CHUNK", chunk)
    generator = np.random.default_rng(1)
    for shape in product((0, 1, 2, 3, 4, 100, 1001), (1, 3, 8, 9, 128)):
        rows = generator.integers(0, 256, shape, dtype=np.uint8)
        before = rows.copy()
        bits = np.unpackbits(rows, axis=1, bitorder="little")
        assert (bit_counts(rows) == bits.sum(axis=0)).all(), shape
        assert (ones_by_row(rows) == bits.sum(axis=1)).all(), shape
        assert (rows == before).all(), shape


@pytest.mark.parametrize("reports", [5, 3**7, 5000])
def test_vectors_of_ones_count_to_their_number(reports):
    """No carry is lost: every bit of every vector is set."""
    assert (bit_counts(np.full((reports, 10), 255, dtype=np.uint8)) == reports).all()
