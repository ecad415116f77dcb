"""Public geographies: districts with borders of their own, from a GeoJSON file (RFC
7946).

A map has cells, and districts cut some of them. What a district has of each cell is
counted in one of two ways, both right of cells that lie wholly within or without it:

    area    the share of the cell's area that is in the district, as if people were
            spread evenly within a cell
    centre  all of it if its middle is in the district, else nothing (the middle and
            what is next to it to the north-east, so that a middle on a border is in one
            district)

Areas are those of the plane of x and y: within a cell, degrees are as good as
kilometres. Borders are for those who look, and never reach a device. Polygons are read
and cut by shapely.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ldp.answers.domain import Domain
from ldp.errors import EstimateError
from ldp_aggregator.numerics.arrays import Flags, Floats

_HARDLY = 1e-9
"""Of a cell: what rounding may leave of it, or take away."""
_MIDDLE = (0.5 + 1e-9, 0.5 + 0.6e-9)
"""Where the middle of a cell counts as, along x and y: neither on a straight border nor
on one that goes through corners.
"""


class DistrictCells(NamedTuple):
    """What districts have of the cells of a map: arrays of shape (districts, cells)."""

    counted: Floats
    """How much of what is in a cell is counted to a district, from 0 to 1."""
    within: Flags
    """Which cells lie wholly in it."""
    touched: Flags
    """Which cells have any of it."""
    cut: Floats
    """The share of its area that is in cells that its border cuts, or beyond the map:
    (districts,).
    """


@dataclass(frozen=True, eq=False)
class Geography:
    """Districts by name, as polygons of shapely.

    `read_geography` has an example.
    """

    names: tuple[str, ...]
    shapes: tuple[Any, ...]
    by: str = "area"
    """How cells are counted that a border cuts: by "area" or by "centre"."""

    @cached_property
    def outlines(self) -> tuple[Floats, ...]:
        """All borders, each of shape (corners, 2)."""
        import shapely

        rings = shapely.get_rings(shapely.get_parts(np.array(self.shapes)))
        return tuple(np.asarray(shapely.get_coordinates(ring)) for ring in rings)

    @cached_property
    def rings(self) -> tuple[tuple[Floats, ...], ...]:
        """The borders of each district; those around holes go the other way round."""
        import shapely

        return tuple(
            tuple(
                np.asarray(shapely.get_coordinates(ring))
                for ring in shapely.get_rings(
                    shapely.get_parts(shapely.normalize(shape))
                )
            )
            for shape in self.shapes
        )

    def is_named_by(self, domain: Domain) -> bool:
        """Whether at least two values of a question, and half of them, are districts'
        names.
        """
        if domain.type != "category" or domain.values is None:
            return False
        known = sum(domain.index_of(name) is not None for name in self.names)
        return known >= max(2, len(domain.values) / 2)

    def name_at(self, x: float, y: float) -> str | None:
        """The district that a place is in, or the first that it is on a border of; None
        beyond.
        """
        import shapely

        inside = shapely.intersects_xy(np.array(self.shapes), x, y)
        if inside.any():
            return self.names[int(inside.argmax())]
        return None

    def parts(self, x_edges: Floats, y_edges: Floats) -> DistrictCells:
        """What they have of the cells between these edges, which go by x and then by y.

        Raises `EstimateError` if none of them has any.
        """
        import shapely

        # One box for each cell, (cells,).
        west, south = np.meshgrid(x_edges[:-1], y_edges[:-1], indexing="ij")
        east, north = np.meshgrid(x_edges[1:], y_edges[1:], indexing="ij")
        boxes = shapely.box(west, south, east, north).ravel()
        tree = shapely.STRtree(boxes)
        area = np.zeros((len(self.shapes), boxes.size))
        for row, shape in enumerate(self.shapes):
            near = tree.query(shape)
            area[row, near] = shapely.area(shapely.intersection(boxes[near], shape))
        share = area / shapely.area(boxes)
        touched, within = share > _HARDLY, share > 1 - _HARDLY
        self._check_some(touched, x_edges, y_edges)
        whole = (area * within).sum(axis=1) / shapely.area(np.array(self.shapes))
        return DistrictCells(
            np.clip(share, 0.0, 1.0)
            if self.by == "area"
            else self._centres(x_edges, y_edges),
            within,
            touched,
            cut=np.where(whole > 1 - _HARDLY, 0.0, 1 - whole),
        )

    def _centres(self, x_edges: Floats, y_edges: Floats) -> Floats:
        """1 for cells whose middles are in a district: (districts, cells)."""
        import shapely

        along = (
            edges[:-1] + middle * np.diff(edges)
            for edges, middle in zip((x_edges, y_edges), _MIDDLE, strict=True)
        )
        x, y = (axis.ravel() for axis in np.meshgrid(*along, indexing="ij"))
        return np.array(
            [shapely.contains_xy(shape, x, y) for shape in self.shapes], dtype=float
        )

    def _check_some(self, touched: Flags, x_edges: Floats, y_edges: Floats) -> None:
        if touched.any():
            return
        import shapely

        west, south, east, north = shapely.total_bounds(np.array(self.shapes)).tolist()
        raise EstimateError(
            f"expected districts on the map, which has x from {x_edges[0]:g} to "
            f"{x_edges[-1]:g} and y from {y_edges[0]:g} to {y_edges[-1]:g}, got ones "
            f"with x from {west:g} to {east:g} and y from {south:g} to {north:g}"
        )
