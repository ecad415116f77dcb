"""Which values are there at all: one-sided tests of frequency zero, corrected for their number.

An open question may have a million values, of which most are held by no one; chance alone gives
some of them high estimates. A p-value says how likely such an estimate is for a value that no one
holds, and a correction says how small it has to be, given how many values were looked at.

    bonferroni           the chance that any value is found wrongly is at most 1 - level
    benjamini-hochberg   of the values found, at most a share 1 - level is wrong, on average

Sources: Dunn 1961; Benjamini and Hochberg 1995.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldp.errors import EstimateError
from ldp_aggregator.arrays import Floats
from ldp_aggregator.estimates.question_estimates import QuestionEstimates

CORRECTIONS = ("bonferroni", "benjamini-hochberg")


def p_values(estimates: QuestionEstimates) -> Floats:
    """The chance that a value which no one holds would get an estimate as high as this; shape (M,).

    It is 1 as long as there are no reports. `ldp_aggregator.intervals.null_chances` has the law.
    """
    return estimates.chances


def adjusted_p_values(
    estimates: QuestionEstimates, correction: str = "benjamini-hochberg"
) -> Floats:
    """The least 1 - level at which each value is found; shape (M,).

    Raises `EstimateError` for an unknown correction, and for some values of a question, which
    chance may have picked.
    """
    if correction not in CORRECTIONS:
        raise EstimateError(
            f"expected correction to be one of {', '.join(CORRECTIONS)}, got {correction!r}"
        )
    if estimates.left_out:
        raise EstimateError(
            f"question {estimates.question.name!r}: expected the estimates of all values, got "
            f"{len(estimates)} and "
            f"{estimates.left_out} left out; ask which values are there first, and for the top of "
            f"them then"
        )
    chances = p_values(estimates)
    if correction == "bonferroni":
        return np.minimum(chances * len(chances), 1.0)
    from scipy.stats import false_discovery_control

    # (M,): the least rate of false discoveries at which a value is among those found.
    adjusted: Floats = false_discovery_control(chances)
    return adjusted


def detected(
    estimates: QuestionEstimates, level: float = 0.95, correction: str = "benjamini-hochberg"
) -> NDArray[np.bool_]:
    """Whether each value is found, as an array of shape (M,).

    Raises `EstimateError` as `adjusted_p_values` does.
    """
    return adjusted_p_values(estimates, correction) <= 1 - level
