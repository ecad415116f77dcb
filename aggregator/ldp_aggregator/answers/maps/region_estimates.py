"""Shares of values that may be the names of districts, which a geography has the
borders of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_aggregator.answers.results.room import AnswerKind, CountedQuestion
from ldp_aggregator.answers.shares.room import numbers_of, shares_of
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates

if TYPE_CHECKING:
    from ldp_aggregator.answers.maps.regions import Regions
    from ldp_aggregator.output.sheet import Bars


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RegionEstimates(ShareEstimates):
    """Shares of districts by name."""

    @property
    def regions(self) -> Regions | None:
        """Their map, of the geography that options have."""
        from ldp_aggregator.answers.maps.regions import regions_of

        geography, options = self.options.maps.geography, self.options
        if geography is None:
            return None
        columns = (self.frequency, self.standard_error, self.low, self.high)
        return regions_of(
            self.question,
            self.values,
            columns,
            geography=geography,
            level=options.level,
            post_process=options.post_process,
        )

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The map, or bars without one, as a panel of a picture."""
        regions = self.regions
        if regions is None:
            return super().bars(truth)
        return regions.bars()._replace(title=self.title)


def estimate(counted: CountedQuestion) -> RegionEstimates:
    """The shares of districts by name, of a question with reports."""
    numbers = numbers_of(counted, counted.values)
    return shares_of(counted, numbers, counted.values, kind=RegionEstimates)


ROOM = AnswerKind(RegionEstimates, estimate)
