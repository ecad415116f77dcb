"""Scales: where on a line of numbers an answer is counted.

A scale has points or cells, and all its numbers are exact.

    points  low, low + step, ..., high. A number between two of them counts as one or
            the other, drawn at random in proportion to how near it is: a mean is not
            biased by the rounding.
    cells   intervals [edge, next edge), the last with both ends. A number counts in the
            cell that it lies in.

What lies outside is refused, or clipped to the nearer end, or replaced by a number that
the survey names. Either is part of what is estimated: a mean is then that of what is
clipped. So is the unit: hours are not pooled with minutes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, overload

from ldp.errors import AnswerError
from ldp.numbers.exact import decimal_text

ROUNDING_BITS = 64
"""A number between two points goes to the upper one with a probability of T / 2^64.

T is rounded down; a mean is not moved by more than 2^-64 of a step.
"""

_NUMBER = re.compile(
    r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,3})?", re.ASCII
)
_RATIO = re.compile(r"[+-]?\d{1,400}/\d{1,400}", re.ASCII)
_MOST_DIGITS = 400
_TOO_LARGE = 10**_MOST_DIGITS


class EvenPoints(Sequence[Fraction]):
    """Points at even distances, each of which is worked out when it is asked for."""

    def __init__(self, low: Fraction, step: Fraction, size: int) -> None:
        self._low, self._step, self._places = low, step, range(size)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Fraction]:
        # Over one denominator: a sum of fractions would be reduced at every step.
        below = self._low.denominator * self._step.denominator
        first = self._low.numerator * self._step.denominator
        step = self._step.numerator * self._low.denominator
        return (Fraction(first + step * place, below) for place in self._places)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, EvenPoints):
            mine = (self._low, self._step, self._places)
            return mine == (other._low, other._step, other._places)
        return isinstance(other, tuple) and tuple(self) == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    @overload
    def __getitem__(self, place: int) -> Fraction: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Fraction, ...]: ...
    def __getitem__(self, place: int | slice) -> Fraction | tuple[Fraction, ...]:
        if isinstance(place, slice):
            return tuple(self._low + self._step * one for one in self._places[place])
        return self._low + self._step * self._places[place]


class Scale(NamedTuple):
    """The points or cells of a question of type number, and what is done with other
    numbers.

    `step` is that of points; `edges`, one more than there are cells, is empty for
    points.
    """

    low: Fraction
    high: Fraction
    size: int
    step: Fraction = Fraction(0)
    edges: Sequence[Fraction] = ()
    outside: str | Fraction = "refuse"
    """`refuse`, `clip`, or the number that stands in for those outside."""
    unit: str = ""
    missing: tuple[str, ...] = ()
    """Texts that stand for no answer in tables of answers."""

    @property
    def summary(self) -> str:
        """Its range and its steps or cells."""
        if self.edges:
            return f"{self.range_text} in {self.size:,} cells"
        return f"{self.range_text} in steps of {decimal_text(self.step)}"

    @property
    def range_text(self) -> str:
        """Its range, and what it is counted in."""
        unit = ""
        if self.unit:
            unit = f" {self.unit}"
        return f"from {decimal_text(self.low)} to {decimal_text(self.high)}{unit}"

    @property
    def estimand(self) -> str:
        """Treatment of numbers outside; empty where they are refused."""
        return estimand_of(self.outside, self.low, self.high)

    def iter_values(self) -> Iterator[str]:
        """The points as decimals, or the cells as intervals, in their order."""
        if self.edges:
            texts = [decimal_text(edge) for edge in self.edges]
            last = self.size - 1
            for cell in range(self.size):
                closing = "]" if cell == last else ")"
                yield f"[{texts[cell]}, {texts[cell + 1]}{closing}"
        else:
            yield from (
                decimal_text(self.low + self.step * place) for place in range(self.size)
            )

    def parts(self) -> Iterator[str]:
        """All that tells it from other scales, for a fingerprint."""
        if self.edges:
            yield f"edges={','.join(map(str, self.edges))}"
        else:
            yield f"low={self.low}"
            yield f"step={self.step}"
        yield f"outside={self.outside}"
        yield f"unit={self.unit}"
        yield from (f"missing={text}" for text in self.missing)

    def place(self, answer: object) -> tuple[int, int]:
        """The point below an answer and 2^64 times how far it is from there to the
        next.

        Or its cell, and 0. Raises `AnswerError` for what is no number, and for a number
        outside where those are refused.
        """
        return self.locate(self.within(self.number(answer)))

    def number(self, answer: object) -> Fraction:
        """The exact number that an answer is, wherever it lies. Raises
        `AnswerError`.
        """
        number = number_of(answer)
        if number is not None:
            return number
        if isinstance(answer, str):
            raise AnswerError(
                "expected a number such as 7 or 7.5, got a text that is none (texts "
                "that stand for no answer belong in `missing`)"
            )
        if isinstance(answer, int | float | Fraction) and not isinstance(answer, bool):
            raise AnswerError(
                f"expected a number that is finite, of at most {_MOST_DIGITS} digits, "
                "got another"
            )
        raise AnswerError(
            f"expected a number, got something of type {type(answer).__name__}"
        )

    def within(self, number: Fraction) -> Fraction:
        """A number of the range: itself, or what stands in for it. Raises
        `AnswerError`.
        """
        counted = stand_in(number, self.outside, self.low, high=self.high)
        if counted is None:
            low, high = decimal_text(self.low), decimal_text(self.high)
            raise AnswerError(f"expected a number from {low} to {high}, got another")
        return counted

    def locate(self, number: Fraction) -> tuple[int, int]:
        """The place of a number of the range, as `place` gives it."""
        if self.edges:
            return min(bisect_right(self.edges, number), self.size) - 1, 0
        # Of integers alone: a fraction would be reduced at every step.
        above = number - self.low
        steps = above.numerator * self.step.denominator
        whole = above.denominator * self.step.numerator
        point, rest = divmod(steps, whole)
        return point, (rest << ROUNDING_BITS) // whole


def estimand_of(outside: str | Fraction, low: Fraction, high: Fraction) -> str:
    """Describe the treatment of numbers outside of a range; empty where they are
    refused.
    """
    if outside == "refuse":
        return ""
    ends = f"[{decimal_text(low)}, {decimal_text(high)}]"
    if isinstance(outside, Fraction):
        return f"numbers outside {ends} count as {decimal_text(outside)}"
    return f"numbers are clipped to {ends}"


def stand_in(
    number: Fraction, outside: str | Fraction, low: Fraction, high: Fraction
) -> Fraction | None:
    """A number of the range: itself, or what stands in for it; None where it is
    refused.
    """
    if low <= number <= high:
        return number
    if outside == "clip":
        if number < low:
            return low
        return high
    if isinstance(outside, Fraction):
        return outside
    return None


def number_of(answer: object) -> Fraction | None:
    """The exact number that an answer is: an int, a `Decimal`, a `Fraction`, a float as
    written.

    None for what is not a number, infinities and NaN included, and for numbers of more
    than 400 digits.
    """
    if isinstance(answer, bool | str | bytes):
        return None
    # Python writes no integer of thousands of digits.
    if isinstance(answer, int) and abs(answer) >= _TOO_LARGE:
        return None
    # Numbers of other libraries are told by what they can do.
    if not (hasattr(answer, "__index__") or hasattr(answer, "__float__")):
        return None
    return read_number(
        float.__repr__(answer) if isinstance(answer, float) else str(answer)
    )


def read_number(text: str) -> Fraction | None:
    """The number that a text says as a decimal or as a ratio; None if it does not."""
    ratio = _RATIO.fullmatch(text)
    if ratio is None and not _NUMBER.fullmatch(text):
        return None
    if ratio is not None and not int(text.partition("/")[2]):
        return None
    return Fraction(text)
