"""The distribution of a number: the cells of a histogram, and ranges and quantiles
beside them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ldp_aggregator.answers.distributions.distribution import Distribution
from ldp_aggregator.answers.lines.answers import Direction, Length, Quantile, Share
from ldp_aggregator.answers.lines.line import OrderedValues
from ldp_aggregator.answers.results.cells import Cell, cells_of
from ldp_aggregator.answers.results.question_estimates import (
    Further,
    QuestionEstimates,
    error_record,
    share_record,
)
from ldp_aggregator.answers.results.values import Estimate
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DistributionEstimates(ShareEstimates):
    """Shares of the cells of a histogram, or of every value if that was asked for."""

    distribution: Distribution | None = None
    """Ranges, quantiles and more, from the same reports; None without any."""

    @property
    def _known(self) -> Distribution | None:
        if self.reports:
            return self.distribution
        return None

    @cached_property
    def quantiles(self) -> tuple[Quantile, ...]:
        """Those that the options ask for; a circle has none."""
        known = self._known
        if known is None or known.line.circular:
            return ()
        return tuple(known.quantile(share) for share in self.options.numbers.quantiles)

    @cached_property
    def on_circle(self) -> tuple[Direction | Length, ...]:
        """The mean direction and the resultant length, of a question on a circle."""
        known = self._known
        if known is None or not known.line.circular:
            return ()
        return known.direction(), known.resultant_length()

    @cached_property
    def ranges(self) -> tuple[Share, ...]:
        """The shares of the ranges that the options ask for."""
        known = self._known
        if known is None:
            return ()
        return tuple(
            known.between(low, high) for low, high in self.options.numbers.ranges
        )

    @property
    def line(self) -> OrderedValues | None:
        """The line of the values; None for a circle, and for the highest of them
        alone.
        """
        if self.distribution is None:
            return super().line
        line = self.distribution.line
        if line.circular or self.left_out:
            return None
        return line

    def cells(self) -> tuple[Cell, ...]:
        """The cells of a histogram, in their order."""
        line = self.line
        if line is None or not self.reports:
            return ()
        if self.options.frequencies:
            return cells_of(
                self, line, [(place, place + 1) for place in range(line.size)]
            )
        return cells_of(
            self, line, line.histogram(self.options.numbers.edges or None).places
        )

    def marked_quantiles(self) -> Sequence[Quantile]:
        """Those that the options ask for."""
        if self.distribution is None:
            return super().marked_quantiles()
        return self.quantiles

    def further(self) -> Iterator[Further]:
        """The rows below those of the cells: ranges, mean, and quantiles or those of a
        circle.
        """
        for share in self.ranges:
            yield further_of(self, share)
        yield from super().further()
        for quantile in self.quantiles:
            # Tests have ends, and no standard error.
            numbers = (
                self.reports,
                quantile.estimate,
                math.nan,
                quantile.low,
                quantile.high,
            )
            yield Further(quantile.name, ("", *quantile.cells), numbers)
        for place in self.on_circle:
            known = (
                math.nan if part is None else part for part in place.estimate_and_error
            )
            of_place = (self.reports, *known, place.low, place.high)
            yield Further(place.name, ("", *place.cells), of_place)

    def own_record(self) -> dict[str, Any]:
        """For JSON: ranges, and quantiles or what a circle has."""
        own: dict[str, Any] = {}
        if self.ranges:
            own["ranges"] = share_records(self, self.ranges, "range")
        if self.distribution is None:
            return own | super().own_record()
        if self.distribution.line.circular:
            own |= {
                place.name.replace(" ", "_"): place.to_dict()
                for place in self.on_circle
            }
        else:
            own["quantiles"] = [quantile.to_dict() for quantile in self.quantiles]
        return own | super().own_record()


def distribution_behind(estimates: QuestionEstimates) -> Distribution | None:
    """The distribution behind a question's estimates, if that is what its reports are
    for.
    """
    if isinstance(estimates, DistributionEstimates):
        return estimates.distribution
    return None


def further_of(estimates: QuestionEstimates, share: Share) -> Further:
    """The row of the share of a range, a rectangle or a district."""
    estimate = _estimate_of(estimates, share)
    name, *cells = estimates.row(estimate)
    errors = (estimate.standard_error, estimate.low, estimate.high)
    return Further(name, tuple(cells), (estimate.count, estimate.frequency, *errors))


def share_records(
    estimates: QuestionEstimates, shares: Sequence[Share], name: str
) -> list[dict[str, Any]]:
    """For JSON: shares of ranges, each called by `name`."""
    known = [_estimate_of(estimates, share) for share in shares]
    return [{name: e.value, **share_record(e), **error_record(e)} for e in known]


def _estimate_of(estimates: QuestionEstimates, share: Share) -> Estimate:
    errors = (share.standard_error, share.low, share.high)
    count = estimates.respondents * share.frequency
    return Estimate(share.range, count, share.frequency, *errors)
