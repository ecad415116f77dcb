"""Sums over what symbols support: from symbols to the cells of a level, and from cells
to symbols.

Of numbered sets a product with a small matrix; of projective-geometry response one
correlation. A cell is known to its response by a place (`ldp.mechanisms.numbers.tree`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np

from ldp.mechanisms.numbers.tree import Space
from ldp.mechanisms.values.numbered_subsets import members_of_all
from ldp.mechanisms.values.projective import geometry
from ldp_aggregator.decoders.moments.supports import walsh_hadamard
from ldp_aggregator.numerics.arrays import Floats, Integers
from ldp_aggregator.numerics.projective.cyclic_design import CyclicDesign, cyclic_design


class Transform(Protocol):
    """Both ways between the cells of a level and the symbols of its response."""

    def supports(self, numbers: Floats) -> Floats:
        """Of every cell, the sum over the symbols that support it: (..., cells) from
        symbols.
        """

    def worths(self, alpha: Floats) -> Floats:
        """Of every symbol, the sum over the cells that it supports: (..., symbols) from
        cells.
        """


def transform_of(space: Space, cells: int) -> Transform:
    """The transform of a level with so many cells."""
    order, number, step = space
    if order:
        points = geometry(order, number).points
        return Points(order, number, np.arange(cells) * step % points)
    if number == 1:
        return Symbols()
    return Sets(members_of(cells, number))


def members_of(size: int, chosen: int) -> Floats:
    """1 where a set has a value, of shape (values, sets)."""
    places = np.array(members_of_all(size, chosen))
    members = np.zeros((size, len(places)))
    members[places, np.arange(len(places))[:, None]] = 1
    return members


class Symbols:
    """Transform of sets of one: a symbol for each cell."""

    def supports(self, numbers: Floats) -> Floats:
        """The same numbers."""
        return numbers

    def worths(self, alpha: Floats) -> Floats:
        """The same numbers."""
        return alpha


class Sets:
    """Transform of larger sets; `members` is of shape (cells, sets)."""

    def __init__(self, members: Floats) -> None:
        self._members = members

    def supports(self, numbers: Floats) -> Floats:
        """Supports as in `Transform`."""
        return numbers @ self._members.T

    def worths(self, alpha: Floats) -> Floats:
        """Worths as in `Transform`."""
        return alpha @ self._members


class Points:
    """Transform of the points of a space; a point supports another if that supports
    it.
    """

    def __init__(self, order: int, dimension: int, places: Integers) -> None:
        self._order = order
        self._dimension = dimension
        self._places = places
        """Of every cell the point that it is known by."""

    @cached_property
    def _design(self) -> CyclicDesign:
        return cyclic_design(self._order, self._dimension)

    def supports(self, numbers: Floats) -> Floats:
        """As in `Transform`."""
        return self._sums(numbers)[..., self._places]

    def worths(self, alpha: Floats) -> Floats:
        """As in `Transform`."""
        points = geometry(self._order, self._dimension).points
        padded = np.zeros((*alpha.shape[:-1], points))
        padded[..., self._places] = alpha
        return self._sums(padded)

    def _sums(self, numbers: Floats) -> Floats:
        """Sum for every point over those orthogonal to it: of shape (..., points)."""
        if self._order > 2:
            return self._design.sums(numbers)
        # The bits of a point are its index plus 1; those of 0 are no point.
        whole = np.concatenate([np.zeros((*numbers.shape[:-1], 1)), numbers], axis=-1)
        transformed = walsh_hadamard(whole)
        return np.asarray((transformed[..., :1] + transformed[..., 1:]) / 2)
