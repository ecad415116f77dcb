"""A cumulative distribution as a picture: the unbiased shares, their band, and the rising curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ldp_aggregator.answers.distributions.answers import Cumulative
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.pictures.drawing import drawn, drawn_figure

_SIZE = (7.0, 3.6)


def cdf_figure(cdf: Cumulative, level: float, unit: str, truth: Floats | None = None) -> Any:
    """A matplotlib figure; `truth`, of shape (points,), where the true shares are known.

    Raises `EstimateError` if matplotlib is not there.
    """
    return drawn_figure(_SIZE, _drawing(cdf, level, unit, truth=truth))


def cdf_picture(
    cdf: Cumulative, level: float, unit: str, truth: Floats | None = None, form: str = "svg"
) -> bytes:
    """The same as the bytes of an SVG or PNG file."""
    return drawn(_SIZE, _drawing(cdf, level, unit, truth=truth), form)


def _drawing(
    cdf: Cumulative, level: float, unit: str, truth: Floats | None
) -> Callable[[Any], None]:
    def draw(canvas: Any) -> None:
        axis = canvas.subplots()
        band = (cdf.band_low, cdf.band_high)
        axis.fill_between(
            cdf.below, *band, step="mid", color="#cfe0f1", label=f"{level:.4g} band around all"
        )
        axis.plot(cdf.below, cdf.share, ".", color="#8fb3d9", markersize=3, label="unbiased")
        axis.plot(cdf.below, cdf.monotone, color="#1f3b57", linewidth=1.4, label="monotone")
        if truth is not None:
            axis.plot(cdf.below, np.asarray(truth), color="#c8452f", linewidth=1, label="truth")
        axis.set_ylim(-0.05, 1.05)
        axis.set_xlabel(unit.replace("$", r"\$"), fontsize=9)
        axis.set_ylabel("share below", fontsize=9)
        axis.tick_params(labelsize=8)
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(loc="lower right", fontsize=8)

    return draw
