"""One-sided p-values: how likely an estimate as high as this is of a value that no one
holds.

    one count   P[C >= c] of the binomial law of n reports with the rate q: exact,
                whatever n and q are
    others      that of a scaled Poisson count (`scaled_poisson`), which is the normal
                law where many reports are expected; of the normal law, where an
                estimator does not know its third cumulant

Where an estimator has estimates of less error to test by (`CandidateFit.tested`), the
p-values are theirs.

Before anyone is asked, the same laws say with what chance the test finds a value held
by a given frequency: that of a count that reaches the least one which passes, or of an
estimate that does. P-values are the same for both estimands: that no one holds a value
is then certain for respondents as well.
"""

from __future__ import annotations

import numpy as np

from ldp_aggregator.decoders.intervals import count_intervals
from ldp_aggregator.decoders.intervals.count_law import tails
from ldp_aggregator.decoders.intervals.cumulants import cumulants, far_from_normal
from ldp_aggregator.decoders.intervals.scaled_poisson import upper_tail
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Floats

_HALVINGS = 60


def null_chances(moments: Moments) -> Floats:
    """By value, of shape (M,); 1 where the reports are too few to say anything."""
    if moments.fit.tested is not None:
        return null_chances(moments.fit.tested)
    if moments.count is not None:
        return count_intervals.null_chances(moments)
    chances = upper_tail(moments.frequency, cumulants(moments, 0.0, "respondents"))
    unknown = moments.findings.unknown
    if unknown is None:
        return chances
    return np.where(unknown, 1.0, chances)


def chance_to_pass(moments: Moments, missing: float, estimand: str) -> Floats:
    """By value, the chance of a p-value of at most `missing`, with the moments'
    frequencies.
    """
    from scipy.special import ndtr, ndtri

    z = -float(ndtri(missing))
    ends = np.zeros_like(moments.frequency), moments.frequency
    far = np.logical_or(
        *(far_from_normal(moments, end, z, estimand=estimand) for end in ends)
    )
    needed = z * np.sqrt(cumulants(moments, 0.0, estimand).variance)
    # Next to an epsilon of 40 rounding may leave no error at all, and then everything
    # is found.
    with np.errstate(divide="ignore"):
        short = (needed - moments.frequency) / np.sqrt(
            cumulants(moments, moments.frequency, estimand).variance
        )
    chance: Floats = ndtr(-short)
    places = np.flatnonzero(far)
    if places.size:
        exact = _count_passes if moments.count is not None else _estimate_passes
        chance[places] = exact(moments.of_values(places), missing, estimand)
    return chance


def _count_passes(moments: Moments, missing: float, estimand: str) -> Floats:
    from scipy.stats import binom

    (_, p, q) = count_intervals.rising(moments)
    reports = moments.reports
    frequency = moments.frequency
    least = binom.isf(missing, reports, q) + 1
    if estimand == "population":
        return np.asarray(binom.sf(least - 1, reports, q + frequency * (p - q)))
    return tails(np.asarray(least), frequency * reports, reports, p=p, q=q).upper


def _estimate_passes(moments: Moments, missing: float, estimand: str) -> Floats:
    """The least estimate that passes is found by halving.

    None is needed that is greater than 1 and z errors more.
    """
    nothing = cumulants(moments, 0.0, estimand)
    truth = cumulants(moments, moments.frequency, estimand)
    below = np.zeros_like(nothing.variance)
    passing = 1 + 100 * np.sqrt(nothing.variance)
    for _ in range(_HALVINGS):
        middle = (below + passing) / 2
        passes = upper_tail(middle, nothing) <= missing
        below = np.where(passes, below, middle)
        passing = np.where(passes, middle, passing)
    return upper_tail(passing - moments.frequency, truth)
