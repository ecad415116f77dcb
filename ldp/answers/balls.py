"""Balls: vectors of numbers, none of them longer than a radius.

A device rounds its vector to whole numbers before anything else happens to it, each
coordinate to the nearest multiple of 2^-30 of the radius. All that follows is
arithmetic of integers, which every client repeats to the last bit. A mean is moved by
no more than 2^-31 of the radius by that.

What is longer than the radius is refused, or shortened to it in its own direction
(clipped, as the gradients of private learning are). Lengths of up to a millionth above
the radius are taken for the radius: a vector that was divided by its length in floats
is seldom of length 1 to the last digit.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from ldp.answers.scales import number_of, read_number
from ldp.errors import AnswerError
from ldp.numbers.exact import decimal_text

MOST_DIMENSIONS = 1 << 12
UNIT = 1 << 30
"""The radius, in the whole numbers that coordinates are rounded to."""

_SLACK = UNIT >> 20


class Ball(NamedTuple):
    """The vectors of so many `dimensions` and up to the length of `radius`."""

    dimensions: int
    radius: Fraction
    outside: str = "refuse"
    """`refuse` or `clip`."""

    @property
    def summary(self) -> str:
        """How many numbers, and how long they may be together."""
        return (
            f"of {self.dimensions:,} numbers, of length up to "
            f"{decimal_text(self.radius)}"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates: their numbers, from 1."""
        return tuple(map(str, range(1, self.dimensions + 1)))

    @property
    def estimand(self) -> str:
        """Treatment of longer vectors; empty where they are refused."""
        if self.outside == "refuse":
            return ""
        radius = decimal_text(self.radius)
        return (
            f"vectors longer than {radius} are shortened to that: the mean is that of "
            "these"
        )

    def parts(self) -> tuple[str, ...]:
        """All that tells it from other balls, for a fingerprint."""
        return (
            f"dimensions={self.dimensions}",
            f"radius={self.radius}",
            f"outside={self.outside}",
        )

    def value(self, answer: object) -> bytes:
        """The whole numbers of an answer, four bytes each. Raises `AnswerError`."""
        return pack_coordinates(
            self._within([self._whole(number) for number in self._numbers(answer)])
        )

    def _numbers(self, answer: object) -> list[Fraction]:
        # Arrays of other libraries are told by what they can do.
        if hasattr(answer, "tolist"):
            answer = answer.tolist()
        if not isinstance(answer, Sequence) or isinstance(
            answer, str | bytes | bytearray
        ):
            raise AnswerError(
                f"expected a sequence of {self.dimensions} numbers, got something of "
                f"type {type(answer).__name__}"
            )
        if len(answer) != self.dimensions:
            raise AnswerError(f"expected {self.dimensions} numbers, got more or fewer")
        exact = [number_of(entry) for entry in answer]
        numbers = [number for number in exact if number is not None]
        if len(numbers) < len(exact):
            raise AnswerError(
                f"expected {self.dimensions} numbers, got something else among them"
            )
        return numbers

    def _whole(self, number: Fraction) -> int:
        """A coordinate in parts of the radius: the nearest, of two the upper."""
        part = 2 * UNIT * number.numerator * self.radius.denominator
        whole = number.denominator * self.radius.numerator
        return (part + whole) // (2 * whole)

    def _within(self, coordinates: list[int]) -> list[int]:
        """Shorten a vector to the radius where it is longer."""
        square = sum(coordinate**2 for coordinate in coordinates)
        if square <= UNIT**2:
            return coordinates
        if self.outside == "refuse" and square > (UNIT + _SLACK) ** 2:
            raise AnswerError(
                f"expected a vector of length up to {decimal_text(self.radius)}, got a "
                "longer one"
            )
        length = isqrt(square)
        return [
            (2 * UNIT * coordinate + length) // (2 * length)
            for coordinate in coordinates
        ]


def pack_coordinates(coordinates: Sequence[int]) -> bytes:
    """Whole numbers as bytes."""
    return struct.pack(f"<{len(coordinates)}i", *coordinates)


def unpack_coordinates(value: bytes) -> tuple[int, ...]:
    """The whole numbers that bytes stand for."""
    return struct.unpack(f"<{len(value) // 4}i", value)


def read_vector(cell: str) -> object:
    """The numbers that a cell of a table holds, with spaces between them; else the
    cell.
    """
    numbers = [read_number(part) for part in cell.split()]
    if None in numbers:
        return cell
    return tuple(numbers)
