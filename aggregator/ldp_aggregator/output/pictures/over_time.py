"""A course over time: estimates with their intervals, and a level with its band."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldp_aggregator.output.sheet import Band, Bars

HEIGHT = 3.2
"""In inches."""
_MOST_LABELS = 16
"""Times that are written below the axis."""


def draw_band(axis: Any, panel: Bars, band: Band) -> None:
    """Draw it on an axis of matplotlib; times without an estimate have no dot."""
    times = np.arange(len(panel.labels))
    axis.fill_between(
        times, band.low, band.high, color="#8fb3d9", alpha=0.5, linewidth=0
    )
    axis.plot(times, band.level, color="#1f3b57", linewidth=1.4, label="level")
    axis.vlines(times, panel.low, panel.high, color="#777777", linewidth=1.0)
    axis.plot(
        times, panel.lengths, "o", color="#444444", markersize=3.5, label="estimate"
    )
    if panel.truth is not None:
        truth, lengths = np.array(panel.truth), np.array(panel.lengths)
        axis.plot(times, truth, color="#b45309", linewidth=1, label="truth")
        missed = (np.array(panel.low) > truth) | (np.array(panel.high) < truth)
        axis.plot(
            times[missed],
            lengths[missed],
            "o",
            color="#444444",
            markerfacecolor="white",
            markersize=6,
            label="misses the truth",
        )
    if band.since is not None:
        first, last = band.since
        axis.axvspan(
            first - 0.5, last + 0.5, color="#c8452f", alpha=0.18, label="changed since"
        )
    axis.legend(loc="best", fontsize=8)
    step = -(-len(times) // _MOST_LABELS)
    axis.set_xticks(
        times[::step], [str(label) for label in panel.labels[::step]], fontsize=8
    )
    axis.set_xlabel(panel.caption.replace("$", r"\$"), fontsize=7)
