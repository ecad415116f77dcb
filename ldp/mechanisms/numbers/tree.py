"""Trees: the distribution of a number with very many values, by halves of halves.

A range of values is made of a few stretches, each half of one twice as long: of 65,536
values any range is made of 30 at most. So each device answers for one level of this
tree: which half, quarter or eighth of the line holds its answer, or which value it is.
The level is drawn without a look at the answer, and the cell of the answer there is
told with the whole epsilon. All levels together give every range with an error that
grows with the logarithm of how many values there are, as arcs do
(`ldp.mechanisms.numbers.arcs`), which err less, but are only for thousands of values.

    level   j = 1, ..., L with weight w_j, where 2^L is the first power of two with room for all
    cell    of value x in level j: x >> (L - j)
    place   cell x step modulo the number of places, those that the level's response
            knows
    symbol  by subset selection (sets by their numbers) or projective-geometry response

    privacy  P[j, y | x] = w_j q_j(y | cell) / w: the law cancels, and the ratio is R,
             exactly

Sets have as many places as there are cells, and a step of 1. A projective space has as
many as it has points, and its step is about .618 of them (coprime to their number): so
neighbours lie far apart in it. Numbers next to each other are points on one line, which
reports support together: the errors of neighbours would go together, more or less so as
people hold what lies on that line.

Each level has the response that tells neighbours apart best, and of those that are as
good to .3 % the one with the fewest symbols. With V_j for the variance of a difference
of two cells (over 2, if answers are spread evenly), level l tells how much more is left
of the middle of a stretch of level j than right of it with precision 2^(j-l) w_l / V_l,
for each l above j. The usual weights minimize the error of all ranges, on average. In
closed form: let

    x_j = sum over l > j of 2^(j-l) w_l / V_l        what is known of a difference at level j
    a_j = (1 - 3/4 2^-j) (1 + 2 4^(j-L))             how much of it is in a range, squared
    the sum of w_j is the sum over j of (2 V_(j+1) - V_j) x_j, with V_0 = 0

so that the sum of a_j / x_j is least where x_j^2 is in proportion to a_j / (2 V_(j+1) -
V_j), and then w_j = V_j (2 x_(j-1) - x_j). Where a weight would be below 0 it is 0:
x_(j-1) = x_j / 2, and both have one square, of the sums over both (pooling adjacent
violators). The arithmetic is exact, up to the root of each square, which is rounded
down to an integer, and so are the weights: w_j in units of 2^-16 of their sum. They are
part of what a survey compiles to, so no device needs to work them out that has it so. A
survey may have other weights; any are unbiased, and none costs privacy.

Source: Hay et al. 2010 (trees); Cormode, Kulkarni and Srivastava 2019 (a level for each
respondent); the weights are derived in docs/appendix/numbers.md.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, takewhile
from math import comb, gcd, isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import (
    Declared,
    Kind,
    Mechanism,
    Numbers,
    Small,
    ordered_up_to,
)
from ldp.mechanisms.values.numbered_subsets import NumberedSubsets
from ldp.mechanisms.values.projective import ProjectiveResponse, candidates, geometry
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import MOST_SYMBOLS, Layout, with_cohort
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

MOST_VALUES = 1 << 16
MOST_SETS = 1 << 13
"""Sets of more than one cell that a level may have."""
MOST_WEIGHT = 1 << 40

_WORTH_FEWER_SYMBOLS = Fraction(1003, 1000)
_FINE = 256
"""Bits of the fixed-point numbers that roots are taken of."""
_WHOLE = 1 << 16
"""What the usual weights add up to, or a little less."""

Oracle = NumberedSubsets | ProjectiveResponse
Space = tuple[int, int, int]


class TreeResponse(NamedTuple):
    """A response to the cell of one of `size` values in one level of a binary tree.

    The right symbols have weight `truth` each, all others weight `other`.
    """

    size: int
    law: tuple[int, ...]
    """The weight of each level, from halves to values."""
    spaces: tuple[Space, ...]
    """By level, the order and the dimension of the projective space, or 0 and the size
    of sets; and the step between the places of neighbours.
    """
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded level by level, then pooled."""
        return "tree"

    @property
    def cells(self) -> tuple[int, ...]:
        """How many cells each level has."""
        return cells_of(self.size)

    def cell_of(self, number: int, value: Any) -> Any:
        """The cell that a value has in a level; of an array of values those of each."""
        return value >> (len(self.law) - number - 1)

    @property
    def oracles(self) -> tuple[Oracle, ...]:
        """Oracles that make the symbols of each level."""
        return oracles_of(self.cells, self.spaces, self.truth, other=self.other)

    @property
    def layout(self) -> Layout:
        """The level as a cohort, and a symbol; most levels use only some of these."""
        symbols = max(oracle.layout.symbols for oracle in self.oracles)
        return Layout(cohorts=len(self.law), symbols=symbols)

    @property
    def ratio(self) -> Fraction:
        """Ratio of two cells: the level tells nothing."""
        return Fraction(self.truth, self.other)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Shares of the people, by level."""
        return tuple(Fraction(weight, sum(self.law)) for weight in self.law)

    def integers(self) -> Numbers:
        """Integers of the law and of the responses."""
        return {
            "size": self.size,
            "law": (self.law,),
            "spaces": self.spaces,
            "truth": self.truth,
            "other": self.other,
        }

    def blanket(self) -> Blanket:
        """Each level tells the two answers apart."""
        from ldp.mechanisms.blankets import of_views

        return of_views(self.ratio, zip(self.shares, self.oracles, strict=True))

    def randomize(self, value: Value, random: Random) -> int:
        """A level, and a response to the value's cell there."""
        below = tuple(accumulate(self.law))
        number = bisect_right(below, randbelow(below[-1], random))
        cell = self.cell_of(number, int(value))
        oracle = oracle_of(
            self.cells[number], self.spaces[number], self.truth, other=self.other
        )
        place = cell * self.spaces[number][2] % oracle.size
        return with_cohort(oracle.randomize(place, random), number, len(below))

    def channel(self) -> Channel:
        """One row for each value; one column for each level and symbol, also those not
        in use.
        """
        symbols = self.layout.symbols
        rows: list[tuple[Fraction, ...]] = [() for _ in range(self.size)]
        for number, (oracle, share) in enumerate(
            zip(self.oracles, self.shares, strict=True)
        ):
            unused = (Fraction(0),) * (symbols - oracle.layout.symbols)
            of_cells = [
                (*(share * mass for mass in row), *unused)
                for row in oracle.channel().rows
            ]
            step = self.spaces[number][2]
            rows = [
                (*row, *of_cells[self.cell_of(number, value) * step % oracle.size])
                for value, row in enumerate(rows)
            ]
        return Channel(tuple(rows))

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return TreeResponse(3, (0, 4), ((0, 1, 1), (0, 2, 1)), truth=7, other=2), (2, 8)


