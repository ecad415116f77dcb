"""Views of estimates that look nicer and are biased; each is there only if asked for by
name.

    norm-sub   the Euclidean projection on the simplex: subtract one number from all,
               cut at zero, so that the sum is 1
    base-cut   zero whatever noise alone would reach somewhere: a p-value above (1 -
               level) / M, one-sided

A third view, posterior-mean, is in `numerics.empirical_bayes`; em and ems, for the
shape of a distribution, are in `ldp_aggregator.numerics.shapes`.

Sources: Wang, Lopuhaa-Zwakenberg, Li, Skoric and Li 2020 (norm-sub, base-cut); Duchi et
al. 2008 (the projection).
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.numerics.arrays import Floats


def norm_sub(frequency: Floats) -> Floats:
    """The closest point of the simplex."""
    falling = np.sort(frequency)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    last = np.flatnonzero(falling > excess)[-1]
    projected: Floats = np.maximum(frequency - excess[last], 0.0)
    return projected


def base_cut(frequency: Floats, chances: Floats, level: float) -> Floats:
    """Frequencies that noise would reach are zero; `chances` are p-values, as of
    `null_chances`.
    """
    return np.where(chances > (1 - level) / len(frequency), 0.0, frequency)
