"""Which values are there at all: one-sided tests of frequency zero, corrected for their
number.

An open question may have a million values, of which most are held by no one; chance
alone gives some of them high estimates. A p-value says how likely such an estimate is
for a value that no one holds, and a correction says how small it has to be, given how
many values were looked at.

    bonferroni           the chance that any value is found wrongly is at most 1 - level
    benjamini-hochberg   of the values found, at most a share 1 - level is wrong, on
                         average
    storey               the same, with what the p-values say of how many values are
                         there: of those that no one holds, half have one above 1/2.
                         Where most values are held, it finds more
    default              storey where a dictionary of candidates is known to lack
                         little, since texts that are missing raise the estimates of
                         others: where the check on it finds nothing, and the interval
                         of what is no candidate ends below 5 %; or else
                         benjamini-hochberg

What is found was chosen for its estimate being high, and so its interval holds less
often than it says. Intervals that allow for it (`intervals.after_selection`) hold as
they should: on average a share 1 - level of them misses (the false-coverage rate).

Sources: Dunn 1961; Benjamini and Hochberg 1995; Storey, Taylor and Siegmund 2004
(Theorem 3); Benjamini and Yekutieli 2005 (false-coverage rate).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldp.errors import EstimateError
from ldp_aggregator.answers.options import CORRECTIONS, DEFAULT
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.shares.share_estimates import Found, ShareEstimates
from ldp_aggregator.decoders.intervals.after_selection import intervals_of_chosen
from ldp_aggregator.numerics.arrays import Flags, Floats

_HALF = 0.5
"""P-values above are of values that no one holds; none of these is found by `storey`.
"""


def p_values(estimates: QuestionEstimates) -> Floats:
    """The chance that a value which no one holds would get an estimate as high as this;
    shape (M,).

    It is 1 as long as there are no reports. `intervals.null_chances` has the law.
    """
    return estimates.chances


def share_of_nulls(chances: Floats) -> float:
    """Of M p-values, the share that is of values no one holds; rather too large than
    too small.
    """
    if not len(chances):
        return 1.0
    return min(1.0, (1 + int((chances > _HALF).sum())) / (len(chances) * (1 - _HALF)))


def correction_of(estimates: QuestionEstimates, correction: str = DEFAULT) -> str:
    """The correction that `default` stands for; any other as it is."""
    if correction != DEFAULT:
        return correction
    complete = isinstance(estimates, ShareEstimates) and estimates.lacks_little
    if complete:
        return "storey"
    return "benjamini-hochberg"


def adjusted_p_values(
    estimates: QuestionEstimates, correction: str = DEFAULT
) -> Floats:
    """The least 1 - level at which each value is found; shape (M,).

    Raises `EstimateError` for an unknown correction, and for some values of a question,
    which chance may have picked.
    """
    if correction not in (DEFAULT, *CORRECTIONS):
        raise EstimateError(
            f"expected correction to be one of {', '.join((DEFAULT, *CORRECTIONS))}, "
            f"got {correction!r}"
        )
    if estimates.left_out:
        raise EstimateError(
            f"question {estimates.question.name!r}: expected the estimates of all "
            f"values, got {len(estimates)} and {estimates.left_out} left out; ask "
            "which values are there first, and for the top of them then"
        )
    chances, correction = p_values(estimates), correction_of(estimates, correction)
    if correction == "bonferroni":
        return np.minimum(chances * len(chances), 1.0)
    from scipy.stats import false_discovery_control

    # (M,): the least rate of false discoveries at which a value is among those found.
    adjusted: Floats = false_discovery_control(chances)
    if correction == "storey":
        adjusted = np.where(chances > _HALF, 1.0, adjusted * share_of_nulls(chances))
    return adjusted


def detected(
    estimates: QuestionEstimates, level: float = 0.95, correction: str = DEFAULT
) -> NDArray[np.bool_]:
    """Whether each value is found, as an array of shape (M,).

    Raises `EstimateError` as `adjusted_p_values` does.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> mode = ldp_aggregator.estimate(survey, reports)["mode"]
    >>> ldp_aggregator.detected(mode).tolist()
    [True, True]
    """
    return adjusted_p_values(estimates, correction) <= 1 - level


def largest_p_value(chances: Floats, many: int, level: float, correction: str) -> float:
    """The p-value up to which values are found, where so many of M are; `default` is
    none here.
    """
    if correction == "bonferroni":
        return (1 - level) / len(chances)
    largest = (1 - level) * many / len(chances)
    if correction == "storey":
        # Where hardly any value is held by no one, the bound of a half is what decides.
        return min(largest / share_of_nulls(chances), _HALF)
    return largest


def false_coverage_intervals(
    estimates: QuestionEstimates, chosen: Flags, cut: float
) -> tuple[Floats, Floats]:
    """(low, high), each (M,): of what is found, by p-values up to `cut`; NaN for
    others.
    """
    low, high = np.full((2, len(chosen)), np.nan)
    law, options = estimates.law, estimates.options
    if law is not None and chosen.any():
        places = np.flatnonzero(chosen)
        low[places], high[places] = intervals_of_chosen(
            law,
            places,
            cut,
            missing=1 - options.level,
            kind=options.interval,
            estimand=options.estimand,
        )
        if law.findings.unknown is not None:
            unknown = chosen & law.findings.unknown
            low[unknown], high[unknown] = 0.0, 1.0
    return low, high


def find(
    estimates: QuestionEstimates, level: float = 0.95, correction: str = DEFAULT
) -> Found:
    """Which values are there, with adjusted p-values and the intervals of those that
    are.
    """
    adjusted = adjusted_p_values(estimates, correction)
    there, correction = adjusted <= 1 - level, correction_of(estimates, correction)
    many = int(there.sum())
    cut = largest_p_value(p_values(estimates), many, level, correction=correction)
    low, high = false_coverage_intervals(estimates, there, cut)
    return Found(correction, adjusted, there, low=low, high=high)
