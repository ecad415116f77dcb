"""Errors of all cells of a zoom: of 2^A x 2^B cells side by side, in one pass.

But for what all cells have to add up to, cells of a zoom are alike on the plane: what a
report is worth to one of them, u, is what it is worth to the first, moved. So mean
squares given what people hold move with the cells, and with r for the score of the
whole map, less 1, and b as in `plane`,

    score of a cell = u - b r
    mean square     = mean of u^2 - 2 b mean of u r + b^2 mean of r^2

where the first adds up what E[u^2 | place] is over where people are, moved to each cell
(from the shares of cells, without bias); the second how often reports support places,
each weighed by its r, moved likewise; the third is the same for all. Each of them is a
product of waves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ldp.mechanisms.places.pyramid import View
from ldp_aggregator.decoders.stripes.plane import (
    Plane,
    PlaneScores,
    supporting,
    windows,
)
from ldp_aggregator.decoders.stripes.squares import worths
from ldp_aggregator.numerics.arrays import Counts, Floats


class StripeZoom(NamedTuple):
    """The cells of a zoom, of shape (cells,) each."""

    share: Floats
    mean_square: Floats
    """Of their scores."""
    even: Floats
    """N Var, if places are held evenly."""


class First(NamedTuple):
    """The first cell of a zoom, as if the whole map were not known to add up to 1."""

    query: Floats
    """1 on the cell, of shape (P, P)."""
    scores: PlaneScores


def first_cell(plane: Plane, view: View) -> First:
    """First cell of a zoom."""
    side, modulus = plane.stripes.side, plane.stripes.modulus
    query = np.zeros(plane.shape)
    query[: side >> view[0], : side >> view[1]] = 1
    constant = np.array([query.sum() / modulus**2])
    return First(query, PlaneScores(constant, plane.solve(query)[None]))


def zoom_in(plane: Plane, counts: Counts, frequency: Floats, view: View) -> StripeZoom:
    """The cells of a zoom, from the shares of all cells of the map, (values,)."""
    first, reports = first_cell(plane, view), counts.sum()
    (constant,) = first.scores.constant.tolist()
    share = _of_cells(plane, _convolve(plane.laid(frequency), first.query), view)
    part = _of_cells(plane, _convolve(plane.whole, first.query), view) / plane.of_whole
    rest = _of_rest(plane)
    of_first = _convolve(plane.laid(frequency), _squares_by_place(plane, first))
    together = plane.scale * _convolve(
        supporting(plane, counts * rest), first.scores.alpha[0]
    )
    crossed = (
        _of_cells(plane, together, view) + constant * (counts * rest).sum()
    ) / reports
    squared = (counts * rest**2).sum() / reports
    square = _of_cells(plane, of_first, view) - 2 * part * crossed + part**2 * squared
    alone = (first.query * first.scores.alpha[0]).sum()
    even = plane.scale**2 / plane.stripes.modulus * (alone - part**2 * plane.of_whole)
    return StripeZoom(share, square, even)


def score_bounds(plane: Plane) -> tuple[float, float]:
    """Beyond which no score of any single cell of the map is."""
    depth = plane.stripes.side.bit_length() - 1
    first = first_cell(plane, (depth, depth))
    (of_first,) = worths(plane, first.scores)
    part = plane.on_map(plane.whole) / plane.of_whole
    rest = _of_rest(plane)
    # The least and the greatest of b r.
    ends = np.outer((part.min(), part.max()), (rest.min(), rest.max()))
    return float(of_first.min() - ends.max()), float(of_first.max() - ends.min())


def _of_rest(plane: Plane) -> Floats:
    """R, of every report: what it says that the whole map has, beyond 1; of shape (K,
    P).
    """
    share = plane.stripes.size / plane.stripes.modulus**2
    return share - 1 + plane.scale * windows(plane, plane.whole)


def _squares_by_place(plane: Plane, first: First) -> Floats:
    """E[u^2 | place] of the first cell, of shape (P, P)."""
    stripes = plane.stripes
    ((worth,),) = worths(plane, first.scores)
    squared = plane.law[:, None] * worth**2
    excess = float(stripes.ratio) - 1
    mass = stripes.mass / stripes.other
    return np.asarray((squared.sum() + excess * supporting(plane, squared)) / mass)


def _convolve(numbers: Floats, around: Floats) -> Floats:
    """The sum of numbers times what is around, moved to each place: of shape (P, P)."""
    waves = np.fft.fft2(numbers) * np.fft.fft2(around).conj()
    return np.fft.ifft2(waves).real


def _of_cells(plane: Plane, by_place: Floats, view: View) -> Floats:
    """Return the numbers at the first place of each cell of a zoom, of shape
    (cells,).
    """
    side = plane.stripes.side
    return by_place[: side : side >> view[0], : side : side >> view[1]].ravel()
