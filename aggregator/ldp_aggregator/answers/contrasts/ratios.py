"""The interval of a quotient of two estimates that err together: Fieller's.

It has all r for which T - r S may be 0, within z of its standard errors:

    (T - r S)^2 <= z^2 (Var T - 2 r Cov(T, S) + r^2 Var S)

the r between two roots, if S is further than z standard errors from 0. Where it is not,
the denominator may be 0, and any quotient may be true.

Source: Fieller 1954.
"""

from __future__ import annotations

import math

from ldp_aggregator.numerics.arrays import Floats


def ratio_ends(
    top: float, bottom: float, covariance: Floats, quantile: float
) -> tuple[float, float]:
    """(low, high) of top / bottom; -inf and inf where the denominator may be 0.

    `covariance` is of both, (2, 2).
    """
    of_top, mixed, _, of_bottom = (quantile**2 * covariance).ravel().tolist()
    square, middle = bottom**2 - of_bottom, top * bottom - mixed
    rest = middle**2 - square * (top**2 - of_top)
    if square <= 0 or rest < 0:
        return -math.inf, math.inf
    low, high = ((middle + sign * math.sqrt(rest)) / square for sign in (-1, 1))
    return low, high


def ratio_error(top: float, bottom: float, covariance: Floats) -> float:
    """The standard error of top / bottom by linearization; nan for nothing below."""
    if not bottom:
        return math.nan
    ratio = top / bottom
    of_top, mixed, _, of_bottom = covariance.ravel().tolist()
    return math.sqrt(max(of_top - 2 * ratio * mixed + ratio**2 * of_bottom, 0.0)) / abs(
        bottom
    )