def depth_of(size: int) -> int:
    """How many levels there are for n values."""
    return (size - 1).bit_length()


def cells_of(size: int) -> tuple[int, ...]:
    """How many cells each level has, from the top."""
    depth = depth_of(size)
    return tuple(((size - 1) >> (depth - level)) + 1 for level in range(1, depth + 1))


def oracles_of(
    cells: tuple[int, ...], spaces: tuple[Space, ...], truth: int, other: int
) -> tuple[Oracle, ...]:
    """The responses of levels with so many cells."""
    return tuple(
        oracle_of(number, space, truth, other=other)
        for number, space in zip(cells, spaces, strict=True)
    )


@lru_cache(maxsize=256)
def oracle_of(cells: int, space: Space, truth: int, other: int) -> Oracle:
    """The response to a place."""
    order, number, _ = space
    if order:
        points = geometry(order, number).points
        return ProjectiveResponse(points, order, number, truth=truth, other=other)
    return NumberedSubsets(cells, number, truth, other=other)


def pair_rates(oracle: Oracle) -> tuple[Fraction, Fraction]:
    """P[a report supports both of two places]: if one is the true one, and if neither
    is.

    Of projective-geometry response the second depends on whether the true one is on the
    line through the two; this is its mean over all points.
    """
    if isinstance(oracle, NumberedSubsets):
        return oracle.joint_support()
    points, block, common = geometry(oracle.order, oracle.dimension)
    ratio = oracle.ratio
    total = ratio * block + points - block
    others = Fraction(common * (block - 2), points - 2)
    return ratio * common / total, (common + (ratio - 1) * others) / total


@lru_cache(maxsize=256)
def difference_variance(oracle: Oracle, cells: int) -> Fraction:
    """V: half of n Var of the difference of two cells, if answers are spread evenly
    over all.
    """
    p, q = oracle.support
    with_one, with_none = pair_rates(oracle)
    excess = p - q - 2 * (with_one - with_none)
    return (q - with_none + excess / cells) / (p - q) ** 2


