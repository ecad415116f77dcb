"""Requests of a map, as people write them: rectangles, zooms, and how districts count.

Raises `EstimateError` for what is none.
"""

from __future__ import annotations

from ldp.errors import EstimateError
from ldp_aggregator.answers.distributions.asking import range_of

BY = ("area", "centre")
"""How cells are counted that borders of districts cut."""
_MOST_DIGITS = 4


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
