"""Arithmetic with arrays and polynomials over a finite field
(`ldp.numbers.finite_field`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ldp.numbers.finite_field import difference, inverse, products

Elements = NDArray[np.int32]


class FieldArrays:
    """The field of `order` elements."""

    def __init__(self, order: int) -> None:
        self.order = order
        self.characteristic = order if products(order) is None else 2
        self.inverses = np.array(
            [0, *(inverse(element, order) for element in range(1, order))],
            dtype=np.int32,
        )
        self._rows = products(order)
        self._table = (
            None if self._rows is None else np.array(self._rows, dtype=np.int32)
        )

    def negative(self, element: int) -> int:
        """Return the element that adds up to 0 with this one."""
        return difference(0, element, self.order)

    def products(self, left: Elements, right: Elements) -> Elements:
        """Element by element."""
        if self._table is None:
            return self._reduce(left * right)
        return self._table[left, right]

    def combination(self, terms: Iterable[tuple[int, Elements]]) -> Elements:
        """The sum of arrays, each multiplied by an element that is not 0."""
        total: Elements | None = None
        for factor, array in terms:
            if self._table is None:
                part = array if factor == 1 else array * np.int32(factor)
                total = part if total is None else total + part
            else:
                part = self._table[factor][array]
                total = part if total is None else total ^ part
        if total is None:
            raise ValueError("expected at least one term")
        return self._reduce(total) if self._table is None else total

    def frobenius(self, element: int) -> int:
        """An element to the power of the characteristic."""
        if self._rows is None:
            return element
        return self._rows[element][element]

    def plus_multiple(
        self, vector: Sequence[int], factor: int, other: Sequence[int]
    ) -> list[int]:
        """The vector, and `factor` times the other added to it, in plain integers."""
        if self._rows is None:
            return [
                (one + factor * two) % self.order
                for one, two in zip(vector, other, strict=True)
            ]
        row = self._rows[factor]
        return [one ^ row[two] for one, two in zip(vector, other, strict=True)]

    def power_of_x(self, exponent: int, tail: Sequence[int]) -> list[int]:
        """x^exponent modulo the polynomial that makes x^t the sum of tail[i] x^i.

        Coefficients from the lowest.
        """
        size = len(tail)
        power = [1] + [0] * (size - 1)
        for bit in f"{exponent:b}":
            # Square and multiply: the sum over i of power[i] x^i power.
            factor = power
            square = [0] * size
            for coefficient in power:
                square = self.plus_multiple(square, coefficient, factor)
                factor = self._times_x(factor, tail)
            power = square
            if bit == "1":
                power = self._times_x(square, tail)
        return power

    def _reduce(self, numbers: Elements) -> Elements:
        # Several times as quick as the remainder that numpy has.
        reduced: Elements = numbers - numbers // np.int32(self.order) * np.int32(
            self.order
        )
        return reduced

    def _times_x(self, polynomial: Sequence[int], tail: Sequence[int]) -> list[int]:
        return self.plus_multiple([0, *polynomial[:-1]], polynomial[-1], tail)
