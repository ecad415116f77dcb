"""Binomial laws in fixed point, from below and from above: no logarithm, no gamma function, no float.

Rules
- A probability is an integer in units of 2^-BITS; `low` ones are at most what they stand for, `high`
  ones at least.
- A law is worked out relative to its mode, outwards, each step rounded both ways, until it is
  negligible; what lies beyond is bounded by a geometric series, and all is divided by the sum.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

BITS = 192
UNIT = 1 << BITS

_WORKING = 1 << 256
"""The mode, in the units of laws that are not yet divided by their sum."""
_NEGLIGIBLE = 1 << 256 - 110
"""2^-110 of the mode."""


class Binomial(NamedTuple):
    """The law of Bin(n, p) from `start` on, until it is negligible, in units of 2^-BITS."""

    start: int
    low: list[int]
    high: list[int]
    below: int
    """At least the probability of less than `start`."""
    above: int
    """At least the probability of more than the last."""

    @property
    def end(self) -> int:
        """One more than the last number."""
        return self.start + len(self.low)


def binomial(count: int, chance: Fraction) -> Binomial:
    """The law of the number of successes among `count` with a probability of `chance` each."""
    yes, whole = chance.as_integer_ratio()
    no = whole - yes
    if yes == 0 or no == 0 or count == 0:
        return Binomial(count if no == 0 else 0, [UNIT], [UNIT], below=0, above=0)
    mode = min((count + 1) * yes // whole, count)
    upward, above = _side(count, mode, 1, odds=(yes, no))
    downward, below = _side(count, mode, -1, odds=(yes, no))
    low = [*(pair[0] for pair in reversed(downward)), _WORKING, *(pair[0] for pair in upward)]
    high = [*(pair[1] for pair in reversed(downward)), _WORKING, *(pair[1] for pair in upward)]
    least, most = sum(low), sum(high) + below + above
    return Binomial(
        mode - len(downward),
        [(mass << BITS) // most for mass in low],
        [-(-(mass << BITS) // least) for mass in high],
        below=-(-(below << BITS) // least),
        above=-(-(above << BITS) // least),
    )


def _side(
    count: int, mode: int, step: int, odds: tuple[int, int]
) -> tuple[list[tuple[int, int]], int]:
    """The masses on one side of the mode, and a bound of what lies beyond them."""
    yes, no = odds
    if step < 0:
        # Failures are counted instead: the same steps, from the other end.
        yes, no, mode = no, yes, count - mode
    masses: list[tuple[int, int]] = []
    low = high = _WORKING
    place = mode
    while place < count:
        # P(place + 1) / P(place) = (count - place) p / ((place + 1) (1 - p)), which falls.
        up, down = (count - place) * yes, (place + 1) * no
        if high < _NEGLIGIBLE and 2 * up < down:
            return masses, -(-high * up // (down - up))
        low, high = low * up // down, -(-high * up // down)
        masses.append((low, high))
        place += 1
        if high < _NEGLIGIBLE and 2 * up >= down:
            # Near the mode still: go on, the series would not be a bound.
            continue
    return masses, 0
