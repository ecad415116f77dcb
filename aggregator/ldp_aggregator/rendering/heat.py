"""Heat maps: cells by their shares, those hatched that cannot be told from empty ones.

The colours (cividis) are told apart by those who see few, and in grey.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ldp_aggregator.rendering.sheet import Bars, Grid

HEIGHT = 6.0
"""Of a map, in inches."""
COLOURS = "cividis"
_HATCH = "////"


def draw_heat(axis: Any, panel: Bars, grid: Grid) -> None:
    """The cells of a map on an axis of matplotlib, with a scale beside them."""
    shape = len(grid.x) - 1, len(grid.y) - 1
    # (y, x), as pictures have it.
    shares = np.maximum(panel.lengths.reshape(shape), 0.0).T
    told = (panel.low.reshape(shape) > 0).T
    mesh = axis.pcolormesh(grid.x, grid.y, shares, cmap=COLOURS, vmin=0.0)
    axis.figure.colorbar(mesh, ax=axis, shrink=0.8).ax.tick_params(labelsize=8)
    unknown = np.ma.masked_array(np.zeros_like(shares), mask=told)
    if not told.all():
        axis.pcolor(
            grid.x, grid.y, unknown, hatch=_HATCH, alpha=0.0, edgecolor="white", linewidth=0.0
        )
    x, y = (label.replace("$", r"\$") for label in grid.labels)
    axis.set_xlabel(f"{x}\n{panel.caption}".replace("$", r"\$"), fontsize=8)
    axis.set_ylabel(y, fontsize=8)
    axis.tick_params(axis="y", labelsize=8)
