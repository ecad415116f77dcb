"""Reports drawn in bulk have exactly the client's law: every equally likely tape is
played.
"""

from collections import Counter
from fractions import Fraction
from itertools import cycle, islice, permutations

import numpy as np
import pytest

from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp_simulations.reports import bulk

MATRIX = StochasticMatrix(((5, 2, 1), (1, 6, 1), (2, 2, 4)))


def playing(*tapes):
    """A source that gives the words of the tapes in turn, cut or repeated to size."""
    left = iter(tapes)
    return lambda size: (
        np.array(list(islice(cycle(next(left)), size // 8)), "<u8").tobytes()
        if size
        else b""
    )


def test_words_below_a_bound_are_drawn_by_rejection():
    """Words beyond the last whole multiple of the bound are drawn again.

    The others are taken modulo the bound.
    """
    last = 2**64 - 2**64 % 10 - 1
    drawn = bulk.words_below(
        10, 4, playing([last, last + 1, 2**64 - 1, 23], [2**64 - 2, 4], [7])
    )
    assert drawn.tolist() == [9, 7, 4, 3]


def test_a_bound_of_all_words_rejects_none():
    """2^64 itself is a bound."""
    assert bulk.words_below(2**64, 2, playing([2**64 - 1, 0])).tolist() == [
        2**64 - 1,
        0,
    ]


@pytest.mark.parametrize(
    ("randomizer", "total"),
    [
        (RandomizedResponse(4, 5, 2), 11),
        (RandomizedResponse(300, 7, 1), 306),
        (MATRIX, 8),
    ],
    ids=["grr", "grr of two bytes", "matrix"],
)
def test_symbols_have_the_law_of_the_channel(randomizer, total):
    """Each word below the weights' sum is played once: symbols come in their
    proportion.
    """
    channel = randomizer.channel().rows
    for value in (0, 1, len(channel) - 1):
        rows = bulk.bulk_draw(randomizer)(np.full(total, value), playing(range(total)))
        drawn = Counter(int.from_bytes(row.tobytes(), "little") for row in rows)
        assert (
            tuple(Fraction(drawn[symbol], total) for symbol in range(len(channel)))
            == channel[value]
        )


@pytest.mark.parametrize("chosen", [1, 2])
@pytest.mark.parametrize("value", [0, 2])
def test_sets_have_the_law_of_the_channel(chosen, value):
    """Each word below the weights' sum is played with each order of the values' keys,
    once.
    """
    randomizer = SubsetSelection(3, chosen, truth=5, other=2)
    total = 5 * chosen + 2 * (3 - chosen)
    orders = [*permutations(range(1, 4))]
    played = [word for word in range(total) for _ in orders]
    keys = [key for _ in range(total) for order in orders for key in order]
    rows = bulk.bulk_draw(randomizer)(
        np.full(len(played), value), playing(played, keys)
    )
    drawn = Counter(rows[:, 0].tolist())
    law = randomizer.channel().rows[value]
    assert tuple(Fraction(drawn[vector], len(played)) for vector in range(8)) == law


@pytest.mark.parametrize("planes", [1, 2, 8])
@pytest.mark.parametrize(
    ("if_true", "if_other"), [(6, 1), (4, 3), (7, 0), (5, 2), (3, 4)]
)
def test_a_bit_is_set_if_its_word_is_below_its_threshold(
    monkeypatch, planes, if_true, if_other
):
    """Report r of eight draws the word r for each position, in planes and rests: 1 if r
    < T.
    """
    monkeypatch.setattr(bulk, "_PLANES", planes)
    places = range(2, 2 - min(planes, 3), -1)
    rest = places[-1]
    # Position 1 is the true one; its planes are not used, and chosen so that it never
    # ties.
    played = [
        [r >> place & 1 | (~if_other >> place & 1) << 1 for r in range(8)]
        for place in places
    ]
    rests = [
        (r << 64 - rest) % 2**64 for r in range(8) if r >> rest == if_other >> rest
    ]
    source = playing(*played, *([rests] if rest else []), [r << 61 for r in range(8)])
    rows = bulk.bulk_draw(UnaryEncoding(2, if_true, if_other, word=3))(
        np.ones(8, dtype=np.int64), source
    )
    assert rows[:, 0].tolist() == [
        (r < if_other) | (r < if_true) << 1 for r in range(8)
    ]


def test_bits_fill_the_words_and_bytes_of_a_report():
    """A threshold near 1 sets every position of 70, none beyond, the true one by its
    own.
    """
    rows = bulk.bulk_draw(UnaryEncoding(70, 1 << 63, 2**64 - 1))(
        np.array([69, 0]), playing(*[[0]] * 8, [2**63])
    )
    reports = [int.from_bytes(row.tobytes(), "little") for row in rows]
    assert reports == [2**70 - 1 - (1 << 69), 2**70 - 1 - 1]


def test_what_has_no_bulk_draw_is_left_to_clients():
    """Other mechanisms, and weights that do not fit a word."""
    assert bulk.bulk_draw(HadamardResponse(3, 1, 4, truth=5, other=1)) is None
    assert bulk.bulk_draw(RandomizedResponse(2, 2**64, 1)) is None
