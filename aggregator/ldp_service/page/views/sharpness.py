"""Sharpness: differences that so many reports can show, and how many more would halve
them.

The law is that of the estimates that are shown (`decoders.intervals`), at the number of
reports that are there, for the value whose interval is the widest:

    detects     the least share that is told from zero with probability `POWER`, by the
                test that holds for all values together (Bonferroni)
    differs     the least difference of a share between two halves of these respondents
                that a test of that value alone finds with probability `POWER`
    half        how many respondents are needed besides for half the width: with V the
                variance and c what hash collisions add to it, whatever n is, (V - c) /
                (V / 4 - c) times as many
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ldp_aggregator.answers.results.means import Mean, ends_of
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.intervals.cumulants import cumulants
from ldp_aggregator.decoders.intervals.intervals import miss
from ldp_aggregator.decoders.intervals.null_chances import chance_to_pass
from ldp_aggregator.decoders.intervals.rescaled_moments import held_by
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.bisection import least_share

POWER = 0.8


@dataclass(frozen=True)
class Sharpness:
    """How sharp the shares of a question are, or its mean where it has none."""

    what: str
    """The value with the widest interval, or the mean."""
    half_width: float
    """Of that interval."""
    more: int | None
    """Respondents that are needed besides for half of it; None if no number is enough.
    """
    differs: float | None
    """The least difference between two halves that is found; None if no two differ by
    as much.
    """
    detects: float | None = None
    """The least share that is told from zero; None if none is."""
    of_shares: bool = True


def sharpness_of(estimates: QuestionEstimates) -> Sharpness | None:
    """Return the sharpness of a question with reports; None where nothing has an
    interval.
    """
    if not estimates.reports or estimates.is_shape:
        return None
    if estimates.law is None or not len(estimates):
        if estimates.mean is None:
            return None
        return _of_mean(estimates, estimates.mean)
    law, options = estimates.law, estimates.options
    widths = np.nan_to_num(estimates.high - estimates.low)
    place = int(np.argmax(widths))
    one = law.of_values(np.array([place]))
    share = float(np.clip(estimates.unbiased[place], 0.0, 1.0))
    variance = float(cumulants(one, share, options.estimand).variance[0])
    missing = miss(options.level, len(estimates) + estimates.left_out, "bonferroni")

    def is_seen(frequency: float) -> bool:
        moments = held_by(one, frequency, law.reports)
        return bool(chance_to_pass(moments, missing, options.estimand)[0] >= POWER)

    return Sharpness(
        estimates.label(estimates.values[place]),
        float(widths[place]) / 2,
        _more(variance, _stays(one), estimates.respondents),
        differs=_difference(variance, options.level, most=1.0),
        detects=least_share(is_seen),
    )


def _of_mean(estimates: QuestionEstimates, mean: Mean) -> Sharpness:
    variance = mean.standard_error**2
    ends = ends_of(estimates.question.domain)
    most = math.inf
    if ends is not None:
        most = ends[1] - ends[0]
    return Sharpness(
        "mean",
        (mean.high - mean.low) / 2,
        _more(variance, 0.0, estimates.respondents),
        differs=_difference(variance, estimates.options.level, most=most),
        of_shares=False,
    )


def _stays(moments: Moments) -> float:
    """The variance that no number of reports reduces."""
    return float(np.broadcast_to(moments.collisions.variance, 1)[0])


def _more(variance: float, stays: float, respondents: int) -> int | None:
    wanted = variance / 4 - stays
    if wanted <= 0:
        return None
    return math.ceil(respondents * ((variance - stays) / wanted - 1) - 1e-6)


def _difference(variance: float, level: float, most: float) -> float | None:
    """Return the error between two halves: each has twice the variance of both
    together.

    None if that is more than two can differ by at most.
    """
    reach = float(ndtri((1 + level) / 2) + ndtri(POWER))
    difference = reach * math.sqrt(4 * variance)
    if difference <= most:
        return difference
    return None
