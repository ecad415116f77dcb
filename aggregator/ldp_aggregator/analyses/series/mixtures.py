"""Mixtures of normal laws: what is known of levels when their steps may have several
variances.

For each size of steps a level is normal, with a middle and a variance; as the size is
not known, it is the one of a size with the weight of that size. Such a law has a
sharper peak and longer tails than a normal law of its mean and variance, so that
intervals end at its own quantiles.

    P(level <= x) = sum_f weight_f Phi((x - middle_f) / sqrt(variance_f)) = p

is solved for x by halving what lies between the least and the largest quantile of its
parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_HALVINGS = 40


class Mixture(NamedTuple):
    """A law for each of T epochs, of the same F parts."""

    weights: Floats
    """(F,), of sum 1."""
    middles: Floats
    """(F, T)."""
    variances: Floats
    """(F, T)."""

    @property
    def mean(self) -> Floats:
        """Mean of each, shape (T,)."""
        mean: Floats = self.weights @ self.middles
        return mean

    @property
    def error(self) -> Floats:
        """The standard deviation of each, shape (T,)."""
        error: Floats = np.sqrt(
            self.weights @ (self.variances + (self.middles - self.mean) ** 2)
        )
        return error

    def ends(self, missing: float, noise: float = 0.0) -> tuple[Floats, Floats]:
        """Quantiles at half of `missing` from both ends, after noise of this variance
        was added.
        """
        errors = np.sqrt(self.variances + noise)
        return self._quantile(missing / 2, errors), self._quantile(
            1 - missing / 2, errors
        )

    def _quantile(self, chance: float, errors: Floats) -> Floats:
        from scipy.special import ndtr, ndtri

        parts = self.middles + float(ndtri(chance)) * errors
        low, high = parts.min(axis=0), parts.max(axis=0)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = self.weights @ ndtr((middle - self.middles) / errors) < chance
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        quantile: Floats = (low + high) / 2
        return quantile
