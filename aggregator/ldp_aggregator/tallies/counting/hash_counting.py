"""How many reports of a hash function and a symbol support each value.

This is the one loop over reports times values, and so the slowest step of local
hashing: what it does for each pair has to be a handful of instructions.

    (a, b, y) supports x if h(x) = floor(((a x + b) mod P) g / P) = y, which is so if
    (a x + b - first) mod P < count

where the residues of bucket y are the `count` ones from `first` on.

So nothing is multiplied or divided in the loop: from one value to the next a sum grows
by a, and is brought back below P by taking the lesser of itself and itself less P,
which wraps around to above 2^31 where it would be negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldp.numbers.layout import Layout
from ldp_aggregator.numerics.arrays import Integers

_AT_ONCE = 1 << 14
"""Reports in a vector: many, so that calls cost little; few enough for a processor's
cache.
"""

_FEW = 1 << 8
"""Up to this many reports are taken one by one, each with a vector of values."""


def hash_supports(
    seeds: NDArray[np.uint32], symbols: Integers, layout: Layout
) -> Integers:
    """The support counts of reports, of shape (layout.hashed,).

    `seeds` are the (a, b) of their hash functions, of shape (reports, 2); `symbols` of
    shape (reports,).
    """
    modulus = layout.modulus
    # The residues of the bucket that each report names, (reports,): `count` ones from
    # `first` on.
    first, after = (
        -(-edge * modulus // layout.symbols) for edge in (symbols, symbols + 1)
    )
    count = after - first
    # a x + b - first at x = 0; each further value adds a.
    multiplier = seeds[:, 0]
    start = (seeds[:, 1] - first) % modulus
    supports = np.zeros(layout.hashed, dtype=np.int64)
    if len(seeds) <= _FEW:
        values = np.arange(layout.hashed)
        for a, b, size in zip(multiplier.astype(np.int64), start, count, strict=True):
            supports += (a * values + b) % modulus < size
        return supports
    for at in range(0, len(seeds), _AT_ONCE):
        part = slice(at, at + _AT_ONCE)
        _add(
            supports,
            multiplier[part],
            start[part].astype(np.uint32),
            count=count[part].astype(np.uint32),
            modulus=modulus,
        )
    return supports


def _add(
    supports: Integers,
    multiplier: NDArray[np.uint32],
    total: NDArray[np.uint32],
    count: NDArray[np.uint32],
    modulus: int,
) -> None:
    """Add the supports of some reports; `total` starts at value 0 and is used up."""
    # All of shape (reports,); buffers are used again, so that nothing is allocated in
    # the loop.
    less = multiplier - np.uint32(modulus)
    reduced = np.empty_like(total)
    inside = np.empty(len(total), dtype=np.bool_)
    for value in range(len(supports)):
        np.less(total, count, out=inside)
        supports[value] += np.count_nonzero(inside)
        # The next value adds a, modulo P: the lesser of the sum and the sum less P.
        np.add(total, less, out=reduced)
        np.add(total, multiplier, out=total)
        np.minimum(total, reduced, out=total)
