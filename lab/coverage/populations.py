"""Who holds what: the shares of values, by number of values.

uniform   all alike
zipf      in proportion to 1 / rank
sparse    one value in ten is held, by Zipf shares; no one holds the others
          (of two values: all hold the first)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ldp_aggregator.numerics.arrays import Floats


def _uniform(size: int) -> Floats:
    return np.full(size, 1 / size)


def _zipf(size: int) -> Floats:
    weights = 1 / np.arange(1, size + 1)
    shares: Floats = weights / weights.sum()
    return shares


def _sparse(size: int) -> Floats:
    return np.pad(_zipf(max(1, size // 10)), (0, size - max(1, size // 10)))


POPULATIONS: Mapping[str, Callable[[int], Floats]] = {
    "uniform": _uniform,
    "zipf": _zipf,
    "sparse": _sparse,
}
