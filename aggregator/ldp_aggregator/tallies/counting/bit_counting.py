"""How many of many bit vectors set each bit: a tree of full adders, on words of 64
bits.

Three vectors of the same weight become one, their sum modulo 2, and one of twice the
weight, their carries. Of n vectors that leaves at most two of each weight 1, 2, 4, ...
after fewer than n additions, each of five operations on whole words; only those few are
taken apart into bits.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from ldp_aggregator.numerics.arrays import Words

_CHUNK = 1 << 17
"""Words that are added up at a time: enough for numpy, few enough for a processor's
cache.
"""


def bit_counts(rows: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of rows, of shape (reports, bytes), that set each bit; shape (8 x
    bytes,).
    """
    reports, width = rows.shape
    words = _words(rows)
    step = max(3, _CHUNK // words.shape[1])
    left: defaultdict[int, list[Words]] = defaultdict(list)
    for start in range(0, reports, step):
        for level, layer in enumerate(_add(words[start : start + step])):
            left[level].append(layer)
    total = np.zeros(8 * width, dtype=np.int64)
    for level, layers in left.items():
        # The vectors that are left of weight 2^level, as bytes: (vectors, bytes).
        vectors = np.concatenate(layers).view(np.uint8)[:, :width]
        # How many of them set each bit: (8 x bytes,).
        setters = np.unpackbits(vectors, axis=1, bitorder="little").sum(
            axis=0, dtype=np.int64
        )
        total += setters << level
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


def _add(layer: Words) -> list[Words]:
    """The vectors that are left of each weight, 1 first; overwrites what it is
    given.
    """
    left = []
    while len(layer):
        carries = []
        while len(layer) > 2:
            # Three vectors each, (third, words), and up to two that wait for the next
            # round.
            third = len(layer) // 3
            a = layer[:third]
            b = layer[third : 2 * third]
            c = layer[2 * third : 3 * third]
            rest = layer[3 * third :]
            # A full adder: the sum is a ^ b ^ c, the carry (a & b) | ((a ^ b) & c),
            # kept in a.
            total = a ^ b
            a &= b
            np.bitwise_and(total, c, out=b)
            a |= b
            total ^= c
            carries.append(a)
            layer = total
            if len(rest):
                layer = np.concatenate([total, rest])
        left.append(layer)
        # The carries have twice the weight: they are the next layer.
        layer = np.concatenate(carries) if carries else layer[:0]
    return left
