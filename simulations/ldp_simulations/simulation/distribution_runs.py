"""How far distributions were off in simulated surveys: cumulative shares, bands and
quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ldp_aggregator.answers.distributions.circle import waves
from ldp_aggregator.answers.distributions.distribution import Distribution
from ldp_aggregator.answers.distributions.distribution_estimates import (
    DistributionEstimates,
)
from ldp_aggregator.answers.lines.answers import Quantile
from ldp_aggregator.answers.lines.line import OrderedValues
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.arrays import Floats
from ldp_simulations.holders import Holders


@dataclass(frozen=True, repr=False)
class DistributionRuns:
    """All runs of one question: arrays of shape (runs,), but for quantiles, (runs,
    quantiles).
    """

    interval_share: Floats
    """The share of the cumulative shares whose interval holds the truth."""
    error: Floats
    """Root mean square difference between cumulative shares and the truth."""
    stated: Floats
    """Root mean square of the standard errors that they carried."""
    band_holds: Floats
    """1 where the band holds all of the true distribution, else 0."""
    distance: Floats
    """The largest difference anywhere (Kolmogorov and Smirnov)."""
    monotone_distance: Floats
    """The same of the nearest function that rises."""
    quantile_holds: Floats
    """1 where the interval of a quantile holds the true one, else 0."""
    direction_told: Floats
    """1 where a direction is told, else 0; of a circle alone."""
    direction_holds: Floats
    """1 where its interval holds the true direction, or none is told, else 0."""

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: means over all runs."""
        numbers = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: float(column.mean())
            for name, column in numbers.items()
            if column.size
        }

    @property
    def sentences(self) -> list[str]:
        """Describe the results in words."""
        ratio = float(np.sqrt((self.error**2).mean() / (self.stated**2).mean()))
        cumulative = (
            f"Of cumulative shares: {self.interval_share.mean():.1%} of all intervals "
            f"hold the truth; errors are {ratio:.2f} times what was stated; the band "
            f"holds all of it in {int(self.band_holds.sum())} of "
            f"{len(self.band_holds)} runs. Largest distance: "
            f"{self.distance.mean():.3g} on average, "
            f"{self.monotone_distance.mean():.3g} with post = monotone."
        )
        sentences = [cumulative]
        if self.quantile_holds.size:
            share = self.quantile_holds.mean()
            sentences.append(
                f"Of quantiles: {share:.1%} of all intervals hold the truth."
            )
        if self.direction_told.size:
            sentences.append(
                f"Of the mean direction: told in {int(self.direction_told.sum())} of "
                f"{len(self.direction_told)} runs, and not elsewhere than its interval "
                f"in {int(self.direction_holds.sum())}. Shares are cumulated from "
                "where the circle is written to begin."
            )
        return sentences


def distribution_runs(
    holders: Holders, estimates: Sequence[QuestionEstimates]
) -> DistributionRuns | None:
    """Return the results of a question's runs; None of those without a distribution."""
    questions = [one for one in estimates if isinstance(one, DistributionEstimates)]
    known = [one.distribution for one in questions if one.distribution is not None]
    if not known:
        return None
    first = known[0]
    true = holders.counts / holders.counts.sum()
    rows = [_of_run(_as_line(distribution), true) for distribution in known]
    interval_share, error, stated, band_holds, distance, monotone = np.array(rows).T
    quantiles = [
        [_holds(quantile, first.line, true) for quantile in question.quantiles]
        for question in questions
    ]
    directions = []
    if first.line.circular:
        directions = [_of_direction(distribution, true) for distribution in known]
    is_told, holds = np.array(directions, dtype=np.float64).reshape(-1, 2).T
    return DistributionRuns(
        interval_share,
        error,
        stated,
        band_holds=band_holds,
        distance=distance,
        monotone_distance=monotone,
        quantile_holds=np.array(quantiles, dtype=np.float64),
        direction_told=is_told,
        direction_holds=holds,
    )


def _as_line(distribution: Distribution) -> Distribution:
    """A circle is cut where it is written to begin."""
    line = distribution.line
    if line.circular:
        return distribution.cut(line.starts[0])
    return distribution


def _of_direction(distribution: Distribution, true: Floats) -> tuple[bool, bool]:
    """Whether a direction is told, and whether its interval, or none, holds the true
    one.
    """
    direction, line = distribution.direction(), distribution.line
    mean = waves(line)[:2] @ true
    turn = math.atan2(mean[1], mean[0]) / (2 * math.pi) % 1
    place = float(line.starts[0]) + turn * float(line.period)
    return direction.estimate is not None, direction.holds(place)


def _of_run(distribution: Distribution, true: Floats) -> tuple[float, ...]:
    cdf = distribution.cdf()
    edges = [float(edge) for edge in distribution.line.edges]
    places = np.searchsorted(edges, cdf.below)
    truth = np.concatenate([[0.0], np.cumsum(true)])[places]
    slack = 1e-12
    inside = (cdf.low <= truth + slack) & (truth <= cdf.high + slack)
    within = (cdf.band_low <= truth + slack) & (truth <= cdf.band_high + slack)
    return (
        float(inside.mean()),
        float(np.sqrt(((cdf.share - truth) ** 2).mean())),
        float(np.sqrt((cdf.standard_error**2).mean())),
        float(within.all()),
        float(np.abs(cdf.share - truth).max()),
        float(np.abs(cdf.monotone - truth).max()),
    )


def _holds(quantile: Quantile, line: OrderedValues, true: Floats) -> float:
    """Whether an interval holds the value, or the whole cell, in which a share is
    reached.
    """
    place = min(
        int(np.searchsorted(np.cumsum(true), quantile.share - 1e-12)), line.size - 1
    )
    start = float(line.starts[place])
    end = start
    if line.cells:
        end = float(line.edges[place + 1])
    return float(quantile.low <= start and end <= quantile.high)
