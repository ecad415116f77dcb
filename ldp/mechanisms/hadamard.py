"""Hadamard response, the one-block form: one of K = 2^k > d symbols, supported by half of the values each.

    report y supports value x if the bits that y shares with x + 1 are even in number;  p = R / (R + 1),  q = 1/2

A draw decides whether the report supports the truth, draws a uniform symbol, and where its parity is the wrong one
flips the lowest bit of x + 1 in it. Decoded for all values at once by one fast Walsh-Hadamard transform.

Source: Acharya, Sun and Zhang 2019 (with B = 1); Bassily and Smith 2015.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ldp.channel import Channel
from ldp.domain import Domain, Value
from ldp.exact import odds
from ldp.keys import Keys
from ldp.layout import MOST_SYMBOLS, Layout
from ldp.mechanisms.contract import Declared, Mechanism, small_closed
from ldp.randomness import Random, bernoulli, randbelow


class HadamardResponse(NamedTuple):
    """Weight `truth` for the half of the `symbols` that supports the value, `other` for the rest."""

    size: int
    symbols: int
    truth: int
    other: int

    @property
    def kind(self) -> str:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """A symbol."""
        return Layout(symbols=self.symbols)

    @property
    def ratio(self) -> Fraction:
        """The odds of a symbol that supports the value against one that does not."""
        return Fraction(self.truth, self.other)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        return Fraction(self.truth, self.truth + self.other), Fraction(1, 2)

    def joint_support(self) -> None:
        """It depends on the true value: where x + 1 xor z + 1 belongs to it, a report supports none or all three."""
        return

    def randomize(self, value: Value, random: Random) -> int:
        """A symbol."""
        mask = int(value) + 1
        supports = bernoulli(self.truth, self.truth + self.other, random)
        symbol = randbelow(self.symbols, random)
        if (symbol & mask).bit_count() & 1 == supports:
            symbol ^= mask & -mask
        return symbol

    def channel(self) -> Channel:
        """A row for each value, a column for each symbol."""
        half = self.symbols // 2 * (self.truth + self.other)
        odd = [[(y & x).bit_count() & 1 for y in range(self.symbols)] for x in range(1, self.size + 1)]
        return Channel(tuple(tuple(Fraction(self.other if bit else self.truth, half) for bit in row) for row in odd))


def design(keys: Keys, domain: Domain) -> tuple[HadamardResponse, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    size = domain.size or 2
    return HadamardResponse(size, 1 << size.bit_length(), *odds(epsilon)), Declared.epsilon(epsilon)


MECHANISM = Mechanism("hr", "Hadamard response", ("epsilon",), small_closed(MOST_SYMBOLS - 1), design)
