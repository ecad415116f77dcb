"""Finite fields, their elements written as the integers below their order.

In a field of prime order, sums and products are taken modulo it. In one of 4, 8 or 16
elements, bit i of an element is the coefficient of x^i of a polynomial over {0, 1}:
sums are exclusive ors, and products are taken modulo x^2 + x + 1, x^3 + x + 1 or x^4 +
x + 1. (Larger powers of two, and powers of other primes, have a prime close enough to
them.)

A vector over the field is one integer too: its coordinates are that integer's digits in
base q.
"""

from __future__ import annotations

from functools import lru_cache

_MODULI = {4: 0b111, 8: 0b1011, 16: 0b10011}


@lru_cache(maxsize=1 << 13)
def is_order(order: int) -> bool:
    """Whether there is a field of n elements here."""
    is_prime = order > 1 and all(
        order % factor for factor in range(2, int(order**0.5) + 1)
    )
    return order in _MODULI or is_prime


@lru_cache(maxsize=8)
def products(order: int) -> tuple[tuple[int, ...], ...] | None:
    """The multiplication table of a field of 4, 8 or 16 elements.

    None for a prime, which needs none.
    """
    if order not in _MODULI:
        return None
    return tuple(
        tuple(_product(left, right, order) for right in range(order))
        for left in range(order)
    )


def inverse(element: int, order: int) -> int:
    """The element whose product with this one is 1."""
    table = products(order)
    if table:
        return table[element].index(1)
    return pow(element, -1, order)


def difference(left: int, right: int, order: int) -> int:
    """The one less the other."""
    if order in _MODULI:
        return left ^ right
    return (left - right) % order


def inner_product(left: int, right: int, order: int) -> int:
    """The sum of the products of the coordinates of two vectors."""
    table = products(order)
    total = 0
    if table:
        while left and right:
            total ^= table[left % order][right % order]
            left //= order
            right //= order
        return total
    while left and right:
        total += (left % order) * (right % order)
        left //= order
        right //= order
    return total % order


def multiple(vector: int, factor: int, order: int) -> int:
    """A vector with every coordinate multiplied by `factor`."""
    table = products(order)
    scaled = 0
    place = 1
    while vector:
        digit = vector % order
        scaled += place * (table[digit][factor] if table else digit * factor % order)
        vector //= order
        place *= order
    return scaled


def _product(left: int, right: int, order: int) -> int:
    product = 0
    while right:
        if right & 1:
            product ^= left
        right >>= 1
        left <<= 1
        if left & order:
            left ^= _MODULI[order]
    return product
