"""A map: the cells of a zoom, with their errors and intervals, as arrays of shape (x,
y).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ldp_aggregator.answers.lines.line import OrderedValues
from ldp_aggregator.numerics.arrays import Flags, Floats
from ldp_aggregator.output.formats.formats import Pictured
from ldp_aggregator.output.sheet import Bars, Grid


@dataclass(frozen=True, eq=False)
class Map(Pictured):
    """The shares of the cells of a grid, the first axis that of x.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> home = ldp.question("home", x=(0, 8), y=(0, 8), cells=4, goal="map", epsilon="4")
    >>> survey = ldp.survey("town", home)
    >>> reports = ldp_simulations.randomize(survey, {"home": [(1, 1), (7, 7)] * 500})
    >>> ldp_aggregator.estimate(survey, reports)["home"].map().estimate.shape
    (4, 4)
    """

    title: str
    x: OrderedValues
    y: OrderedValues
    labels: tuple[str, str]
    """What the axes are called, with their units."""
    estimate: Floats
    """Unbiased unless `post_process` names a view; small ones may then be below 0."""
    standard_error: Floats
    """Of the unbiased estimate, as are the intervals."""
    low: Floats
    high: Floats
    level: float
    post_process: str | None = None
    outlines: tuple[Floats, ...] = ()
    """Borders that are drawn over it, of shape (corners, 2) each."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many cells there are along x, and along y."""
        return len(self.x_edges) - 1, len(self.y_edges) - 1

    @property
    def x_edges(self) -> Floats:
        """Where cells begin and end along x, of shape (cells + 1,)."""
        return _edges(self.x, self.estimate.shape[0])

    @property
    def y_edges(self) -> Floats:
        """Edges along y."""
        return _edges(self.y, self.estimate.shape[1])

    @property
    def told(self) -> Flags:
        """Which cells can be told from empty ones: those whose interval is above 0."""
        return self.low > 0

    def geojson(self) -> dict[str, Any]:
        """The cells as polygons, with their shares, errors and intervals (RFC 7946).

        It takes x for degrees east and y for degrees north.
        """
        return {
            "type": "FeatureCollection",
            "name": self.title,
            "level": self.level,
            "post_process": self.post_process,
            "features": [
                self._feature(across, up)
                for across, up in product(*map(range, self.shape))
            ],
        }

    def _feature(self, across: int, up: int) -> dict[str, Any]:
        west, east = self.x_edges[across : across + 2].tolist()
        south, north = self.y_edges[up : up + 2].tolist()
        # Anticlockwise, and closed.
        ring = [
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
        ]
        place = across, up
        return {
            "type": "Feature",
            "properties": {
                "share": float(self.estimate[place]),
                "standard_error": float(self.standard_error[place]),
                "low": float(self.low[place]),
                "high": float(self.high[place]),
                "told_from_zero": bool(self.told[place]),
            },
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }

    def panels(self, truth: Any = None) -> list[Bars]:  # noqa: ARG002
        """A heat map, the cells hatched that may be empty."""
        return [self.bars()]

    def bars(self) -> Bars:
        """The map as a panel of a picture."""
        caption = (
            f"shares of cells; hatched: not told from 0 ({self.level:.4g} interval)"
        )
        return Bars(
            self.title,
            caption
            if self.post_process is None
            else f"{caption}; {self.post_process}: biased",
            (),
            lengths=self.estimate.ravel(),
            low=self.low.ravel(),
            high=self.high.ravel(),
            form=Grid(self.x_edges, self.y_edges, self.labels, outlines=self.outlines),
        )


def _edges(line: OrderedValues, cells: int) -> Floats:
    edges = np.array([float(edge) for edge in line.edges])
    return edges[:: line.size // cells]
