"""k-ary (generalized) randomized response: the true value with odds R against each
other.

    p = R / (R + d - 1),  q = 1 / (R + d - 1),  R the rational just below e^epsilon

A report supports the one value it names. A draw is one uniform integer below R + d - 1
(in units of the weights).

Source: Kairouz, Bonawitz and Ramage 2016, Section 3.1. Optimal for few values.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_list
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket


class RandomizedResponse(NamedTuple):
    """The true value with weight `truth`, each of the other `size - 1` with weight
    `other`.
    """

    size: int
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """A symbol."""
        return Layout(symbols=self.size)

    @property
    def ratio(self) -> Fraction:
        """The odds of the truth against any one other value."""
        return Fraction(self.truth, self.other)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        total = self.truth + (self.size - 1) * self.other
        return Fraction(self.truth, total), Fraction(self.other, total)

    def joint_support(self) -> tuple[Fraction, Fraction]:
        """A report names one value, so it never supports two."""
        return Fraction(0), Fraction(0)

    def blanket(self) -> Blanket:
        """Reports support one value each."""
        from ldp.mechanisms.blankets import two_levels

        return two_levels(self.ratio, Fraction(1, self.size), Fraction(0))

    def randomize(self, value: Value, random: Random) -> int:
        """The value itself, or one of the others, uniformly."""
        size, truth, other = self
        index = int(value)
        beyond = randbelow(truth + (size - 1) * other, random) - truth
        if beyond < 0:
            return index
        another = beyond // other
        return another + (another >= index)

    def channel(self) -> Channel:
        """The d x d matrix with p on its diagonal and q elsewhere."""
        p, q = self.support
        return Channel(
            tuple(
                tuple(p if x == y else q for y in range(self.size))
                for x in range(self.size)
            )
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return RandomizedResponse(7, 20, 3), (8,)


def design(keys: Keys, domain: Domain) -> tuple[RandomizedResponse, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    return RandomizedResponse(domain.size or 2, *odds(epsilon)), Declared.epsilon(
        epsilon
    )


MECHANISM = Mechanism(
    "grr", "k-ary randomized response", ("epsilon",), accepts=needs_list, design=design
)
