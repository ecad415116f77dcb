"""Numbers for people: percent, and no more digits than a range bears.

    reading(0.312, 0.29, 0.334)     "31 %" and "29 to 33 %"
    reading(-0.03, 0.0, 0.0204)     "" and "0 to 2 %": noise took the estimate below all shares
    reading(0.4, 0.1, 0.9)          "" and "too few answers yet"

Files for machines have decimals instead.
"""

from __future__ import annotations

from math import ceil, isfinite, log10
from typing import NamedTuple

PERCENT, POINTS = "%", "points"
"""The units of shares, and of differences between them; numbers have units of their own."""
TOO_FEW = "too few answers yet"
_WIDEST = 0.5
"""The width of a range of shares beyond which it says next to nothing."""


class Reading(NamedTuple):
    """An estimate as text, and its range; either may be empty."""

    value: str
    range: str

    def __str__(self) -> str:
        return ", ".join(filter(None, self))


def reading(estimate: float, low: float, high: float, unit: str = PERCENT) -> Reading:
    """Return how people read an estimate in a range."""
    if not isfinite(estimate):
        return Reading("", "")
    if not (isfinite(low) and isfinite(high)):
        return Reading(_with_unit(_digits(estimate, 0.005, unit), unit), "")
    if unit == PERCENT and high - low > _WIDEST:
        return Reading("", TOO_FEW)
    half = (high - low) / 2
    first, last = _digits(low, half, unit), _digits(high, half, unit)
    ends = f"{first} to {last}" if first != last else first
    shown = _digits(estimate, half, unit)
    # Noise took it to the end of what is possible, or beyond.
    known = unit != PERCENT or (estimate < 1 and shown != "0")
    value = _with_unit(shown, unit) if known else ""
    return Reading(value, _with_unit(ends, unit))


def tick_text(number: float, unit: str) -> str:
    """Return a number at an axis."""
    if unit in (PERCENT, POINTS):
        return f"{100 * number:.4g} %"
    return f"{number:,.6g}"


def _digits(number: float, half: float, unit: str) -> str:
    """A number whose last digit stands for no less than a tenth of half the range's width."""
    factor = 100 if unit in (PERCENT, POINTS) else 1
    if half <= 0:
        return f"{factor * number:.4g}"
    places = -ceil(log10(factor * half / 10) - 1e-9)
    rounded = round(factor * number, places) + 0.0  # no -0
    sign = "+" if unit == POINTS else ""
    return f"{rounded:{sign},.{max(places, 0)}f}" if rounded else "0"


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit else text
