"""Views of estimates that look nicer and are biased; none of them happens unless it is asked for by name.

    norm-sub   the Euclidean projection on the simplex: subtract one number from all, cut at zero, so that the sum is 1
    base-cut   zero whatever noise alone would reach somewhere: below z sigma_0, z at 1 - (1 - level) / M, one-sided

A third view, posterior-mean, is in `ldp_aggregator.empirical_bayes`.

Sources: Wang, Lopuhaa-Zwakenberg, Li, Skoric and Li 2020 (norm-sub, base-cut); Duchi et al. 2008 (the projection).
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.moments import Floats


def norm_sub(frequency: Floats) -> Floats:
    """The closest point of the simplex."""
    falling = np.sort(frequency)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    kept = np.flatnonzero(falling > excess)[-1]
    projected: Floats = np.maximum(frequency - excess[kept], 0.0)
    return projected


def base_cut(frequency: Floats, null_error: Floats, level: float) -> Floats:
    """Frequencies below what noise would reach are zero; `null_error` is the standard error of a value nobody holds."""
    from scipy.special import ndtri

    threshold = ndtri(1 - (1 - level) / len(frequency)) * null_error
    return np.where(frequency < threshold, 0.0, frequency)
