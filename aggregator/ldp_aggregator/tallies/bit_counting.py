"""How many of many bit vectors set each bit: a tree of full adders, on words of 64 bits.

Three vectors of the same weight become one, their sum modulo 2, and one of twice the weight, their
carries. Of n vectors that leaves at most two of each weight 1, 2, 4, ... after fewer than n
additions, each of five operations on whole words; only those few are taken apart into bits.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.arrays import Words

_CHUNK = 1 << 17
"""Words that are added up at a time: enough for operations on whole arrays, few enough for a
processor's cache.
"""


def bit_counts(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of rows, of shape (reports, bytes), that set each bit; shape (8 x bytes,)."""
    reports, width = rows.shape
    words = _words(rows)
    step = max(3, _CHUNK // words.shape[1])
    left: defaultdict[int, list[Words]] = defaultdict(list)
    for start in range(0, reports, step):
        for level, layer in enumerate(_added(words[start : start + step])):
            left[level].append(layer)
    total = np.zeros(8 * width, dtype=np.int64)
    for level, layers in left.items():
        vectors = np.concatenate(layers).view(np.uint8)[:, :width]
        total += (
            np.unpackbits(vectors, axis=1, bitorder="little").sum(axis=0, dtype=np.int64) << level
        )
    return total


def ones_by_row(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of bits that each row sets; shape (reports,)."""
    ones: NDArray[np.int64] = np.bitwise_count(_words(rows)).sum(axis=1, dtype=np.int64)
    return ones


def _words(rows: NDArray[np.uint8]) -> Words:
    """A copy, padded with zeros."""
    reports, width = rows.shape
    words = np.zeros((reports, -(-width // 8)), dtype=np.uint64)
    words.view(np.uint8)[:, :width] = rows
    return words


def _added(layer: Words) -> list[Words]:
    """The vectors that are left of each weight, 1 first; overwrites what it is given."""
    left = []
    while len(layer):
        carried = []
        while len(layer) > 2:
            third = len(layer) // 3
            a, b, c, rest = (
                layer[:third],
                layer[third : 2 * third],
                layer[2 * third : 3 * third],
                layer[3 * third :],
            )
            total = a ^ b
            a &= b
            np.bitwise_and(total, c, out=b)
            a |= b
            total ^= c
            carried.append(a)
            layer = np.concatenate([total, rest]) if len(rest) else total
        left.append(layer)
        layer = np.concatenate(carried) if carried else layer[:0]
    return left
