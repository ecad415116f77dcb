"""Requests as people write them: quantiles, ranges, edges, rectangles, zooms.

Raises `EstimateError` for what is none.
"""

from __future__ import annotations

from ldp.errors import EstimateError
from ldp.numbers.exact import fraction

BY = ("area", "centre")
"""How cells are counted that borders of districts cut."""
_MOST_DIGITS = 4


def quantiles_of(text: str) -> tuple[float, ...]:
    """Parse shares such as `.1,.5,.9`."""
    try:
        return tuple(float(fraction(part)) for part in text.split(","))
    except ValueError:
        raise EstimateError(
            f"expected shares between 0 and 1, such as .1,.5,.9, got {text!r}"
        ) from None


def range_of(text: str) -> tuple[str, str]:
    """Parse a range such as `30:40`."""
    low, colon, high = text.partition(":")
    if not colon or not (_is_number(low) and _is_number(high)):
        raise EstimateError(f"expected a range such as 30:40, got {text!r}")
    return low.strip(), high.strip()


def edges_of(text: str) -> tuple[str, ...]:
    """Parse edges such as `18,25,40`."""
    parts = tuple(part.strip() for part in text.split(","))
    if not all(map(_is_number, parts)):
        raise EstimateError(
            f"expected numbers that rise, such as 18,25,40, got {text!r}"
        )
    return parts


def rectangle_of(text: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Parse a rectangle such as `10:20,30:40`: a range of x, and one of y."""
    x, comma, y = text.partition(",")
    if not comma:
        raise EstimateError(
            f"expected a rectangle such as 10:20,30:40 (x, then y), got {text!r}"
        )
    return range_of(x), range_of(y)


def zoom_of(text: str) -> tuple[int, int]:
    """Parse cells such as `8x8`: how many along x, and along y."""
    x, times, y = text.partition("x")
    numbers = [part for part in (x, y) if part.isascii() and part.isdigit()]
    if not times or len(numbers) < 2 or max(map(len, numbers)) > _MOST_DIGITS:
        raise EstimateError(
            f"expected numbers of cells such as 8x8 (x, then y), got {text!r}"
        )
    return int(x), int(y)


def _is_number(text: str) -> bool:
    try:
        fraction(text)
    except ValueError:
        return False
    return True
