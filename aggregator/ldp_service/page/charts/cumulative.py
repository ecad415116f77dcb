"""The cumulative distribution of a number as SVG: a curve, and a band around all of it.

The curve is the nearest function that rises; the band is that of the unbiased estimate, and holds
the whole of the true one with the probability that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ldp_aggregator.answers.distributions.distribution import Distribution
from ldp_aggregator.answers.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.arrays import Floats
from ldp_service.page.charts.pictures import number_below, picture_of
from ldp_service.page.charts.scale import GUTTER, Scale
from ldp_service.page.markup.tags import Safe, tag

_TOP, _TALL, _AXIS = 18, 200, 24
_MOST_POINTS = 1024


def cumulative(question: QuestionEstimates, distribution: Distribution) -> Safe:
    """The share of the answers below each number, from none to all of them."""
    cdf = distribution.cdf()
    edges = distribution.line.edges
    ends = (float(edges[0]), float(edges[-1]))
    # No more points than a screen can show: of both functions those at the same places.
    step = -(-len(cdf.below) // _MOST_POINTS)
    below = np.array([ends[0], *cdf.below[::step], ends[1]])
    across = 100 * (below - ends[0]) / (ends[1] - ends[0])
    low, high, curve = (
        100 * (1 - np.array([0.0, *shares[::step], 1.0]))
        for shares in (cdf.band_low, cdf.band_high, cdf.monotone)
    )
    around = [*_points(across, low), *reversed(list(_points(across, high)))]
    drawing = tag(
        "svg",
        tag("polygon", class_="band", points=" ".join(around)),
        tag("polyline", class_="curve", points=" ".join(_points(across, curve))),
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        x=f"{1 + GUTTER}%",
        y=_TOP,
        width=f"{98 - GUTTER}%",
        height=_TALL,
    )
    level = f"{question.options.level:.4g}"
    return picture_of(
        f"cumulative-{question.name}",
        f"{question.name}: cumulative distribution",
        f"The share of the answers below each number, as a curve that rises from 0 to 1, from "
        f"{ends[0]:g} to {ends[1]:g}, and a {level} band around all of it.",
        parts=[*_grid(ends), drawing],
        height=_TOP + _TALL + _AXIS,
    )


def _points(across: Floats, down: Floats) -> Iterable[str]:
    """Steps: a share stays what it is up to the next number."""
    before = down[0]
    for x, y in zip(across.tolist(), down.tolist(), strict=True):
        yield f"{x:.2f},{before:.2f}"
        yield f"{x:.2f},{y:.2f}"
        before = y


def _grid(ends: tuple[float, float]) -> list[Safe]:
    """A line for each quarter of the answers, with its share, and round numbers below."""
    lines = []
    for quarter in range(5):
        y = _TOP + _TALL * (4 - quarter) // 4
        words = f"{quarter / 4:g}" if quarter < 4 else "1 share of answers below"
        lines += [
            tag("line", class_="grid", x1="1%", x2="99%", y1=y, y2=y),
            tag("text", words, class_="tick", x="1%", y=y - 3),
        ]
    low, high = ends
    ticks = [tick for tick in Scale.over(ends, zero=False).ticks if low <= tick <= high]
    scale = Scale(low, high, tuple(ticks)).with_gutter()
    return [*lines, *(number_below(scale, tick, _TOP + _TALL + 18) for tick in ticks)]
