"""Estimates as SVG: a bar for each value with its interval, and a small panel for each value, or
the mean, over time.

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
        high = high if high > low else low + 1
        raw = (high - low) / ticks
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(each * unit for each in _STEPS if each * unit >= raw * 0.999)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        return cls(
            first * step,
            last * step,
            tuple(round(place * step, 12) for place in range(first, last + 1)),
        )

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
        *(
            float(column[place])
            for column in (question.frequency, question.low, question.high)
            for place in view.shown
        )
    ]
    scale, bottom = Scale.over(points), _ROW * len(view.shown)
    rows = (_bar(view, place, scale, _ROW * row) for row, place in enumerate(view.shown))
    return _picture(
        f"chart-{question.name}",
        f"{question.name}: estimated frequencies",
        f"A bar for each of {len(view.shown)} values, with its {question.options.level:.4g} "
        f"interval as a line.",
        bottom + _AXIS,
        *(_tick(scale, tick, bottom) for tick in scale.ticks),
        *rows,
    )


def _bar(view: QuestionView, place: int, scale: Scale, top: int) -> Safe:
    question = view.estimates
    frequency, low, high = (
        float(column[place]) for column in (question.frequency, question.low, question.high)
    )
    zero, end, middle = scale.percent(0), scale.percent(frequency), top + 25
    start, length = (zero, frequency) if frequency > 0 else (end, -frequency)
    told = "bar" if view.chances[place] <= view.miss else "bar unsure"
    value, show = question.values[place], question.shown
    return tag(
        "g",
        tag("title", f"{value}: {show(frequency)}, interval {show(low)} to {show(high)}"),
        _label(value, top),
        tag("text", show(frequency), class_="number", x="99%", y=top + 14),
        tag(
            "rect",
            class_=told,
            x=start,
            y=top + 19,
            width=f"{98 * scale.share(length + scale.low):.3f}%",
            height=12,
        ),
        *_whisker((scale.percent(low), middle), (scale.percent(high), middle), across=True),
    )


def _whisker(start: tuple[str, float], end: tuple[str, float], *, across: bool) -> list[Safe]:
    """A line with a short one at both ends, as error bars have them."""
    (x1, y1), (x2, y2) = start, end
    caps = (
        [tag("line", class_="whisker", x1=x, x2=x, y1=y - 4, y2=y + 4) for x, y in (start, end)]
        if across
        else []
    )
    return [tag("line", class_="whisker", x1=x1, y1=y1, x2=x2, y2=y2), *caps]


def _tick(scale: Scale, tick: float, bottom: int) -> Safe:
    x = scale.percent(tick)
    anchor = "start" if tick == scale.ticks[0] else "end" if tick == scale.ticks[-1] else "middle"
    return joined(
        [
            tag("line", class_=_grid(tick), x1=x, x2=x, y1=0, y2=bottom + 4),
            tag(
                "text",
                f"{tick:.6g}",
                class_="tick",
                x=x,
                y=bottom + 18,
                text_anchor=anchor,
            ),
        ]
    )


def _grid(tick: float) -> str:
    return "grid" if tick else "zero"


def panels(view: QuestionView, places: Sequence[int]) -> list[Safe]:
    """A picture over time for each of some values, all on one scale.

    Only where epochs were asked for.
    """
    series = view.series or ()
    named = [
        (view.estimates.values[place], points_of(series, view.estimates, place)) for place in places
    ]
    scale = _scale_of([point for _, points in named for point in points])
    name = view.estimates.name
    return [
        _panel(f"series-{name}-{row}", value, "frequency", points, scale)
        for row, (value, points) in enumerate(named)
        if points
    ]


def panel_of_means(view: QuestionView) -> list[Safe]:
    """A picture over time of the mean, on a scale of its own; only where there is one."""
    points = means_of(view.series or ())
    return (
        [_panel(f"series-{view.estimates.name}-mean", "mean", "mean", points, _scale_of(points))]
        if points
        else []
    )


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
    points, value = [], overall.values[place]
    for epoch, each in series:
        # Values that a search found differ from epoch to epoch; all others stand in one place.
        here = place if each.values[place : place + 1] == (value,) else _found(each.values, value)
        if here is not None and math.isfinite(each.frequency[here]):
            points.append(
                Point(
                    epoch,
                    *(float(column[here]) for column in (each.frequency, each.low, each.high)),
                )
            )
    return points


def means_of(series: Series) -> list[Point]:
    """The mean in every epoch that has an estimate of it."""
    means = ((epoch, each.mean) for epoch, each in series)
    return [
        Point(epoch, mean.estimate, mean.low, mean.high)
        for epoch, mean in means
        if mean is not None
    ]


def _scale_of(points: Sequence[Point]) -> Scale:
    return Scale.over(
        [end for point in points for end in (point.estimate, point.low, point.high)], 4
    )


def _found(values: Sequence[str], value: str) -> int | None:
    return values.index(value) if value in values else None


def _panel(name: str, label: str, what: str, points: Sequence[Point], scale: Scale) -> Safe:
    first, last = points[0].epoch, points[-1].epoch

    def across(epoch: Epoch) -> str:
        return f"{3 + 94 * (epoch.number - first.number) / max(last.number - first.number, 1):.3f}%"

    def down(estimate: float) -> float:
        return round(_PANEL_BOTTOM - (_PANEL_BOTTOM - _PANEL_TOP) * scale.share(estimate), 2)

    drawn: list[Safe] = []
    for before, after in pairwise(points):
        if after.epoch.number == before.epoch.number + 1:
            ends = {"x1": across(before.epoch), "x2": across(after.epoch)}
            drawn.append(
                tag("line", class_="run", y1=down(before.estimate), y2=down(after.estimate), **ends)
            )
    for point in points:
        x = across(point.epoch)
        drawn += _whisker((x, down(point.low)), (x, down(point.high)), across=False)
        drawn.append(tag("circle", class_="point", cx=x, cy=down(point.estimate), r=3))
    dates = (
        [(first, "1%", "start"), (last, "99%", "end")] if last > first else [(first, "1%", "start")]
    )
    return _picture(
        name,
        f"{label}: {what} by epoch",
        f"A point for each of {len(points)} epochs, with its interval as a line, from "
        f"{scale.low:.4g} to "
        f"{scale.high:.4g}.",
        _PANEL,
        *(
            tag("line", class_=_grid(tick), x1="1%", x2="99%", y1=down(tick), y2=down(tick))
            for tick in scale.ticks
        ),
        *drawn,
        _label(label, 0),
        tag("text", f"{scale.high:.4g}", class_="tick number", x="99%", y=14),
        *(
            tag("text", when(epoch), class_="tick", x=x, y=_PANEL - 4, text_anchor=end)
            for epoch, x, end in dates
        ),
    )


def when(epoch: Epoch) -> str:
    """When an epoch begins, UTC, as precisely as its length bears."""
    start = datetime.fromtimestamp(epoch.start, UTC)
    return start.strftime("%Y-%m-%d" if epoch.length % DAY == 0 else "%Y-%m-%d %H:%M")


def standalone(estimates: SurveyEstimates) -> bytes:
    """The bars of all questions as an SVG file, with their style in it."""
    drawn, top = [], 0
    for question in estimates:
        view = QuestionView.of(question)
        drawn += [
            tag("text", question.name, class_="heading", x="1%", y=top + 28),
            tag("text", question.describe(), class_="tick", x="1%", y=top + 48),
        ]
        top += _HEAD
        if question.reports:
            picture, height = bars(view), _ROW * len(view.shown) + _AXIS
            drawn.append(tag("svg", picture, y=top, width="100%", height=height))
            top += height
    style = tag("style", (STATIC / "chart.css").read_text(encoding="utf-8"))
    ground = tag("rect", class_="ground", width="100%", height="100%")
    name = f"{estimates.survey}: estimated frequencies"
    made = _picture(
        "charts", name, "A chart for each question.", top + 16, style, ground, *drawn, width=WIDTH
    )
    return made.encode()


def _picture(
    name: str, title: str, text: str, height: int, *drawn: Safe, width: int | str = "100%"
) -> Safe:
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", text, id=f"{name}-text"),
        *drawn,
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
