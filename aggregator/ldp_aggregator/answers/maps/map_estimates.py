"""Shares of places: the cells of a zoom, and all that is asked of the map behind
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ldp.errors import EstimateError
from ldp_aggregator.answers.distributions.distribution_estimates import (
    further_of,
    share_records,
)
from ldp_aggregator.answers.geography import Geography
from ldp_aggregator.answers.lines.answers import Share
from ldp_aggregator.answers.maps.districts import District
from ldp_aggregator.answers.maps.maps import Map
from ldp_aggregator.answers.maps.places import Ends, Places
from ldp_aggregator.answers.results.question_estimates import Further
from ldp_aggregator.answers.shares.share_estimates import ShareEstimates
from ldp_aggregator.output.sheet import Bars


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MapEstimates(ShareEstimates):
    """Shares of the cells of a zoom."""

    places: Places | None = None
    """The map at any zoom, and rectangles, from the same reports. None without reports,
    and of several versions.
    """

    def map(self, x_cells: int | None = None, y_cells: int | None = None) -> Map:
        """The map in so many cells along x and y.

        Without numbers, as many as `values` are, whose intervals it then has. Raises
        `EstimateError` without reports, and for numbers that are no powers of two.
        """
        places = self._on_map
        if x_cells is not None:
            return places.map(x_cells, y_cells)
        shape = tuple(1 << halved for halved in places.shown_view)
        if len(self) != shape[0] * shape[1]:
            return places.map(*shape)
        columns = (self.frequency, self.standard_error, self.low, self.high)
        share, error, low, high = (column.reshape(shape) for column in columns)
        return places.map_of(
            share, error, low, high=high, post_process=self.options.post_process
        )

    def rectangle(self, x: Ends, y: Ends) -> Share:
        """The share of the places from the first end of each axis up to, but not at,
        the second.

        Raises `EstimateError` without reports, for an empty rectangle, and for an end
        within a cell.
        """
        return self._on_map.rectangle(x, y)

    def districts(self, geography: Geography) -> tuple[District, ...]:
        """The shares of districts (`read_geography`), in their order.

        Raises `EstimateError` without reports, and if no district is on the map.
        """
        return self._on_map.districts(geography)

    @property
    def shown_districts(self) -> tuple[District, ...]:
        """Return those that the options ask for."""
        if self.places is None:
            return ()
        return self.places.shown_districts

    @cached_property
    def rectangles(self) -> tuple[Share, ...]:
        """The shares of the rectangles that the options ask for."""
        if self.places is None:
            return ()
        return tuple(
            self.places.rectangle(x, y) for x, y in self.options.maps.rectangles
        )

    @property
    def _on_map(self) -> Places:
        if self.places is None:
            raise EstimateError(
                f"question {self.name!r}: expected a question of type place with "
                "reports, of one version, for a map"
            )
        return self.places

    def further(self) -> Iterator[Further]:
        """The rows below those of the cells: rectangles and districts, if any."""
        for share in self.rectangles:
            yield further_of(self, share)
        for district in self.shown_districts:
            yield further_of(self, district)._replace(label=district.label)

    def own_record(self) -> dict[str, Any]:
        """For JSON: how many cells are shown, rectangles, and districts."""
        if self.places is None:
            return super().own_record()
        x, y = (1 << halved for halved in self.places.shown_view)
        own: dict[str, Any] = {"cells": [x, y]}
        if self.rectangles:
            own["rectangles"] = share_records(self, self.rectangles, "rectangle")
        districts = self.shown_districts
        if districts:
            own["districts"] = [
                record | {"cut": one.cut, "surely": [one.surely_low, one.surely_high]}
                for record, one in zip(
                    share_records(self, districts, "district"), districts, strict=True
                )
            ]
        return own | super().own_record()

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The map as a panel of a picture, without the truth."""
        if self.places is None:
            return super().bars(truth)
        return self.map().bars()._replace(title=self.title)
