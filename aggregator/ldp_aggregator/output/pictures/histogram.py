"""Numbers in their order: a histogram along their axis, with mean and quantiles below
it.

Columns stand where their numbers are. Of one width, a column is as high as its share;
of several, its area is: the axis is then the share for each unit of the number.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

import numpy as np

from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.people import PERCENT, reading, tick_text
from ldp_aggregator.output.pictures.parts import Drawing, grid_of, number_below
from ldp_aggregator.output.pictures.scale import AxisScale
from ldp_aggregator.output.sheet import Bars, Columns, Mark

_TOP, _BOTTOM, _AXIS, _ROW = 18, 220, 26, 24
_SAME = 1e-9


class _Frame(NamedTuple):
    """Where numbers are across, from the first one on, and shares up."""

    first: float
    across: AxisScale
    up: AxisScale

    def x(self, number: float) -> str:
        return self.across.percent(min(max(number, self.first), self.across.high))

    def y(self, height: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * self.up.share(height), 2)


def draw_histogram(panel: Bars, columns: Columns) -> Drawing:
    """Return a panel as a histogram."""
    edges = columns.edges.tolist()
    widths = [end - start for start, end in edges]
    is_even = max(widths) - min(widths) <= _SAME * max(widths)
    units = [1.0 if is_even else width for width in widths]
    # (columns, 3)
    heights = (np.array([panel.lengths, panel.low, panel.high]) / units).T.tolist()
    truths = []
    if panel.truth is not None:
        truths = [t / u for t, u in zip(panel.truth, units, strict=True)]
    start, end = edges[0][0], edges[-1][1]
    ticks = [
        tick
        for tick in AxisScale.over([start, end], zero=False).ticks
        if start <= tick <= end
    ]
    up = AxisScale.over(
        [*truths, *(number for three in heights for number in three)], ticks=6
    )
    frame = _Frame(start, AxisScale(start, end, tuple(ticks)).with_gutter(), up)
    drawn = [
        _column(panel, place, edges[place], heights=heights[place], frame=frame)
        for place in range(len(edges))
    ]
    drawn += [
        _truth(ends, height, frame) for ends, height in zip(edges, truths, strict=False)
    ]
    for row, mark in enumerate(columns.marks):
        drawn += _mark(mark, frame, _BOTTOM + _AXIS + _ROW * row, unit=columns.unit)
    below = [
        number_below(frame.across, tick, _BOTTOM + 18, unit=columns.unit)
        for tick in ticks
    ]
    what = "" if is_even else " for each unit"
    marks = [mark.name for mark in columns.marks]
    named = ""
    if marks:
        named = f"; below, {', '.join(marks)} with ranges"
    return Drawing(
        [*_grid(frame, what), *drawn, *below],
        _BOTTOM + _AXIS + _ROW * len(marks),
        f"A column for each of {len(edges)} ranges of numbers, in their order{named}.",
    )


def _grid(frame: _Frame, what: str) -> Iterator[Safe]:
    for tick in frame.up.ticks:
        y = frame.y(tick)
        yield tag("line", class_=grid_of(tick), x1="1%", x2="99%", y1=y, y2=y)
        words = tick_text(tick, PERCENT) + what * (tick == frame.up.ticks[-1])
        yield tag("text", words, class_="tick", x="1%", y=y - 3)


def _column(
    panel: Bars,
    place: int,
    ends: tuple[float, float],
    heights: list[float],
    frame: _Frame,
) -> Safe:
    height, low, high = heights
    left, right = map(frame.across.share, ends)
    gap = 0.06 * (right - left)
    top, foot = sorted((frame.y(max(height, 0.0)), frame.y(min(height, 0.0))))
    said = reading(*panel.three(place))
    middle = f"{1 + 98 * (left + right) / 2:.3f}%"
    y1, y2 = frame.y(low), frame.y(high)
    line = tag("line", class_="whisker", x1=middle, x2=middle, y1=y1, y2=y2)
    return tag(
        "g",
        tag("title", f"{panel.labels[place]}: {said}"),
        tag(
            "rect",
            class_="bar" if low > 0 or not isfinite(low) else "bar unsure",
            x=f"{1 + 98 * (left + gap):.3f}%",
            y=top,
            width=f"{98 * (right - left - 2 * gap):.3f}%",
            height=round(foot - top, 2),
        ),
        *([line] if isfinite(low) else []),
    )


def _truth(ends: tuple[float, float], height: float, frame: _Frame) -> Safe:
    y = frame.y(height)
    return tag(
        "line", class_="truth", x1=frame.x(ends[0]), x2=frame.x(ends[1]), y1=y, y2=y
    )


def _mark(mark: Mark, frame: _Frame, top: float, unit: str) -> Iterator[Safe]:
    """A dot on a range, named on the side where there is more room."""
    y = top + 12
    ends = {"x1": frame.x(mark.low), "x2": frame.x(mark.high)}
    yield tag("line", class_="grid", x1="1%", x2="99%", y1=y, y2=y)
    yield tag("line", class_="reach", y1=y, y2=y, **ends)
    yield tag("circle", class_="dot", cx=frame.x(mark.place), cy=y, r=5)
    is_left = frame.across.share(mark.place) > 1 / 2
    words = f"{mark.name}: {reading(mark.place, mark.low, mark.high, unit=unit)}"
    side = {
        "x": "1%" if is_left else "99%",
        "text_anchor": "start" if is_left else "end",
    }
    yield tag("text", words, class_="tick", y=y - 3, **side)
