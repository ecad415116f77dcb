"""Tails and intervals of estimates that are no single count, where normal theory fails: as those of a scaled Poisson count.

An estimate is a mean of scores. Where few reports matter it is skewed, as a Poisson count is; so it is taken to be one,
times `step` and moved, with the same mean, variance and third cumulant (`ldp_aggregator.cumulants`):

    (estimate - f) / step + expected ~ Poisson(expected),  step = third / variance,  expected = variance / step^2

For sums of scores that differ from their mean by a step at most, that is nearly the longest tail that variance leaves
(Bentkus 2004). Between whole numbers P[count >= x] is continued by the incomplete gamma function, so that a tail has all
of the step that it begins in: on the safe side by half a step. Where the third cumulant is negative, all is mirrored.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ldp_aggregator.cumulants import Cumulants, cumulants
from ldp_aggregator.moments import Flags, Floats, Moments

_LEAST_SKEWNESS = 1e-3
"""Below, it is the normal law for all that floating-point numbers can tell."""
_HALVINGS = 36


def upper_tail(excess: Floats, law: Cumulants) -> Floats:
    """P[estimate - f >= excess], by value."""
    from scipy.special import gammainc, gammaincc, ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.nan_to_num(ndtr(-excess / np.sqrt(law.variance)), nan=1.0)
        skewness = law.skewness
        skewed = np.abs(skewness) > _LEAST_SKEWNESS
        expected = np.where(skewed, 1 / skewness**2, 1.0)
        # In steps, which have the sign of the third cumulant.
        place = expected + excess / np.sqrt(law.variance) * np.where(skewed, 1 / skewness, 0.0)
    rising = np.where(place > 0, gammainc(np.maximum(place, 1e-300), expected), 1.0)
    falling = np.where(place > -1, gammaincc(np.maximum(place + 1, 1e-300), expected), 0.0)
    tail: Floats = np.where(skewed, np.where(skewness > 0, rising, falling), normal)
    return tail


def lower_tail(excess: Floats, law: Cumulants) -> Floats:
    """P[estimate - f <= excess], by value."""
    return upper_tail(-excess, Cumulants(law.variance, None if law.third is None else -law.third))


def interval(moments: Moments, missing: float, estimand: str) -> tuple[Floats, Floats]:
    """(low, high) within [0, 1]: the frequencies under which neither tail is half of what may be missed, or less.

    Where an estimate is too low for any frequency, both ends are 0; where it is too high, 1.
    """

    def not_too_high(some: Moments, frequency: Floats) -> Flags:
        return upper_tail(some.frequency - frequency, cumulants(some, frequency, estimand)) > missing / 2

    def not_too_low(some: Moments, frequency: Floats) -> Flags:
        return lower_tail(some.frequency - frequency, cumulants(some, frequency, estimand)) > missing / 2

    return _first(moments, 0.0, 1.0, not_too_high), _first(moments, 1.0, 0.0, not_too_low)


def _first(moments: Moments, start: float, end: float, holds: Callable[[Moments, Floats], Flags]) -> Floats:
    """By value, the first frequency on the way from start to end for which it holds; the end, if there is none."""
    size = len(moments.frequency)
    found = np.full(size, start)
    left = np.flatnonzero(~holds(moments, found))
    some, outside, inside = moments.of_values(left), np.full(len(left), start), np.full(len(left), end)
    for _ in range(_HALVINGS if len(left) else 0):
        middle = (outside + inside) / 2
        good = holds(some, middle)
        outside, inside = np.where(good, outside, middle), np.where(good, middle, inside)
    found[left] = inside
    return found
