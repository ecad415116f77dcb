"""Small pictures over time: an estimate with its interval for each epoch.

Where levels were asked for, these are a line through a band, and the estimates stand behind them.
Notes of the operator are upright lines with numbers, which a list beside the pictures explains.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ldp_aggregator.analyses.series.course import Course
from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.answers.estimates.question_numbers import MEAN
from ldp_service.analysis.notes import Note
from ldp_service.page.charts.pictures import grid_of, label_of, picture_of, whisker
from ldp_service.page.charts.scale import Scale
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.views.question import QuestionView
from ldp_service.page.views.series import Series, when
from ldp_service.store.records import Epoch

_HEIGHT, _TOP, _BOTTOM = 140, 30, 118


class Point(NamedTuple):
    """A value, or the mean, in one epoch."""

    epoch: Epoch
    estimate: float
    low: float
    high: float


class Look(NamedTuple):
    """How pictures over time look."""

    fitted: bool = False
    """Whether an axis fits the numbers, and each picture has its own."""
    notes: Sequence[Note] = ()


class _Line(NamedTuple):
    """What one picture shows."""

    label: str
    points: Sequence[Point]
    course: Course | None


def panels(view: QuestionView, places: Sequence[int], look: Look | None = None) -> list[Safe]:
    """A picture over time for each of some values, all on one scale unless it is to fit each.

    Only where epochs were asked for.
    """
    look = look or Look()
    series = view.series or ()
    values = [view.estimates.values[place] for place in places]
    lines = [
        _Line(value, points_of(series, view.estimates, place), _course(view, value))
        for value, place in zip(values, places, strict=True)
    ]
    together = _scale_of(lines, zero=True)
    name = view.estimates.name
    return [
        _panel(
            f"series-{name}-{row}",
            "frequency",
            line,
            scale=_scale_of([line], zero=False) if look.fitted else together,
            notes=look.notes,
        )
        for row, line in enumerate(lines)
        if line.points
    ]


def panel_of_means(view: QuestionView, look: Look | None = None) -> list[Safe]:
    """A picture over time of the mean, on a scale that fits it; only where there is one."""
    points = means_of(view.series or ())
    if not points:
        return []
    line = _Line(MEAN, points, _course(view, MEAN))
    notes = () if look is None else look.notes
    name = f"series-{view.estimates.name}-mean"
    return [_panel(name, "mean", line, scale=_scale_of([line], zero=False), notes=notes)]


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


def _course(view: QuestionView, value: str) -> Course | None:
    return None if view.course is None else view.course.courses.get(value)


def _scale_of(lines: Sequence[_Line], *, zero: bool) -> Scale:
    numbers = [number for line in lines for point in line.points for number in point[1:]]
    for line in lines:
        if line.course is not None:
            numbers += [*line.course.low.tolist(), *line.course.high.tolist()]
    return Scale.over(numbers, ticks=4, zero=zero)


def _found(values: Sequence[str], value: str) -> int | None:
    return values.index(value) if value in values else None


class _Frame(NamedTuple):
    """Where epochs are across, and estimates up."""

    first: int
    last: int
    scale: Scale

    def across(self, number: float) -> float:
        """Percent of the width."""
        return 3 + 94 * (number - self.first) / max(self.last - self.first, 1)

    def x(self, number: float) -> str:
        """The same as a place across."""
        return f"{self.across(number):.3f}%"

    def y(self, estimate: float) -> float:
        """A place down."""
        return round(_BOTTOM - (_BOTTOM - _TOP) * self.scale.share(estimate), 2)


def _panel(name: str, what: str, line: _Line, scale: Scale, *, notes: Sequence[Note]) -> Safe:
    points = line.points
    first, last = points[0].epoch, points[-1].epoch
    frame = _Frame(first.number, last.number, scale)
    marks = [*_noted(notes, first, last, frame=frame)]
    if line.course is not None:
        marks += _level(line.course, frame)
    else:
        marks += _runs(points, frame)
    for point in points:
        x = frame.x(point.epoch.number)
        marks += whisker((x, frame.y(point.low)), (x, frame.y(point.high)), across=False)
        marks.append(tag("circle", class_="point", cx=x, cy=frame.y(point.estimate), r=3))
    grid = [
        tag("line", class_=grid_of(tick), x1="1%", x2="99%", y1=frame.y(tick), y2=frame.y(tick))
        for tick in scale.ticks
    ]
    ends = f"{scale.low:.4g} to {scale.high:.4g}"
    range_ = tag("text", ends, class_="tick number", x="99%", y=14)
    ends_of_time = [(first, "1%", "start")]
    if last > first:
        ends_of_time.append((last, "99%", "end"))
    dates = [
        tag("text", when(epoch), class_="tick", x=x, y=_HEIGHT - 4, text_anchor=anchor)
        for epoch, x, anchor in ends_of_time
    ]
    level = "" if line.course is None else ", and the level behind them in its band"
    return picture_of(
        name,
        f"{line.label}: {what} by epoch",
        f"A point for each of {len(points)} epochs, with its interval as a line{level}, "
        f"from {scale.low:.4g} to {scale.high:.4g}.",
        parts=[*grid, *marks, label_of(line.label, 0, width="66%"), range_, *dates],
        height=_HEIGHT,
    )


def _runs(points: Sequence[Point], frame: _Frame) -> Iterator[Safe]:
    """Lines between epochs that follow one another."""
    for before, after in pairwise(points):
        if after.epoch.number == before.epoch.number + 1:
            ends = {"x1": frame.x(before.epoch.number), "x2": frame.x(after.epoch.number)}
            heights = {"y1": frame.y(before.estimate), "y2": frame.y(after.estimate)}
            yield tag("line", class_="run", **heights, **ends)


def _level(course: Course, frame: _Frame) -> Iterator[Safe]:
    """A line through a band."""
    across = [frame.across(float(epoch)) for epoch in course.epochs]

    def line(numbers: Sequence[float]) -> list[str]:
        heights = map(frame.y, numbers)
        return [f"{x:.3f},{y}" for x, y in zip(across, heights, strict=True)]

    around = [*line(course.low.tolist()), *reversed(line(course.high.tolist()))]
    yield tag(
        "svg",
        tag("polygon", class_="band", points=" ".join(around)),
        tag("polyline", class_="curve", points=" ".join(line(course.level.tolist()))),
        viewBox=f"0 0 100 {_HEIGHT}",
        preserveAspectRatio="none",
        width="100%",
        height=_HEIGHT,
    )


def _noted(notes: Sequence[Note], first: Epoch, last: Epoch, frame: _Frame) -> Iterator[Safe]:
    """An upright line for each note between the first and the last epoch, with its number."""
    for number, note in enumerate(notes, 1):
        place = note.on.timestamp() / first.length
        if not first.number <= place < last.number + 1:
            continue
        x = frame.x(min(place, last.number))
        line = tag("line", class_="noted", x1=x, x2=x, y1=_TOP - 2, y2=_BOTTOM)
        label = tag("text", str(number), class_="tick", x=x, y=_TOP - 4, text_anchor="middle")
        yield tag("g", tag("title", f"{note.day}: {note.text}"), line, label)
