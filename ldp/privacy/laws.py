"""Binomial laws in fixed point, from below and from above: no logarithm, no gamma
function.

Rules
- A probability is an integer in units of 2^-BITS; `low` ones are at most what they
  stand for, `high` ones at least.
- A law is worked out relative to its mode, outwards, each step rounded both ways, until
  it is negligible; what lies beyond is bounded by a geometric series. Divided by the
  sum of all these masses are probabilities.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

BITS = 192
UNIT = 1 << BITS

_WORKING = 1 << 256
"""The mode, in the units of laws that are not yet divided by their sum."""
WHOLE = 110
"""How far a law is followed."""


class Binomial(NamedTuple):
    """The law of Bin(n, p) from `start` on, until it is negligible, relative to its
    mode.
    """

    start: int
    low: list[int]
    high: list[int]
    below: int
    """At least the mass of less than `start`."""
    above: int
    """At least the mass of more than the last."""
    least: int
    """At most the mass of all."""
    most: int
    """At least the mass of all."""

    @property
    def end(self) -> int:
        """One more than the last number."""
        return self.start + len(self.low)

    def at_most(self, mass: int) -> int:
        """A probability, rounded up, from a mass that was."""
        return -(-(mass << BITS) // self.least)

    def at_least(self, mass: int) -> int:
        """A probability, rounded down, from a mass that was."""
        return (mass << BITS) // self.most


def binomial(count: int, chance: Fraction, reach: int = WHOLE) -> Binomial:
    """The law of the number of successes among `count` with a probability of `chance`
    each.

    As far as it is above 2^-`reach` of its mode.
    """
    yes, whole = chance.as_integer_ratio()
    no = whole - yes
    if yes == 0 or no == 0 or count == 0:
        one = [_WORKING]
        place = count if no == 0 else 0
        return Binomial(
            place, one, one, below=0, above=0, least=_WORKING, most=_WORKING
        )
    mode = min((count + 1) * yes // whole, count)
    upward, above = _side(count, mode, 1, odds=(yes, no), least=_WORKING >> reach)
    downward, below = _side(count, mode, -1, odds=(yes, no), least=_WORKING >> reach)
    low = [
        *(pair[0] for pair in reversed(downward)),
        _WORKING,
        *(pair[0] for pair in upward),
    ]
    high = [
        *(pair[1] for pair in reversed(downward)),
        _WORKING,
        *(pair[1] for pair in upward),
    ]
    return Binomial(
        mode - len(downward),
        low,
        high,
        below=below,
        above=above,
        least=sum(low),
        most=sum(high) + below + above,
    )


def _side(
    count: int, mode: int, step: int, odds: tuple[int, int], least: int
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
        # P(place + 1) / P(place) = (count - place) p / ((place + 1) (1 - p)), which
        # falls.
        up, down = (count - place) * yes, (place + 1) * no
        if high < least and up < down:
            return masses, -(-high * up // (down - up))
        low, high = low * up // down, -(-high * up // down)
        masses.append((low, high))
        place += 1
    return masses, 0
