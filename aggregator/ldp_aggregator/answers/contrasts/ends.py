"""Ends of the interval of a linear function, whose variance changes with its value.

The variance of a function t = q'f depends on who holds what. Near the estimate it is a
line,

    V(t) = V + s (t - estimate)

with s for what it gains when shares are shifted towards values of greater weight, as
exponential tilting shifts them: s = Cov_f(v, q) / Var_f(q), with v_z for the variance
of the function of one report from a holder of z (and for a population also mu_3 / mu_2
of q itself). The ends are the t for which |estimate - t| = z sqrt(V(t)): score ends,
which of one share are Wilson's but for what bends the variance of a population (t^2).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_HARDLY_ANY = 1e-12
_DOUBT = 4.0
"""Two standard errors, squared: a slope is worth half where weights differ by no more.
"""


class Slopes(NamedTuple):
    """How fast the variance of an estimate grows as its truth does."""

    below: float
    """For truths below the estimate."""
    above: float


FLAT = Slopes(0.0, 0.0)


def slopes(
    weights: Floats,
    shares: Floats,
    spread: Floats | None,
    *,
    drawn: bool,
    variance: float = 0.0,
) -> Slopes:
    """Of a function with `weights` (M,), where values have these `shares` (M,), for one
    report.

    `spread` is the variance of one report's function by what is held, (M,), if that is
    known; `drawn` says whether respondents are drawn from a population, and `variance`
    is that of the estimate: unless variances are on one line, shares that are all noise
    say nothing of a slope.
    """
    held = held_by(weights, shares)
    noise = 0.0 * weights if spread is None else spread
    mean = float(held @ weights)
    away = weights - mean
    of_weights = float(held @ away**2)
    if of_weights > _HARDLY_ANY * float(weights @ weights):
        varying = noise + drawn * away**2
        doubt = _DOUBT * variance * _off_line(weights, varying)
        slope = float(held @ (away * varying)) / (of_weights + doubt)
        return Slopes(slope, slope)
    # All weight the same: shares can only be shifted to an end of what there is.
    now = float(held @ noise)
    return Slopes(
        *(
            _towards(place, away, noise - now, drawn=drawn)
            for place in _ends_of(weights)
        )
    )


def _off_line(weights: Floats, varying: Floats) -> float:
    """How far what varies, (M,), is off the line between its ends, from 0 to 1: of
    weights (M,).
    """
    first, last = _ends_of(weights)
    rise = float(varying[last] - varying[first])
    line = varying[first] + rise * (weights - weights[first]) / (
        weights[last] - weights[first]
    )
    off = float(np.abs(varying - line).max())
    if off > _HARDLY_ANY:
        return off / (off + abs(rise))
    return 0.0


def held_by(weights: Floats, shares: Floats) -> Floats:
    """Return the shares of the values, (M,), of sum 1.

    Values without weight have what the others leave of 1 between them. Of a million
    estimates half are above 0 by chance, and their sum says nothing of what is held.
    """
    held = shares.clip(0.0)
    without = weights == 0
    rest, now = max(1 - float(held[~without].sum()), 0.0), float(held[without].sum())
    held[without] = (
        held[without] * rest / now if now else rest / max(int(without.sum()), 1)
    )
    return held / max(float(held.sum()), _HARDLY_ANY)


def _ends_of(weights: Floats) -> tuple[int, int]:
    return int(weights.argmin()), int(weights.argmax())


def _towards(place: int, away: Floats, gained: Floats, *, drawn: bool) -> float:
    step = float(away[place])
    if abs(step) > _HARDLY_ANY:
        return float(gained[place]) / step + drawn * step
    return 0.0


def score_ends(
    estimate: float, variance: float, slopes: Slopes, quantile: float
) -> tuple[float, float]:
    """(low, high)."""
    low, high = (
        estimate + sign * _reach(variance, sign * slope, quantile)
        for sign, slope in zip((-1, 1), slopes, strict=True)
    )
    return low, high


def _reach(variance: float, slope: float, quantile: float) -> float:
    half = quantile**2 * slope / 2
    return max(half + math.sqrt(half**2 + quantile**2 * variance), 0.0)


def two_sided_p_value(estimate: float, variance: float, slopes: Slopes) -> float:
    """The chance of an estimate that is as far from 0, if the truth is 0."""
    from scipy.special import ndtr  # slow to import

    slope = slopes.below if estimate > 0 else slopes.above
    at_zero = variance - slope * estimate
    if at_zero <= 0:
        at_zero = variance
    if at_zero <= 0:
        return float(estimate == 0)
    return float(2 * ndtr(-abs(estimate) / math.sqrt(at_zero)))
