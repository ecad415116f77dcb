"""The law of a count: how many of n reports support a value that `holders` of the
respondents hold.

    C = Bin(holders, p) + Bin(n - holders, q),  M(w) = (1 - p + p w)^holders (1 - q + q w)^(n -
                                                holders)
    P[C >= c] = 1/(2 pi i) x the integral of M(w) w^-c / (w - 1) dw around 0, on a
    circle of radius
                above 1
    P[C < c]  = the same with the sign changed, on a circle of radius below 1

A circle through the saddle point keeps the integrand from swinging: on it, M is that of
a count with the tilted rates P = p w / (1 - p + p w) and Q, whose mean is c - 1/2. What
is left is smooth, and falls off as a bell with the standard deviation of that count;
the rule of midpoints then has all digits but a few with `_NODES` points, for any n and
any tail, however small. That is the exact law, and no approximation to it as the
saddle-point formula is.

Source: Daniels 1954 (the saddle point); Trefethen and Weideman 2014 (the rule of
midpoints on such circles).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_NODES = 48
_WIDTHS = 12.0
"""Standard deviations of the bell beyond which nothing is left."""
_FROM_THE_ENDS = 2.0**-53
"""What keeps a rate apart from 0 and 1, next to which floating-point numbers may round
it.
"""


class Tails(NamedTuple):
    """P[C >= count] and P[C < count]; arrays of one shape."""

    upper: Floats
    lower: Floats


def tails(
    count: Floats,
    holders: Floats,
    reports: Floats | int,
    p: Floats | float,
    q: Floats | float,
) -> Tails:
    """The tails at each count, for arrays that broadcast; `holders` need not be whole
    numbers.
    """
    shape = np.broadcast_shapes(*map(np.shape, (count, holders, reports, p, q)))
    count, holders, reports, p, q = (
        np.broadcast_to(np.asarray(array, dtype=float), shape).ravel()
        for array in (count, holders, reports, p, q)
    )
    p, q = (np.clip(rate, _FROM_THE_ENDS, 1 - _FROM_THE_ENDS) for rate in (p, q))
    upper = np.where(count <= 0, 1.0, 0.0)
    lower = 1 - upper
    inside = np.flatnonzero((count > 0) & (count <= reports))
    if inside.size:
        parts = (array[inside] for array in (count, holders, reports - holders, p, q))
        upper[inside], lower[inside] = _inside(*parts)
    return Tails(upper.reshape(shape), lower.reshape(shape))


def _inside(
    count: Floats, holders: Floats, others: Floats, p: Floats, q: Floats
) -> tuple[Floats, Floats]:
    """Both tails for counts from 1 to the number of reports; arrays of shape (L,)."""
    saddle = np.log(
        _saddle(count - 0.5, holders, others, odds=p / (1 - p), other_odds=q / (1 - q))
    )
    of_holder, of_other = _tilt(p, saddle), _tilt(q, saddle)
    spread = np.sqrt(
        holders * of_holder * (1 - of_holder) + others * of_other * (1 - of_other)
    )
    # At w = 1 the integrand has a pole: pass it at a distance.
    above = saddle >= 0
    tilt = np.where(
        above, np.maximum(saddle, 1 / spread), np.minimum(saddle, -1 / spread)
    )
    of_holder, of_other = _tilt(p, tilt), _tilt(q, tilt)
    spread = np.sqrt(
        holders * of_holder * (1 - of_holder) + others * of_other * (1 - of_other)
    )
    size = holders * _log_mean(p, tilt) + others * _log_mean(q, tilt) - count * tilt
    # By symmetry half the circle is enough: shape (L, nodes) from here on.
    reach = np.minimum(np.pi, _WIDTHS / spread)[:, None]
    angle = reach * (np.arange(_NODES) + 0.5) / _NODES
    # The logarithm of the generating function there, less that of w^count.
    log_modulus, phase = size[:, None], -count[:, None] * angle
    for many, rate in (
        (holders[:, None], of_holder[:, None]),
        (others[:, None], of_other[:, None]),
    ):
        square = np.sin(angle / 2) ** 2
        log_modulus = log_modulus + many / 2 * np.log1p(-4 * rate * (1 - rate) * square)
        phase = phase + many * np.arctan2(rate * np.sin(angle), 1 - 2 * rate * square)
    integrand = np.exp(log_modulus + 1j * phase) / (
        1 - np.exp(-tilt[:, None] - 1j * angle)
    )
    tail = np.abs(integrand.real.sum(axis=1)) * reach[:, 0] / (np.pi * _NODES)
    tail = np.clip(tail, 0.0, 1.0)
    return np.where(above, tail, 1 - tail), np.where(above, 1 - tail, tail)


def _saddle(
    mean: Floats, holders: Floats, others: Floats, odds: Floats, other_odds: Floats
) -> Floats:
    """The w at which tilted rates have the mean: the positive root of a quadratic
    equation.
    """
    square = odds * other_odds * (holders + others - mean)
    linear = holders * odds + others * other_odds - mean * (odds + other_odds)
    # The form of the root that subtracts nothing.
    total = np.abs(linear) + np.hypot(linear, 2 * np.sqrt(square * mean))
    tilt: Floats = np.where(linear > 0, 2 * mean / total, total / (2 * square))
    return tilt


def _tilt(rate: Floats, tilt: Floats) -> Floats:
    """Rate w / (1 - rate + rate w), w = e^tilt."""
    return 1 / (1 + (1 - rate) / rate * np.exp(-tilt))


def _log_mean(rate: Floats, tilt: Floats) -> Floats:
    """log(1 - rate + rate w)."""
    mean: Floats = np.log1p(rate * np.expm1(tilt))
    return mean
