"""Intervals of differences, ratios and odds ratios, made of the intervals of the two
numbers.

How uncertain a frequency is depends on the frequency, so that adding up two standard
errors is wrong where few hold a value. The method of variance estimates recovery
(MOVER) takes from each interval how far its ends are from the estimate. With a and b
for the estimates, l and u for their ends, and r for the correlation of their errors,
the difference b - a lies between

    b - a - sqrt((b - l_b)^2 + (u_a - a)^2 - 2 r (b - l_b)(u_a - a))
    b - a + sqrt((u_b - b)^2 + (a - l_a)^2 - 2 r (u_b - b)(a - l_a))

A ratio R is in its interval if 0 is in that of b - R a, which is a quadratic
inequality: with symmetric intervals it is Fieller's. Where a may be 0 there is no upper
end, and where b may be 0 the lower one is 0.

The logarithm of an odds ratio is a difference of logits, whose ends are those of the
frequencies. Of an estimate outside (0, 1) there is no logit: then, and where an end is
0 or 1, the interval is that of both frequencies at half the chance to miss each
(Bonferroni), which errs on the wide side.

Sources: Newcombe 1998, Interval estimation for the difference between independent
proportions, method 10; Zou and Donner 2008 (MOVER; correlated estimates: Zou 2007);
Donner and Zou 2012 (ratios); Fieller 1954.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.analyses.comparisons.sides import Ends, Side
from ldp_aggregator.numerics.arrays import Flags, Floats

ANY_RATIO = (0.0, np.inf)


def difference(first: Side, second: Side, missing: float, together: Floats) -> Ends:
    """(low, high) of second - first; `together` are the correlations of their
    errors.
    """
    (low_a, high_a), (low_b, high_b) = first.ends(missing), second.ends(missing)
    apart = second.estimate - first.estimate
    below = _join(second.estimate - low_b, high_a - first.estimate, together)
    above = _join(high_b - second.estimate, first.estimate - low_a, together)
    return apart - below, apart + above


def _join(one: Floats, other: Floats, together: Floats) -> Floats:
    square = one**2 + other**2 - 2 * together * one * other
    joined: Floats = np.sqrt(np.maximum(square, 0.0))
    return joined


def ratio(first: Side, second: Side, missing: float, together: Floats) -> Ends:
    """(low, high) of second / first, of numbers that are not negative."""
    a, b = first.estimate, second.estimate
    (low_a, high_a), (low_b, high_b) = first.ends(missing), second.ends(missing)
    # Each end is a root of square R^2 - 2 middle R + constant.
    middle = a * b - together * (b - low_b) * (high_a - a)
    square, constant = high_a * (2 * a - high_a), low_b * (2 * b - low_b)
    root = np.sqrt(np.maximum(middle**2 - square * constant, 0.0))
    low = _over(constant, middle + root)
    middle = a * b - together * (high_b - b) * (a - low_a)
    square, constant = low_a * (2 * a - low_a), high_b * (2 * b - high_b)
    root = np.sqrt(np.maximum(middle**2 - square * constant, 0.0))
    high = _over(middle + root, square)
    some_below, some_above = low_b > 0, low_a > 0
    low = np.where(some_below & (high_a > 0), low, ANY_RATIO[0])
    high = np.where(some_above, np.maximum(high, 0.0), ANY_RATIO[1])
    return low, high


def odds_ratio(first: Side, second: Side, missing: float, together: Floats) -> Ends:
    """(low, high) of the odds of the second frequency over those of the first."""
    from scipy.special import logit

    a, b = first.estimate, second.estimate
    inside = _inside(a) & _inside(b)
    ends_a, ends_b = _cut(first.ends(missing)), _cut(second.ends(missing))
    inside &= np.logical_and.reduce([_inside(end) for end in (*ends_a, *ends_b)])
    # Where that is not so, any number will do: it is not used.
    safe_a, safe_b, *ends = (np.where(inside, x, 0.5) for x in (a, b, *ends_a, *ends_b))
    low_a, high_a, low_b, high_b = map(logit, ends)
    apart = logit(safe_b) - logit(safe_a)
    below = _join(logit(safe_b) - low_b, high_a - logit(safe_a), together)
    above = _join(high_b - logit(safe_b), logit(safe_a) - low_a, together)
    wide = _by_halves(first, second, missing)
    with np.errstate(over="ignore"):
        low, high = np.exp(apart - below), np.exp(apart + above)
    return np.where(inside, low, wide[0]), np.where(inside, high, wide[1])


def _by_halves(first: Side, second: Side, missing: float) -> Ends:
    """The odds that both intervals allow, each of which misses half as often."""
    (low_a, high_a), (low_b, high_b) = (
        _cut(first.ends(missing / 2)),
        _cut(second.ends(missing / 2)),
    )
    return _odds_over(low_b, high_a, least=0.0), _odds_over(high_b, low_a, least=np.inf)


def _odds_over(above: Floats, below: Floats, least: float) -> Floats:
    """An odds ratio, `least` where it is 0 / 0 or the like."""
    numerator, denominator = above * (1 - below), (1 - above) * below
    unbounded = np.where(numerator > 0, np.inf, least)
    return np.where(denominator > 0, _over(numerator, denominator), unbounded)


def odds_of(first: Floats, second: Floats) -> Floats:
    """The odds ratio of estimates; NaN where one of them has no odds."""
    there = (first > 0) & (first < 1) & (second > 0) & (second < 1)
    return np.where(there, _over(second * (1 - first), first * (1 - second)), np.nan)


def ratio_of(first: Floats, second: Floats) -> Floats:
    """The ratio of estimates; NaN where one is not above 0."""
    return np.where((first > 0) & (second >= 0), _over(second, first), np.nan)


def _over(numerator: Floats, denominator: Floats) -> Floats:
    """0 where nothing can be divided by."""
    quotient = np.zeros(np.broadcast(numerator, denominator).shape)
    with np.errstate(over="ignore"):
        np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient


def _inside(share: Floats) -> Flags:
    inside: Flags = (share > 0) & (share < 1)
    return inside


def _cut(ends: Ends) -> Ends:
    low, high = ends
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
