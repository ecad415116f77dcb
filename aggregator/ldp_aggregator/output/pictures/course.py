"""A course over time: estimates with their ranges and, where it is known, a level with
its band.

Where the truth is known, it is a line, and estimates whose range misses it are rings.

Notes are upright lines with signs, which a list beside the picture explains.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite

import numpy as np

from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.people import reading, tick_text
from ldp_aggregator.output.pictures.parts import Drawing, grid_of, whisker
from ldp_aggregator.output.pictures.scale import AxisScale
from ldp_aggregator.output.sheet import Band, Bars

_HEIGHT, _TOP, _BOTTOM = 140, 30, 118


class _Frame:
    """Where times are across, and estimates up."""

    def __init__(self, panel: Bars, band: Band) -> None:
        columns = [panel.lengths, panel.low, panel.high, band.low, band.high]
        columns += [
            np.array(ends) for ends in (panel.within, panel.truth) if ends is not None
        ]
        numbers = np.concatenate(columns)
        self.scale = AxisScale.over(numbers.tolist(), ticks=4, zero=False)
        self._last = max(len(panel.labels) - 1, 1)

    def across(self, place: float) -> float:
        """Percent of the width."""
        return 3 + 94 * place / self._last

    def x(self, place: float) -> str:
        return f"{self.across(place):.3f}%"

    def y(self, estimate: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * self.scale.share(estimate), 2)


def draw_course(panel: Bars, band: Band) -> Drawing:
    """Return a panel over time; times without an estimate have no dot."""
    frame = _Frame(panel, band)
    known = [place for place, number in enumerate(panel.lengths) if isfinite(number)]
    marks = [*_since(band, frame), *_notes(band, frame)]
    if panel.truth is not None:
        marks += _truth(panel.truth, frame)
    elif np.isfinite(band.level).any():
        marks += _level(band, frame)
    else:
        marks += _runs(panel, known, frame)
    for place in known:
        three = panel.three(place)
        x = frame.x(place)
        is_miss = (
            panel.truth is not None and not three[1] <= panel.truth[place] <= three[2]
        )
        kind = "ring" if is_miss else "dot"
        dot = tag("circle", class_=kind, cx=x, cy=frame.y(three[0]), r=3)
        title = tag("title", f"{panel.labels[place]}: {reading(*three, panel.unit)}")
        low, high = ((x, frame.y(end)) for end in three[1:])
        lines = []
        if isfinite(three[1]):
            lines = whisker(low, high)
        marks.append(tag("g", title, *lines, dot))
    grid = [
        tag(
            "line",
            class_=grid_of(tick),
            x1="1%",
            x2="99%",
            y1=frame.y(tick),
            y2=frame.y(tick),
        )
        for tick in frame.scale.ticks
    ]
    reach = " to ".join(
        tick_text(end, panel.unit) for end in (frame.scale.low, frame.scale.high)
    )
    ends = tag("text", reach, class_="tick number", x="99%", y=14)
    dates = [
        tag(
            "text",
            panel.labels[place],
            class_="tick",
            x=x,
            y=_HEIGHT - 4,
            text_anchor=anchor,
        )
        for place, x, anchor in ((0, "1%", "start"), (-1, "99%", "end"))[
            : len(panel.labels)
        ]
    ]
    words = f"A point for each of {len(known)} times, with its range, from {reach}."
    return Drawing([*grid, *marks, ends, *dates], _HEIGHT, words)


def _runs(panel: Bars, known: list[int], frame: _Frame) -> Iterator[Safe]:
    """Lines between times that follow one another."""
    for before, after in pairwise(known):
        if after == before + 1:
            heights = {
                "y1": frame.y(panel.lengths[before]),
                "y2": frame.y(panel.lengths[after]),
            }
            yield tag(
                "line", class_="run", x1=frame.x(before), x2=frame.x(after), **heights
            )


def _truth(truth: Sequence[float], frame: _Frame) -> Iterator[Safe]:
    """What estimates are of, where it is known."""
    for place, (before, after) in enumerate(pairwise(truth)):
        ends = {"x1": frame.x(place), "x2": frame.x(place + 1)}
        yield tag("line", class_="truth", y1=frame.y(before), y2=frame.y(after), **ends)


def _level(band: Band, frame: _Frame) -> Iterator[Safe]:
    """A line through a band."""

    def line(numbers: list[float]) -> list[str]:
        return [
            f"{frame.across(place):.3f},{frame.y(number)}"
            for place, number in enumerate(numbers)
            if isfinite(number)
        ]

    around = [*line(band.low.tolist()), *reversed(line(band.high.tolist()))]
    yield tag(
        "svg",
        tag("polygon", class_="band", points=" ".join(around)),
        tag("polyline", class_="curve", points=" ".join(line(band.level.tolist()))),
        viewBox=f"0 0 100 {_HEIGHT}",
        preserveAspectRatio="none",
        width="100%",
        height=_HEIGHT,
    )


def _since(band: Band, frame: _Frame) -> Iterator[Safe]:
    """The times with which something may have changed."""
    if band.since is not None:
        left = frame.across(band.since[0] - 0.5)
        right = frame.across(band.since[1] + 0.5)
        box = {"x": f"{left:.3f}%", "width": f"{right - left:.3f}%"}
        title = tag("title", "changed since")
        yield tag("rect", title, class_="changed", y=_TOP, height=_BOTTOM - _TOP, **box)


def _notes(band: Band, frame: _Frame) -> Iterator[Safe]:
    for place, sign, words in band.notes:
        x = frame.x(place)
        line = tag("line", class_="noted", x1=x, x2=x, y1=_TOP - 2, y2=_BOTTOM)
        label = tag("text", sign, class_="tick", x=x, y=_TOP - 4, text_anchor="middle")
        yield tag("g", tag("title", words), line, label)
