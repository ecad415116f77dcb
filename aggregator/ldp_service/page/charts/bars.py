"""A bar with its interval for each value, one below the other."""

from __future__ import annotations

from ldp_service.page.charts.pictures import label_of, picture_of, tick_at, whisker
from ldp_service.page.charts.scale import Scale
from ldp_service.page.markup.tags import Safe, tag
from ldp_service.page.views.question import QuestionView

ROW, AXIS = 38, 24
"""Heights of a value and of what is below all of them."""


def bars(view: QuestionView) -> Safe:
    """The bars of a question that has reports."""
    question = view.estimates
    points = [
        float(column[place])
        for column in (question.frequency, question.low, question.high)
        for place in view.shown
    ]
    scale = Scale.over(points)
    bottom = ROW * len(view.shown)
    ticks = [tick_at(scale, tick, bottom) for tick in scale.ticks]
    rows = [_bar(view, place, scale, top=ROW * row) for row, place in enumerate(view.shown)]
    level = f"{question.options.level:.4g}"
    lines = "without intervals" if question.is_shape else f"with its {level} interval as a line"
    return picture_of(
        f"chart-{question.name}",
        f"{question.name}: estimated frequencies",
        f"A bar for each of {len(view.shown)} values, {lines}.",
        parts=[*ticks, *rows],
        height=bottom + AXIS,
    )


def _bar(view: QuestionView, place: int, scale: Scale, top: int) -> Safe:
    question = view.estimates
    columns = (question.frequency, question.low, question.high)
    frequency, low, high = (float(column[place]) for column in columns)
    middle = top + 25
    # A bar begins at its left end, which is zero for what is more than nothing.
    start = scale.percent(min(frequency, 0))
    value = question.values[place]
    show = question.shown
    interval = f", interval {show(low)} to {show(high)}"
    line = ((scale.percent(low), middle), (scale.percent(high), middle))
    return tag(
        "g",
        tag("title", f"{value}: {show(frequency)}{'' if question.is_shape else interval}"),
        label_of(value, top),
        tag("text", show(frequency), class_="number", x="99%", y=top + 14),
        tag(
            "rect",
            class_=kind_of(view, place),
            x=start,
            y=top + 19,
            width=f"{98 * scale.share(abs(frequency) + scale.low):.3f}%",
            height=12,
        ),
        *([] if question.is_shape else whisker(*line, across=True)),
    )


def kind_of(view: QuestionView, place: int) -> str:
    """The class of a value's bar: pale where it is not told from zero."""
    sure = view.estimates.is_shape or view.chances[place] <= view.miss
    return "bar" if sure else "bar unsure"
