"""A band around a cumulative distribution that holds all of it at once.

The band reaches c standard errors from F(x) (`ldp_aggregator.distributions.ends`), with c the
quantile of the largest error among all x, in standard errors. As neighbours err alike, c is well
below what it would take if each x erred by itself: it is found by drawing errors with the
correlation that they have if reports are spread evenly (which hardly depends on what people hold),
with a fixed seed. Where F may only rise, the lower end may not fall, nor the upper one rise before:
that narrows the band and costs no coverage.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.arrays import Floats

DRAWS = 4000
_SEED = 20231
_JITTER = 1e-9


def multiplier(correlation: Floats, level: float) -> float:
    """c: how many standard errors the largest of all errors stays within, with this probability."""
    size = len(correlation)
    root = np.linalg.cholesky(correlation + _JITTER * np.eye(size)).astype(np.float32)
    generator = np.random.default_rng(_SEED)
    drawn = generator.standard_normal((DRAWS, size), dtype=np.float32) @ root.T
    return float(np.quantile(np.abs(drawn).max(axis=1), level))


def band(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The ends of a band, of shape (values,), from those at each value by itself."""
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
