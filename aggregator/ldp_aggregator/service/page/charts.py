"""Estimates as SVG: a bar with its interval for each value, and small panels over time.

Rules
- Places across are percentages, so that a picture fills whatever width it gets while its letters
  keep their size.
- Colours come from chart.css, by class; a picture that stands alone brings the file with it.
- A picture has a title and a description; its numbers are in the table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.service.page.markup import Safe, joined, tag
from ldp_aggregator.service.page.views import QuestionView, Series
from ldp_aggregator.service.store.records import DAY, Epoch

STATIC = Path(__file__).parent / "static"
WIDTH = 720
"""Of a picture that stands alone."""

# Heights, in the units of the picture.
_ROW, _AXIS, _HEAD = 38, 24, 64
_PANEL, _PANEL_TOP, _PANEL_BOTTOM = 120, 24, 100
_LONGEST = 60
_STEPS = (1, 2, 2.5, 5, 10)


class Scale(NamedTuple):
    """Numbers from `low` to `high`, and round ones between them."""

    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, numbers: Sequence[float], ticks: int = 5) -> Scale:
        """The scale of these numbers and zero; those that are not finite do not matter."""
        finite = [0.0, *(number for number in numbers if math.isfinite(number))]
        low, high = min(finite), max(finite)
        if high == low:
            high = low + 1
        # The least round step that needs no more ticks than that.
        raw = (high - low) / ticks
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(round_ * unit for round_ in _STEPS if round_ * unit >= raw * 0.999)
        first = math.floor(low / step + 1e-9)
        last = math.ceil(high / step - 1e-9)
        places = tuple(round(place * step, 12) for place in range(first, last + 1))
        return cls(first * step, last * step, places)

    def share(self, number: float) -> float:
        """How far along it is, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)

    def percent(self, number: float) -> str:
        """The same, as a place across; both ends keep a little away from the edges."""
        return f"{1 + 98 * self.share(number):.3f}%"


def bars(view: QuestionView) -> Safe:
    """The bars of a question that has reports."""
    question = view.estimates
    points = [
        float(column[place])
        for column in (question.frequency, question.low, question.high)
        for place in view.shown
    ]
    scale = Scale.over(points)
    bottom = _ROW * len(view.shown)
    ticks = [_tick(scale, tick, bottom) for tick in scale.ticks]
    rows = [_bar(view, place, scale, top=_ROW * row) for row, place in enumerate(view.shown)]
    level = f"{question.options.level:.4g}"
    lines = "without intervals" if question.is_shape else f"with its {level} interval as a line"
    return picture_of(
        f"chart-{question.name}",
        f"{question.name}: estimated frequencies",
        f"A bar for each of {len(view.shown)} values, {lines}.",
        parts=[*ticks, *rows],
        height=bottom + _AXIS,
    )


def _bar(view: QuestionView, place: int, scale: Scale, top: int) -> Safe:
    question = view.estimates
    columns = (question.frequency, question.low, question.high)
    frequency, low, high = (float(column[place]) for column in columns)
    middle = top + 25
    # A bar begins at its left end, which is zero for what is more than nothing.
    start = scale.percent(min(frequency, 0))
    sure = question.is_shape or view.chances[place] <= view.miss
    kind = "bar" if sure else "bar unsure"
    value = question.values[place]
    show = question.shown
    interval = f", interval {show(low)} to {show(high)}"
    whisker = ((scale.percent(low), middle), (scale.percent(high), middle))
    return tag(
        "g",
        tag("title", f"{value}: {show(frequency)}{'' if question.is_shape else interval}"),
        _label(value, top),
        tag("text", show(frequency), class_="number", x="99%", y=top + 14),
        tag(
            "rect",
            class_=kind,
            x=start,
            y=top + 19,
            width=f"{98 * scale.share(abs(frequency) + scale.low):.3f}%",
            height=12,
        ),
        *([] if question.is_shape else _whisker(*whisker, across=True)),
    )


def _whisker(start: tuple[str, float], end: tuple[str, float], *, across: bool) -> list[Safe]:
    """A line with a short one at both ends, as error bars have them."""
    (x1, y1), (x2, y2) = start, end
    lines = [tag("line", class_="whisker", x1=x1, y1=y1, x2=x2, y2=y2)]
    if across:
        for x, y in (start, end):
            lines.append(tag("line", class_="whisker", x1=x, x2=x, y1=y - 4, y2=y + 4))
    return lines


def _tick(scale: Scale, tick: float, bottom: int) -> Safe:
    x = scale.percent(tick)
    # The first and the last number stay within the picture.
    anchor = {scale.ticks[-1]: "end", scale.ticks[0]: "start"}.get(tick, "middle")
    line = tag("line", class_=_grid(tick), x1=x, x2=x, y1=0, y2=bottom + 4)
    label = tag("text", f"{tick:.6g}", class_="tick", x=x, y=bottom + 18, text_anchor=anchor)
    return joined([line, label])


def _grid(tick: float) -> str:
    return "grid" if tick else "zero"


def panels(view: QuestionView, places: Sequence[int]) -> list[Safe]:
    """A picture over time for each of some values, all on one scale.

    Only where epochs were asked for.
    """
    series = view.series or ()
    lines = [
        (view.estimates.values[place], points_of(series, view.estimates, place)) for place in places
    ]
    scale = _scale_of([point for _, points in lines for point in points])
    name = view.estimates.name
    return [
        _panel(f"series-{name}-{row}", value, "frequency", points=points, scale=scale)
        for row, (value, points) in enumerate(lines)
        if points
    ]


