"""Points of a projective space in arrays, numbered as in
`ldp.mechanisms.values.projective`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldp.mechanisms.values.projective import geometry
from ldp_aggregator.numerics.arrays import Integers
from ldp_aggregator.numerics.projective.field_arrays import Elements, FieldArrays

_CHUNK = 1 << 15


def vectors(points: Integers, order: int, dimension: int) -> tuple[Integers, Integers]:
    """The vectors of points, given by their indices, and the place values of their
    first digits.

    These digits are 1. All of shape (points,).
    """
    before = np.array([geometry(order, fewer).points for fewer in range(dimension)])
    digits = np.searchsorted(before, points, "right") - 1
    places = order**digits
    return places + points - before[digits], places


def coordinates(vectors: Integers, order: int, dimension: int) -> list[Elements]:
    """The coordinates of vectors that are given as numbers, one array for each, from
    the first.
    """
    digits = []
    for _ in range(dimension):
        # Several times as quick as the remainder that numpy has.
        higher = vectors // order
        digits.append((vectors - higher * order).astype(np.int32))
        vectors = higher
    return digits[::-1]


def indices(coordinates: Sequence[Elements], field: FieldArrays) -> Elements:
    """The indices of the points that vectors, given coordinate by coordinate, lie on.

    -1 for a vector of zeros.
    """
    order = field.order
    dimension = len(coordinates)
    # How much greater than its index is the vector of a point whose first digit stands
    # at a place, by place, (dimension,).
    places = order ** np.arange(dimension)[::-1]
    excess = (places - (places - 1) // (order - 1)).astype(np.int32)
    result = np.empty(len(coordinates[0]), dtype=np.int32)
    for start in range(0, len(result), _CHUNK):
        chunk = [axis[start : start + _CHUNK] for axis in coordinates]
        # The first coordinate that is not 0, and where it stands, (chunk,) each;
        # `zeros` are the vectors of which none has been met yet.
        first = chunk[0].copy()
        first_at = np.zeros(len(first), dtype=np.int8)
        zeros = np.flatnonzero(first == 0)
        for at in range(1, dimension):
            first[zeros] = chunk[at][zeros]
            first_at[zeros] = at
            zeros = zeros[first[zeros] == 0]
        # The vectors on the same lines whose first coordinate is 1, as numbers.
        scale = field.inverses[first]
        number = np.zeros(len(first), dtype=np.int32)
        for axis in chunk:
            number *= order
            number += field.products(axis, scale)
        result[start : start + _CHUNK] = number - excess[first_at]
    return result
