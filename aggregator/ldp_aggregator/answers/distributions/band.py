"""A band around a cumulative distribution that holds all of it at once.

The band reaches c standard errors from F(x) (`distributions.ends`), with c the quantile
of the largest error among all x, in standard errors. As neighbours err alike, c is well
below what it would take if each x erred by itself: it is found by drawing errors with
the correlation that they have if reports are spread evenly (which hardly depends on
what people hold), with a fixed seed. Where F may only rise, the lower end may not fall,
nor the upper one rise before: that narrows the band and costs no coverage.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

DRAWS = 4000
_SEED = 20231
_JITTER = 1e-9


def root_of(correlation: Floats) -> Floats:
    """Rows whose products with one another are the correlation."""
    return np.asarray(
        np.linalg.cholesky(correlation + _JITTER * np.eye(len(correlation)))
    )


def multiplier(root: Floats, level: float) -> float:
    """c: how many standard errors the largest of all errors stays within, with this
    probability.

    `root` has a row for each error; products of rows are the correlation.
    """
    narrow = root.astype(np.float32)
    generator = np.random.default_rng(_SEED)
    drawn = (
        generator.standard_normal((DRAWS, narrow.shape[1]), dtype=np.float32) @ narrow.T
    )
    return float(np.quantile(np.abs(drawn).max(axis=1), level))


def band(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The ends of a band, of shape (values,), from those at each value by itself."""
    return np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
