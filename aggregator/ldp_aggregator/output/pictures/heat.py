"""Heat maps: cells by their shares, those hatched that cannot be told from empty ones.

The colours (cividis) are told apart by those who see few, and in grey.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ldp_aggregator.output.sheet import Bars, Grid, Shapes

HEIGHT = 6.0
"""Of a map, in inches."""
COLOURS = "cividis"
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
_HATCH, _PALE = "////", (1.0, 1.0, 1.0, 0.45)


def draw_heat(axis: Any, panel: Bars, grid: Grid) -> None:
    """The cells of a map on an axis of matplotlib, with a scale beside them."""
    shape = len(grid.x) - 1, len(grid.y) - 1
    # (y, x), as pictures have it.
    shares = np.maximum(panel.lengths.reshape(shape), 0.0).T
    mesh = axis.pcolormesh(grid.x, grid.y, shares, cmap=COLOURS, vmin=0.0)
    axis.figure.colorbar(mesh, ax=axis, shrink=0.8).ax.tick_params(labelsize=8)
    _hatch(axis, grid, np.argwhere(panel.low.reshape(shape) <= 0).tolist())
    _outline(axis, grid)
    x, y = (label.replace("$", r"\$") for label in grid.labels)
    axis.set_xlabel(f"{x}\n{panel.caption}", fontsize=8)
    axis.set_ylabel(y, fontsize=8)
    axis.tick_params(axis="y", labelsize=8)


def draw_districts(axis: Any, panel: Bars, shapes: Shapes) -> None:
    """Districts by their shares, and their borders, with a scale beside them."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    paths = [Path.make_compound_path(*map(Path, rings)) for rings in shapes.borders]
    shares = np.maximum(panel.lengths, 0.0)
    filled = PathCollection(paths, cmap=COLOURS, edgecolors="white", linewidths=0.6)
    filled.set_array(shares)
    filled.set_clim(0.0, max(float(shares.max()), 1e-12))
    axis.add_collection(filled)
    unsure = [path for path, low in zip(paths, panel.low, strict=True) if low <= 0]
    axis.add_collection(
        PathCollection(
            unsure, facecolors="none", edgecolors=[_PALE], hatch=_HATCH, linewidths=0.0
        )
    )
    axis.autoscale_view()
    axis.figure.colorbar(filled, ax=axis, shrink=0.8).ax.tick_params(labelsize=8)
    axis.set_xlabel(panel.caption, fontsize=8)
    axis.tick_params(axis="y", labelsize=8)


def _outline(axis: Any, grid: Grid) -> None:
    """Borders over the cells, without making the map any larger."""
    for border in grid.outlines:
        # White below black is seen on any colour.
        axis.plot(*border.T, color="white", linewidth=2.0)
        axis.plot(*border.T, color="black", linewidth=0.8)
    axis.set_xlim(grid.x[0], grid.x[-1])
    axis.set_ylim(grid.y[0], grid.y[-1])


def _hatch(axis: Any, grid: Grid, cells: list[list[int]]) -> None:
    """Lines across the cells at these places along x and y."""
    from matplotlib.collections import PolyCollection

    corners = [
        [(grid.x[x + right], grid.y[y + up]) for right, up in _CORNERS]
        for x, y in cells
    ]
    axis.add_collection(
        PolyCollection(
            corners, facecolors="none", edgecolors=[_PALE], hatch=_HATCH, linewidth=0.0
        )
    )
