"""Hadamard response: one of K symbols, which supports half of the values of one of B
blocks.

A Hadamard matrix has entries of 1 and -1, and any two of its rows agree in half of
their places. So if values are rows and reports are columns, a report tells one half of
the values from the other half, and decoding is a fast transform. Large epsilons can
tell more: then values are dealt out to blocks, each with a matrix of its own.

Values are dealt out to the blocks in turn, so that neighbours are apart: value x is in
block x mod B, where its row is x // B + 1. Symbol y is in block y // (K/B), and y mod
(K/B) is its row. It supports those values of its block whose row shares an even number
of bits with its own, and says nothing of other blocks. With R the odds of a symbol that
supports the value, what is sent

    is in the value's block and supports it with probability                R / (R + 2B - 1)
    is in the other half of it, or in any half of another block, each with  1 / (R + 2B - 1)

Of the symbols in either half of a block, half support any other value of that block. So
a report is worth c to the values that it supports, -c to the others of its block, and
nothing to the rest:

    c = (R + 2B - 1) / (R - 1)
    mean square, to value x:  c (R + 1) / (R - 1) from those who hold a value of its
                              block, 2 c / (R - 1) from all others
    Var(estimate of f_x) = [c (2 / (R - 1) + F) - f_x] / n,  with F for the share of the former

Over all d values that adds up to at most 2 d c / (R - 1) + c ceil(d / B) - 1, whatever
respondents hold. The number of blocks is the power of two for which this is least, next
to (R - 1) / 2. One block is best up to R = 1 + 2 sqrt(2) or thereabouts: then a report
supports half of all values, with p = R / (R + 1) and q = 1/2.

A draw is one uniform integer below R + 2B - 1 (in units of the weights), which names a
half or a block, and a uniform row, of which one bit is flipped if it is in the value's
block and in the wrong half: the lowest that the value's row has. Decoded for all values
at once by a fast Walsh-Hadamard transform of each block.

The recursive form draws a row first, and then reports the value's block and its sign in
that row by k-ary response among 2B. What such a report is worth to a value has the same
law, so the errors are the same, and there are 2 K symbols.

Source: Acharya, Sun and Zhang 2019; Bassily and Smith 2015 (one block); Chen, Kairouz
and Ozgur 2020 (recursive).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_short_list
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import MOST_SYMBOLS, Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket


class HadamardResponse(NamedTuple):
    """Hadamard response in `blocks` of `symbols` in all.

    Weight `truth` for the half block that supports the value, `other` for the rest.
    """

    size: int
    blocks: int
    symbols: int
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded by counting, block by block."""
        return "blocks"

    @property
    def layout(self) -> Layout:
        """A symbol."""
        return Layout(symbols=self.symbols)

    @property
    def ratio(self) -> Fraction:
        """The odds of a symbol that supports the value against one that does not."""
        return Fraction(self.truth, self.other)

    @property
    def rows(self) -> int:
        """Symbols of a block; one of them, row 0, no value has."""
        return self.symbols // self.blocks

    @property
    def halves(self) -> tuple[Fraction, Fraction]:
        """The probabilities of the half that supports the value, and of any other
        half.
        """
        return Fraction(self.truth, self._total), Fraction(self.other, self._total)

    @property
    def within(self) -> tuple[Fraction, Fraction]:
        """How likely a report of a value's block supports it: if it is the true one,
        and if not.
        """
        return Fraction(self.truth, self.truth + self.other), Fraction(1, 2)

    @property
    def worth(self) -> Fraction:
        """Weight c of a report for the values that it supports."""
        return Fraction(self._total, self.truth - self.other)

    @property
    def squares(self) -> Fraction:
        """The mean squares of what a report is worth to each value, added up: at
        most.
        """
        return Fraction(self._squares, (self.truth - self.other) ** 2)

    @property
    def _total(self) -> int:
        """Sum of the weights of all halves."""
        return self.truth + (2 * self.blocks - 1) * self.other

    @property
    def _squares(self) -> int:
        """The squares, but for a divisor that all numbers of blocks have in common."""
        fullest = -(-self.size // self.blocks)
        return self._total * (
            2 * self.size * self.other + fullest * (self.truth - self.other)
        )

    def block_and_row(self, value: int) -> tuple[int, int]:
        """The block and the row of a value."""
        return value % self.blocks, value // self.blocks + 1

    def blanket(self) -> Blanket:
        """A value is supported by half of its block; the worst pair lies in two
        blocks.
        """
        from ldp.mechanisms.blankets import two_levels

        half = Fraction(1, 2 * self.blocks)
        if self.blocks > 1:
            return two_levels(self.ratio, half, Fraction(0))
        return two_levels(self.ratio, half / 2, half / 2)

    def randomize(self, value: Value, random: Random) -> int:
        """A symbol."""
        own, mask = self.block_and_row(int(value))
        weight = randbelow(self._total, random)
        row = randbelow(self.rows, random)
        # After the half of the supporters comes the other one of their block, then two
        # of each block.
        after = 0 if weight < self.truth else 1 + (weight - self.truth) // self.other
        block = (own + after // 2) % self.blocks
        if after < 2 and (row & mask).bit_count() & 1 != after:
            row ^= mask & -mask
        return block * self.rows + row

    def channel(self) -> Channel:
        """A row for each value, a column for each symbol."""
        half_block = self.rows // 2
        likely, unlikely = (mass / half_block for mass in self.halves)
        places = [self.block_and_row(value) for value in range(self.size)]
        return Channel(
            tuple(
                tuple(
                    likely
                    if block == own and (row & mask).bit_count() % 2 == 0
                    else unlikely
                    for block in range(self.blocks)
                    for row in range(self.rows)
                )
                for own, mask in places
            )
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return HadamardResponse(10, 4, 16, truth=12, other=1), (8, 2)


def least_error_response(size: int, truth: int, other: int) -> HadamardResponse:
    """The one with the least total error, whatever respondents hold.

    Of those, the one with the fewest blocks.
    """
    numbers = (1 << power for power in range(size.bit_length()))
    responses = (
        HadamardResponse(size, blocks, _symbols(size, blocks), truth=truth, other=other)
        for blocks in numbers
    )
    fitting = (response for response in responses if response.symbols <= MOST_SYMBOLS)
    return min(fitting, key=lambda response: response._squares)


def _symbols(size: int, blocks: int) -> int:
    """Return how many symbols give each block more than the values dealt out to it."""
    return blocks << (-(-size // blocks)).bit_length()


def design(keys: Keys, domain: Domain) -> tuple[HadamardResponse, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    return least_error_response(domain.size or 2, *odds(epsilon)), Declared.epsilon(
        epsilon
    )


MECHANISM = Mechanism(
    "hr",
    "Hadamard response",
    ("epsilon",),
    accepts=needs_short_list(MOST_SYMBOLS - 1),
    design=design,
)