@lru_cache(maxsize=1024)
def best_space(cells: int, truth: int, other: int) -> Space:
    """Find the space that tells two cells apart best, or nearly so, with the fewest
    symbols.
    """
    larger = takewhile(lambda w: comb(cells, w) <= MOST_SETS, range(2, cells // 2 + 1))
    sets = [(0, chosen, 1) for chosen in (1, *larger)]
    spaces = [
        (space.order, space.dimension, step_between(space.layout.symbols))
        for space in candidates(cells, truth, other)
        if not space.folded and space.layout.symbols <= MOST_SYMBOLS
    ]
    known = {
        space: oracle_of(cells, space, truth, other=other) for space in (*sets, *spaces)
    }
    errors = {
        space: difference_variance(oracle, cells) for space, oracle in known.items()
    }
    most = _WORTH_FEWER_SYMBOLS * min(errors.values())
    good = [space for space, error in errors.items() if error <= most]
    return min(good, key=lambda space: known[space].layout.symbols)


def step_between(points: int) -> int:
    """The least step from (sqrt(5) - 1) / 2 of the points on that reaches all of
    them.
    """
    step = (isqrt(5 * points * points) - points) // 2
    while gcd(step, points) > 1:
        step += 1
    return step


def usual_law(oracles: tuple[Oracle, ...], cells: tuple[int, ...]) -> tuple[int, ...]:
    """The weights of the levels that make ranges best known, from the top."""
    depth = len(oracles)
    variances = [Fraction(0), *map(difference_variance, oracles, cells)]
    # Of every level: 2^j over x_j, squared, is what matters over what it costs, as two
    # sums.
    pools: list[tuple[Fraction, Fraction, int]] = []
    for level in range(depth):
        weight = 1 << level
        matters = (1 - Fraction(3, 4 * weight)) * (
            1 + Fraction(2, 4 ** (depth - level))
        )
        costs = 2 * variances[level + 1] - variances[level]
        pools.append((matters / weight, costs * weight, 1))
        while len(pools) > 1 and not _falls(*pools[-2:]):
            last, before = pools.pop(), pools.pop()
            pools.append(
                (before[0] + last[0], before[1] + last[1], before[2] + last[2])
            )
    roots = [
        _root(matters / costs) for matters, costs, many in pools for _ in range(many)
    ]
    known = [*(root << level for level, root in enumerate(roots)), 0]
    weights = [
        variances[level] * (2 * known[level - 1] - known[level])
        for level in range(1, depth + 1)
    ]
    total = sum(weights)
    return tuple(int(weight * _WHOLE / total) for weight in weights)


def _falls(
    upper: tuple[Fraction, Fraction, int], lower: tuple[Fraction, Fraction, int]
) -> bool:
    """Whether less is known per unit in the lower pool, so that no weight is below
    0.
    """
    positive = upper[1] > 0 and lower[1] > 0
    return positive and upper[0] * lower[1] >= lower[0] * upper[1]


def _root(square: Fraction) -> int:
    return isqrt((square.numerator << _FINE) // square.denominator)


@lru_cache(maxsize=64)
def usual_response(size: int, truth: int, other: int) -> TreeResponse:
    """The response for n values, with the usual weights."""
    cells = cells_of(size)
    spaces = tuple(best_space(number, truth, other) for number in cells)
    oracles = oracles_of(cells, spaces, truth, other=other)
    return TreeResponse(
        size, usual_law(oracles, cells), spaces, truth=truth, other=other
    )


def design(keys: Keys, domain: Domain) -> tuple[TreeResponse, Declared]:
    """`epsilon`, and `weights` if they are not to be the usual ones."""
    epsilon = keys.epsilon()
    response = usual_response(domain.size or 3, *odds(epsilon))
    if "weights" in keys:
        response = response._replace(law=stated_law(keys, len(response.law)))
    return response, Declared.epsilon(epsilon)


def stated_law(keys: Keys, depth: int) -> tuple[int, ...]:
    """The weights that a survey gives so many levels."""
    exact = keys.fractions("weights", depth, depth, furthest=Fraction(MOST_WEIGHT))
    weights = tuple(
        int(weight) for weight in exact if weight.denominator == 1 and weight >= 0
    )
    if len(weights) == depth and weights[-1]:
        return weights
    if not keys.problems:
        keys.problem("weights", "whole numbers from 0, the last above 0", "others")
    return (1,) * depth


MECHANISM = Mechanism(
    "tree",
    "halves of halves, for the distribution of a number with very many values",
    ("epsilon", "weights"),
    accepts=ordered_up_to(MOST_VALUES),
    design=design,
)
