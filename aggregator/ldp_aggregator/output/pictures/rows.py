"""Bars one below the other, each with its range; or the dots of some series.

A bar ends at the estimate, where a dot stands; a band with ends is its range. Bars
whose range has zero in it are pale. Ranges that say next to nothing are grey, and have
no bar.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.people import TOO_FEW, Reading, reading, tick_text
from ldp_aggregator.output.pictures.parts import (
    Drawing,
    key,
    label_of,
    ticks_at,
    whisker,
)
from ldp_aggregator.output.pictures.scale import AxisScale
from ldp_aggregator.output.sheet import Bars, Dots

_LABEL, _SERIES, _GAP, _AXIS, _KEY = 20, 14, 8, 24, 22
"""Heights of a label, of a bar or of the dots of one series, and of what is below all.
"""


class _Row:
    """One value of a panel: an estimate with its range for each series."""

    def __init__(self, panel: Bars, place: int) -> None:
        self.label = panel.labels[place]
        self.series = panel.dots or [
            Dots("", panel.lengths, panel.low, high=panel.high)
        ]
        self.truth = None if panel.truth is None else float(panel.truth[place])
        self.threes = [
            (float(one.places[place]), float(one.low[place]), float(one.high[place]))
            for one in self.series
        ]
        self.readings = [reading(*three, panel.unit) for three in self.threes]
        self.are_dots = bool(panel.dots)

    @property
    def numbers(self) -> list[float]:
        """All that the axis has to show."""
        numbers = [number for three in self.threes for number in three]
        if self.truth is None:
            return numbers
        return [*numbers, self.truth]

    def draw(self, scale: AxisScale, top: int) -> Iterator[Safe]:
        """Yield the label, what is read, bars or dots, and the truth, if it is
        known.
        """
        yield label_of(self.label, top)
        yield self._words(top + 14)
        for number, (three, said) in enumerate(
            zip(self.threes, self.readings, strict=True)
        ):
            y = top + _LABEL + _SERIES * number + _SERIES / 2
            title = tag("title", f"{self.series[number].name or self.label}: {said}")
            is_ring = number == 0 and len(self.threes) > 1
            drawn = _bar(three, said, scale, y=y)
            if self.are_dots:
                drawn = _dot(three, scale, y, is_ring=is_ring)
            yield tag("g", title, *drawn)
        if self.truth is not None:
            x, y = scale.percent(self.truth), top + _LABEL + _SERIES / 2
            yield tag("line", class_="truth", x1=x, x2=x, y1=y - 11, y2=y + 11)

    def _words(self, y: int) -> Safe:
        """At the right: estimates, and the range of a single one."""
        words = " · ".join(said.value or said.range for said in self.readings)
        first = self.readings[0]
        spans = [tag("tspan", words, class_="value" if first.value else "tick")]
        if len(self.readings) == 1 and first.value:
            spans.append(tag("tspan", first.range, class_="tick", dx=8))
        return tag("text", *spans, class_="number", x="99%", y=y)


def draw_rows(panel: Bars) -> Drawing:
    """Return a panel of bars, or of dots."""
    rows = [_Row(panel, place) for place in panel.shown]
    numbers = [number for row in rows for number in row.numbers]
    scale = AxisScale.over([*numbers, *(panel.within or ())])
    height = _LABEL + _SERIES * max(1, len(panel.dots)) + _GAP
    bottom = height * len(rows)
    drawn = [
        part
        for place, row in enumerate(rows)
        for part in row.draw(scale, place * height)
    ]
    entries = list(_key(panel, rows))
    below = []
    if entries:
        below = [key(entries, bottom + _AXIS)]
    what = "Dots" if panel.dots else "A bar"
    return Drawing(
        [*ticks_at(scale, bottom, panel.unit), *drawn, *below],
        bottom + _AXIS + _KEY * len(below),
        f"{what} for each of {len(rows)} values, with ranges.",
    )


def _bar(
    three: tuple[float, float, float], said: Reading, scale: AxisScale, y: float
) -> Iterator[Safe]:
    estimate, low, high = three
    kind = "bar" if low > 0 or high < 0 or not isfinite(low) else "bar unsure"
    vague = said.range == TOO_FEW
    if isfinite(estimate) and not vague:
        yield _span(kind, min(estimate, 0), max(estimate, 0), scale=scale, y=y)
    if not isfinite(low):
        return
    yield _span("vague" if vague else "range", low, high, scale=scale, y=y)
    if not vague:
        yield from whisker((scale.percent(low), y), (scale.percent(high), y), cap=7)[1:]
        yield tag("circle", class_="dot", cx=scale.percent(estimate), cy=y, r=4.5)


def _dot(
    three: tuple[float, float, float], scale: AxisScale, y: float, is_ring: bool
) -> Iterator[Safe]:
    estimate, low, high = three
    if isfinite(low):
        kind = "reach second" if is_ring else "reach"
        ends = {"x1": scale.percent(low), "x2": scale.percent(high)}
        yield tag("line", class_=kind, y1=y, y2=y, **ends)
    if isfinite(estimate):
        kind = "ring" if is_ring else "dot"
        yield tag("circle", class_=kind, cx=scale.percent(estimate), cy=y, r=5)


def _span(kind: str, start: float, end: float, scale: AxisScale, y: float) -> Safe:
    width = f"{98 * (scale.share(end) - scale.share(start)):.3f}%"
    return tag(
        "rect", class_=kind, x=scale.percent(start), y=y - 6, width=width, height=12
    )


def _key(panel: Bars, rows: list[_Row]) -> Iterator[tuple[Safe, str]]:
    if len(panel.dots) > 1:
        yield tag("circle", class_="ring", cx=10, cy=10, r=5), panel.dots[0].name
        yield tag("circle", class_="dot", cx=10, cy=10, r=5), panel.dots[1].name
    known = [(row.truth, row.threes[0]) for row in rows if row.truth is not None]
    known = [(truth, three) for truth, three in known if isfinite(three[1])]
    if known:
        held = sum(low <= truth <= high for truth, (_, low, high) in known)
        sign = tag("line", class_="truth", x1=10, x2=10, y1=1, y2=19)
        where = f", in {held} of {len(known)} ranges"
        if len(known) == 1:
            where = f": {tick_text(known[0][0], panel.unit)}"
        yield sign, f"truth{where}"
