"""Variance and third cumulant of an estimate, at any frequency that may be the true one; and how far from normal that is.

A score of a respondent who holds the value has the mean 1, the variance `hold` and the third central moment `third[0]`,
of another 0, `other` and `third[1]`; with f for the frequency,

    respondents   variance (f hold + (1 - f) other) / n + lasting,  third (f hold_3 + (1 - f) other_3) / n^2 + lasting_3
    population    the same of a mixture: f (1 - f) / n more,  f (1 - f) (3 (hold - other) + 1 - 2 f) / n^2 more

To the first order (Edgeworth), the tail of an estimate beyond z standard errors is not Phi(-z) but

    Phi(-z) (1 +- z^3 |skewness| / 6),  skewness = third / variance^(3/2)

and where the estimate is a count in steps of h, a tail may be off by z h / 2 standard errors besides, up or down. Either
has to be at most `TOLERANCE` for normal theory to be used. For the usual 95 % that asks for 20 expected reports, of those
that support the value or of those that do not; for families of 1,000 values, which look much farther out, for 1,600.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp_aggregator.moments import Flags, Floats, Moments

TOLERANCE = 0.28
"""The share by which a tail may be off."""


class Cumulants(NamedTuple):
    """The second and the third, by value."""

    variance: Floats
    third: Floats | None
    """None where the estimator does not know it."""

    @property
    def skewness(self) -> Floats:
        """Zero where it is not known, and where there is no variance."""
        if self.third is None:
            return np.zeros_like(self.variance)
        scale = self.variance**1.5
        return np.divide(self.third, scale, out=np.zeros_like(scale), where=scale > 0)


def cumulants(moments: Moments, frequency: Floats | float, estimand: str) -> Cumulants:
    """Those of the estimates, if `frequency` (in [0, 1]) were the true ones."""
    held, reports = np.broadcast_to(frequency, moments.hold.shape), moments.reports
    variance = held * moments.hold + (1 - held) * moments.other
    mixing = held * (1 - held) if estimand == "population" else np.zeros_like(held)
    spread = (variance + mixing) / reports + moments.lasting
    if moments.third is None:
        return Cumulants(spread, None)
    of_holder, of_other = moments.third
    third = held * of_holder + (1 - held) * of_other
    third = third + mixing * (3 * (moments.hold - moments.other) + 1 - 2 * held)
    return Cumulants(spread, third / reports**2 + moments.lasting_third)


def far_from_normal(moments: Moments, frequency: Floats, z: float, estimand: str) -> Flags:
    """By value, whether normal theory fails `z` standard errors out, if `frequency` (in [0, 1]) were the true ones."""
    found = cumulants(moments, frequency, estimand)
    off = z**3 / 6 * np.abs(found.skewness)
    if moments.rates is not None:
        p, q = moments.rates
        step = 1 / (moments.reports * np.abs(p - q))
        with np.errstate(divide="ignore"):
            off = np.maximum(off, z / 2 * step / np.sqrt(found.variance))
    far: Flags = off > TOLERANCE
    return far
