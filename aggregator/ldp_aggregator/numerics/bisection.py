"""Where something begins to hold that holds from there on, found by halving what is
left.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

_HALVINGS = 60


def least_whole(low: int, high: int, holds: Callable[[int], bool]) -> int | None:
    """The least whole number from `low` to `high` for which it holds.

    None if it does not even for `high`.
    """
    if holds(high):
        return low + bisect_left(range(low, high), True, key=holds)
    return None


def least_share(holds: Callable[[float], bool]) -> float | None:
    """The least share for which it holds, at most 2^-52 too large.

    None if it does not even for 1.
    """
    low, high = 0.0, 1.0
    if not holds(high):
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
