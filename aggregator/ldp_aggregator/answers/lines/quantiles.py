"""From a cumulative distribution, estimated with errors, to its quantiles.

Let F(x) be the share of the answers at or below value x, with the standard error se(x).

    point     the first x at which the nearest rising function to F (least squares)
              reaches phi
    interval  from the first to the last x that passes both of
              F(x) + z se(x) >= phi   and   F(x - 1) - z se(x - 1) <= phi

The true quantile fails either test in half of the misses that are allowed, so that no
correction for how many values are looked at is needed: it is within the interval as
often as it says, or more.

Source: inversion of a test (Woodruff 1952, for quantiles from estimated distributions);
the nearest rising function by pooling adjacent violators (Ayer et al. 1955).
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.numerics.arrays import Floats


def rising(cumulative: Floats) -> Floats:
    """The nearest function that rises from 0 to 1 at most, of the same shape."""
    from scipy.optimize import isotonic_regression  # slow to import

    return np.asarray(np.clip(isotonic_regression(cumulative).x, 0.0, 1.0))


def quantile_places(
    cumulative: Floats, error: Floats, share: float, quantile: float
) -> tuple[int, int, int]:
    """The places of a quantile, and of the ends of its interval.

    `cumulative` and `error`, of shape (values,), are F and its standard errors, the
    last ones 1 and 0; `quantile` is z.
    """
    size = len(cumulative)
    place = min(int(np.searchsorted(rising(cumulative), share - 1e-12)), size - 1)
    reached = cumulative + quantile * error >= share
    below = np.concatenate([[0.0], (cumulative - quantile * error)[:-1]]) <= share
    passing = np.flatnonzero(reached & below)
    first, last = (
        (int(passing[0]), int(passing[-1])) if len(passing) else (place, place)
    )
    return place, min(first, place), max(last, place)
