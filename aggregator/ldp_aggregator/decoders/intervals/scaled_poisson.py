"""Tails and intervals where normal theory fails: those of a scaled and moved Poisson
count.

Some estimates are one count, whose tails are binomial and can be worked out exactly.
Others are not: each report may add one of several scores. This module is for those,
where so few reports matter that a normal law would be wrong in its tails.

An estimate is a mean of scores. Where few reports matter it is a sum of rare jumps, as
a Poisson count is; so it is taken to be one, times the size of a jump and moved, with
the same mean and variance (`ldp_aggregator.decoders.intervals.cumulants` has the step):

    (estimate - f) / step + expected ~ Poisson(expected),  expected = variance / step^2

For sums of scores that differ from their mean by a step at most, that is nearly the
longest tail that variance leaves (Bentkus 2004). Between whole numbers P[count >= x] is
continued by the incomplete gamma function, so that a tail has all of the step that it
begins in: on the safe side by half a step. Where the jumps go the other way, all is
mirrored.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldp_aggregator.decoders.intervals.cumulants import Cumulants, cumulants
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Flags, Floats

_LEAST_STEP = 1e-3
"""In standard errors. Below, it is the normal law for all that floating-point numbers
can tell.
"""
_HALVINGS = 36
_TINY = 1e-300


def upper_tail(excess: Floats, law: Cumulants) -> Floats:
    """P[estimate - f >= excess], by value."""
    return _tail(excess, law.variance, law.up)


def lower_tail(excess: Floats, law: Cumulants) -> Floats:
    """P[estimate - f <= excess], by value."""
    return _tail(-excess, law.variance, law.down)


def _tail(excess: Floats, variance: Floats, step: Floats) -> Floats:
    """P[X >= excess] of a count of mean 0 in such steps; negative steps go
    downwards.
    """
    from scipy.special import gammainc, gammaincc, ndtr

    error = np.sqrt(np.maximum(variance, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        normal: Floats = np.nan_to_num(ndtr(-excess / error), nan=1.0)
        stepping = np.flatnonzero(np.abs(step) > _LEAST_STEP * error)
    if not stepping.size:
        return normal
    # For those values whose steps are large: where the excess lies on the scale of the
    # count.
    tail, jump = normal.copy(), step[stepping]
    expected = variance[stepping] / jump**2
    place = expected + excess[stepping] / jump
    rising = np.where(place > 0, gammainc(np.maximum(place, _TINY), expected), 1.0)
    falling = np.where(
        place > -1, gammaincc(np.maximum(place + 1, _TINY), expected), 0.0
    )
    tail[stepping] = np.where(jump > 0, rising, falling)
    return tail


def interval(moments: Moments, missing: float, estimand: str) -> tuple[Floats, Floats]:
    """(low, high) within [0, 1]: the frequencies under which the estimate is no rare
    one.

    Under the frequencies between them either tail has more than half of what may be
    missed.

    Where an estimate is too low for any frequency, both ends are 0; where it is too
    high, 1.
    """

    def not_too_high(some: Moments, frequency: Floats) -> Flags:
        law = cumulants(some, frequency, estimand)
        return upper_tail(some.frequency - frequency, law) > missing / 2

    def not_too_low(some: Moments, frequency: Floats) -> Flags:
        law = cumulants(some, frequency, estimand)
        return lower_tail(some.frequency - frequency, law) > missing / 2

    low = _first(moments, 0.0, 1.0, holds=not_too_high)
    high = _first(moments, 1.0, 0.0, holds=not_too_low)
    return low, high


def _first(
    moments: Moments,
    start: float,
    end: float,
    holds: Callable[[Moments, Floats], Flags],
) -> Floats:
    """By value, the first frequency on the way from start to end for which it holds.

    The end, if there is none.
    """
    size = len(moments.frequency)
    firsts = np.full(size, start)
    left = np.flatnonzero(~holds(moments, firsts))
    # Of the others, (left,): it does not hold at `outside`, and does at `inside`, or
    # nowhere.
    some = moments.of_values(left)
    outside, inside = np.full(len(left), start), np.full(len(left), end)
    for _ in range(_HALVINGS if len(left) else 0):
        middle = (outside + inside) / 2
        good = holds(some, middle)
        outside = np.where(good, outside, middle)
        inside = np.where(good, middle, inside)
    firsts[left] = inside
    return firsts
