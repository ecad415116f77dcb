"""Summed histogram encoding (SHE): the one-hot vector of the value, with noise on each
entry.

The noise is discrete Laplace noise.

    entry x is [x is the true value] + N
    P[N = k] proportional to a^|k|,  a just above e^(-epsilon/2)

Two values differ in two entries, by 1 each, so they give a report with chances that
differ by a factor of at most a^-2; the estimate is the mean of the entries. An entry is
drawn in two steps, which have that law. It is at least 1, or at most 0, as a bit of
symmetric unary encoding is 1 or 0 (p = 1 / (1 + a), q = a / (1 + a)); and how far it
lies beyond that is geometric, P[m or farther] = a^m, and knows nothing of the value. So
epsilon is that of the bits, however the distances are rounded; and they are noise that
decoding would do better without: SUE has half the variance.

A distance is m or more if a word is below T_m: T_0 = 2^word, T_m = floor(T_(m-1) a).
Distances end before T_m = 0, and at 127, so that an entry is a byte; those that would
be longer are folded in there. This shortens them on average, so the score of a level is
its number, moved away from 1/2 by q / (p - q) - E[distance], which makes it unbiased.

Sources: Wang, Blocki, Li and Jha 2017, Section 4.2; Ghosh, Roughgarden and Sundararajan
2009 (discrete Laplace noise).
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, needs_short_list
from ldp.mechanisms.values.unary import UnaryEncoding, design_symmetric, joint_law
from ldp.numbers.channel import Channel
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import WORD, Random, draw_bits

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 1 << 14
MOST_LEVELS = 1 << 8


@lru_cache(maxsize=64)
def distance_thresholds(most: int, flip: int, word: int) -> tuple[int, ...]:
    """T_1, T_2, ... above 0, at most `most` of them.

    A distance is at least m with probability T_m / 2^word.
    """
    thresholds: list[int] = []
    span = 1 << word
    last = span * flip // (span - flip)
    while last and len(thresholds) < most:
        thresholds.append(last)
        last = last * flip // (span - flip)
    return tuple(thresholds)


class NoisyHistogram(NamedTuple):
    """An entry for each of `size` values, one of `levels` numbers.

    Level y stands for y + 1 - levels / 2.

    An entry is on the wrong side of 1/2 with probability `flip` / 2^word.
    """

    size: int
    levels: int
    flip: int
    word: int = WORD

    @property
    def kind(self) -> Kind:
        """Decoded by adding up scores."""
        return "sum"

    @property
    def layout(self) -> Layout:
        """A vector of levels."""
        return Layout(symbols=self.levels, places=self.size)

    @property
    def sides(self) -> UnaryEncoding:
        """The first step: which entries are at least 1."""
        return UnaryEncoding(
            self.size, (1 << self.word) - self.flip, self.flip, word=self.word
        )

    @property
    def ratio(self) -> Fraction:
        """Ratio of the sides: the distances know nothing of the value."""
        return self.sides.ratio

    @property
    def thresholds(self) -> tuple[int, ...]:
        """T_1 ... T_(levels/2 - 1)."""
        return distance_thresholds(self.levels // 2 - 1, self.flip, self.word)

    def blanket(self) -> Blanket:
        """Equal to that of the sides: how far a number lies on its side tells
        nothing.
        """
        return self.sides.blanket()

    def randomize(self, value: Value, random: Random) -> int:
        """The sides of all entries, then one word for each distance."""
        sides = draw_bits(
            1 << int(value), *self.sides[:3], random=random, word=self.word
        )
        rising = self.thresholds[::-1]
        half = self.levels // 2
        width = (self.word + 7) >> 3
        below = (1 << self.word) - 1
        tape = random(self.size * width)
        entries = bytearray(self.size)
        for place in range(self.size):
            word = (
                int.from_bytes(tape[place * width : (place + 1) * width], "little")
                & below
            )
            distance = len(rising) - bisect_right(rising, word)
            entries[place] = (
                half + distance if sides >> place & 1 else half - 1 - distance
            )
        return int.from_bytes(entries, "little")

    def distances(self) -> tuple[Fraction, ...]:
        """The probability of each distance."""
        span = 1 << self.word
        return tuple(
            Fraction(at_least - further, span)
            for at_least, further in pairwise((span, *self.thresholds, 0))
        )

    def level_law(self, *, holds: bool) -> tuple[Fraction, ...]:
        """The probability of each level, in the entry of the value that is held or in
        another.
        """
        above = self.sides.support[not holds]
        distances = self.distances()
        return (
            *((1 - above) * mass for mass in reversed(distances)),
            *(above * mass for mass in distances),
        )

    def scores(self) -> tuple[Fraction, ...]:
        """Contribution of an entry of each level to the estimate of its value.

        1 in expectation if it is held, else 0.
        """
        p, q = self.sides.support
        missing = q / (p - q) - Fraction(sum(self.thresholds), 1 << self.word)
        half = self.levels // 2
        return tuple(
            level + 1 - half + (missing if level >= half else -missing)
            for level in range(self.levels)
        )

    def variance(self) -> Fraction:
        """Variance of the score of an entry, the same whether its value is held or
        not.
        """
        masses = self.level_law(holds=False)
        squares = (
            mass * score**2 for mass, score in zip(masses, self.scores(), strict=True)
        )
        return sum(squares, Fraction(0))

    def channel(self) -> Channel:
        """One column for each vector of levels; of the entries, the first varies
        fastest.
        """
        laws = self.level_law(holds=False), self.level_law(holds=True)
        places = range(self.size)
        return Channel(
            tuple(
                joint_law(laws[place == value] for place in places) for value in places
            )
        )

    def small(self) -> None:
        """None: no tape of it is run."""


def design(keys: Keys, domain: Domain) -> tuple[NoisyHistogram, Declared]:
    """`epsilon`."""
    sides, declared = design_symmetric(keys, domain)
    levels = 2 + 2 * len(
        distance_thresholds(MOST_LEVELS // 2 - 1, sides.if_other, sides.word)
    )
    return NoisyHistogram(sides.size, levels, sides.if_other, word=sides.word), declared


MECHANISM = Mechanism(
    "she",
    "summed histogram encoding",
    ("epsilon",),
    accepts=needs_short_list(MOST_VALUES),
    design=design,
)
