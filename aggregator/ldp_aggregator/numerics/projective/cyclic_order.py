"""The points of a projective space in cyclic order (Singer 1938).

Projective-geometry response is decoded by counting, for every value, the reports that
are orthogonal to it. Between points in arbitrary order that means looking at all pairs.
In the order below, whether a report and a value are orthogonal depends on the sum of
their places alone, so the counts are one correlation, which an FFT takes in n log n
steps.

Let a be a root of x^t = c_0 + c_1 x + ... + c_(t-1) x^(t-1) over the field of q
elements such that a^0, a^1, ..., a^(v-1) are v different points; the polynomial is then
called projectively primitive, and a^v lies in the field. Let s_i be the coefficient of
a^(t-1) in a^i, written in the basis 1, a,
..., a^(t-1): a sequence with the recurrence s_(i+t) = c_0 s_i + ... + c_(t-1) s_(i+t-1). Write

    X_i = the coordinates of a^i in that basis,  Y_j = (s_j, s_(j+1), ..., s_(j+t-1))
    then  <X_i, Y_j> = s_(i+j)

so with values in the order of X and reports in that of Y, whether one supports the
other depends on i + j alone. As few of the c are not 0, and all coordinates are
stretches of one sequence, all of this takes a few passes of numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from ldp.mechanisms.values.projective import geometry
from ldp_aggregator.numerics.projective.field_arrays import Elements, FieldArrays
from ldp_aggregator.numerics.projective.points import indices

_CHUNK = 1 << 15


def cyclic_orders(order: int, dimension: int) -> tuple[Elements, Elements]:
    """(for each j the index of the point Y_j, for each index the i for which X_i is
    that point).
    """
    field, points = FieldArrays(order), geometry(order, dimension).points
    tail = next(
        tail
        for tail in _sparse_tails(order, dimension)
        if _projectively_primitive(tail, field, points)
    )
    # Only from i = t on does X_i need no s before the first; a^(i+v) is the same point
    # as a^i.
    sequence = _recurring(tail, field, points + 2 * dimension)
    values = indices(_basis_coordinates(tail, sequence, field, points=points), field)
    place_of = np.empty(points, dtype=np.int32)
    place_of[values] = (
        np.arange(dimension, points + dimension, dtype=np.int32)
    ) % points
    return indices(
        [sequence[at : at + points] for at in range(dimension)], field
    ), place_of


def _sparse_tails(order: int, dimension: int) -> Iterator[tuple[int, ...]]:
    """Every (c_0, ..., c_(t-1)), those with the most zeros first.

    c_0 and at least one other are not 0.
    """
    for others in range(1, dimension):
        for places in combinations(range(1, dimension), others):
            for coefficients in product(range(1, order), repeat=others + 1):
                tail = [0] * dimension
                for place, coefficient in zip((0, *places), coefficients, strict=True):
                    tail[place] = coefficient
                yield tuple(tail)


def _projectively_primitive(
    tail: Sequence[int], field: FieldArrays, points: int
) -> bool:
    """Whether x^v is a scalar and no x^(v / prime) is.

    Only then are there v different powers, up to scalars.
    """

    def scalar(exponent: int) -> bool:
        return not any(field.power_of_x(exponent, tail)[1:])

    return scalar(points) and not any(
        scalar(points // prime) for prime in _prime_factors(points)
    )


def _prime_factors(number: int) -> list[int]:
    factors = []
    factor = 2
    while factor * factor <= number:
        if number % factor == 0:
            factors.append(factor)
            while number % factor == 0:
                number //= factor
        factor += 1
    if number > 1:
        return [*factors, number]
    return factors


def _recurring(tail: Sequence[int], field: FieldArrays, length: int) -> Elements:
    """s_0, s_1, ... from 0, ..., 0, 1.

    With characteristic p, the p-th power of a relation between powers of a is one too:
    c_i becomes its p-th power, and all distances p times as far. So stretches of the
    sequence, ever longer, are computed at once.
    """
    dimension = len(tail)
    nearest = dimension - max(
        place for place, coefficient in enumerate(tail) if coefficient
    )
    terms = [
        (dimension - place, coefficient)
        for place, coefficient in enumerate(tail)
        if coefficient
    ]
    sequence = np.zeros(length, dtype=np.int32)
    sequence[dimension - 1] = 1
    end = dimension
    stride = 1
    while end < length:
        # As soon as there is enough to look back on, all distances grow by a factor.
        while dimension * stride * field.characteristic <= end:
            stride *= field.characteristic
            terms = [
                (back, field.frobenius(coefficient)) for back, coefficient in terms
            ]
        # No term may reach into what is being computed.
        size = min(length - end, nearest * stride, _CHUNK)
        starts = [(coefficient, end - back * stride) for back, coefficient in terms]
        sequence[end : end + size] = field.combination(
            (coefficient, sequence[at : at + size]) for coefficient, at in starts
        )
        end += size
    return sequence


def _basis_coordinates(
    tail: Sequence[int], sequence: Elements, field: FieldArrays, points: int
) -> list[Elements]:
    """The coordinates of X_t, X_(t+1), ..., X_(t+v-1), one array for each.

    a^i = a a^(i-1) gives coordinate b of X_i as coordinate b-1 of X_(i-1) plus c_b
    s_(i-1).
    """
    dimension = len(tail)
    # current[i - back] is the coordinate of X_i that we have come to; back grows until
    # another term is added to it.
    current = field.combination([(tail[0], sequence)])
    back = 1
    coordinates = []
    for place in range(dimension):
        if place:
            back += 1
            if tail[place]:
                shifted = np.concatenate(
                    [np.zeros(back - 1, dtype=np.int32), current[: 1 - back]]
                )
                current = field.combination([(1, shifted), (tail[place], sequence)])
                back = 1
        coordinates.append(current[dimension - back : dimension - back + points])
    return coordinates
