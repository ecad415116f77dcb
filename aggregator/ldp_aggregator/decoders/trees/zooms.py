"""Errors of all cells of a zoom: of 2^A x 2^B cells side by side, nearly, and in one
pass.

A pyramid is alike everywhere: what a cell of a view is worth to a cell of the zoom
depends on how far they are in one branch, how many halvings of x and of y they share.
So the coefficients of a view are a small table K, by these two numbers. Along an axis,
a contrast of level j is worth

    2^-A for j = 0;  2^(j-A-1) where the cells share its half;  less that where only the one above

and K = U_A s U_B', with s for what a view adds to contrasts (`trees.contrasts`). Sums
of coefficients and of squares, over all cells, count how many cells share so much; as
people hold them they weigh the shares of the zoom's cells and of those above. So mean
squares follow as in `squares.even_square`: exact for sets, nearly so for points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp.mechanisms.places.pyramid import View, halvings
from ldp_aggregator.decoders.trees.contrasts import Contrasts
from ldp_aggregator.decoders.trees.levels import Level, Views
from ldp_aggregator.numerics.arrays import Floats


class TreeZoom(NamedTuple):
    """The cells of a zoom: their shares, and the mean squares of their scores, (2^A,
    2^B) each.
    """

    share: Floats
    mean_square: Floats


def zoom_in(views: Views, frequency: Floats, view: View) -> TreeZoom:
    """The cells of a view as a zoom, whether some are asked for it or not.

    `frequency` has the shares of the cells of the finest grid, of shape (values,).
    """
    pooling = contrasts_in(views)
    across, up = view
    grid = frequency.reshape(pooling.whole)
    share = sum_cells(grid, view)
    whole = 2.0 ** -(across + up)
    total = whole * (2 * share - whole)
    # What the shares of the cells above count for, by how many halvings they have: (A +
    # 1, B + 1).
    held = np.zeros((across + 1, up + 1))
    all_views = halvings(pooling.depth)
    for level in views.levels:
        own = all_views[level.number]
        worths = _worths(pooling.shares[level.number], own, view)
        constant, of_shares = _square(level, worths, own)
        total += constant
        held[: of_shares.shape[0], : of_shares.shape[1]] += of_shares
    for (rows, columns), coefficient in np.ndenumerate(held):
        above = sum_cells(grid, (rows, columns))
        total += coefficient * above.repeat(1 << (across - rows), 0).repeat(
            1 << (up - columns), 1
        )
    return TreeZoom(share, total)


def contrasts_in(views: Views) -> Contrasts:
    """How the views of a pyramid are pooled."""
    pooling = views.pooling
    assert isinstance(pooling, Contrasts)  # noqa: S101 (a fact about pyramids)
    return pooling


def sum_cells(grid: Floats, view: View) -> Floats:
    """A grid in the cells of a view: of shape (2^A, 2^B)."""
    rows, columns = (1 << halved for halved in view)
    height, width = grid.shape
    cells = grid.reshape(rows, height // rows, columns, width // columns)
    return np.asarray(cells.sum(axis=(1, 3)))


def _worths(share: Floats, own: View, view: View) -> Floats:
    """K: by how many halvings a cell of a view has in common with one of the zoom."""
    rows, columns = (
        _along(least, halved) for least, halved in zip(own, view, strict=True)
    )
    return rows @ share[: rows.shape[1], : columns.shape[1]] @ columns.T


def _along(own: int, halved: int) -> Floats:
    """U: what contrasts of each level are worth, by halvings in common; of shape (m +
    1, m + 1).
    """
    most = min(own, halved)
    common, level = np.ogrid[: most + 1, : most + 1]
    size = np.where(level, 2.0 ** (level - halved - 1), 2.0**-halved)
    signs = np.where(level <= common, 1.0, np.where(level == common + 1, -1.0, 0.0))
    return size * signs


def _square(level: Level, worths: Floats, own: View) -> tuple[float, Floats]:
    """Return a view's part of mean squares: a constant, and a part by the shares of
    cells.
    """
    sharing = np.outer(
        *(_sharing(of_axis, many) for of_axis, many in _axes(own, worths))
    )
    whole, square = float((sharing * worths).sum()), float((sharing * worths**2).sum())
    q, none, one = level.q, level.with_none, level.with_one
    excess = level.p - q
    constant = none * whole**2 + (q - none) * square - (q * whole) ** 2
    once = 2 * whole * (one - none - q * excess)
    twice = excess - 2 * (one - none)
    held = once * _differences(worths) + twice * _differences(worths**2)
    weight = level.share * level.factor**2
    return weight * constant, weight * held


def _axes(own: View, worths: Floats) -> tuple[tuple[int, int], tuple[int, int]]:
    return (own[0], worths.shape[0]), (own[1], worths.shape[1])


def _sharing(own: int, many: int) -> Floats:
    """How many cells along an axis have so many halvings in common, and no more."""
    common = np.arange(many)
    return np.where(common < many - 1, 2.0 ** (own - common - 1), 2.0 ** (own - common))


def _differences(worths: Floats) -> Floats:
    """From what cells with just so much in common are worth, to those with as much or
    more.
    """
    return np.diff(np.diff(worths, axis=0, prepend=0.0), axis=1, prepend=0.0)
