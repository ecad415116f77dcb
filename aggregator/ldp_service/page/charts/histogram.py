"""Numbers in their order: a histogram along their axis, with mean and quantiles below it.

Columns stand where their numbers are. Of one width, a column is as high as its share; of several,
its area is: the axis is then the share for each unit of the number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ldp_service.page.charts.pictures import number_below, picture_of
from ldp_service.page.charts.scale import Scale
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.views.numbers import Cell
from ldp_service.page.views.question import QuestionView

_TOP, _BOTTOM, _AXIS, _ROW = 18, 220, 26, 24
_SAME = 1e-9


class _Mark(NamedTuple):
    """A number with its interval, below the axis."""

    name: str
    estimate: float
    low: float
    high: float
    shown: str


class _Frame(NamedTuple):
    """Where numbers are across, from the first one on, and shares up."""

    first: float
    across: Scale
    up: Scale

    def x(self, number: float) -> str:
        return self.across.percent(min(max(number, self.first), self.across.high))

    def y(self, height: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * self.up.share(height), 2)


def histogram(view: QuestionView, cells: Sequence[Cell]) -> Safe:
    """The histogram of a question with reports."""
    question = view.estimates
    widths = [cell.width for cell in cells]
    is_even = max(widths) - min(widths) <= _SAME * max(widths)
    units = [1.0 if is_even else cell.width for cell in cells]
    heights = [
        [number / unit for number in (cell.frequency, cell.low, cell.high)]
        for cell, unit in zip(cells, units, strict=True)
    ]
    start, end = cells[0].start, cells[-1].end
    ticks = [tick for tick in Scale.over([start, end], zero=False).ticks if start <= tick <= end]
    up = Scale.over([number for three in heights for number in three], ticks=8)
    frame = _Frame(start, Scale(start, end, tuple(ticks)).with_gutter(), up)
    columns = [
        _column(view, cell, three, frame=frame) for cell, three in zip(cells, heights, strict=True)
    ]
    marks = list(_marks(view))
    strip = [
        part
        for row, mark in enumerate(marks)
        for part in _mark(mark, frame, _BOTTOM + _AXIS, row=row)
    ]
    below = [number_below(frame.across, tick, _BOTTOM + 18) for tick in ticks]
    what = "share" if is_even else "share for each unit"
    level = f"{question.options.level:.4g}"
    lines = "without intervals" if question.is_shape else f"with its {level} interval as a line"
    named = f"; below, {', '.join(mark.name for mark in marks)} with intervals" if marks else ""
    return picture_of(
        f"chart-{question.name}",
        f"{question.name}: histogram",
        f"A column for each of {len(cells)} ranges of numbers, in their order, {lines}{named}.",
        parts=[*_grid(up, what), *columns, *below, *strip],
        height=_BOTTOM + _AXIS + _ROW * len(marks),
    )


def _grid(up: Scale, what: str) -> Iterator[Safe]:
    for tick in up.ticks:
        y = round(_BOTTOM - (_BOTTOM - _TOP) * up.share(tick), 2)
        yield tag("line", class_="grid" if tick else "zero", x1="1%", x2="99%", y1=y, y2=y)
        words = f"{tick:.4g} {what}" if tick == up.ticks[-1] else f"{tick:.4g}"
        yield tag("text", words, class_="tick", x="1%", y=y - 3)


def _column(view: QuestionView, cell: Cell, heights: Sequence[float], frame: _Frame) -> Safe:
    question = view.estimates
    frequency, low, high = heights
    left, right = (frame.across.share(number) for number in (cell.start, cell.end))
    gap = 0.06 * (right - left)
    top, foot = sorted((frame.y(max(frequency, 0.0)), frame.y(min(frequency, 0.0))))
    show = question.shown
    interval = f", interval {show(cell.low)} to {show(cell.high)}"
    middle = f"{1 + 98 * (left + right) / 2:.3f}%"
    line = tag("line", class_="whisker", x1=middle, x2=middle, y1=frame.y(low), y2=frame.y(high))
    return tag(
        "g",
        tag("title", f"{cell.name}: {show(cell.frequency)}{'' if question.is_shape else interval}"),
        tag(
            "rect",
            class_="bar" if _is_sure(view, cell) else "bar unsure",
            x=f"{1 + 98 * (left + gap):.3f}%",
            y=top,
            width=f"{98 * (right - left - 2 * gap):.3f}%",
            height=round(foot - top, 2),
        ),
        *([] if question.is_shape else [line]),
    )


def _is_sure(view: QuestionView, cell: Cell) -> bool:
    if cell.place is None:
        return cell.low > 0
    return view.estimates.is_shape or bool(view.chances[cell.place] <= view.miss)


def _marks(view: QuestionView) -> Iterator[_Mark]:
    """The mean and the quantiles."""
    mean = view.estimates.mean
    if mean is not None:
        estimate, _, interval = mean.cells
        yield _Mark("mean", mean.estimate, mean.low, high=mean.high, shown=f"{estimate} {interval}")
    for quantile in view.quantiles:
        estimate, _, interval = quantile.cells
        ends = (quantile.estimate, quantile.low, quantile.high)
        yield _Mark(quantile.name, *ends, f"{estimate} {interval}")


def _mark(mark: _Mark, frame: _Frame, top: int, row: int) -> Iterator[Safe]:
    """A point on a line, named on the side where there is more room."""
    y = top + _ROW * row + 12
    ends = {"x1": frame.x(mark.low), "x2": frame.x(mark.high)}
    yield tag("line", class_="grid", x1="1%", x2="99%", y1=y, y2=y)
    yield tag("line", class_="reach", y1=y, y2=y, **ends)
    yield tag("circle", class_="point", cx=frame.x(mark.estimate), cy=y, r=5)
    is_left = frame.across.share(mark.estimate) > 1 / 2
    yield tag(
        "text",
        f"{mark.name} {mark.shown}",
        class_="tick",
        x="1%" if is_left else "99%",
        y=y - 3,
        text_anchor="start" if is_left else "end",
    )
