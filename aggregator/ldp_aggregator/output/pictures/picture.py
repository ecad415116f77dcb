"""Pictures of panels: as a part of a page, as a file, as a figure of matplotlib.

All SVG is made here, without a library, and is the same in pages, notebooks and files;
matplotlib draws PNG, and what is to be changed by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.pictures.course import draw_course
from ldp_aggregator.output.pictures.curve import draw_curve
from ldp_aggregator.output.pictures.histogram import draw_histogram
from ldp_aggregator.output.pictures.lines import draw_lines
from ldp_aggregator.output.pictures.maps import draw_cells, draw_districts
from ldp_aggregator.output.pictures.parts import STYLE, Drawing, picture_of
from ldp_aggregator.output.pictures.rows import draw_rows
from ldp_aggregator.output.sheet import Band, Bars, Columns, Curve, Grid, Shapes, Sheet

_WIDTH = 720
_TITLE, _CAPTION = 72, 112
"""Letters in a line."""


def write_svg(sheet: Sheet) -> bytes:
    """Return the panels of a sheet as SVG."""
    return picture(sheet.bars(), "svg")


def write_png(sheet: Sheet) -> bytes:
    """Return the panels of a sheet as PNG. Raises `EstimateError` if matplotlib is not
    there.
    """
    return picture(sheet.bars(), "png")


def chart(panel: Bars, name: str) -> Safe:
    """Return a panel as a part of a page, which has its title and its style; `name` is
    its id.
    """
    return picture_of(name, panel.title, draw(panel, name))


def picture(panels: Sequence[Bars], form: str = "svg") -> bytes:
    """Return the panels, one below the other, as the bytes of an SVG or PNG file.

    Panels of more than 40 values show the 40 greatest. Raises `EstimateError` for PNG
    if matplotlib is not there.
    """
    if form == "svg":
        return _file(panels).encode()
    from ldp_aggregator.output.pictures.axes import axes_of
    from ldp_aggregator.output.pictures.drawing import picture_bytes

    return picture_bytes(*axes_of(panels), form)


def figure(panels: Sequence[Bars]) -> Any:
    """Return them as a matplotlib figure, to be shown or changed."""
    from ldp_aggregator.output.pictures.axes import axes_of
    from ldp_aggregator.output.pictures.drawing import drawn_figure

    return drawn_figure(*axes_of(panels))


def draw(panel: Bars, name: str) -> Drawing:
    """Return the drawing of a panel; `name` is that of its patterns."""
    if panel.lines:
        return draw_lines(panel)
    match panel.form:
        case Grid() as form:
            return draw_cells(panel, form, name)
        case Shapes() as form:
            return draw_districts(panel, form, name)
        case Band() as form:
            return draw_course(panel, form)
        case Curve() as form:
            return draw_curve(panel, form)
        case Columns() as form:
            return draw_histogram(panel, form)
    return draw_rows(panel)


def _file(panels: Sequence[Bars]) -> Safe:
    """A file that refers to nothing else."""
    parts = [tag("style", STYLE.read_text(encoding="utf-8"))]
    top = 0.0
    for number, panel in enumerate(panels):
        name = f"panel-{number}"
        for line in wrap(panel.title, _TITLE):
            top += 26
            parts.append(tag("text", line, class_="heading", x="1%", y=top))
        drawing = draw(panel, name)
        parts.append(tag("svg", picture_of(name, panel.title, drawing), y=top + 10))
        top += drawing.height + 10
        for line in wrap(panel.caption, _CAPTION):
            top += 16
            parts.append(tag("text", line, class_="tick", x="1%", y=top))
        top += 14
    title = "Estimates"
    if len(panels) == 1:
        title = panels[0].title
    return picture_of(
        "file", title, Drawing(parts, top, "Estimates with ranges."), width=_WIDTH
    )
