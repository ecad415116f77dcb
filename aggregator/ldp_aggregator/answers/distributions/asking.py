"""Requests of a distribution, as people write them: quantiles, ranges, edges.

Raises `EstimateError` for what is none.
"""

from __future__ import annotations

from ldp.errors import EstimateError
from ldp.numbers.exact import fraction


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


def _is_number(text: str) -> bool:
    try:
        fraction(text)
    except ValueError:
        return False
    return True
