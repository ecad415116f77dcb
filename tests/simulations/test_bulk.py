"""Reports drawn in bulk have exactly the client's law: every equally likely tape is
played.
"""

import os
from collections import Counter
from fractions import Fraction
from itertools import cycle, islice, permutations, product

import numpy as np
import pytest
from written_out import declared_law

import ldp
from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.mechanisms.values.projective import ProjectiveResponse
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


PAIRS = range(4)
"""Words of a plane: all that two bits of a report may have."""
EVENLY = [r << 62 for r in range(4)]
"""Words whose first two bits are all that they may be."""


@pytest.mark.parametrize(
    ("randomizer", "calls"),
    [
        (RandomizedResponse(4, 5, 2), [range(11)]),
        (MATRIX, [range(8)]),
        (ProjectiveResponse(13, 3, 3, truth=2, other=1), [range(17)]),
        (HadamardResponse(10, 4, 16, truth=12, other=1), [range(19), range(4)]),
        (LocalHashing(4, 3, 4, other=2, modulus=5), [range(4), range(5), range(8)]),
        (
            Chain(RandomizedResponse(3, 3, 1), RandomizedResponse(3, 4, 1)),
            [range(5), range(6)],
        ),
        (
            Chain(
                LocalHashing(2, 2, 3, other=1, modulus=3), RandomizedResponse(2, 5, 3)
            ),
            [range(2), range(3), range(4), range(8)],
        ),
        (
            Chain(UnaryEncoding(2, 3, 1, word=2), RandomizedResponse(2, 3, 1)),
            [PAIRS, PAIRS, EVENLY, PAIRS, PAIRS],
        ),
        (BitFlip(3, 2, flip=1, word=2), [range(3), PAIRS, PAIRS]),
        (Rappor(2, 0, 1, flip=1, if_one=3, if_zero=1, word=2), [[0], *[PAIRS] * 6]),
        (Rappor(2, 1, 2, flip=1, if_one=4, if_zero=1, word=2), [PAIRS, *[PAIRS] * 4]),
    ],
)
def test_reports_have_the_law_of_the_channel(randomizer, calls):
    """Each combination of words that the calls may draw is played once.

    Reports come in their proportion: of texts, and of the first and the last value.
    """
    tapes = [*zip(*product(*calls), strict=True)]
    total = len(tapes[0])
    last = len(randomizer.channel().rows) - 1
    for value in (b"alpha", b"beta") if randomizer.kind == "bloom" else (0, 1, last):
        kind = object if randomizer.kind == "bloom" else np.int64
        held = np.full(total, value, dtype=kind)
        rows = bulk.bulk_draw(randomizer)(held, playing(*tapes))
        drawn = Counter(int.from_bytes(row.tobytes(), "little") for row in rows)
        law = declared_law(randomizer, value)
        assert {report: Fraction(drawn[report], total) for report in law} == law


def test_symbols_of_two_bytes():
    """A word below the weight of the truth gives the value itself."""
    draw = bulk.bulk_draw(RandomizedResponse(300, 7, 1))
    assert draw(np.array([299]), playing([6])).tolist() == [[43, 1]]


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


def test_what_has_no_bulk_draw_is_drawn_one_by_one():
    """Other mechanisms, and weights that do not fit a word."""
    survey = ldp.survey("s", ldp.question("x", ["a", "b"], most=1, epsilon=1))
    assert bulk.bulk_draw(survey["x"].randomizer) is None
    assert bulk.bulk_draw(RandomizedResponse(2, 2**64, 1)) is None
    drawn = bulk.draw_rows(survey["x"], [0, 1], os.urandom)
    assert drawn.shape == (2, survey["x"].width)
    assert len(bulk.draw_rows(survey["x"], [], os.urandom)) == 0
