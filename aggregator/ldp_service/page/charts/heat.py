"""A map as SVG: cells, or districts, by colour, hatched where they may be empty.

Over cells there are the borders of districts, where the service has some.

The colours are a few of cividis, which those who see few colours, or none, tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import numpy as np

from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.answers.maps.maps import Map
from ldp_aggregator.answers.maps.regions import Regions
from ldp_aggregator.numerics.arrays import Floats
from ldp_service.page.charts.pictures import picture_of
from ldp_service.page.markup.tags import Safe, tag

_COLOURS = (
    *("#00224e", "#123570", "#3b496c", "#575d6d", "#707173"),
    *("#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
_HEIGHT, _AXIS = 420, 24
_MOST_TITLES = 1024
"""Cells that say their share where they are pointed at."""


def heat(question: QuestionEstimates) -> Safe:
    """The cells that are shown of a question, with what the axes go from and to."""
    cells = question.map()
    greatest = max(float(cells.estimate.max()), 0.0)
    across, up = cells.shape
    hatch = f"hatch-{question.name}"
    pattern = _hatching(hatch)
    drawn = [
        _cell(cells, (x, y), greatest, hatch=hatch) for x, y in product(range(across), range(up))
    ]
    return picture_of(
        f"map-{question.name}",
        f"{question.name}: map",
        f"{across} x {up} cells, the darkest with the least share, the brightest with "
        f"{greatest:.3g}; hatched where the {cells.level:.4g} interval has 0.",
        parts=[tag("defs", pattern), *drawn, *_borders(cells), *_ends(cells)],
        height=_HEIGHT + _AXIS,
    )


def districts(question: QuestionEstimates, regions: Regions) -> Safe:
    """The districts that the values of a question name, each in the colour of its share."""
    greatest = max(float(regions.estimate.max()), 0.0)
    hatch = f"hatch-{question.name}"
    ends = np.concatenate([ring for rings in regions.rings for ring in rings])
    frame = _Frame(*ends.min(axis=0).tolist(), *ends.max(axis=0).tolist())
    drawn = [
        _district(regions, place, frame, fill=_colour(share, greatest), hatch=hatch)
        for place, share in enumerate(regions.estimate.tolist())
    ]
    inner = tag(
        "svg",
        *drawn,
        viewBox=f"0 0 {frame.width:.2f} {_HEIGHT}",
        width="98%",
        height=_HEIGHT,
        x="1%",
    )
    return picture_of(
        f"map-{question.name}",
        f"{question.name}: map",
        f"{len(regions.names)} districts, the darkest with the least share, the brightest with "
        f"{greatest:.3g}; hatched where the {regions.level:.4g} interval has 0.",
        parts=[tag("defs", _hatching(hatch)), inner],
        height=_HEIGHT + _AXIS,
    )


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
            corners = (f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
            parts.append(f"M{'L'.join(corners)}Z")
        return "".join(parts)


def _district(regions: Regions, place: int, frame: _Frame, *, fill: str, hatch: str) -> Safe:
    share, low, high = (
        float(column[place]) for column in (regions.estimate, regions.low, regions.high)
    )
    title = tag("title", f"{regions.names[place]}: {share:.4f} [{low:.4f}, {high:.4f}]")
    shape = {"d": frame.path(regions.rings[place]), "fill_rule": "evenodd", "class_": "border"}
    lines = [] if regions.told[place] else [tag("path", title, **shape, fill=f"url(#{hatch})")]
    return tag("g", tag("path", title, **shape, fill=fill), *lines)


def _borders(cells: Map) -> list[Safe]:
    """The borders of districts, over cells."""
    if not cells.outlines:
        return []
    edges = cells.x_edges, cells.y_edges
    frame = _Frame(edges[0][0], edges[1][0], edges[0][-1], north=edges[1][-1])
    shape = tag("path", d=frame.path(cells.outlines), fill="none", class_="border")
    return [
        tag(
            "svg",
            shape,
            viewBox=f"0 0 {frame.width:.2f} {_HEIGHT}",
            preserveAspectRatio="none",
            width="98%",
            height=_HEIGHT,
            x="1%",
        )
    ]


def _hatching(name: str) -> Safe:
    return tag(
        "pattern",
        tag("path", d="M-1 1L1 -1M0 6L6 0M5 7L7 5", class_="hatching"),
        id=name,
        width=6,
        height=6,
        patternUnits="userSpaceOnUse",
    )


def _colour(share: float, greatest: float) -> str:
    shade = min(max(share / greatest, 0.0), 1.0) if greatest else 0.0
    return _COLOURS[round(shade * (len(_COLOURS) - 1))]


def _cell(cells: Map, place: tuple[int, int], greatest: float, hatch: str) -> Safe:
    across, up = cells.shape
    share = float(cells.estimate[place])
    where = {
        "x": f"{1 + 98 * place[0] / across:.3f}%",
        "y": f"{_HEIGHT * (up - 1 - place[1]) / up:.2f}",
        "width": f"{98 / across:.3f}%",
        "height": f"{_HEIGHT / up:.2f}",
    }
    ends = f"{share:.4f} [{cells.low[place]:.4f}, {cells.high[place]:.4f}]"
    title = [tag("title", ends)] if across * up <= _MOST_TITLES else []
    colour = _colour(share, greatest)
    lines = [] if cells.told[place] else [tag("rect", *title, **where, fill=f"url(#{hatch})")]
    return tag("g", tag("rect", *title, **where, fill=colour), *lines)


def _ends(cells: Map) -> list[Safe]:
    """What is at the ends of both axes, below the map."""
    (west, east), (south, north) = (
        (edges[0], edges[-1]) for edges in (cells.x_edges, cells.y_edges)
    )
    x, y = cells.labels
    return [
        tag("text", f"{x} {west:g} to {east:g}", class_="tick", x="1%", y=_HEIGHT + 18),
        tag(
            "text",
            f"{y} {south:g} (below) to {north:g}",
            class_="tick",
            x="99%",
            y=_HEIGHT + 18,
            text_anchor="end",
        ),
    ]
