"""Worth of a codebook's word to the mean of vectors, and the variance of that worth.

Of a vector v of length r, in parts of the radius, and a word g whose coordinates have
the deviation s (`ldp.mechanisms.vectors.codewords`), the report is worth y = g / (s a)
with

    a = (R - 1) S1 / Z,  Z = R w + 2 m - w

(S1 and S2 of `vectors.half_normals`). Along v the word is one of 2 m numbers, +-|x|, of
which the w greatest have weight R; across, it is a normal number that no choice depends
on. So

    E[y | v] = v
    E[y_j^2 | v] = [1 + (M - 1) (v_j / r)^2] / a^2,  M = ((R - 1) S2 + 2 m) / Z
    n Var of the mean, all coordinates together = (d - 1 + M) / a^2 - r^2
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp.mechanisms.vectors.codewords import magnitudes
from ldp_aggregator.decoders.vectors.half_normals import greatest


class WordLaw(NamedTuple):
    """The constants of a mechanism."""

    scale: float
    """What a coordinate of a word is worth, for each unit, in parts of the radius: 1 /
    (s a).
    """
    stretch: float
    """1 / a."""
    along: float
    """M, the mean square of a word along the vector, in deviations squared."""

    @property
    def most(self) -> float:
        """The most that a word can be worth to a coordinate."""
        return self.scale * magnitudes()[-1]

    def total_variance(self, dimensions: int) -> float:
        """The variance of the mean, times n: all coordinates together, of vectors of
        length 1.
        """
        return (dimensions - 1 + self.along) * self.stretch**2 - 1


@lru_cache(maxsize=64)
def word_law(response: CodebookResponse) -> WordLaw:
    """The constants, from the integers that devices draw with."""
    ratio, vectors = float(response.ratio), response.words // 2
    total = float(Fraction(response.mass, response.other))
    sums = greatest(vectors, response.near)
    stretch = total / ((ratio - 1) * sums.numbers)
    along = ((ratio - 1) * sums.squares + 2 * vectors) / total
    return WordLaw(stretch / deviation(), stretch, along)


@lru_cache(maxsize=1)
def deviation() -> float:
    """The standard deviation of a coordinate of a word, exactly that of its table."""
    table = np.array(magnitudes(), dtype=np.float64)
    return float(np.sqrt(np.mean(table**2)))