def panel_of_means(view: QuestionView) -> list[Safe]:
    """A picture over time of the mean, on a scale of its own; only where there is one."""
    points = means_of(view.series or ())
    if not points:
        return []
    name = f"series-{view.estimates.name}-mean"
    return [_panel(name, "mean", "mean", points=points, scale=_scale_of(points))]


class Point(NamedTuple):
    """A value, or the mean, in one epoch."""

    epoch: Epoch
    estimate: float
    low: float
    high: float


def points_of(series: Series, overall: QuestionEstimates, place: int) -> list[Point]:
    """A value in every epoch that has an estimate of it.

    `place` is where it stands over all of them.
    """
    value = overall.values[place]
    points = []
    for epoch, estimates in series:
        # Values that a search found differ from epoch to epoch; all others stand in one place.
        here: int | None = place
        if estimates.values[place : place + 1] != (value,):
            here = _found(estimates.values, value)
        if here is None or not math.isfinite(estimates.frequency[here]):
            continue
        columns = (estimates.frequency, estimates.low, estimates.high)
        points.append(Point(epoch, *(float(column[here]) for column in columns)))
    return points


def means_of(series: Series) -> list[Point]:
    """The mean in every epoch that has an estimate of it."""
    means = ((epoch, estimates.mean) for epoch, estimates in series)
    return [
        Point(epoch, mean.estimate, mean.low, high=mean.high)
        for epoch, mean in means
        if mean is not None
    ]


def _scale_of(points: Sequence[Point]) -> Scale:
    numbers = [number for point in points for number in (point.estimate, point.low, point.high)]
    return Scale.over(numbers, ticks=4)


def _found(values: Sequence[str], value: str) -> int | None:
    return values.index(value) if value in values else None


def _panel(name: str, label: str, what: str, points: Sequence[Point], scale: Scale) -> Safe:
    first, last = points[0].epoch, points[-1].epoch

    def across(epoch: Epoch) -> str:
        return f"{3 + 94 * (epoch.number - first.number) / max(last.number - first.number, 1):.3f}%"

    def down(estimate: float) -> float:
        return round(_PANEL_BOTTOM - (_PANEL_BOTTOM - _PANEL_TOP) * scale.share(estimate), 2)

    marks: list[Safe] = []
    for before, after in pairwise(points):
        if after.epoch.number == before.epoch.number + 1:
            ends = {"x1": across(before.epoch), "x2": across(after.epoch)}
            marks.append(
                tag("line", class_="run", y1=down(before.estimate), y2=down(after.estimate), **ends)
            )
    for point in points:
        x = across(point.epoch)
        marks += _whisker((x, down(point.low)), (x, down(point.high)), across=False)
        marks.append(tag("circle", class_="point", cx=x, cy=down(point.estimate), r=3))
    grid = [
        tag("line", class_=_grid(tick), x1="1%", x2="99%", y1=down(tick), y2=down(tick))
        for tick in scale.ticks
    ]
    most = tag("text", f"{scale.high:.4g}", class_="tick number", x="99%", y=14)
    ends_of_time = [(first, "1%", "start")]
    if last > first:
        ends_of_time.append((last, "99%", "end"))
    dates = [
        tag("text", when(epoch), class_="tick", x=x, y=_PANEL - 4, text_anchor=anchor)
        for epoch, x, anchor in ends_of_time
    ]
    return picture_of(
        name,
        f"{label}: {what} by epoch",
        f"A point for each of {len(points)} epochs, with its interval as a line, "
        f"from {scale.low:.4g} to {scale.high:.4g}.",
        parts=[*grid, *marks, _label(label, 0), most, *dates],
        height=_PANEL,
    )


def when(epoch: Epoch) -> str:
    """When an epoch begins, UTC, as precisely as its length bears."""
    start = datetime.fromtimestamp(epoch.start, UTC)
    return start.strftime("%Y-%m-%d" if epoch.length % DAY == 0 else "%Y-%m-%d %H:%M")


def standalone(estimates: SurveyEstimates) -> bytes:
    """The bars of all questions as an SVG file, with their style in it."""
    parts = []
    top = 0
    for question in estimates:
        view = QuestionView.of(question)
        parts += [
            tag("text", question.name, class_="heading", x="1%", y=top + 28),
            tag("text", question.describe(), class_="tick", x="1%", y=top + 48),
        ]
        top += _HEAD
        if question.reports:
            height = _ROW * len(view.shown) + _AXIS
            parts.append(tag("svg", bars(view), y=top, width="100%", height=height))
            top += height
    style = tag("style", (STATIC / "chart.css").read_text(encoding="utf-8"))
    ground = tag("rect", class_="ground", width="100%", height="100%")
    name = f"{estimates.survey}: estimated frequencies"
    picture = picture_of(
        "charts",
        name,
        "A chart for each question.",
        parts=[style, ground, *parts],
        height=top + 16,
        width=WIDTH,
    )
    return picture.encode()


def picture_of(
    name: str,
    title: str,
    text: str,
    parts: Sequence[Safe],
    *,
    height: int,
    width: int | str = "100%",
) -> Safe:
    """A picture of parts, with its title and its description."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", text, id=f"{name}-text"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="chart",
        role="img",
        aria_labelledby=f"{name}-title",
        aria_describedby=f"{name}-text",
        width=width,
        height=height,
    )


def _label(value: str, top: int) -> Safe:
    # In a box of its own, so that what is too long is cut off and does not run into the number.
    short = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    return tag("svg", tag("text", short, x=3, y=14), x="1%", y=top, width="80%", height=18)
