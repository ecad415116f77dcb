"""Numbers for people: percent, and no more digits than a range bears.

    reading(0.312, 0.29, 0.334)     "31 %" and "29 to 33 %"
    reading(-0.03, 0.0, 0.0204)     "" and "0 to 2 %": noise took the estimate below all
                                    shares
    reading(0.4, 0.1, 0.9)          "" and "too few answers yet"

Files for machines have decimals instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10
from typing import NamedTuple
from unicodedata import bidirectional

PERCENT, POINTS = "%", "points"
"""The units of shares, and of differences between them; numbers have units of their
own.
"""
TOO_FEW = "too few answers yet"
_FINEST = 8
"""How many steps of the last digit half a range has at most, to be read at all."""
_WIDEST = 0.5
"""The width of a range of shares beyond which it says next to nothing."""


class Reading(NamedTuple):
    """An estimate as text, and its range; either may be empty, as may a range without
    width.
    """

    value: str
    range: str

    def __str__(self) -> str:
        return ", ".join(filter(None, self))


def reading(estimate: float, low: float, high: float, unit: str = PERCENT) -> Reading:
    """Return how people read an estimate in a range."""
    if not isfinite(estimate):
        return Reading("", "")
    if not (isfinite(low) and isfinite(high)):
        return Reading(_with_unit(_digits([estimate], 0.005, unit)[0], unit), "")
    if unit == PERCENT and high - low > _WIDEST:
        return Reading("", TOO_FEW)
    value, first, last = _digits((estimate, low, high), (high - low) / 2, unit)
    ends = first
    if first != last:
        ends = f"{first} to {last}"
    # Noise took it to the end of what is possible, or beyond.
    known = unit != PERCENT or (0 < estimate < 1 and value != "0")
    if not known:
        return Reading("", _with_unit(ends, unit))
    return Reading(
        _with_unit(value, unit), "" if ends == value else _with_unit(ends, unit)
    )


def isolated(text: str) -> str:
    """Return text that runs from right to left so that it turns nothing around it."""
    runs_left = any(bidirectional(letter) in ("R", "AL") for letter in text)
    if runs_left:
        return f"\u2068{text}\u2069"
    return text


def tick_text(number: float, unit: str) -> str:
    """Return a number at an axis."""
    if unit in (PERCENT, POINTS):
        return f"{100 * number:.4g} %"
    return f"{number:,.6g}"


def _digits(numbers: Sequence[float], half: float, unit: str) -> list[str]:
    """Numbers whose last digits stand for no less than an eighth of half the range's
    width.
    """
    factor = 100 if unit in (PERCENT, POINTS) else 1
    places = 2
    if half > 0:
        places = -ceil(log10(factor * half / _FINEST))
    rounded = [round(factor * number, places) for number in numbers]
    if places < 0 and len(numbers) > 1:
        # Ends that are rounded to tens would lose a part of the range.
        _, low, high = numbers
        step = 10.0**-places
        first, last = (round(factor * end / step, 9) for end in (low, high))
        rounded[1:] = floor(first) * step, ceil(last) * step
    if all(number == int(number) for number in rounded):
        places = 0
    sign = "+" if unit == POINTS else ""
    return [
        f"{number:{sign},.{max(places, 0)}f}" if number else "0" for number in rounded
    ]


def _with_unit(text: str, unit: str) -> str:
    if unit:
        return f"{text} {unit}"
    return text
