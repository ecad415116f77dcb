"""Sets of a question's values, as integers whose bit x is set if the set holds value x."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import combinations


def set_of(members: Iterable[int]) -> int:
    """The set of these values."""
    return reduce(lambda held, member: held | 1 << member, members, 0)


def members(held: int) -> list[int]:
    """The values of a set, in ascending order."""
    values = []
    while held:
        lowest = held & -held
        values.append(lowest.bit_length() - 1)
        held ^= lowest
    return values


def sets_of(size: int, most: int) -> Iterator[int]:
    """Every set of up to `most` of `size` values, small ones first.

    So the rows of a channel are ordered.
    """
    for number in range(most + 1):
        yield from map(set_of, combinations(range(size), number))
