"""Where the values of a question lie on a line, and which of them are within a range.

Values are points (whole numbers, or those of a scale in steps) or cells. A range [a, b)
has the points p with a <= p < b. Of cells it has whole ones, so that its ends have to
be their edges.

On a circle, such as the hours of a day, the first value follows the last one, and a
range may begin late and end early: [22, 6) goes on until the end and from the start.
Cut anywhere, a circle is a line again.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ldp.answers.domain import Domain
from ldp.answers.scales import EvenPoints
from ldp.errors import EstimateError
from ldp.numbers.exact import decimal_text, fraction
from ldp_aggregator.numerics.arrays import Floats, Indices, Integers

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


class OrderedValues(NamedTuple):
    """The values of a question in their order."""

    starts: Sequence[Fraction]
    """The points, or the lower edges of the cells."""
    end: Fraction
    """What lies behind the last: one step beyond the last point, or the last edge."""
    cells: bool
    step: Fraction
    """Of points."""
    circular: bool = False
    """Whether the first value follows the last."""

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.starts)

    @property
    def edges(self) -> tuple[Fraction, ...]:
        """Where values begin, and where the last one ends."""
        return (*self.starts, self.end)

    def place(self, end: Fraction) -> int:
        """How many values lie below. Raises `EstimateError` for an end within a
        cell.
        """
        place = bisect_left(self.starts, end)
        if self.cells and end not in (self.end, *self.starts[place : place + 1]):
            inner = self.starts[0] < end < self.end
            if inner:
                nearest = self.edges[max(place - 2, 0) : place + _NEAREST - 2]
                listed = ", ".join(map(decimal_text, nearest))
                raise EstimateError(
                    f"expected ranges of whole cells, whose edges are ... {listed} "
                    f"..., got the end {decimal_text(end)}"
                )
        return min(place, self.size)

    def within(self, low: Number, high: Number) -> Floats:
        """1 for each value of [low, high), of shape (values,); beyond the line there is
        none.

        Raises `EstimateError` as `places` does.
        """
        return self.between_places(*self.places(low, high))

    def places(self, low: Number, high: Number) -> tuple[int, int]:
        """The place of the first value of [low, high), and of the one behind its last.

        Where the range goes around a circle, places are counted on.

        Raises `EstimateError` for an empty range, for an end within a cell, and for one
        that is not on the circle, if it is one.
        """
        first, last = _number(low), _number(high)
        if self.circular:
            return self._places_around(first, last)
        if first >= last:
            raise EstimateError(
                "expected a range whose first end is below the other, got "
                f"{low}:{high} (only a question that says `circular = true` has ranges "
                "that go around)"
            )
        return self.place(first), self.place(last)

    def _places_around(self, first: Fraction, last: Fraction) -> tuple[int, int]:
        self._check_on_circle(first, last)
        if first == last:
            raise EstimateError(
                f"expected a range with two different ends, got {decimal_text(first)} "
                "twice"
            )
        place, end = self.place(first), self.place(last)
        if first < last:
            return (place, end)
        return (place, end + self.size)

    def _check_on_circle(self, *ends: Fraction) -> None:
        outside = [end for end in ends if not self.starts[0] <= end <= self.end]
        if outside:
            raise EstimateError(
                f"expected numbers of the circle, from {decimal_text(self.starts[0])} "
                f"to {decimal_text(self.end)}, got {decimal_text(outside[0])}"
            )

    def between_places(self, first: int, last: int) -> Floats:
        """1 for each value from one place up to another, of shape (values,).

        Beyond the last place of a circle its places are counted on.
        """
        onwards = (np.arange(self.size) - first) % self.size
        return np.asarray(onwards < last - first, dtype=np.float64)

    @property
    def period(self) -> Fraction:
        """The length of the circle."""
        return self.end - self.starts[0]

    @property
    def middles(self) -> Floats:
        """The points, or the middles of the cells, of shape (values,)."""
        starts = np.array([float(start) for start in self.starts])
        if not self.cells:
            return starts
        ends = np.array([float(edge) for edge in self.edges[1:]])
        return np.asarray((starts + ends) / 2)

    def cut(self, at: Number) -> tuple[OrderedValues, Indices]:
        """The circle as a line from a value on, and which of its values follow one
        another there.

        Numbers go on beyond the end: an hour after 23 is 24. Raises `EstimateError`
        where it cannot be cut.
        """
        exact = _number(at)
        if not self.starts[0] <= exact < self.end:
            raise EstimateError(
                f"expected a number from {decimal_text(self.starts[0])} up to "
                f"{decimal_text(self.end)} to cut the circle at, got {at}"
            )
        first = self.place(exact) % self.size
        starts = (
            *self.starts[first:],
            *(start + self.period for start in self.starts[:first]),
        )
        line = OrderedValues(
            starts, starts[0] + self.period, cells=self.cells, step=self.step
        )
        return line, np.roll(np.arange(self.size), -first)

    def ends(self, first: int, last: int) -> tuple[Fraction, Fraction]:
        """The least and the greatest number from one place up to another."""
        return self.starts[first], self.edges[last] if self.cells else self.starts[
            last - 1
        ]

    def below(self, places: Integers) -> Floats:
        """1 for the values below each of these places, of shape (places, values)."""
        return np.asarray(np.arange(self.size) < places[:, None], dtype=np.float64)

    def name(self, first: int, last: int) -> str:
        """A range of values in words."""
        start = decimal_text(self.starts[first % self.size])
        if not self.cells:
            final = decimal_text(self.starts[(last - 1) % self.size])
            if last == first + 1:
                return start
            return f"{start} to {final}"
        end = self.edges[last if last <= self.size else last - self.size]
        closing = "]" if last == self.size and not self.circular else ")"
        return f"[{start}, {decimal_text(end)}{closing}"

    def histogram(self, edges: Sequence[Number] | None = None) -> Cells:
        """The cells of a histogram with these edges; without any, few cells with round
        ends.

        Edges beyond a line are let be, but for one at least. Those of a circle cut it:
        the last cell goes on to the first edge. Raises `EstimateError` for edges that
        do not rise, and for one within a cell.
        """
        if edges is None:
            return self._cells(self._usual_places())
        exact = [_number(edge) for edge in edges]
        if any(following <= edge for edge, following in pairwise(exact)):
            raise EstimateError(
                f"expected edges that rise, got {', '.join(map(str, edges))}"
            )
        if self.circular:
            return self._around(exact)
        inner = {self.place(edge) for edge in exact} - {0, self.size}
        if not inner:
            first, last = decimal_text(self.starts[0]), decimal_text(self.end)
            raise EstimateError(
                f"expected an edge between {first} and {last}, got "
                f"{', '.join(map(str, edges))}"
            )
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

    def _around(self, edges: Sequence[Fraction]) -> Cells:
        """From each edge to the next, and from the last one around to the first."""
        self._check_on_circle(*edges)
        # The end of a circle is its start.
        places = sorted({self.place(edge) % self.size for edge in edges})
        return self._cells([*places, places[0] + self.size])

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


def line_of(domain: Domain) -> OrderedValues | None:
    """The line of a question; None where values are not in an order, or too many to be
    listed.
    """
    if domain.scale is None and domain.numbers is None:
        return None
    if not domain.is_listed or domain.size is None:
        return None
    if domain.scale is not None and domain.scale.edges:
        edges = domain.scale.edges
        return OrderedValues(
            edges[:-1],
            edges[-1],
            cells=True,
            step=Fraction(0),
            circular=domain.circular,
        )
    low, step = domain.spacing or (Fraction(0), Fraction(1))
    end = low + step * domain.size
    return OrderedValues(
        EvenPoints(low, step, domain.size),
        end,
        cells=False,
        step=step,
        circular=domain.circular,
    )


def _nice_above(width: Fraction, step: Fraction) -> Fraction:
    """The least round number from a width on that is a multiple of the step; else
    steps.
    """
    power = Fraction(10) ** math.floor(math.log10(width))
    for nice in _NICE:
        if nice * power >= width and (nice * power / step).denominator == 1:
            return nice * power
    return step * math.ceil(width / step)


def _number(number: Number) -> Fraction:
    try:
        return fraction(number)
    except ValueError:
        raise EstimateError(
            f"expected a number for the end of a range, got {number!r}"
        ) from None
