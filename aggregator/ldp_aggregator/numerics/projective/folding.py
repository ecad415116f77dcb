"""Tallies of projective-geometry response for spaces far larger than their questions.

A tally has a cell for each point of the space, and a space may have many times as many
points as the question has values. What all values need to know of the reports takes
little more than a cell each.

The values are the first points (`values.projective`): all those of fewer coordinates
than t, and of the others those whose upper two coordinates are (1, 0), (1, 1), ... as
far as there are values. Let g be one of these pairs, or (0, 1) for the former: point i
of the projective line. A value x whose upper two coordinates are c g meets a report y
at

    <x, y> = c <g, (y_1, y_2)> + x_3 y_3 + ... + x_t y_t
           = <(c, x_3, ..., x_t), (<g, (y_1, y_2)>, y_3, ..., y_t)>

so all that it needs to know of y is that shorter vector: a point of the space of one
dimension less, or 0, which is orthogonal to all. Each slice of the tally counts these
for one g, and holds every report once: in column 0 if its vector is 0, else in column 1
+ the index of its point. So d values take little more than d cells, however large the
space, and their support counts are exact, as ever.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ldp.mechanisms.values.projective import geometry, vector
from ldp.numbers.layout import Folding
from ldp_aggregator.numerics.arrays import Integers
from ldp_aggregator.numerics.projective.field_arrays import FieldArrays
from ldp_aggregator.numerics.projective.points import coordinates, indices, vectors

_field = lru_cache(maxsize=2)(FieldArrays)


def folded_shape(folding: Folding) -> tuple[int, int]:
    """(slices, cells of a slice)."""
    return folding.slices, 1 + geometry(folding.order, folding.dimension).block


def folded_points(points: Integers, folding: Folding) -> Integers:
    """The tally of reports that name points, given by their indices."""
    return folded_vectors(vectors(points, folding.order, folding.dimension)[0], folding)


def folded_vectors(vectors: Integers, folding: Folding) -> Integers:
    """The tally of reports that name the points of vectors."""
    slices, cells = folded_shape(folding)
    field = _field(folding.order)
    first, second, *others = coordinates(vectors, folding.order, folding.dimension)
    counts = np.empty((slices, cells), dtype=np.int64)
    for index, row in enumerate(counts):
        # <g, (y_1, y_2)> of every report, (reports,).
        pair = divmod(vector(index, folding.order), folding.order)
        met = field.combination(
            (factor, axis)
            for factor, axis in zip(pair, (first, second), strict=True)
            if factor
        )
        # Column 0 counts vectors of zeros, whose index is -1.
        row[:] = np.bincount(indices([met, *others], field) + 1, minlength=cells)
    return counts
