"""Maps: cells, or districts, by colour, hatched where they may be empty.

The colours are a few of cividis, which those who see few colours, or none, tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.people import PERCENT, reading, tick_text
from ldp_aggregator.output.pictures.parts import Drawing
from ldp_aggregator.output.sheet import Bars, Grid, Shapes

COLOURS = (
    *("#00224e", "#123570", "#3b496c", "#575d6d", "#707173"),
    *("#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
_HEIGHT, _LINE = 420, 26
_MOST_TITLES = 1024
"""Cells that say their share where they are pointed at."""


class _Frame(NamedTuple):
    """What a picture shows of the plane, as high as pictures are."""

    west: float
    south: float
    east: float
    north: float

    @property
    def width(self) -> float:
        return _HEIGHT * (self.east - self.west) / (self.north - self.south)

    def path(self, rings: Iterable[Floats]) -> str:
        """Borders as the path of a picture, whose y goes down."""
        parts = []
        for ring in rings:
            x = (ring[:, 0] - self.west) / (self.east - self.west) * self.width
            y = (self.north - ring[:, 1]) / (self.north - self.south) * _HEIGHT
            corners = (
                f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True)
            )
            parts.append(f"M{'L'.join(corners)}Z")
        return "".join(parts)

    def picture(self, *shapes: Safe, **attributes: str) -> Safe:
        """Return shapes in the coordinates of paths."""
        box = f"0 0 {self.width:.2f} {_HEIGHT}"
        return tag(
            "svg",
            *shapes,
            viewBox=box,
            x="1%",
            width="98%",
            height=_HEIGHT,
            **attributes,
        )


def draw_cells(panel: Bars, grid: Grid, name: str) -> Drawing:
    """Return the cells of a map, the borders over them, and what the axes go from and
    to.
    """
    across, up = len(grid.x) - 1, len(grid.y) - 1
    greatest = _greatest(panel)
    drawn = [
        _colour(
            panel,
            x * up + y,
            greatest,
            map_name=name,
            shape="rect",
            x=f"{1 + 98 * x / across:.3f}%",
            y=f"{_HEIGHT * (up - 1 - y) / up:.2f}",
            width=f"{98 / across:.3f}%",
            height=f"{_HEIGHT / up:.2f}",
        )
        for x, y in product(range(across), range(up))
    ]
    if grid.outlines:
        frame = _Frame(grid.x[0], grid.y[0], grid.x[-1], north=grid.y[-1])
        shape = tag("path", d=frame.path(grid.outlines), fill="none", class_="border")
        drawn.append(frame.picture(shape, preserveAspectRatio="none"))
    parts, what = [*drawn, *_ends(grid)], f"{across} x {up} cells"
    return _map(panel, parts, _HEIGHT + _LINE, what=what, name=name)


def draw_districts(panel: Bars, shapes: Shapes, name: str) -> Drawing:
    """Return the districts of a map, each in the colour of its share."""
    ends = np.concatenate([ring for rings in shapes.borders for ring in rings])
    frame = _Frame(*ends.min(axis=0).tolist(), *ends.max(axis=0).tolist())
    greatest = _greatest(panel)
    drawn = [
        _colour(
            panel,
            place,
            greatest,
            map_name=name,
            shape="path",
            d=frame.path(rings),
            fill_rule="evenodd",
            class_="border",
        )
        for place, rings in enumerate(shapes.borders)
    ]
    return _map(
        panel,
        [frame.picture(*drawn)],
        _HEIGHT,
        what=f"{len(drawn)} districts",
        name=name,
    )


def _map(
    panel: Bars, parts: list[Safe], bottom: float, what: str, name: str
) -> Drawing:
    hatching = tag("path", d="M-1 1L1 -1M0 6L6 0M5 7L7 5", class_="hatching")
    units = "userSpaceOnUse"
    pattern = tag(
        "pattern", hatching, id=f"hatch-{name}", width=6, height=6, patternUnits=units
    )
    most = tick_text(_greatest(panel), PERCENT)
    return Drawing(
        [tag("defs", pattern), *parts, *_legend(most, bottom)],
        bottom + _LINE,
        f"{what}, the darkest with the least share, the brightest with {most}; hatched "
        "where the range has zero in it.",
    )


def _colour(
    panel: Bars, place: int, greatest: float, map_name: str, shape: str, **where: str
) -> Safe:
    """A part of a map in the colour of its share, hatched where it may be empty."""
    three = panel.three(place)
    name = ""
    if len(panel.labels):
        name = f"{panel.labels[place]}: "
    few = len(panel.lengths) <= _MOST_TITLES
    title = []
    if few:
        title = [tag("title", f"{name}{reading(*three)}")]
    shade = 0.0
    if greatest:
        shade = min(max(three[0] / greatest, 0.0), 1.0)
    fill = COLOURS[round(shade * (len(COLOURS) - 1))]
    over = (
        []
        if three[1] > 0
        else [tag(shape, *title, **where, fill=f"url(#hatch-{map_name})")]
    )
    return tag("g", tag(shape, *title, **where, fill=fill), *over)


def _greatest(panel: Bars) -> float:
    return max(float(panel.lengths.max()), 0.0)


def _legend(most: str, top: float) -> Iterator[Safe]:
    """The colours from none to the greatest share."""
    yield tag("text", "0 %", class_="tick", x="1%", y=top + 16)
    for place, fill in enumerate(COLOURS):
        yield tag(
            "rect", fill=fill, x=f"{6 + 3 * place}%", y=top + 6, width="3.1%", height=12
        )
    yield tag("text", most, class_="tick", x="37%", y=top + 16)


def _ends(grid: Grid) -> Iterator[Safe]:
    """What is at the ends of both axes, below the map."""
    x, y = grid.labels
    across = f"{x} {grid.x[0]:g} to {grid.x[-1]:g}"
    up = f"{y} {grid.y[0]:g} (below) to {grid.y[-1]:g}"
    place = _HEIGHT + 18
    yield tag("text", across, class_="tick", x="1%", y=place)
    yield tag("text", up, class_="tick", x="99%", y=place, text_anchor="end")
