"""Cumulants of an estimate, at any true frequency, and how far from normal that makes
it.

An interval asks of each frequency how surprising the estimate would be if that were the
true one. The variance alone answers that where many reports matter, as sums of many
terms are normal. Where few matter, the tails depend on how large the terms are, and in
which direction they go: this is what the third and the fourth cumulant tell.

A score of a respondent who holds the value has the mean 1, the variance
`variance_if_held` (v), the third central moment `third[0]` (v_3) and the fourth
cumulant `fourth[0]`; that of another has the mean 0, `variance_if_not` (w), `third[1]`
(w_3) and `fourth[1]`. What collisions add is c, c_3 and c_4. With f for the frequency,
for the respondents

    variance = (f v + (1 - f) w) / n + c
    third    = (f v_3 + (1 - f) w_3) / n^2 + c_3

and so on. For the population there is more in the brackets, with d = v - w and d_3 =
v_3 - w_3, f (1 - f) times

    1                                                    for the variance
    3 d + 1 - 2 f                                        for the third
    4 d_3 + 3 d^2 + 6 d (1 - 2 f) + 1 - 6 f (1 - f)      for the fourth.

A sum of rare jumps is far from normal. Their size, the `step`, is third / variance
where all go one way (bits, symbols): upwards, or downwards if it is negative. An
estimator whose jumps differ, or go both ways, knows its fourth cumulant; then it is the
root of fourth / variance, which is no less, in both directions; or in either with its
own part of the fourth, where those are known. Of what the population adds to it, a
share 1 - f is then of holders, who jump upwards, and the rest of others.

To the first order (Edgeworth), the tail of an estimate beyond z standard errors is
Phi(-z) times 1 + z^3 step / (6 error); and where the estimate is a count in steps, a
tail may be off by z step / (2 error) besides. Either has to be at most `TOLERANCE` for
normal theory to be used. For the usual 95
% that asks for 20 expected reports, of those that support the value or of those that do not; for
families of 1,000 values, which look much farther out, for 1,600.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Flags, Floats

TOLERANCE = 0.28
"""The share by which a tail may be off."""


class Cumulants(NamedTuple):
    """The variance of an estimate, and the sizes of its jumps upwards and downwards; by
    value.
    """

    variance: Floats
    up: Floats
    down: Floats


def cumulants(moments: Moments, frequency: Floats | float, estimand: str) -> Cumulants:
    """Cumulants of the estimates, if `frequency` (in [0, 1]) were the true ones."""
    # Arrays (M,) from here on. `mixing` is what drawing the respondents adds, for the
    # population.
    share = np.broadcast_to(frequency, moments.variance_if_held.shape)
    reports = moments.reports
    mixing = share * (1 - share) if estimand == "population" else np.zeros_like(share)
    of_reports = _mean(share, _variances(moments, share)) + mixing
    variance = of_reports / reports + moments.collisions.variance
    jumps = moments.jumps
    if jumps is None:
        nothing = np.zeros_like(variance)
        return Cumulants(variance, nothing, nothing)
    apart = moments.variance_if_held - moments.variance_if_not
    third_apart = jumps.third[0] - jumps.third[1]
    third = _mean(share, jumps.third) + mixing * (3 * apart + 1 - 2 * share)
    if jumps.fourth is None:
        step = _over(third / reports**2 + moments.collisions.third, variance)
        return Cumulants(variance, step, -step)
    # What the population adds to the fourth, and in which direction.
    more = (
        4 * third_apart
        + 3 * apart**2
        + 6 * apart * (1 - 2 * share)
        + 1
        - 6 * share * (1 - share)
    )
    drawn = mixing * more
    if jumps.rising is None or jumps.falling is None:
        up = down = _mean(share, jumps.fourth) + drawn
    else:
        up = _mean(share, jumps.rising) + (1 - share) * drawn
        down = _mean(share, jumps.falling) + share * drawn
    # A step is the root of fourth / variance.
    squares = (
        _over(fourth / reports**3 + moments.collisions.fourth, variance)
        for fourth in (up, down)
    )
    return Cumulants(
        variance, *(np.sqrt(np.maximum(square, 0.0)) for square in squares)
    )


def far_from_normal(
    moments: Moments, frequency: Floats, z: float, estimand: str
) -> Flags:
    """By value, whether normal theory fails `z` standard errors out, at these true
    frequencies.
    """
    far: Flags = _share_off(moments, frequency, z, estimand=estimand) > TOLERANCE
    return far


def reports_for_normal(
    moments: Moments, frequency: Floats, z: float, estimand: str
) -> Floats:
    """By value, from how many reports on normal theory holds there."""
    off = _share_off(moments, frequency, z, estimand=estimand)
    return moments.reports * (off / TOLERANCE) ** 2


def _share_off(moments: Moments, frequency: Floats, z: float, estimand: str) -> Floats:
    """By value, the share by which normal tails may be off."""
    variance, up, down = cumulants(moments, frequency, estimand)
    # The share by which a tail may be off, times the standard error: by skewness, and
    # by the steps of a count.
    off = z**3 / 6 * np.maximum(np.abs(up), np.abs(down))
    if moments.count is not None:
        p, q = moments.count.rates
        off = np.maximum(off, z / 2 / (moments.reports * np.abs(p - q)))
    root = np.sqrt(variance)
    nothing = np.where(off > 0, np.inf, 0.0)
    return np.divide(off, root, where=root > 0, out=nothing)


def _variances(moments: Moments, share: Floats) -> tuple[Floats, Floats]:
    """The variances if held and if not, at these frequencies; some may be below the
    estimates.
    """
    if moments.below is None:
        return moments.variance_if_held, moments.variance_if_not
    lower = share <= moments.frequency
    if_held, if_not = moments.below
    return (
        np.where(lower, if_held, moments.variance_if_held),
        np.where(lower, if_not, moments.variance_if_not),
    )


def _mean(share: Floats, numbers: tuple[Floats, Floats]) -> Floats:
    return share * numbers[0] + (1 - share) * numbers[1]


def _over(numbers: Floats, variance: Floats) -> Floats:
    """Zero where there is no variance."""
    return np.divide(numbers, variance, out=np.zeros_like(variance), where=variance > 0)
