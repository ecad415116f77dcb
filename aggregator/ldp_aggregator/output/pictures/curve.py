"""A cumulative distribution: a curve that rises, in a band that holds all of the true
one.

The curve is the nearest function that rises; the band is that of the unbiased estimate.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.markup import Safe, tag
from ldp_aggregator.output.people import PERCENT, tick_text
from ldp_aggregator.output.pictures.parts import Drawing, number_below
from ldp_aggregator.output.pictures.scale import GUTTER, AxisScale
from ldp_aggregator.output.sheet import Bars, Curve

_TOP, _TALL, _AXIS = 18, 200, 24
_MOST_POINTS = 1024


def draw_curve(panel: Bars, curve: Curve) -> Drawing:
    """Return the share of the answers below each number, from none to all of them."""
    first, last = float(curve.below[0]), float(curve.below[-1])
    # No more points than a screen can show: of all functions those at the same places.
    step = -(-len(curve.below) // _MOST_POINTS)
    below = curve.below[::step]
    across = 100 * (below - first) / (last - first)
    shares = [panel.low, panel.high, curve.monotone]
    shares += [] if panel.truth is None else [np.asarray(panel.truth)]
    low, high, *lines = (100 * (1 - share[::step]) for share in shares)
    around = [*_points(across, low), *reversed(list(_points(across, high)))]
    drawing = tag(
        "svg",
        tag("polygon", class_="band", points=" ".join(around)),
        *(
            tag("polyline", class_=kind, points=" ".join(_points(across, line)))
            for kind, line in zip(("curve", "curve truth"), lines, strict=False)
        ),
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        x=f"{1 + GUTTER}%",
        y=_TOP,
        width=f"{98 - GUTTER}%",
        height=_TALL,
    )
    return Drawing(
        [*_grid(first, last, curve.unit), drawing],
        _TOP + _TALL + _AXIS,
        "The share of the answers below each number, as a curve that rises from 0 to "
        f"100 %, from {first:g} to {last:g}, and a band around all of it.",
    )


def _points(across: Floats, down: Floats) -> Iterable[str]:
    """Steps: a share stays what it is up to the next number."""
    before = down[0]
    for x, y in zip(across.tolist(), down.tolist(), strict=True):
        yield f"{x:.2f},{before:.2f}"
        yield f"{x:.2f},{y:.2f}"
        before = y


def _grid(low: float, high: float, unit: str) -> list[Safe]:
    """A line for each quarter of the answers, with its share, and round numbers
    below.
    """
    lines = []
    for quarter in range(5):
        y = _TOP + _TALL * (4 - quarter) // 4
        words = tick_text(quarter / 4, PERCENT) + " of answers below" * (quarter == 4)
        lines += [
            tag("line", class_="grid", x1="1%", x2="99%", y1=y, y2=y),
            tag("text", words, class_="tick", x="1%", y=y - 3),
        ]
    ticks = [
        tick
        for tick in AxisScale.over((low, high), zero=False).ticks
        if low <= tick <= high
    ]
    scale = AxisScale(low, high, tuple(ticks)).with_gutter()
    return [
        *lines,
        *(number_below(scale, tick, _TOP + _TALL + 18, unit=unit) for tick in ticks),
    ]
