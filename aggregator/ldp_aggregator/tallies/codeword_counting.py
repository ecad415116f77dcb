"""The sums of the codewords that reports name, and of the squares of their coordinates.

A report is a seed and the number of one of the words that the seed gives (`ldp.codewords`); of all
these words only that one is worked out here, by the same integers. This is the one loop over
reports times coordinates: an XXH64 of four bytes for four coordinates, and a table.

A tally has the number of reports; then for each coordinate the sum of the words', each with
`OFFSET` added, so that it is never below 0; then for each the sum of their squares. They are exact:
tallies merge to the last bit, in any order.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp.codewords import coordinates
from ldp.layout import Layout
from ldp_aggregator.arrays import Counts, Integers, Words

OFFSET = 1 << 11
"""Above the greatest coordinate."""

_AT_ONCE = 1 << 18
"""Coordinates that are worked out together: few enough for a processor's cache."""

_PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
"""Of XXH64."""


def codeword_counts(seeds: Words, symbols: Integers, layout: Layout) -> Counts:
    """What reports add to a tally, of shape (1 + 2 coordinates,).

    `seeds` and `symbols` are of shape (reports,).
    """
    width = layout.codewords
    sums = np.zeros(1 + 2 * width, dtype=np.int64)
    sums[0] = len(seeds)
    at_once = max(1, _AT_ONCE // width)
    for start in range(0, len(seeds), at_once):
        part = slice(start, start + at_once)
        # (reports, coordinates): of the words that reports name.
        words = codewords(seeds[part], symbols[part], width)
        sums[1 : 1 + width] += words.sum(axis=0, dtype=np.int64)
        squares = words.astype(np.int32) ** 2
        sums[1 + width :] += squares.sum(axis=0, dtype=np.int64)
    sums[1 : 1 + width] += OFFSET * len(seeds)
    return sums


def codewords(seeds: Words, symbols: Integers, dimensions: int) -> NDArray[np.int16]:
    """The words of some seeds that symbols name, of shape (reports, dimensions)."""
    words = vectors(seeds, symbols >> 1, dimensions)
    opposite = (symbols & 1)[:, None].astype(np.int16)
    # 1 or -1, (reports, 1).
    return np.asarray(words * (1 - 2 * opposite), dtype=np.int16)


def vectors(seeds: Words, numbers: Integers, dimensions: int) -> NDArray[np.int16]:
    """The vectors of these numbers that seeds give, of shape (reports, dimensions)."""
    blocks = -(-dimensions // 4)
    # (reports, blocks): what is hashed.
    first: Words = numbers.astype(np.uint64) << np.uint64(16)
    places = np.add.outer(first, np.arange(blocks, dtype=np.uint64))
    hashes = _xxh64(places, seeds[:, None])
    # Its four halves, the most significant first: (reports, 4 blocks).
    halves = hashes.astype(">u8").view(">u2")
    return np.asarray(_table()[halves[:, :dimensions]], dtype=np.int16)


def _xxh64(places: Words, seeds: Words) -> Words:
    """The XXH64 of four bytes each, under seeds."""
    first, second, third, _, fifth = (np.uint64(prime) for prime in _PRIMES)
    mixed = (seeds + (fifth + np.uint64(4))) ^ (places * first)
    mixed = (mixed << np.uint64(23) | mixed >> np.uint64(41)) * second + third
    mixed ^= mixed >> np.uint64(33)
    mixed *= second
    mixed ^= mixed >> np.uint64(29)
    mixed *= third
    mixed ^= mixed >> np.uint64(32)
    return mixed


@lru_cache(maxsize=1)
def _table() -> NDArray[np.int16]:
    return np.array(coordinates(), dtype=np.int16)
