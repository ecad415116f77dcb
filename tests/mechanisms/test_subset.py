"""Subset selection where sets are too large for every tape: inclusion rates and
sizes.
"""

import hashlib
import random
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from ldp.mechanisms.values import subset
from ldp.mechanisms.values.subset import (
    SubsetSelection,
    _coarse_bits,
    _member,
    _uniform_set,
    least_error_size,
)
from ldp.numbers.exact import odds
from ldp.numbers.randomness import Replay
from ldp_simulations.audit.tapes.every_tape import every_tape

DRAWS = 20_000


@pytest.mark.parametrize("chosen", [1, 3, 20, 40])
def test_sets_of_a_few_dozen(chosen):
    """20,000 sets of 64 values have the stated size, values and pairs as often as
    stated.

    127 rates at 6 standard errors each: a false alarm has probability below 3e-7; a
    rate that is off by .02 shows.
    """
    randomizer = SubsetSelection(64, chosen, 11, other=4)
    source = random.Random(8).randbytes
    sets = [randomizer.randomize(5, source) for _ in range(DRAWS)]
    assert {drawn.bit_count() for drawn in sets} == {chosen}
    members = np.array([[drawn >> value & 1 for value in range(64)] for drawn in sets])
    (p, q), (both, _) = randomizer.support, randomizer.joint_support()
    expected = np.where(np.arange(64) == 5, float(p), float(q))
    assert off(members.mean(axis=0), expected) < 6
    pairs = np.delete((members[:, [5]] * members).mean(axis=0), 5)
    if chosen > 1:
        assert off(pairs, np.full(63, float(both))) < 6


def off(rates, expected):
    return np.abs((rates - expected) / np.sqrt(expected * (1 - expected) / DRAWS)).max()


@pytest.mark.parametrize(
    ("size", "count"),
    [(100, 3), (97, 6), (64, 3), (1000, 7), (33, 2), (48, 3), (40, 20), (5, 5)],
)
def test_members_of_sparse_and_dense_sets(size, count):
    """As many positions lead to each member as to any other, be they tried or divided
    by.

    The rest are drawn again.
    """
    members = range(0, size, -(-size // count))
    members = [*members, *(x for x in range(size) if x not in members)][:count]
    vector = sum(1 << member for member in members)
    led = Counter(
        next_member(vector, size, count, position=position) for position in range(size)
    )
    again = led.pop(None, 0)
    assert led.keys() == {1 << member for member in members}
    assert len(set(led.values())) == 1
    assert again < size / 2 or count * 16 >= size


def next_member(vector, size, count, position):
    """The member that a position leads to; None if it leads to another draw."""
    try:
        return _member(vector, size, count, positions=iter([position]))
    except (StopIteration, RuntimeError):
        return None


def test_coarse_bits():
    """Over every tape, a bit is 1 in `rate` of 256."""
    for rate in range(1, 256):
        law = every_tape(partial(_coarse_bits, 1, rate), (1,))
        assert law[1] == Fraction(rate, 256)


def test_as_many_bits_as_are_missing_are_taken(monkeypatch):
    """More are drawn again; with neither too many nor too few, no position is drawn."""
    drawn = iter([(1 << 21) - 1, (1 << 20) - 1])
    monkeypatch.setattr(subset, "_coarse_bits", lambda *_: next(drawn))
    assert _uniform_set(64, 20, iter(()), random=bytes) == (1 << 20) - 1


@pytest.mark.parametrize("size", [1, 7, 8, 9, 64, 65])
def test_coarse_bits_stay_within_the_set(size):
    """Bits beyond the last position are dropped, whatever is drawn."""
    assert _coarse_bits(size, 255, lambda count: b"\xff" * count) == (1 << size) - 1


@pytest.mark.parametrize("epsilon", ["1/20", "1/2", "1", "2", "5", "9"])
@pytest.mark.parametrize("size", [2, 3, 5, 16, 100, 1000])
def test_size_of_least_error(size, epsilon):
    """The chosen size has the least total error of all sizes."""
    truth, other = odds(Fraction(epsilon))

    def error(chosen):
        p, q = SubsetSelection(size, chosen, truth, other=other).support
        return (p * (1 - p) + (size - 1) * q * (1 - q)) / (p - q) ** 2

    best = least_error_size(size, Fraction(truth, other))
    if size <= 100:
        sizes = range(1, size)
    else:
        sizes = range(max(1, best - 40), min(size - 1, best + 40) + 1)
    assert error(best) == min(error(chosen) for chosen in sizes)


@pytest.mark.parametrize(("size", "chosen"), [(4, 1), (5, 2), (6, 3), (7, 4)])
def test_pairs_in_one_set_by_the_channel(size, chosen):
    """How often a set holds two values, one the truth or neither: summed over all
    sets.
    """
    selection = SubsetSelection(size, chosen, 7, other=2)
    law = selection.channel().rows[0]
    one, neither = (
        sum(
            (
                mass
                for vector, mass in enumerate(law)
                if vector >> first & vector >> second & 1
            ),
            Fraction(0),
        )
        for first, second in ((0, 1), (1, 2))
    )
    assert selection.joint_support() == (one, neither)


PINNED = {
    (1024, 256): "15636 2cc722bf4dafe06f",
    (1024, 64): "14164 475fae79887162f4",
    (1000, 63): "13413 a948d48983fb41e9",
    (4099, 1300): "105634 0125d118294c9daa",
}


@pytest.mark.parametrize(("size", "chosen"), PINNED)
def test_large_sets_are_drawn_as_they_always_were(size, chosen):
    """From a fixed tape: the bytes that are taken, and the digest of ten sets.

    Replayed tapes rely on it.
    """
    selection = SubsetSelection(size, chosen, 7, other=2)
    tape = Replay(hashlib.shake_256(b"sets").digest(1 << 18))
    sets = [
        selection.randomize(value, tape).to_bytes((size + 7) // 8, "little")
        for value in range(10)
    ]
    digest = hashlib.blake2b(b"".join(sets), digest_size=8).hexdigest()
    assert f"{tape.used} {digest}" == PINNED[size, chosen]
