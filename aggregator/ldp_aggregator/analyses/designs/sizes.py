"""Errors of a design before anyone is asked: sample sizes and power.

With V the variance of one respondent's part of an estimate, arms alike large, and z the
normal quantiles of a two-sided test:

    half-width h            n = z^2 V(f) / h^2
    to tell f from g        n = (z sqrt(V(g)) + z_power sqrt(V(f)))^2 / (f - g)^2
    two groups, f and g     n in each = (z + z_power)^2 (V(f) + V(g)) / (f - g)^2
    a logit's slope b       n = (z + z_power)^2 V(f) / (f (1 - f) b (1 - c))^2
                            for a standard deviation of the predictor, where a share c
                            of the people does not follow the design

Source: Hsieh, Bloch and Larsen 1998 (slopes; there V(f) = f (1 - f)).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.law import Law
from ldp_aggregator.analyses.designs.likelihood import (
    Model,
    fit,
    measure_share,
    weights_of,
)
from ldp_aggregator.numerics.arrays import Floats


def shares_for(law: Law, share: float, others: dict[str, float]) -> Floats:
    """Return the shares of all types: of the first measure, of named ones, the rest of
    the second.

    Raises `EstimateError` for shares beyond 1.
    """
    first = law.measures[0].of
    rest = [name for name in law.types if name not in law.measures[0].of]
    shares = dict.fromkeys(law.types, 0.0)
    for name in first:
        shares[name] = share / len(first)
    honest = [
        name for name in rest if name in law.types[: law.honest] and name not in others
    ]
    shares |= others
    left = 1 - sum(shares.values())
    if left < -1e-12 or not honest:
        raise EstimateError("expected shares of types that sum to 1 at most")
    for name in honest:
        shares[name] += left / len(honest)
    return np.array([shares[name] for name in law.types])


def unit_variance(law: Law, shares: Floats) -> float:
    """Return the variance of one respondent's part of the first share."""
    model = Model.of(law)
    # The fit of so many that no share is moved to the bounds: its variance is per
    # respondent.
    people = 1e9
    laws = np.array([arm.rows for arm in law.arms], dtype=float)
    counts = shares @ laws * (people / len(laws))
    if law.numbers:
        numbers = np.array(law.numbers, dtype=float)
        yes, no = laws[0] @ numbers
        chances = shares @ laws[0]
        mean = chances @ numbers
        return float((chances @ numbers**2 - mean**2) / (yes - no) ** 2)
    _, error = measure_share(fit(model, counts), weights_of(law, law.measures[0]))
    return error**2 * people


def size_for_width(variance: float, half_width: float, level: float) -> int:
    """Return the least number of respondents for an interval no wider than this."""
    return math.ceil(_normal_quantile(level) ** 2 * variance / half_width**2 - 1e-9)


def size_to_tell(
    null: float, other: float, gap: float, *, level: float, power: float
) -> int:
    """Return how many it takes to tell a share from another, from the variances at
    both.
    """
    reach = _normal_quantile(level) * math.sqrt(null) + float(ndtri(power)) * math.sqrt(
        other
    )
    return math.ceil((reach / gap) ** 2 - 1e-9)


def size_of_groups(variances: float, gap: float, *, level: float, power: float) -> int:
    """Return how many it takes in each of two groups, from the sum of their
    variances.
    """
    reach = _normal_quantile(level) + float(ndtri(power))
    return math.ceil(reach**2 * variances / gap**2 - 1e-9)


def size_of_slope(
    variance: float,
    share: float,
    odds_ratio: float,
    *,
    non_followers: float,
    level: float,
    power: float,
) -> int:
    """Return how many it takes to find an odds ratio of a standard deviation."""
    rise = share * (1 - share) * math.log(odds_ratio) * (1 - non_followers)
    if rise == 0:
        raise EstimateError("expected an odds ratio other than 1, got 1")
    return size_of_groups(variance, rise, level=level, power=power)


def power_to_tell(
    null: float, other: float, gap: float, *, respondents: int, level: float
) -> float:
    """Return the chance to tell a share from another with so many respondents."""
    threshold = _normal_quantile(level) * math.sqrt(null)
    away = abs(gap) * math.sqrt(respondents)
    above = float(ndtr((away - threshold) / math.sqrt(other)))
    return above + float(ndtr((-away - threshold) / math.sqrt(other)))


def _normal_quantile(level: float) -> float:
    return float(ndtri((1 + level) / 2))
