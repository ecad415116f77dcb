"""Randomization by a stochastic matrix (post-randomization, PRAM).

    P[report y | value x] = weights[x][y] / (sum of row x),  every row having the same sum
    epsilon = max over y of ln(max_x A[x,y] / min_x A[x,y])
    the estimate is the observed distribution times A^-1

A draw compares one uniform integer below the common denominator with the cumulative
weights of the row.

Sources: Gouweleeuw, Kooiman, Willenborg and de Wolf 1998 (PRAM); Chaudhuri and Mukerjee
1988 (its inverse).
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Small, needs_short_list
from ldp.numbers.channel import Channel, has_full_rank
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 64
MOST_DENOMINATOR_BITS = 256


class StochasticMatrix(NamedTuple):
    """A channel from values to as many symbols, by integer weights.

    `weights[x][y]` is the weight of report y.
    """

    weights: tuple[tuple[int, ...], ...]

    @property
    def kind(self) -> Kind:
        """Decoded by the inverse matrix."""
        return "matrix"

    @property
    def layout(self) -> Layout:
        """A symbol."""
        return Layout(symbols=len(self.weights[0]))

    @classmethod
    def from_fractions(
        cls, rows: tuple[tuple[Fraction, ...], ...], denominator: int
    ) -> StochasticMatrix:
        """Integer weights over a denominator that all entries have in common."""
        return cls(
            tuple(tuple(int(entry * denominator) for entry in row) for row in rows)
        )

    @property
    def ratio(self) -> Fraction:
        """The largest ratio within a column. Raises `ValueError` if there is none."""
        if not all(map(all, self.weights)):
            raise ValueError(
                "expected a law that leaves every answer possible whatever is "
                "reported, got one for the analysis of answers that exist: no device "
                "may answer by it"
            )
        return max(
            Fraction(max(column), min(column))
            for column in zip(*self.weights, strict=True)
        )

    def blanket(self) -> Blanket:
        """Derived from the channel, which is written out."""
        from ldp.mechanisms.blankets import of_rows

        return of_rows(self.channel().rows)

    def randomize(self, value: Value, random: Random) -> int:
        """A symbol from the row of the value."""
        row = self.weights[int(value)]
        rest = randbelow(sum(row), random)
        symbol = 0
        while rest >= row[symbol]:
            rest -= row[symbol]
            symbol += 1
        return symbol

    def channel(self) -> Channel:
        """The matrix itself."""
        return Channel(
            tuple(
                tuple(Fraction(entry, sum(row)) for entry in row)
                for row in self.weights
            )
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return StochasticMatrix(((3, 2, 1), (1, 1, 4))), (8,)


def common_denominator(rows: tuple[tuple[Fraction, ...], ...]) -> int | None:
    """The least one of all entries; None if it is too long."""
    denominator = 1
    for entry in chain.from_iterable(rows):
        denominator = math.lcm(denominator, entry.denominator)
        if denominator.bit_length() > MOST_DENOMINATOR_BITS:
            return None
    return denominator


def design_rows(
    keys: Keys, rows: tuple[tuple[Fraction, ...], ...], places: str
) -> tuple[StochasticMatrix, Declared]:
    """The design that a matrix of fractions gives.

    Or problems at `places`, if it is not private or not invertible.
    """
    stand_in = StochasticMatrix(((3, 1), (1, 3))), Declared.ratio(Fraction(3))
    if keys.problems:
        return stand_in
    # Looked at first: sums and products of fractions without a common denominator have
    # thousands of digits.
    denominator = common_denominator(rows)
    if denominator is None:
        keys.problem(
            places,
            f"a common denominator of at most {MOST_DENOMINATOR_BITS} bits",
            "a longer one",
        )
        return stand_in
    for number, row in enumerate(rows, 1):
        if sum(row) != 1:
            keys.problem(
                f"{places} row {number}",
                "probabilities that sum to 1",
                f"a sum of {sum(row)}",
            )
        if min(row) < 0:
            keys.problem(
                f"{places} row {number}",
                "no negative probability",
                f"a least one of {min(row)}",
            )
    if keys.problems:
        return stand_in
    randomizer = StochasticMatrix.from_fractions(rows, denominator)
    if not all(map(all, randomizer.weights)) and not keys.for_analysis:
        keys.problem(
            places,
            "probabilities that leave every answer possible whatever was reported "
            "(epsilon is infinite otherwise; answers that exist can be analysed, by "
            "ldp estimate --rows)",
            "a report that some value never gives",
        )
        return stand_in
    if not has_full_rank(randomizer.weights):
        keys.problem(
            places,
            "probabilities from which frequencies can be recovered",
            (
                "a singular matrix (some mixture of values gives the same reports as "
                "another)"
            ),
        )
        return stand_in
    if not all(map(all, randomizer.weights)):
        return randomizer, Declared.nothing()
    return randomizer, Declared.ratio(randomizer.ratio)


def design(keys: Keys, domain: Domain) -> tuple[StochasticMatrix, Declared]:
    """`matrix`: rows by true value."""
    size = domain.size or 2
    return design_rows(keys, keys.rows("matrix", size), "matrix")


MECHANISM = Mechanism(
    "matrix",
    "any stochastic matrix (PRAM)",
    ("matrix",),
    accepts=needs_short_list(MOST_VALUES),
    design=design,
)
