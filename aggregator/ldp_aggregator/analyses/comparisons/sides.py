"""One of two things that are compared: estimates, and intervals of every level.

A frequency has the interval that estimates show, but for one thing: it is not cut to
[0, 1], since how far its ends are from the estimate is what an interval of a difference
is made of. An end that would lie on the wrong side of the estimate, as where the exact
law allows nothing below 0, is the estimate itself. Exact ends for respondents are whole
numbers of people; half a person is added, as what is made of two ends goes on between
them. A mean has the normal law, and a quantile the ends that its test
allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ldp_aggregator.answers.lines.answers import Quantile
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.decoders.intervals.cumulants import cumulants
from ldp_aggregator.decoders.intervals.intervals import INTERVAL_ENDS, score_interval
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Floats

Ends = tuple[Floats, Floats]


@dataclass(frozen=True)
class Side:
    """Arrays of shape (M,)."""

    estimate: Floats
    error: Floats
    """Standard errors."""
    ends: Callable[[float], Ends]
    """(low, high) of intervals that miss so often."""


def side_of(estimates: QuestionEstimates) -> Side:
    """The unbiased frequencies of a question, or the coordinates of a mean vector."""
    if estimates.law is None:
        return _normal(estimates.unbiased, estimates.standard_error)
    side = side_of_law(estimates.law, estimates.options)
    return replace(side, estimate=estimates.unbiased, error=estimates.standard_error)


def side_of_law(known: Moments, options: Options) -> Side:
    """Frequencies of which moments are known."""

    @cache
    def ends(missing: float) -> Ends:
        low, high = INTERVAL_ENDS[options.interval](known, missing, options.estimand)
        if options.estimand == "respondents" and known.count is not None:
            low, high = _between_people(known, missing, (low, high))
        if known.findings.unknown is not None:
            low = np.where(known.findings.unknown, 0.0, low)
            high = np.where(known.findings.unknown, 1.0, high)
        return np.minimum(low, known.frequency), np.maximum(high, known.frequency)

    share = np.clip(known.frequency, 0.0, 1.0)
    variance = cumulants(known, share, options.estimand).variance
    return Side(known.frequency, np.sqrt(variance), ends)


def _between_people(law: Moments, missing: float, ends: Ends) -> Ends:
    """The same with half a person more at ends that are not those of normal theory."""
    half = 0.5 / law.reports
    low, high = ends
    plain_low, plain_high = score_interval(law, missing, "respondents")
    return (
        np.where(low == plain_low, low, low - half),
        np.where(high == plain_high, high, high + half),
    )


def number_sides(estimates: QuestionEstimates) -> dict[str, Side]:
    """The mean, the variance and quantiles by name, as far as there are any."""
    sides = {
        name: _normal(np.array([number.estimate]), np.array([number.standard_error]))
        for name, number in estimates.numbers
    }
    quantiles = estimates.marked_quantiles()
    return sides | {quantile.name: _of_quantile(quantile) for quantile in quantiles}


def _of_quantile(quantile: Quantile) -> Side:
    """Its test gives intervals of every level, and a standard error by that of 68 %."""
    from scipy.special import ndtri  # slow to import

    @cache
    def ends(missing: float) -> Ends:
        low, high = quantile.test.ends(-float(ndtri(missing / 2)))
        return np.array([low]), np.array([high])

    low, high = quantile.test.ends(1.0)
    return Side(np.array([quantile.estimate]), np.array([(high - low) / 2]), ends)


def _normal(estimate: Floats, error: Floats) -> Side:
    from scipy.special import ndtri

    def ends(missing: float) -> Ends:
        reach = -float(ndtri(missing / 2)) * error
        return estimate - reach, estimate + reach

    return Side(estimate, error, ends)
