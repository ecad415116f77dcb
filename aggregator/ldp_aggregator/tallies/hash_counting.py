"""How many reports of a hash function and a symbol support each value: the one loop over reports
times values.

    (a, b, y) supports x if h(x) = floor(((a x + b) mod P) g / P) = y, which is so if
    (a x + b - first) mod P < count, where the residues of bucket y are the `count` ones from `first` on

So nothing is multiplied or divided in the loop: from one value to the next a sum grows by a, and is
brought back below P by taking the lesser of itself and itself less P, which wraps around to above
2^31 where it would be negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldp.layout import Layout
from ldp_aggregator.arrays import Integers

_AT_ONCE = 1 << 14
"""Reports in a vector: so many that calls cost little, so few that the vectors stay in a
processor's cache.
"""

_FEW = 1 << 8
"""Up to so many reports are taken one by one, each with a vector of values."""


def hash_supports(seeds: NDArray[np.uint32], symbols: Integers, layout: Layout) -> Integers:
    """The support counts, of shape (layout.hashed,), of reports with `seeds` (a, b), of shape
    (reports, 2).
    """
    modulus = layout.modulus
    first, after = (-(-edge * modulus // layout.symbols) for edge in (symbols, symbols + 1))
    multiplier, start = seeds[:, 0], (seeds[:, 1] - first) % modulus
    supports = np.zeros(layout.hashed, dtype=np.int64)
    if len(seeds) <= _FEW:
        values = np.arange(layout.hashed)
        for a, b, count in zip(multiplier.astype(np.int64), start, after - first, strict=True):
            supports += (a * values + b) % modulus < count
        return supports
    for at in range(0, len(seeds), _AT_ONCE):
        part = slice(at, at + _AT_ONCE)
        _add(
            supports,
            multiplier[part],
            start[part].astype(np.uint32),
            (after - first)[part].astype(np.uint32),
            modulus,
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
    less = multiplier - np.uint32(modulus)
    reduced, inside = np.empty_like(total), np.empty(len(total), dtype=np.bool_)
    for value in range(len(supports)):
        np.less(total, count, out=inside)
        supports[value] += np.count_nonzero(inside)
        np.add(total, less, out=reduced)
        np.add(total, multiplier, out=total)
        np.minimum(total, reduced, out=total)
