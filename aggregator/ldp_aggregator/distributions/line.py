"""Where the values of a question lie on a line, and which of them are within a range.

Values are points (whole numbers, or those of a scale in steps) or cells. A range [a, b) has the
points p with a <= p < b. Of cells it has whole ones, so that its ends have to be their edges. On a
circle, such as the hours of a day, a range may begin late and end early.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ldp.domain import Domain
from ldp.errors import EstimateError
from ldp.exact import decimal_text, fraction
from ldp_aggregator.arrays import Floats, Integers

MOST_CELLS = 16
"""Of a histogram, unless its edges are given."""

MOST_VALUES = 1 << 13
"""Whose frequencies are shown one by one."""

_NICE = (Fraction(1), Fraction(2), Fraction(5, 2), Fraction(5), Fraction(10))
_NEAREST = 5

Number = int | float | str | Fraction


class Cells(NamedTuple):
    """Ranges side by side, from the first value to the last."""

    places: tuple[tuple[int, int], ...]
    """Of the first value in each, and of the one behind its last."""
    names: tuple[str, ...]
    queries: Floats
    """1 for the values within, of shape (cells, values)."""


class Line(NamedTuple):
    """The values of a question in their order."""

    starts: tuple[Fraction, ...]
    """The points, or the lower edges of the cells."""
    end: Fraction
    """What lies behind the last: one step beyond the last point, or the last edge."""
    cells: bool
    step: Fraction
    """Of points."""

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.starts)

    @property
    def edges(self) -> tuple[Fraction, ...]:
        """Where values begin, and where the last one ends."""
        return (*self.starts, self.end)

    def place(self, end: Fraction) -> int:
        """How many values lie below. Raises `EstimateError` for an end within a cell."""
        place = bisect_left(self.starts, end)
        if self.cells and end not in (self.end, *self.starts[place : place + 1]):
            inner = self.starts[0] < end < self.end
            if inner:
                nearest = self.edges[max(place - 2, 0) : place + _NEAREST - 2]
                listed = ", ".join(map(decimal_text, nearest))
                raise EstimateError(
                    f"expected ranges of whole cells, whose edges are ... {listed} ..., got the "
                    f"end {decimal_text(end)}"
                )
        return min(place, self.size)

    def within(self, low: Number, high: Number) -> Floats:
        """1 for each value of [low, high), of shape (values,); beyond the line there is none.

        Raises `EstimateError` for an empty range, and for an end within a cell.
        """
        first, last = _number(low), _number(high)
        if first >= last:
            raise EstimateError(
                f"expected a range whose first end is below the other, got {low}:{high}"
            )
        return self.between_places(self.place(first), self.place(last))

    def between_places(self, first: int, last: int) -> Floats:
        """1 for each value from one place up to another, of shape (values,)."""
        query = np.zeros(self.size)
        query[first:last] = 1
        return query

    def ends(self, first: int, last: int) -> tuple[Fraction, Fraction]:
        """The least and the greatest number from one place up to another."""
        return self.starts[first], self.edges[last] if self.cells else self.starts[last - 1]

    def below(self, places: Integers) -> Floats:
        """1 for the values below each of these places, of shape (places, values)."""
        return np.asarray(np.arange(self.size) < places[:, None], dtype=np.float64)

    def name(self, first: int, last: int) -> str:
        """A range of values in words."""
        start = decimal_text(self.starts[first])
        if not self.cells:
            final = decimal_text(self.starts[last - 1])
            return start if last == first + 1 else f"{start} to {final}"
        closing = "]" if last == self.size else ")"
        return f"[{start}, {decimal_text(self.edges[last])}{closing}"

    def histogram(self, edges: Sequence[Number] | None = None) -> Cells:
        """The cells of a histogram with these edges; without any, few cells with round ends.

        Edges beyond the line are let be. Raises `EstimateError` for edges that do not rise, and for
        one within a cell.
        """
        if edges is None:
            return self._cells(self._usual_places())
        exact = [_number(edge) for edge in edges]
        if any(following <= edge for edge, following in pairwise(exact)):
            raise EstimateError(f"expected edges that rise, got {', '.join(map(str, edges))}")
        inner = {self.place(edge) for edge in exact} - {0, self.size}
        return self._cells([0, *sorted(inner), self.size])

    @property
    def values(self) -> Cells:
        """Every value by itself. Raises `EstimateError` where there are very many."""
        if self.size > MOST_VALUES:
            raise EstimateError(
                f"expected at most {MOST_VALUES:,} values to be shown one by one, got "
                f"{self.size:,}; ranges of them have edges (--edges)"
            )
        return self._cells(range(self.size + 1))

    def _cells(self, places: Sequence[int]) -> Cells:
        pairs = tuple(pairwise(places))
        names = tuple(self.name(first, last) for first, last in pairs)
        queries = np.array([self.between_places(first, last) for first, last in pairs])
        return Cells(pairs, names, queries)

    def _usual_places(self) -> list[int]:
        if self.size <= MOST_CELLS:
            return list(range(self.size + 1))
        if self.cells:
            together = -(-self.size // MOST_CELLS)
            return [*range(0, self.size, together), self.size]
        width = _nice_above((self.end - self.starts[0]) / MOST_CELLS, self.step)
        first = math.floor(self.starts[0] / width) + 1
        inner = [first * width]
        while inner[-1] + width < self.end:
            inner.append(inner[-1] + width)
        return [0, *(self.place(edge) for edge in inner), self.size]


def line_of(domain: Domain) -> Line | None:
    """The line of a question; None where values are not in an order, or too many to be listed."""
    if domain.scale is None and domain.numbers is None:
        return None
    if not domain.is_listed or domain.size is None:
        return None
    if domain.scale is not None and domain.scale.edges:
        edges = domain.scale.edges
        return Line(edges[:-1], edges[-1], cells=True, step=Fraction(0))
    low, step = domain.spacing or (Fraction(0), Fraction(1))
    starts = tuple(low + step * place for place in range(domain.size))
    return Line(starts, low + step * domain.size, cells=False, step=step)


def _nice_above(width: Fraction, step: Fraction) -> Fraction:
    """The least round number from a width on that is a multiple of the step; else steps."""
    power = Fraction(10) ** math.floor(math.log10(width))
    for nice in _NICE:
        if nice * power >= width and (nice * power / step).denominator == 1:
            return nice * power
    return step * math.ceil(width / step)


def _number(number: Number) -> Fraction:
    try:
        return fraction(number)
    except ValueError:
        raise EstimateError(f"expected a number for the end of a range, got {number!r}") from None
