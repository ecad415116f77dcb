"""Hybrid-dimensional grids (HDG): rectangles from three coarse grids and a model
between them.

Instead of noisy views of many sizes, HDG has three that are coarse, so that little is
noise, and makes up what lies within their cells: a grid of g1 cells along x, one along
y, and one of g2 x g2. A third of the devices answers for each. With n respondents and K
= 3 grids, for E = e^epsilon,

    g1 = (n (E - 1)^2 .7^2 / (2 K E))^(1/3)       g2 = (2 x .03 (E - 1) (n / (K E))^(1/2))^(1/2)

to the nearest power of two. What the grids say is then made to agree: the sums over the
strips that a line of the square grid has in common with a long one are averaged, by how
few cells they are the sum of, and every grid is put on the simplex (norm-sub), in
turns. At last a table of all cells, even at first, is scaled to each grid again and
again, until it has the shares of all three (as in maximum entropy). It is biased: by
norm-sub, and by what is even within coarse cells and is not so in truth. There are no
intervals, as no number of respondents takes the second away.

Groups are drawn here by each device. The published code assigns them by position in a
file.

Source: Yang, Wang, Li, Cheng and Su 2020.
"""

from __future__ import annotations

import math

import numpy as np

from ldp.mechanisms.places.pyramid import PyramidResponse, View, halvings
from ldp_aggregator.decoders.trees.levels import views_of
from ldp_aggregator.decoders.trees.zooms import sum_cells
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

_GRIDS = 3
_ALONG, _SQUARE = 0.7, 0.03
"""How uneven answers are within cells, as its authors have it."""
_TURNS = 20
_MOST_UPDATES = 1000


def hybrid(pyramid: PyramidResponse, respondents: int) -> PyramidResponse:
    """The response to the same cells whose views are the three grids."""
    views = grids(float(pyramid.ratio), respondents, pyramid.depth)
    return pyramid._replace(
        law=tuple(int(view in views) for view in halvings(pyramid.depth))
    )


def grids(ratio: float, respondents: int, depth: int) -> tuple[View, View, View]:
    """How often the axes are halved, along x, along y, and in the square grid."""
    per_grid = respondents / (_GRIDS * ratio)
    along = (per_grid * ((ratio - 1) * _ALONG) ** 2 / 2) ** (1 / 3)
    square = math.sqrt(2 * _SQUARE * (ratio - 1) * math.sqrt(per_grid))
    long, both = (
        min(max(round(math.log2(cells)), 1), depth) for cells in (along, square)
    )
    return (long, 0), (0, long), (both, both)


def hybrid_shares(response: PyramidResponse, counts: Counts) -> Floats:
    """The shares of all cells, of shape (side, side), in the model: biased."""
    own = views_of(response).own(counts)
    asked = {
        view: own[number].reshape(1 << view[0], 1 << view[1])
        for number, view in enumerate(halvings(response.depth))
        if response.law[number]
    }
    return updated(agreeing(asked), response.depth, int(counts.sum()))


def agreeing(asked: dict[View, Floats]) -> dict[View, Floats]:
    """The grids on the simplex, with the same sums over the strips that they have in
    common.
    """
    known = asked
    for _ in range(_TURNS):
        known = {
            view: norm_sub(grid.ravel()).reshape(grid.shape)
            for view, grid in known.items()
        }
        for axis in (0, 1):
            known = _averaged(known, axis)
    return {
        view: norm_sub(grid.ravel()).reshape(grid.shape) for view, grid in known.items()
    }


def _averaged(known: dict[View, Floats], axis: int) -> dict[View, Floats]:
    """Grids that divide an axis, with the mean of what they say of its widest
    strips.
    """
    along = {view: grid for view, grid in known.items() if view[axis]}
    halved = min(view[axis] for view in along)
    strips: View = (halved, 0) if axis == 0 else (0, halved)
    sums = {view: sum_cells(grid, strips) for view, grid in along.items()}
    # A sum of so many cells errs by as much as there are of these.
    many = {view: grid.size >> halved for view, grid in along.items()}
    weight = sum(1 / number for number in many.values())
    mean = sum(sums[view] / many[view] for view in along) / weight
    corrected = {
        view: grid + _stretched((mean - sums[view]) / many[view], grid.shape)
        for view, grid in along.items()
    }
    return {**known, **corrected}


def updated(known: dict[View, Floats], depth: int, respondents: int) -> Floats:
    """A table of all cells that has the shares of every grid, nearly: (side, side)."""
    side = 1 << depth
    table = np.full((side, side), 1 / side**2)
    for _ in range(_MOST_UPDATES):
        before = table
        for view, grid in known.items():
            sums = sum_cells(table, view)
            factors = np.divide(grid, sums, out=np.zeros_like(grid), where=sums > 0)
            table = table * _stretched(factors, table.shape)
        if np.abs(table - before).sum() < 1 / respondents:
            break
    return table


def _stretched(cells: Floats, shape: tuple[int, ...]) -> Floats:
    """What each coarse cell has, in every cell of a finer grid."""
    rows, columns = (
        fine // coarse for fine, coarse in zip(shape, cells.shape, strict=True)
    )
    return cells.repeat(rows, axis=0).repeat(columns, axis=1)
