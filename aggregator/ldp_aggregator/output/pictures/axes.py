"""Panels on axes of matplotlib, for PNG and for those who change figures by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ldp_aggregator.output.people import tick_text
from ldp_aggregator.output.pictures.heat import HEIGHT, draw_districts, draw_heat
from ldp_aggregator.output.pictures.over_time import HEIGHT as HEIGHT_OVER_TIME
from ldp_aggregator.output.pictures.over_time import draw_band
from ldp_aggregator.output.sheet import MOST_BARS, Band, Bars, Curve, Grid, Shapes

_TITLE, _LABEL, _CAPTION = 72, 40, 160
"""The most characters of each."""
_SERIES = (("#12386e", "o"), ("#b45309", "D"), ("#5b8c5a", "s"))
"""The colour and the mark of each of several series."""
_APART = 0.3
"""How far the dots of two series are from each other, in rows."""


def axes_of(
    panels: Sequence[Bars],
) -> tuple[tuple[float, float], Callable[[Any], None]]:
    """The size in inches, and what draws the panels on an empty figure."""
    heights = [_height(panel) for panel in panels]

    def draw(canvas: Any) -> None:
        axes = canvas.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[
            :, 0
        ]
        for axis, panel in zip(axes, panels, strict=True):
            _draw(axis, panel)

    return (8, sum(heights)), draw


def _height(panel: Bars) -> float:
    if isinstance(panel.form, Grid | Shapes):
        return HEIGHT
    if panel.lines or isinstance(panel.form, Band | Curve):
        return HEIGHT_OVER_TIME
    return 1.1 + 0.28 * max(1, min(len(panel.labels), MOST_BARS))


def _draw(axis: Any, panel: Bars) -> None:
    if panel.lines:
        _draw_lines(axis, panel)
    elif isinstance(panel.form, Grid):
        draw_heat(axis, panel, panel.form)
    elif isinstance(panel.form, Band):
        draw_band(axis, panel, panel.form)
    elif isinstance(panel.form, Shapes):
        draw_districts(axis, panel, panel.form)
    elif isinstance(panel.form, Curve):
        _draw_curve(axis, panel, panel.form)
    else:
        _draw_bars(axis, panel)
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(axis="x", labelsize=8)
    axis.set_title(
        _cut(panel.title, _TITLE), loc="left", fontsize=10, fontweight="bold"
    )


def _draw_lines(axis: Any, panel: Bars) -> None:
    """Errors on an axis of powers."""
    for name, line in panel.lines:
        axis.plot(panel.labels, line, color="#12386e", linewidth=1.4)
        axis.annotate(name, (panel.labels[-1], line[-1]), fontsize=8)
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(lambda number, _: tick_text(number, panel.unit))


def _draw_bars(axis: Any, panel: Bars) -> None:
    shown = panel.shown
    rows = list(range(len(shown)))
    if panel.dots:
        _draw_series(axis, panel, shown)
    else:
        lengths = [_length(panel.lengths[place]) for place in shown]
        axis.barh(rows, lengths, color="#5089d8", height=0.5, label="estimate")
        for row, place in zip(rows, shown, strict=True):
            ends = [panel.low[place], panel.high[place]]
            axis.plot(ends, [row, row], color="#12386e", linewidth=1.6)
    if panel.truth is not None:
        marks = [panel.truth[place] for place in shown]
        axis.plot(
            marks,
            rows,
            "D",
            color="#b45309",
            markersize=4.5,
            label="truth",
            linestyle="none",
        )
        axis.legend(loc="lower right", fontsize=8)
    labels = [_cut(panel.labels[place], _LABEL) for place in shown]
    axis.set_yticks(rows, labels, fontsize=8)
    axis.invert_yaxis()
    axis.axvline(0, color="#999999", linewidth=0.8)
    axis.xaxis.set_major_formatter(lambda number, _: tick_text(number, panel.unit))
    axis.set_xlabel(_cut(panel.caption + _hidden(panel, shown), _CAPTION), fontsize=7)


def _draw_curve(axis: Any, panel: Bars, curve: Curve) -> None:
    """A cumulative distribution in its band."""
    words = "band around all"
    axis.fill_between(
        curve.below, panel.low, panel.high, step="pre", color="#cfe0f1", label=words
    )
    axis.plot(
        curve.below, panel.lengths, ".", color="#8fb3d9", markersize=3, label="unbiased"
    )
    axis.plot(
        curve.below, curve.monotone, color="#12386e", linewidth=1.4, label="monotone"
    )
    if panel.truth is not None:
        axis.plot(curve.below, panel.truth, color="#b45309", linewidth=1, label="truth")
    axis.set_ylim(-0.05, 1.05)
    axis.set_xlabel(_cut(f"{curve.unit} {panel.caption}", _CAPTION), fontsize=7)
    axis.legend(loc="lower right", fontsize=8)


def _draw_series(axis: Any, panel: Bars, shown: Sequence[int]) -> None:
    """Dots with intervals, those of the series a little below one another."""
    many = len(panel.dots)
    for number, series in enumerate(panel.dots):
        away, style = _APART * (number - (many - 1) / 2), _SERIES[number % len(_SERIES)]
        for row, place in enumerate(shown):
            ends = [series.low[place], series.high[place]]
            axis.plot(ends, [row + away] * 2, color=style[0], linewidth=1.6)
        places = [series.places[place] for place in shown]
        rows = [row + away for row in range(len(shown))]
        axis.plot(
            places, rows, style[1], color=style[0], linestyle="none", label=series.name
        )
    if many > 1:
        axis.legend(loc="best", fontsize=8)


def _hidden(panel: Bars, shown: Sequence[int]) -> str:
    """What a caption adds if not all values are shown."""
    if len(shown) == len(panel.labels):
        return ""
    return f" (the {MOST_BARS} most frequent of {len(panel.labels):,} values)"


def _length(number: float) -> float:
    if math.isnan(number):
        return 0.0
    return float(number)


def _cut(text: str, most: int) -> str:
    short = text if len(text) <= most else text[: most - 1] + "…"
    return short.replace("$", r"\$")
