"""How far the law of one score is from normal: its third and fourth cumulants, and what each direction has of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Jumps(NamedTuple):
    """Of a score, about its mean."""

    third: float
    fourth: float
    """The cumulant: the mean of the fourth power, less three squares of the variance."""
    rising: float
    """What scores above the mean have of the fourth."""
    falling: float


def jumps_of(scores: Floats, chances: Floats) -> Jumps:
    """Of a score with a law of finitely many values."""
    away = scores - scores @ chances
    quartic = chances * away**4
    fourth = float(quartic.sum() - 3 * (chances @ away**2) ** 2)
    rising = fourth * float(quartic[away > 0].sum() / (quartic.sum() or 1.0))
    return Jumps(float(chances @ away**3), fourth, rising, fourth - rising)


def repeated(parts: Sequence[tuple[float, float]], repeats: int) -> tuple[Floats, Floats]:
    """The law of the share of ones among so many bits of one rate: shares, and their chances.

    `parts` has (chance, rate) of each rate that it may be.
    """
    from scipy.stats import binom

    ones = np.arange(repeats + 1)
    return ones / repeats, np.asarray(
        sum(float(chance) * binom.pmf(ones, repeats, float(rate)) for chance, rate in parts)
    )
