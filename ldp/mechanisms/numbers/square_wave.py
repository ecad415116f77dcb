"""Square wave: the shape of a distribution of numbers, from one symbol that lies near
the answer.

A device reports a place on a line that reaches somewhat further than the values at both
ends. The places about its own value, as many as the window is wide, come more often
than the others, by odds of R: the report says roughly where the answer lies. From many
reports the shape of all answers can be worked out again, as a blurred picture can be
sharpened; their mean, and how much they differ, need no such work and are unbiased.

Of D values 0, ..., D - 1, with a window of w places, m = D + w - 1 places in all and R
the rational just below e^epsilon,

    P[j | x] = (R if x <= j < x + w else 1) / Z,  Z = R w + m - w
    y(j) = Z (j - (m-1) / 2) / ((R - 1) w) + (D-1) / 2,  E[y | x] = x

A window holds w places wherever it lies, so that Z depends on no answer, and the ratio
is R. A draw is one uniform integer below Z, in units of the weights.

The window is as wide as makes a report tell most about a value (their mutual
information, were reports spread evenly), in the limit of many values:

    w = the whole number nearest to 2 b D, at least 1
    2 b = (epsilon E - E + 1) / (E (E - 1 - epsilon)),  E = e^epsilon

which is nearly all of the range for a small epsilon, and .512, .259 and .061 of it at
1, 2 and 4. E is a rational that is closer to e^epsilon than 1e-70 of it, and everything
else is exact: no closer one would change a width.

Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric and Li 2020 (the square wave, its width, EM
and EMS); with as many places as integers need, its probabilities are exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small
from ldp.numbers.channel import Channel
from ldp.numbers.exact import exp_lower, odds
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 1 << 13


class SquareWave(NamedTuple):
    """Square wave: a window of `width` places with weight `truth`, the others of
    `other`.
    """

    size: int
    width: int
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded to a mean and a variance, and to a shape if that is asked for."""
        return "window"

    @property
    def places(self) -> int:
        """How many places there are to report."""
        return self.size + self.width - 1

    @property
    def layout(self) -> Layout:
        """The place as a symbol."""
        return Layout(symbols=self.places)

    @property
    def ratio(self) -> Fraction:
        """The odds of a place within the window against one outside.

        Any two values have places that are within the window of one of them alone.
        """
        return Fraction(self.truth, self.other)

    @property
    def rates(self) -> tuple[Fraction, Fraction]:
        """The probability of each place within the window, and of each outside."""
        return Fraction(self.truth, self._total), Fraction(self.other, self._total)

    @property
    def _total(self) -> int:
        # Outside of the window there are as many places as other values.
        return self.truth * self.width + self.other * (self.size - 1)

    def blanket(self) -> Blanket:
        """The windows of the two ends share the fewest places."""
        from ldp.mechanisms.blankets import two_levels

        shared = max(self.width - (self.size - 1), 0)
        return two_levels(
            self.ratio,
            Fraction(self.width - shared, self.places),
            Fraction(shared, self.places),
        )

    def randomize(self, value: Value, random: Random) -> int:
        """A place of the window, or one of the others, uniformly."""
        start = int(value)
        drawn = randbelow(self._total, random)
        within = self.truth * self.width
        if drawn < within:
            return start + drawn // self.truth
        beyond = (drawn - within) // self.other
        if beyond < start:
            return beyond
        return beyond + self.width

    def channel(self) -> Channel:
        """A row for each value, whose window begins one place later than that of the
        one before.
        """
        near, far = self.rates
        return Channel(
            tuple(
                tuple(
                    near if 0 <= place - value < self.width else far
                    for place in self._line
                )
                for value in range(self.size)
            )
        )

    def worth(self, place: int) -> Fraction:
        """y: what a report is worth to the mean, in values from the first."""
        middle = Fraction(self.places - 1, 2)
        scale = Fraction(self._total, (self.truth - self.other) * self.width)
        return scale * (place - middle) + Fraction(self.size - 1, 2)

    @property
    def _line(self) -> range:
        return range(self.places)

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return SquareWave(5, 3, 5, other=2), (8,)


def usual_width(size: int, epsilon: Fraction) -> int:
    """The whole number nearest to 2 b D, at least 1."""
    e = exp_lower(epsilon)
    share = (epsilon * e - e + 1) / (e * (e - 1 - epsilon))
    return max(1, math.floor(share * size + Fraction(1, 2)))


def accepts(domain: Domain) -> str | None:
    """Numbers in an order, as points or as cells."""
    ordered = domain.scale is not None or domain.type == "integer"
    if ordered and domain.size is not None and domain.size <= MOST_VALUES:
        return None
    return f"a question of type integer or number with at most {MOST_VALUES} values"


def design(keys: Keys, domain: Domain) -> tuple[SquareWave, Declared]:
    """`epsilon`; `width`, up to the number of values, if it is not to be the usual
    one.
    """
    epsilon = keys.epsilon()
    size = domain.size or 2
    width = keys.integer("width", 1, size, default=usual_width(size, epsilon))
    return SquareWave(size, width, *odds(epsilon)), Declared.epsilon(epsilon)


MECHANISM = Mechanism(
    "square-wave",
    "square wave, for the shape of a distribution",
    ("epsilon", "width"),
    accepts=accepts,
    design=design,
)
