"""Dithered k-ary response: the mean of a number, and its variance, from a symbol or two
bits.

A device rounds its number to one of k levels with the help of a public random offset,
the dither, and answers for the level by randomized response. As the dither travels with
the report, nothing is lost by the rounding on average: the level times its width, less
the dither, is the number in expectation, whatever it is.

Of the values 0, ..., N, with L = k - 1, Z = R + L and R the rational just below
e^epsilon,

    u uniform below N,  s = floor((L x + u) / N),  j = s with odds of R : 1 against each
    other level P[(u, j) | x] = (R if j = s else 1) / (N Z)
    y(u, j) = [N (Z j - k (k-1) / 2) / (R - 1) - u + (N-1) / 2] / L,  E[y | x] = x

The levels are told apart with odds of R, so any two values are. Where N is more than
4,096, x is first rounded to a grid of that many steps, up or down at random and without
bias, which adds less than (N / 4,096)^2 / 4 to a variance of several thousandths of
N^2.

The levels are as many as make the variance least, on average over values that are
spread evenly:

    12 L^2 variance / N^2 = 1 + 12 [q Z - m^2 + (R-1) k (1 - L^2) / 6] / (R-1)^2,
    m = k (k-1) / 2,  q = k (k-1) (2k-1) / 6

which makes 2 of them up to epsilon = ln 3, 3 up to 2.608, 4 up to 3.667.

Source: Schuchman 1964 (subtractive dither); Kairouz, Bonawitz and Ramage 2016 (k-ary
response); the variance follows from both.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, integers_up_to
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout, with_cohort
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 10**15 + 1
FINEST_GRID = 1 << 12
MOST_LEVELS = 1 << 8


class DitheredResponse(NamedTuple):
    """One of `size` whole numbers as one of `levels`, by a dither of `grid` steps.

    The level is the right one with weight `truth`, each other with weight `other`.
    """

    size: int
    grid: int
    levels: int
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded to a mean and a variance."""
        return "dithered"

    @property
    def layout(self) -> Layout:
        """The dither as a cohort, unless it is always 0, and the level as a symbol."""
        return Layout(cohorts=self.grid, symbols=self.levels)

    @property
    def response(self) -> RandomizedResponse:
        """Randomized response to the level."""
        return RandomizedResponse(self.levels, self.truth, self.other)

    @property
    def ratio(self) -> Fraction:
        """Ratio of two levels: the dither tells nothing."""
        return self.response.ratio

    def blanket(self) -> Blanket:
        """Equal to that of levels: the dither tells nothing of the answer."""
        from ldp.mechanisms.blankets import blanket_of

        return blanket_of(self.response)

    def randomize(self, value: Value, random: Random) -> int:
        """A place on the grid, a fresh dither, and the response to the level."""
        last = self.size - 1
        # No random number is drawn where the grid has all values, whichever was
        # answered.
        spare = 0
        if self.grid < last:
            spare = randbelow(last, random)
        place = (int(value) * self.grid + spare) // last
        dither = 0
        if self.grid > 1:
            dither = randbelow(self.grid, random)
        level = self._level(place, dither)
        return with_cohort(self.response.randomize(level, random), dither, self.grid)

    def channel(self) -> Channel:
        """A row for each value; a column for each dither and level, the level varying
        fastest.
        """
        return Channel(tuple(self._row(value) for value in range(self.size)))

    def worth(self, dither: int, level: int) -> Fraction:
        """y: what a report is worth to the mean, counted in steps of the grid from the
        first value.

        It is the place on the grid in expectation.
        """
        odds_, steps = self.ratio, self.levels - 1
        centred = (odds_ + steps) * level - Fraction(self.levels * steps, 2)
        worth = self.grid * centred / (odds_ - 1) - dither + Fraction(self.grid - 1, 2)
        return worth / steps

    def _level(self, place: int, dither: int) -> int:
        return ((self.levels - 1) * place + dither) // self.grid

    def _row(self, value: int) -> tuple[Fraction, ...]:
        last = self.size - 1
        place, above = divmod(value * self.grid, last)
        of_level = self.response.channel().rows
        row: list[Fraction] = []
        for dither in range(self.grid):
            lower = of_level[self._level(place, dither)]
            upper = of_level[self._level(place + (above > 0), dither)]
            row += (
                ((last - above) * low + above * high) / (last * self.grid)
                for low, high in zip(lower, upper, strict=True)
            )
        return tuple(row)

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return DitheredResponse(5, 4, 3, truth=5, other=1), (2, 8)


def usual_levels(ratio: Fraction) -> int:
    """The number of levels with the least variance; the fewest, where several have
    it.
    """
    levels = 2
    error = error_of_levels(levels, ratio)
    while levels < MOST_LEVELS:
        further = error_of_levels(levels + 1, ratio)
        if further >= error:
            break
        levels, error = levels + 1, further
    return levels


def error_of_levels(levels: int, ratio: Fraction) -> Fraction:
    """Variance of one report, over the square of the range, if values are spread
    evenly.
    """
    steps = levels - 1
    mean = Fraction(levels * steps, 2)
    square = Fraction(levels * steps * (2 * levels - 1), 6)
    bend = (ratio - 1) * levels * Fraction(1 - steps**2, 6)
    of_level = (square * (ratio + steps) - mean**2 + bend) / (ratio - 1) ** 2
    return (of_level + Fraction(1, 12)) / steps**2


def design(keys: Keys, domain: Domain) -> tuple[DitheredResponse, Declared]:
    """`epsilon`; `levels`, 2 to 256, if they are not to be those with the least
    variance.
    """
    epsilon = keys.epsilon()
    truth, other = odds(epsilon)
    size = domain.size or 2
    # Asked for only where the survey says nothing: at a large epsilon there are many to
    # compare.
    levels = 0 if "levels" in keys else usual_levels(Fraction(truth, other))
    levels = keys.integer("levels", 2, MOST_LEVELS, default=levels)
    response = DitheredResponse(
        size,
        grid=min(size - 1, FINEST_GRID),
        levels=levels,
        truth=truth,
        other=other,
    )
    return response, Declared.epsilon(epsilon)


MECHANISM = Mechanism(
    "dithered",
    "dithered k-ary response, for a mean and a variance",
    ("epsilon", "levels"),
    accepts=integers_up_to(MOST_VALUES),
    design=design,
)
