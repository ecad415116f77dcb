"""Cumulants of an estimate, at any frequency that may be the true one; and how far from normal that
makes it.

A score of a respondent who holds the value has the mean 1, the variance `hold`, the third central
moment `third[0]` and the fourth cumulant `fourth[0]`; of another 0, `other`, `third[1]` and
`fourth[1]`. With f for the frequency, for the respondents

    variance = (f hold + (1 - f) other) / n + lasting,  third = (f hold_3 + (1 - f) other_3) / n^2 +
                                                        lasting_3,

and so on. For the population there is more in the brackets, with d for the difference of hold and
other, f (1 - f) times

    1                                                    for the variance
    3 d + 1 - 2 f                                        for the third
    4 d_3 + 3 d^2 + 6 d (1 - 2 f) + 1 - 6 f (1 - f)      for the fourth.

A sum of rare jumps is far from normal. Their size, the `step`, is third / variance where all go one
way (bits, symbols): upwards, or downwards if it is negative. An estimator whose jumps differ, or go
both ways, knows its fourth cumulant; then it is the root of fourth / variance, which is no less, in
both directions; or in either with its own part of the fourth, where those are known. Of what the
population adds to it, a share 1 - f is then of holders, who jump upwards, and the rest of others.

To the first order (Edgeworth), the tail of an estimate beyond z standard errors is Phi(-z) times 1
+ z^3 step / (6 error); and where the estimate is a count in steps, a tail may be off by z step / (2
error) besides. Either has to be at most `TOLERANCE` for normal theory to be used. For the usual 95
% that asks for 20 expected reports, of those that support the value or of those that do not; for
families of 1,000 values, which look much farther out, for 1,600.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.arrays import Flags, Floats
from ldp_aggregator.moments.moments import Moments

TOLERANCE = 0.28
"""The share by which a tail may be off."""


class Cumulants(NamedTuple):
    """The variance of an estimate, and the sizes of its jumps upwards and downwards; by value."""

    variance: Floats
    up: Floats
    down: Floats


def cumulants(moments: Moments, frequency: Floats | float, estimand: str) -> Cumulants:
    """Those of the estimates, if `frequency` (in [0, 1]) were the true ones."""
    held, reports = np.broadcast_to(frequency, moments.hold.shape), moments.reports
    mixing = held * (1 - held) if estimand == "population" else np.zeros_like(held)
    variance = (_mean(held, _variances(moments, held)) + mixing) / reports + moments.lasting
    if moments.third is None:
        nothing = np.zeros_like(variance)
        return Cumulants(variance, nothing, nothing)
    apart, third_apart = moments.hold - moments.other, moments.third[0] - moments.third[1]
    third = _mean(held, moments.third) + mixing * (3 * apart + 1 - 2 * held)
    if moments.fourth is None:
        step = _over(third / reports**2 + moments.lasting_third, variance)
        return Cumulants(variance, step, -step)
    more = 4 * third_apart + 3 * apart**2 + 6 * apart * (1 - 2 * held) + 1 - 6 * held * (1 - held)

    drawn = mixing * more
    if moments.rising is None or moments.falling is None:
        up = down = _mean(held, moments.fourth) + drawn
    else:
        up = _mean(held, moments.rising) + (1 - held) * drawn
        down = _mean(held, moments.falling) + held * drawn
    squares = (
        _over(fourth / reports**3 + moments.lasting_fourth, variance) for fourth in (up, down)
    )
    return Cumulants(variance, *(np.sqrt(np.maximum(square, 0.0)) for square in squares))


def far_from_normal(moments: Moments, frequency: Floats, z: float, estimand: str) -> Flags:
    """By value, whether normal theory fails `z` standard errors out, if `frequency` (in [0, 1])
    were the true ones.
    """
    variance, up, down = cumulants(moments, frequency, estimand)
    off = z**3 / 6 * np.maximum(np.abs(up), np.abs(down))
    if moments.rates is not None:
        p, q = moments.rates
        off = np.maximum(off, z / 2 / (moments.reports * np.abs(p - q)))
    far: Flags = off > TOLERANCE * np.sqrt(variance)
    return far


def _variances(moments: Moments, held: Floats) -> tuple[Floats, Floats]:
    """(hold, other) at these frequencies, of which some may be below the estimates."""
    if moments.below is None:
        return moments.hold, moments.other
    lower = held <= moments.frequency
    hold, other = moments.below
    return np.where(lower, hold, moments.hold), np.where(lower, other, moments.other)


def _mean(held: Floats, numbers: tuple[Floats, Floats]) -> Floats:
    return held * numbers[0] + (1 - held) * numbers[1]


def _over(numbers: Floats, variance: Floats) -> Floats:
    """Zero where there is no variance."""
    return np.divide(numbers, variance, out=np.zeros_like(variance), where=variance > 0)
