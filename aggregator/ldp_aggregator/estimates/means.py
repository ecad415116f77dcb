"""Means of whole numbers, unbiased, with standard errors and intervals.

Every mean here is a mean of scores, unbiased given what each respondent holds, as are its variance
for the respondents and the mean square of what they hold. Values are counted from the middle of
their range.

    noise        estimate = sum of h_y score(y), mean square = sum of h_y score(y)^2 - v, variance =
                 v / n, v = k (2 - h at the ends), with the scores and k of
                 `ldp_aggregator.decoders.noise`
    frequencies  estimate = c f, mean square = c^2 f, variance = c Cov c, for values c: as they are
                 counted from the middle, what the frequencies happen to sum to matters least

For a population, the spread of what they hold is added, unbiased as well:

    variance + (mean square - estimate^2 + variance) / (n - 1)

The interval is estimate -+ z standard errors, cut to the range of the question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.survey import Question
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.decoders.decoder import Parts
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.moments.moments import Moments
from ldp_aggregator.options import Options
from ldp_aggregator.tallies.counting import total_reports


@dataclass(frozen=True)
class Mean:
    """The mean of an integer question."""

    estimate: float
    standard_error: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "estimate": self.estimate,
            "standard_error": self.standard_error,
            "interval": [self.low, self.high],
        }

    @property
    def cells(self) -> tuple[str, str, str]:
        """Estimate, standard error and interval, with two digits of the standard error."""
        decimals = 4
        if self.standard_error > 0:
            decimals = max(0, 1 - math.floor(math.log10(self.standard_error)))
        estimate, error, low, high = (
            f"{number:.{decimals}f}"
            for number in (self.estimate, self.standard_error, self.low, self.high)
        )
        return estimate, error, f"[{low}, {high}]"

    def __str__(self) -> str:
        estimate, error, interval = self.cells
        return f"{estimate} +- {error} {interval}"


def mean_of(
    question: Question, moments: Moments | None, counts: Counts, options: Options
) -> Mean | None:
    """The mean of a question of type integer.

    None for other types, and where `parts_of` has none.
    """
    from scipy.special import ndtri

    values = question.domain.values
    if question.domain.type != "integer" or not values:
        return None
    low, high = int(values[0]), int(values[-1])
    parts = parts_of(
        question.randomizer,
        moments,
        counts,
        values=np.linspace((low - high) / 2, (high - low) / 2, len(values)),
    )
    if parts is None:
        return None
    variance = parts.variance
    if options.estimand == "population":
        spread = parts.mean_square - parts.estimate**2 + variance
        respondents = total_reports(counts, question.layout) if moments is None else moments.reports
        variance += max(spread, 0.0) / max(respondents - 1, 1)
    error = math.sqrt(max(variance, 0.0))
    estimate = (low + high) / 2 + parts.estimate
    reach = float(ndtri((1 + options.level) / 2)) * error
    ends = (float(min(max(end, low), high)) for end in (estimate - reach, estimate + reach))
    return Mean(estimate, error, *ends)


def parts_of(
    randomizer: Randomizer, moments: Moments | None, counts: Counts, values: Floats
) -> Parts | None:
    """The parts for values one step apart.

    None if the frequencies have no covariance, or there are too many.
    """
    return decoder_of(randomizer).mean_parts(randomizer, moments, counts, values)
