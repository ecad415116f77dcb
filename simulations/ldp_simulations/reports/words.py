"""Uniform integers by the thousand, from a source of randomness."""

from __future__ import annotations

import numpy as np

from ldp.numbers.randomness import Random
from ldp_aggregator.numerics.arrays import Words

SPAN = 1 << 64


def words(count: int, random: Random) -> Words:
    """`count` uniform words of 64 bits."""
    return np.frombuffer(random(8 * count), dtype="<u8").astype(np.uint64)


def words_below(bound: int, count: int, random: Random) -> Words:
    """`count` uniform integers in [0, bound), a bound of at most 2^64, by rejection."""
    drawn = words(count, random)
    last = np.uint64(SPAN - SPAN % bound - 1)
    while len(refused := np.flatnonzero(drawn > last)):
        drawn[refused] = words(len(refused), random)
    if bound < SPAN:
        return drawn % np.uint64(bound)
    return drawn
