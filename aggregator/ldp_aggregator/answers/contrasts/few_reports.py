"""The law of a linear function where few reports matter, and the ends that go by it.

A function t = q'f lies between its least and its greatest weight, as a share lies
between 0 and 1: so it has the law of a share, `Moments` of one row, and the tails of
one. Its variance is a line in t (`contrasts.ends`), and its jumps are as large as the
mean powers m_2, m_3 and m_4 of one report's function about its mean say:

    h^2 = m_4 / m_2,  r = m_3 / (m_2 h)
    steps upwards h sqrt(min(1, 1 + r)), downwards h sqrt(min(1, 1 - r))

For a population, what people hold varies as well. Fourth powers stand here rather than
cumulants, since a function of few reports goes in steps even where its tails are short.

Of few reports no one may seem to hold the values with the greatest or the least weight,
and then nothing would seem to vary. So two more respondents are counted, one at either
end, as Agresti and Caffo do for a difference of two shares.

Source: Agresti and Caffo 2000; Daniels 1954 (mixtures); `intervals.scaled_poisson`
for the tails.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.answers.contrasts.ends import held_by, slopes
from ldp_aggregator.decoders.intervals.cumulants import (
    TOLERANCE,
    cumulants,
    far_from_normal,
)
from ldp_aggregator.decoders.intervals.intervals import interval_of_few, within_bounds
from ldp_aggregator.decoders.intervals.scaled_poisson import lower_tail, upper_tail
from ldp_aggregator.decoders.moments.joint_errors import ScoreCumulants
from ldp_aggregator.decoders.moments.jumps import fourth_of_rates
from ldp_aggregator.decoders.moments.moments import Moments, ScoreJumps
from ldp_aggregator.numerics.arrays import Floats

_MORE = 2
"""Respondents who are counted besides, half of them at either end."""
_LEAST = 1e-15
"""Chances below are not told apart."""


def law_of_function(
    weights: Floats,
    shares: Floats,
    spread: ScoreCumulants,
    *,
    ends: tuple[float, float],
    reports: int,
    drawn: bool,
    quantile: float,
) -> Moments | None:
    """Law of a function with weights (M,) of estimated shares (M,), between these ends.

    None where normal theory holds so many standard errors out, whatever the truth is.
    """
    least, most = ends
    width = most - least
    held = held_by(weights, shares) * reports
    for place in (weights.argmin(), weights.argmax()):
        held[place] += _MORE / 2
    held /= held.sum()
    middle = float(held @ weights)
    second, third, fourth = _of_one_report(held, weights - middle, spread, drawn=drawn)
    # The variance goes along lines from the middle to either end, where noise alone is
    # left.
    slope = slopes(
        weights, held, spread.variance, drawn=drawn, variance=second / reports
    ).above
    alone = float(spread.variance.min())
    variances = [max(second + slope * (end - middle), alone) for end in (most, least)]
    # Of values that go together a cumulant is that of none, and may lie below what
    # there can be.
    step = 0.0
    if second > 0:
        step = (max(fourth, 0.0) / second) ** 0.5
    if quantile**3 / 6 * step <= TOLERANCE * (min(variances) * reports) ** 0.5:
        return None
    at_most, at_least = variances
    above = at_most, at_most - (at_most - second) * width / (most - middle)
    below = at_least + (second - at_least) * width / (middle - least), at_least
    if_held, if_not = (np.array([one / width**2]) for one in above)
    held_below, not_below = (np.array([one / width**2]) for one in below)
    skew = 0.0
    if step > 0:
        skew = third / second / step
    up, down = (min(1 + way * skew, 1.0) * (step / width) ** 2 for way in (1, -1))
    nothing, average = np.zeros(1), np.array([second / width**2])
    return Moments(
        reports,
        np.array([(float(weights @ shares) - least) / width]),
        if_held,
        variance_if_not=if_not,
        below=(held_below, not_below),
        covariance=lambda: np.diag(if_held / reports),
        jumps=ScoreJumps(
            third=(nothing, nothing),
            fourth=((up + down) * average, (up + down) * average),
            rising=(up * average, up * average),
            falling=(down * average, down * average),
        ),
    )


def _of_one_report(
    held: Floats, away: Floats, spread: ScoreCumulants, *, drawn: bool
) -> tuple[float, float, float]:
    """Means of squares, cubes and fourth powers about the mean, for the shares `held`
    (M,).

    About that of everyone for a population, and else about that of those who hold the
    same.
    """
    variance, third, fourth = spread
    away = away * drawn
    square = variance + away**2
    cube = third + 3 * variance * away + away**3
    quartic = (
        fourth + 3 * variance**2 + 4 * third * away + 6 * variance * away**2 + away**4
    )
    return float(held @ square), float(held @ cube), float(held @ quartic)


def spread_of_values(
    shares: Moments, weights: Floats, variance: float
) -> ScoreCumulants:
    """As if scores of values were independent, but for the variance of a function,
    which is known.

    Where few may have weight, what is left of the weights, (M,), is that of others.
    """
    weights_of_values = weights[: len(shares.frequency)]
    assert shares.jumps is not None  # noqa: S101 (callers have looked)
    fourths = shares.jumps.fourth
    if fourths is None and shares.count is not None:
        fourths = fourth_of_rates(*shares.count.rates)
    if fourths is None:
        fourths = (np.zeros(1), np.zeros(1))
    held = shares.frequency.clip(0, 1)
    third, fourth = (
        float(weights_of_values**order @ (held * if_held + (1 - held) * if_not))
        for order, (if_held, if_not) in ((3, shares.jumps.third), (4, fourths))
    )
    return ScoreCumulants(
        *(np.full(len(weights), number) for number in (variance, third, fourth))
    )


def careful_ends(
    ends: tuple[float, float],
    law: Moments,
    bounds: tuple[float, float],
    one_count: Moments | None,
    missing: float,
    estimand: str,
) -> tuple[float, float]:
    """These ends of a function between two bounds, or others where normal theory
    fails.
    """
    from scipy.special import ndtri

    least, most = bounds
    z, width = -float(ndtri(missing / 2)), most - least
    shares = [np.array([min(max((end - least) / width, 0.0), 1.0)]) for end in ends]
    failing = [
        far_from_normal(law, share, z, estimand="respondents")[0] for share in shares
    ]
    if not any(failing):
        return ends
    if one_count is None:
        better = interval_of_few(law, missing, "respondents")
    else:
        better = within_bounds(interval_of_few(one_count, missing, estimand))
    low, high = (
        least + width * float(end[0]) if far else plain
        for end, far, plain in zip(better, failing, ends, strict=True)
    )
    return low, high


def careful_chance(chance: float, law: Moments, share: float) -> float:
    """How likely an estimate is as far from this share, or what normal theory says, if
    it holds.
    """
    from scipy.special import ndtri

    true = np.array([share])
    z = -float(ndtri(max(min(chance, 0.05), _LEAST) / 2))
    if not far_from_normal(law, true, z, estimand="respondents")[0]:
        return chance
    excess, here = law.frequency - true, cumulants(law, true, "respondents")
    nearer = min(float(upper_tail(excess, here)[0]), float(lower_tail(excess, here)[0]))
    return min(2 * nearer, 1.0)
