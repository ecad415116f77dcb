"""The sums of the codewords that reports name, and of the squares of their coordinates.

A report is a seed and the number of one of the words that the seed gives
(`ldp.mechanisms.vectors.codewords`); of all these words only that one is worked out
here, by the same integers. This is the one loop over reports times coordinates: an
XXH64 of four bytes for four coordinates, and a table.

A tally has the number of reports; then for each coordinate the sum of the words', each
with `OFFSET` added, so that it is never below 0; then for each the sum of their
squares. They are exact: tallies merge to the last bit, in any order.

The table has a coordinate, with the offset, in the low bits of a number whose high bits
have its square, so that one look and one addition serve both sums. Reports vary
fastest, so that what a block of four coordinates or a report has for itself is not
repeated.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldp.mechanisms.vectors.codewords import coordinates
from ldp.numbers.layout import Layout
from ldp_aggregator.numerics.arrays import Counts, Integers, Words

OFFSET = 1 << 11
"""Above the greatest coordinate."""

_AT_ONCE = 1 << 16
"""Hashes that are worked out together: few enough for a processor's cache."""
_MOST_AT_ONCE = 1 << 12
"""Reports whose sums of coordinates, with their offsets, fit below those of squares."""
_LOW_BITS = np.int64(24)
_LOW = np.int64((1 << 24) - 1)
_SIGNS = np.uint64(0x8000_8000_8000_8000)
"""The bits that turn four coordinates round."""
_HALF_WORD = np.uint64(16)
_IN_HALF_WORD = np.uint64(0xFFFF)

_PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)
"""Of XXH64."""


def codeword_counts(seeds: Words, symbols: Integers, layout: Layout) -> Counts:
    """Count the reports of codewords for a tally, of shape (1 + 2 coordinates,).

    `seeds` and `symbols` are of shape (reports,).
    """
    width = layout.codewords
    blocks = -(-width // 4)
    # (2, coordinates of a block, blocks): of coordinates and of squares.
    sums = np.zeros((2, 4, blocks), dtype=np.int64)
    at_once = min(max(1, _AT_ONCE // blocks), _MOST_AT_ONCE)
    for start in range(0, len(seeds), at_once):
        part = slice(start, start + at_once)
        hashes = _hashes(seeds[part], symbols[part], blocks)
        # The last coordinate of a block has the least significant bits.
        for place in (3, 2, 1, 0):
            codes = (hashes & _IN_HALF_WORD).view(np.int64)
            hashes >>= _HALF_WORD
            # (blocks,): sums over reports.
            both = _with_squares().take(codes, mode="wrap").sum(axis=1)
            sums[0, place] += both & _LOW
            sums[1, place] += both >> _LOW_BITS
    # (2, coordinates), in their order.
    ordered = sums.transpose(0, 2, 1).reshape(2, -1)[:, :width]
    return np.concatenate([[len(seeds)], *ordered])


def codewords(seeds: Words, symbols: Integers, dimensions: int) -> NDArray[np.int16]:
    """The words of some seeds that symbols name, of shape (reports, dimensions)."""
    hashes = _hashes(seeds, symbols, -(-dimensions // 4))
    # Of each hash its four halves of words, the most significant first: (reports, 4
    # blocks).
    halves = hashes.T.astype(">u8", order="C").view(">u2")
    return np.asarray(_table()[halves[:, :dimensions]], dtype=np.int16)


def _hashes(seeds: Words, symbols: Integers, blocks: int) -> Words:
    """The XXH64 of four bytes for each block of four coordinates, of shape (blocks,
    reports).

    Of words that are the opposites of vectors, with the signs of all four turned round.
    """
    first, second, third, _, fifth = (np.uint64(prime) for prime in _PRIMES)
    # (reports,) and (blocks, 1): the two parts of what is hashed, each multiplied.
    numbers: Words = ((symbols >> 1).astype(np.uint64) << np.uint64(16)) * first
    places = np.arange(blocks, dtype=np.uint64)[:, None] * first
    mixed: Words = places + numbers
    mixed ^= seeds + (fifth + np.uint64(4))
    rest = mixed >> np.uint64(41)
    mixed <<= np.uint64(23)
    mixed |= rest
    mixed *= second
    mixed += third
    for bits, factor in ((33, second), (29, third)):
        np.right_shift(mixed, np.uint64(bits), out=rest)
        mixed ^= rest
        mixed *= factor
    np.right_shift(mixed, np.uint64(32), out=rest)
    mixed ^= rest
    mixed ^= (symbols & 1).astype(np.uint64) * _SIGNS
    return mixed


@lru_cache(maxsize=1)
def _table() -> NDArray[np.int16]:
    return np.array(coordinates(), dtype=np.int16)


@lru_cache(maxsize=1)
def _with_squares() -> Integers:
    """Coordinate of all half-words, with its offset, and 2^24 times its square."""
    table = _table().astype(np.int64)
    return np.asarray(table + OFFSET + (table**2 << _LOW_BITS), dtype=np.int64)
