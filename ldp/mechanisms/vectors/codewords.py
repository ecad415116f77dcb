"""Codewords: vectors of normally distributed whole numbers, which a seed gives to
everyone alike.

A device and an aggregator need the same random vectors without sending them. They are
worked out from a seed by a hash function and a table, in integers alone, so that all
languages have the same.

    word j of a seed   its coordinates 4 c, ..., 4 c + 3 are the four halves-of-words of
                       the XXH64, under the seed, of the four bytes of 65,536 j + c
                       (little-endian), the most significant first
    coordinate         of a half-word h: magnitude number h mod 2^15, less than 0 if h
                       >= 2^15
    magnitude          number u is the least k for which the weights of 0, ..., k are at
                       least (u + 1/2) / 2^15 of all, with weights 2 e^(-k^2 / (2 x
                       256^2)), half of that for 0

So a coordinate has the normal law of deviation 256, on whole numbers and in steps of
2^-16. Its moments are those of a normal law but for a relative 2e-5 (the second) and
3e-4 (the fourth).

Weights are whole numbers of 2^-128, by w_(k+1) = w_k r_k, r_(k+1) = r_k r_0^2, rounded
down.

Source: the inverse of a distribution function (von Neumann 1951), tabulated.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from functools import lru_cache

from xxhash import xxh64_digest

CODES = 1 << 15
"""Magnitudes, which are all as likely."""

_STEPS = 1600
"""Beyond six deviations nothing is left that a step of 2^-16 would see."""
_BITS = 128
_DECAY = 0xFFFF80001FFFFAAAAB5555444445B05A
"""e^(-1 / (2 x 256^2)), rounded down to 128 bits after the point."""

_PER_HASH = 4
_BLOCK_BITS = 16


@lru_cache(maxsize=1)
def magnitudes() -> array[int]:
    """Return the magnitudes of all codes, in their order."""
    weight, ratio = 1 << _BITS, _DECAY
    squared = _DECAY**2 >> _BITS
    weights = [weight]
    for _ in range(1, _STEPS):
        weight = weight * ratio >> _BITS
        ratio = ratio * squared >> _BITS
        weights.append(2 * weight)
    total, below = sum(weights), 0
    table = array("h")
    for magnitude, share in enumerate(weights):
        below += share
        # Of the codes u, those with (2 u + 1) / 2^16 up to below / total.
        codes = min((2 * CODES * below + total) // (2 * total), CODES)
        table.extend([magnitude] * (codes - len(table)))
    return table


@lru_cache(maxsize=1)
def coordinates() -> array[int]:
    """The coordinates of all half-words, in their order."""
    table = magnitudes()
    return table + array("h", [-magnitude for magnitude in table])


def codeword(seed: int, number: int, dimensions: int) -> list[int]:
    """Word number j of a seed."""
    blocks = -(-dimensions // _PER_HASH)
    first = number << _BLOCK_BITS
    digests = [
        xxh64_digest(place.to_bytes(4, "little"), seed)
        for place in range(first, first + blocks)
    ]
    halves = struct.unpack(f">{_PER_HASH * blocks}H", b"".join(digests))
    table = coordinates()
    return [table[half] for half in halves[:dimensions]]


def inner(one: Sequence[int], other: Sequence[int]) -> int:
    """The sum of the products of coordinates."""
    return sum(a * b for a, b in zip(one, other, strict=True))
