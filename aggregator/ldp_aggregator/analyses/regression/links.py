"""Links: how the mean of an answer follows from its linear predictor x'b.

    linear   m = x'b
    logit    m = 1 / (1 + exp(-x'b))
    probit   m = Phi(x'b), the normal law
    cloglog  m = 1 - exp(-exp(x'b)), the complementary log-log
    poisson  m = exp(x'b), of counts

Source: McCullagh and Nelder 1989, Chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats

_SURE = 3.059e-7
"""A chance that is as good as 0, and below 1 as good as 1: a logit of 15."""
_LARGEST = 30.0
"""Of a linear predictor whose exponential is looked at."""


class Means(NamedTuple):
    """Means at linear predictors, of their shape."""

    mean: Floats
    rest: Floats
    """What is left to 1, to all digits where that is little."""
    slope: Floats
    """The first derivative of the mean."""
    bend: Floats
    """The second."""


class Link(NamedTuple):
    """One model of a mean."""

    name: str
    at: Callable[[Floats], Means]
    """Of linear predictors x'b."""
    is_chance: bool = True
    is_canonical: bool = False
    """Whether maximum likelihood weighs each answer's residual alike."""

    def is_inside(self, linear: Floats) -> bool:
        """Whether no chance is as good as 0 or 1."""
        at = self.at(linear)
        nearest = np.minimum(at.mean, at.rest).min(initial=1.0)
        return not self.is_chance or bool(nearest > _SURE)

    def weights(self, at: Means) -> tuple[Floats, Floats]:
        """The weights of residuals under maximum likelihood, and their derivatives."""
        if self.is_canonical:
            return np.ones_like(at.mean), np.zeros_like(at.mean)
        spread = np.maximum(at.mean * at.rest, 1e-300)
        weight = at.slope / spread
        return weight, at.bend / spread - weight**2 * (at.rest - at.mean)


def _linear(linear: Floats) -> Means:
    return Means(linear, 1 - linear, np.ones_like(linear), bend=np.zeros_like(linear))


def _logit(linear: Floats) -> Means:
    from scipy.special import expit  # slow to import

    mean, rest = expit(linear), expit(-linear)
    return Means(mean, rest, mean * rest, bend=mean * rest * (rest - mean))


def _probit(linear: Floats) -> Means:
    from scipy.special import ndtr  # slow to import

    slope = np.exp(-(linear**2) / 2) / np.sqrt(2 * np.pi)
    return Means(ndtr(linear), ndtr(-linear), slope, bend=-linear * slope)


def _cloglog(linear: Floats) -> Means:
    rate = np.exp(np.minimum(linear, _LARGEST))
    rest = np.exp(-rate)
    return Means(-np.expm1(-rate), rest, rate * rest, bend=rate * rest * (1 - rate))


def _poisson(linear: Floats) -> Means:
    mean = np.exp(np.minimum(linear, _LARGEST))
    return Means(mean, 1 - mean, mean, bend=mean)


LOGIT, LINEAR, POISSON = "logit", "linear", "poisson"
LINKS: Mapping[str, Link] = {
    link.name: link
    for link in (
        Link(LOGIT, _logit, is_canonical=True),
        Link("probit", _probit),
        Link("cloglog", _cloglog),
        Link(LINEAR, _linear, is_chance=False, is_canonical=True),
        Link(POISSON, _poisson, is_chance=False, is_canonical=True),
    )
}
