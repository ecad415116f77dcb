"""Finite fields obey the axioms, exhaustively, and arrays over them agree with
elements.
"""

from itertools import product

import numpy as np
import pytest

from ldp.numbers.finite_field import (
    difference,
    inner_product,
    inverse,
    is_order,
    multiple,
)
from ldp_aggregator.numerics.projective.field_arrays import FieldArrays

ORDERS = (2, 3, 4, 5, 7, 8, 11, 16)


def times(left, right, order):
    """The product of two elements: vectors of one coordinate."""
    return multiple(left, right, order)


def plus(left, right, order):
    """The sum, from what the module offers."""
    return difference(left, difference(0, right, order), order)


def test_orders():
    """The primes, and three powers of two."""
    assert [order for order in range(-1, 40) if is_order(order)] == sorted(
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 4, 8, 16]
    )


@pytest.mark.parametrize("order", ORDERS)
def test_axioms(order):
    """Sums and products commute, associate and distribute; 0 and 1 are neutral.

    All but 0 have an inverse.
    """
    elements = range(order)
    for a, b in product(elements, repeat=2):
        assert plus(a, b, order) == plus(b, a, order) in elements
        assert times(a, b, order) == times(b, a, order) in elements
        assert difference(plus(a, b, order), b, order) == a
    for a, b, c in product(elements, repeat=3):
        assert plus(plus(a, b, order), c, order) == plus(a, plus(b, c, order), order)
        assert times(times(a, b, order), c, order) == times(
            a, times(b, c, order), order
        )
        assert times(a, plus(b, c, order), order) == plus(
            times(a, b, order), times(a, c, order), order
        )
    assert all(plus(a, 0, order) == a == times(a, 1, order) for a in elements)
    assert all(times(a, inverse(a, order), order) == 1 for a in elements if a)


@pytest.mark.parametrize("order", ORDERS)
def test_inner_product(order):
    """It is the sum of the products of the digits."""
    for one, other in product(range(min(order**3, 100)), range(0, order**3, order + 1)):
        total = 0
        for place in (1, order, order * order):
            total = plus(
                total, times(one // place % order, other // place % order, order), order
            )
        assert inner_product(one, other, order) == total


@pytest.mark.parametrize("order", ORDERS)
def test_arrays(order):
    """Products and combinations of arrays are those of their elements."""
    field = FieldArrays(order)
    left, right = (
        np.array(elements, dtype=np.int32)
        for elements in zip(*product(range(order), repeat=2), strict=True)
    )
    exact = [times(a, b, order) for a, b in product(range(order), repeat=2)]
    assert field.products(left, right).tolist() == exact
    for factor in range(1, order):
        combined = [
            plus(times(factor, a, order), b, order)
            for a, b in product(range(order), repeat=2)
        ]
        assert field.combination([(factor, left), (1, right)]).tolist() == combined
        assert field.plus_multiple(right.tolist(), factor, left.tolist()) == combined
