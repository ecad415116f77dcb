"""Intervals and tests by how much likelihood is lost.

    interval   all values of a coefficient under which the best of the others lose no
               more than half of the chi-square quantile with one degree of freedom: the
               profile likelihood
    test       of a term: twice what is lost without its columns, as chi-square with as
               many degrees

Where noise is large, or the likelihood is greatest at a chance of 0 or 1, a profile may
be flat: no value, however large, is ruled out. Then the end is infinite, and says so;
an interval of a standard error would end somewhere all the same.

Sources: Wilks 1938; Venzon and Moolgavkar 1988.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chdtrc, chdtri

from ldp_aggregator.analyses.regression.likelihood import (
    Observed,
    RegressionFit,
    likeliest,
)

_FARTHEST = 64.0
"""Standard errors from the estimate at which an end is looked for at most."""


def profile_interval(
    observed: Observed, fit: RegressionFit, place: int, level: float
) -> tuple[float, float]:
    """The ends for one coefficient; infinite where the likelihood rules nothing out."""
    middle = float(fit.coefficients[place])
    error = math.sqrt(max(float(fit.covariance(robust=False)[place, place]), 0.0))
    allowed = float(chdtri(1, 1 - level)) / 2
    rest = np.delete(fit.coefficients, place)
    column = observed.table[:, place]
    if not fit.inside:
        # At the boundary errors say nothing: a step of 1 in x'b.
        error = 1 / float(np.abs(column).max())
    others = observed.without((place,))

    def spare(value: float) -> float:
        """How much more may be lost, if the coefficient is this."""
        fixed = others._replace(offset=observed.offset + column * value)
        return allowed - (fit.log_likelihood - likeliest(fixed, rest).log_likelihood)

    low, high = (_end(spare, middle, sign * error) for sign in (-1, 1))
    return low, high


def _end(spare: object, middle: float, step: float) -> float:
    """Where nothing is left to be lost, on one side."""
    from scipy.optimize import brentq  # slow to import

    assert callable(spare)  # noqa: S101 (for the types of scipy)
    beyond = 1.0
    while spare(middle + beyond * step) > 0:
        beyond *= 2
        if beyond > _FARTHEST or step == 0:
            return math.copysign(math.inf, step)
    within = 0.0
    if beyond != 1.0:
        within = beyond / 2
    ends = middle + within * step, middle + beyond * step
    return float(brentq(spare, *ends, xtol=1e-8 * max(abs(step), 1e-12), rtol=1e-12))


def likelihood_ratio(
    observed: Observed, fit: RegressionFit, places: tuple[int, ...]
) -> tuple[float, float]:
    """The chi-square of some columns, and its p-value."""
    less = observed.without(places)
    start = np.delete(fit.coefficients, places)
    lost = fit.log_likelihood - likeliest(less, start).log_likelihood
    return chi_square(lost, len(places))


def chi_square(lost: float, freedom: int) -> tuple[float, float]:
    """Chi square of a loss of likelihood, and its p-value."""
    statistic = max(2 * lost, 0.0)
    return statistic, float(chdtrc(freedom, statistic))
