"""Small pictures over time: an estimate with its interval for each epoch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.service.page.charts.pictures import grid_of, label_of, picture_of, whisker
from ldp_aggregator.service.page.charts.scale import Scale
from ldp_aggregator.service.page.markup.tags import Safe, tag
from ldp_aggregator.service.page.views.question import QuestionView
from ldp_aggregator.service.page.views.series import Series, when
from ldp_aggregator.service.store.records import Epoch

_HEIGHT, _TOP, _BOTTOM = 120, 24, 100


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
        return round(_BOTTOM - (_BOTTOM - _TOP) * scale.share(estimate), 2)

    marks: list[Safe] = []
    for before, after in pairwise(points):
        if after.epoch.number == before.epoch.number + 1:
            ends = {"x1": across(before.epoch), "x2": across(after.epoch)}
            marks.append(
                tag("line", class_="run", y1=down(before.estimate), y2=down(after.estimate), **ends)
            )
    for point in points:
        x = across(point.epoch)
        marks += whisker((x, down(point.low)), (x, down(point.high)), across=False)
        marks.append(tag("circle", class_="point", cx=x, cy=down(point.estimate), r=3))
    grid = [
        tag("line", class_=grid_of(tick), x1="1%", x2="99%", y1=down(tick), y2=down(tick))
        for tick in scale.ticks
    ]
    most = tag("text", f"{scale.high:.4g}", class_="tick number", x="99%", y=14)
    ends_of_time = [(first, "1%", "start")]
    if last > first:
        ends_of_time.append((last, "99%", "end"))
    dates = [
        tag("text", when(epoch), class_="tick", x=x, y=_HEIGHT - 4, text_anchor=anchor)
        for epoch, x, anchor in ends_of_time
    ]
    return picture_of(
        name,
        f"{label}: {what} by epoch",
        f"A point for each of {len(points)} epochs, with its interval as a line, "
        f"from {scale.low:.4g} to {scale.high:.4g}.",
        parts=[*grid, *marks, label_of(label, 0), most, *dates],
        height=_HEIGHT,
    )
