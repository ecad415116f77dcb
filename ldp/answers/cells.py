"""Cells of a map that are rectangles of their own: their names, and which of them a
place is in.

A rectangle is named by its ends, x first: `5.9:8.2,45.8:47.8`, as those are that an
analyst asks for. From each first end it goes up to, but not including, the second; on
the far borders of the map both ends count. A question has them as named cells
(`ldp.survey.readers.place_keys`), and an app asks here for the name of the one that its
place is in: exactly, as decimals are written.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ldp.errors import AnswerError
from ldp.numbers.exact import decimal_text, fraction

Span = tuple[Fraction, Fraction]


def cell_name(x: Span, y: Span) -> str:
    """The name of a rectangle, from the ends of its sides."""
    return ",".join(":".join(map(decimal_text, ends)) for ends in (x, y))


def cell_at(cells: Iterable[str], x: float | str, y: float | str) -> str:
    """The name of the cell that a place is in. Raises `AnswerError` where it is in
    none.

    >>> import ldp
    >>> ldp.cell_at(["0:1,0:4", "1:4,0:4"], 1, 3.5)
    '1:4,0:4'
    """
    place = _number(x), _number(y)
    spans = {name: _spans(name) for name in cells}
    most = [max(sides[axis][1] for sides in spans.values()) for axis in range(2)]
    for name, sides in spans.items():
        if all(
            low <= number < high or number == high == last
            for number, (low, high), last in zip(place, sides, most, strict=True)
        ):
            return name
    raise AnswerError(
        "expected a place in one of the question's cells, got one in none of them"
    )


def _spans(name: str) -> tuple[Span, Span]:
    x, _, y = name.partition(",")
    return _span(x), _span(y)


def _span(text: str) -> Span:
    low, _, high = text.partition(":")
    try:
        return fraction(low), fraction(high)
    except ValueError:
        raise AnswerError(
            "expected cells with names such as 0:1,2.5:4 (x, then y)"
        ) from None


def _number(number: float | str) -> Fraction:
    try:
        return fraction(number)
    except ValueError:
        raise AnswerError("expected two numbers, x and y") from None
