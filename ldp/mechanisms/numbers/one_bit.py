"""The one-bit mean: a whole number as one bit, more often a 1 the higher the number is.

Of the values 0, ..., N, with R the rational just below e^epsilon,

    P[1 | x] = q + (p - q) x / N,  p = R / (R + 1),  q = 1 / (R + 1)

so that (bit - q) / (p - q) N is x on average. Its law is that of rounding x at random
to one of the two ends, in proportion to how near it is, and of randomized response for
that end. The ends are told apart with odds of R, any other values with less. A draw is
one uniform integer below (R + 1) N, in units of the weights.

A mean is all that a bit can tell: how values spread about it leaves no trace.

Source: Duchi, Jordan and Wainwright 2018, Section 4.1 (in one dimension); Ding,
Kulkarni and Yekhanin 2017, Section 3 (1BitMean).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, integers_up_to
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 1 << 16


class OneBitMean(NamedTuple):
    """The last of `size` values is a 1 with weight `truth` to `other`, the first the
    reverse.
    """

    size: int
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded by a mean."""
        return "mean"

    @property
    def layout(self) -> Layout:
        """A symbol: 0 or 1."""
        return Layout(symbols=2)

    @property
    def ratio(self) -> Fraction:
        """The odds of the two ends."""
        return Fraction(self.truth, self.other)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """(p, q): the probabilities of a 1 from the last value, and from the first."""
        total = self.truth + self.other
        return Fraction(self.truth, total), Fraction(self.other, total)

    def blanket(self) -> Blanket:
        """Derived from the rates of the two ends."""
        from ldp.mechanisms.blankets import of_rates

        return of_rates(*self.ends)

    def randomize(self, value: Value, random: Random) -> int:
        """The bit, from one integer in which every value has its own line."""
        last = self.size - 1
        line = self.other * last + (self.truth - self.other) * int(value)
        return int(randbelow((self.truth + self.other) * last, random) < line)

    def channel(self) -> Channel:
        """A row for each value: P[0], P[1]."""
        p, q = self.ends
        ones = [
            q + (p - q) * Fraction(value, self.size - 1) for value in range(self.size)
        ]
        return Channel(tuple((1 - one, one) for one in ones))

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return OneBitMean(3, 3, 1), (8,)


def design(keys: Keys, domain: Domain) -> tuple[OneBitMean, Declared]:
    """`epsilon`."""
    epsilon = keys.epsilon()
    return OneBitMean(domain.size or 2, *odds(epsilon)), Declared.epsilon(epsilon)


MECHANISM = Mechanism(
    "one-bit",
    "one-bit mean",
    ("epsilon",),
    accepts=integers_up_to(MOST_VALUES),
    design=design,
)
