"""How far one score's law is from normal: third and fourth cumulants, and each
direction's part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

Rates = TypeVar("Rates", float, Floats)

_DEVIATIONS = 12
"""Farther from its mean than this many times the largest standard deviation a count of
ones is not looked at: a chance below 1e-30 (Hoeffding 1963), so that a billion repeats
take no more than a million numbers.
"""


class Jumps(NamedTuple):
    """Jumps of a score, about its mean."""

    third: float
    fourth: float
    """The cumulant: the mean of the fourth power, less three squares of the variance.
    """
    rising: float
    """What scores above the mean have of the fourth."""
    falling: float


def jumps_of(scores: Floats, chances: Floats) -> Jumps:
    """Jumps of a score with a law of finitely many values."""
    away = scores - scores @ chances
    quartic = chances * away**4
    fourth = float(quartic.sum() - 3 * (chances @ away**2) ** 2)
    rising = fourth * float(quartic[away > 0].sum() / (quartic.sum() or 1.0))
    return Jumps(float(chances @ away**3), fourth, rising, falling=fourth - rising)


def directions(
    variance: Floats, above: Floats, below: Floats
) -> tuple[Floats, Floats, Floats]:
    """The fourth cumulant, and its parts upwards and downwards.

    From the variance and the mean fourth power of what lies above the mean, and below.
    """
    quartic = above + below
    fourth = quartic - 3 * variance**2
    rising = fourth * np.divide(
        above, quartic, out=np.ones_like(quartic), where=quartic > 0
    )
    return fourth, rising, fourth - rising


def repeat_law(
    parts: Sequence[tuple[float, float]], repeats: int
) -> tuple[Floats, Floats]:
    """The law of the share of ones among n bits of one rate: shares, and their chances.

    `parts` has (chance, rate) of each rate that it may be.
    """
    from scipy.special import gammaln, xlog1py, xlogy

    # Binomial laws, cut where nothing is left of them, then added up by number of ones.
    numbers, laws = [], []
    reach = _DEVIATIONS * math.sqrt(repeats) / 2
    for chance, rate in ((float(chance), float(rate)) for chance, rate in parts):
        first = max(0, math.floor(repeats * rate - reach))
        last = min(repeats, math.ceil(repeats * rate + reach))
        ones = np.arange(first, last + 1)
        ways = gammaln(repeats + 1) - gammaln(ones + 1) - gammaln(repeats - ones + 1)
        law = np.exp(ways + xlogy(ones, rate) + xlog1py(repeats - ones, -rate))
        numbers.append(ones)
        laws.append(chance * law / law.sum())
    totals, place = np.unique(np.concatenate(numbers), return_inverse=True)
    return totals / repeats, np.bincount(place, np.concatenate(laws)).astype(float)


def fourth_of_rates(p: Rates, q: Rates) -> tuple[Rates, Rates]:
    """The fourth cumulants of (support - q) / (p - q), for holders of the value and for
    others.
    """
    of_holder, of_other = p * (1 - p), q * (1 - q)
    return of_holder * (1 - 6 * of_holder) / (p - q) ** 4, of_other * (
        1 - 6 * of_other
    ) / (p - q) ** 4


def third_of_rates(p: Rates, q: Rates) -> tuple[Rates, Rates]:
    """The third central moments of (support - q) / (p - q), for holders and for
    others.
    """
    scale = (p - q) ** 3
    return p * (1 - p) * (1 - 2 * p) / scale, q * (1 - q) * (1 - 2 * q) / scale
