"""A map as SVG: the cells of a question of type place, by colour, hatched where they may be empty.

The colours are a few of cividis, which those who see few colours, or none, tell apart.
"""

from __future__ import annotations

from itertools import product

from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.places.maps import Map
from ldp_aggregator.service.page.charts import picture_of
from ldp_aggregator.service.page.markup import Safe, tag

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
    pattern = tag(
        "pattern",
        tag("path", d="M-1 1L1 -1M0 6L6 0M5 7L7 5", class_="hatching"),
        id=hatch,
        width=6,
        height=6,
        patternUnits="userSpaceOnUse",
    )
    drawn = [
        _cell(cells, (x, y), greatest, hatch=hatch) for x, y in product(range(across), range(up))
    ]
    return picture_of(
        f"map-{question.name}",
        f"{question.name}: map",
        f"{across} x {up} cells, the darkest with the least share, the brightest with "
        f"{greatest:.3g}; hatched where the {cells.level:.4g} interval has 0.",
        parts=[tag("defs", pattern), *drawn, *_ends(cells)],
        height=_HEIGHT + _AXIS,
    )


def _cell(cells: Map, place: tuple[int, int], greatest: float, hatch: str) -> Safe:
    across, up = cells.shape
    share = float(cells.estimate[place])
    shade = min(max(share / greatest, 0.0), 1.0) if greatest else 0.0
    where = {
        "x": f"{1 + 98 * place[0] / across:.3f}%",
        "y": f"{_HEIGHT * (up - 1 - place[1]) / up:.2f}",
        "width": f"{98 / across:.3f}%",
        "height": f"{_HEIGHT / up:.2f}",
    }
    ends = f"{share:.4f} [{cells.low[place]:.4f}, {cells.high[place]:.4f}]"
    title = [tag("title", ends)] if across * up <= _MOST_TITLES else []
    colour = _COLOURS[round(shade * (len(_COLOURS) - 1))]
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
