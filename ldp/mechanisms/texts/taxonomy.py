"""Taxonomies through public views: each device answers for one level of the tree.

If everyone names a county, a state is a sum of counties, and their noise adds up: it is
as large as if everyone had guessed among all counties. If everyone names a state,
nothing is known of counties. So the survey deals people out to the levels of the tree,
a few to the upper ones. A device draws its level without a look at its answer, and
tells the cell of its answer there (the state, say) with the whole epsilon. The
aggregator puts the levels together by least squares (`taxonomies.views`), which helps
all of them: a state is told by those who were asked for states, and by the counties
below it.

    level   j with probability w_j / (w_1 + ... + w_L), the `law`, whatever the answer
            is
    symbol  by k-ary response or projective-geometry response among the cells of level j

    privacy  P[j, y | x] = w_j q_j(y | cell) / w: the law cancels, and the ratio is R,
             exactly

Each level has the one of the two responses that errs less in total, as `auto` compares
them. (Of the others that report one symbol, Hadamard response never errs less than
both.)

The law is in the survey: `shares` has the part of the people that each upper level
gets, from the top, and the values get the rest. If the survey does not say, each of u
upper levels gets a fifth, or 1 / (2 u) if that is less, so that half of the people at
least are asked for values. With shares a_j over a common denominator m the law is m
a_j: whole numbers, the same for all who read the survey.

A draw is one uniform integer below the sum of the law, and then that of the level's
response. How much randomness that takes depends on the level, and on nothing else.

Source: Hay et al. 2010 (least squares on a tree); Cormode, Kulkarni and Srivastava 2019
(a level for each respondent); the split into views that are drawn follows from both.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.keys import Keys
from ldp.answers.taxonomies import TaxonomyLevel, levels_of
from ldp.mechanisms.auto import total_error
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Numbers, Small
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.projective import ProjectiveResponse, candidates, least_error
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout, with_cohort
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

Oracle = RandomizedResponse | ProjectiveResponse

USUAL_SHARE = Fraction(1, 5)
"""Of the people, for each upper level, where these are not many."""
NO_SPACE = (0, 0)
"""In place of order and dimension: k-ary response."""


class TaxonomyResponse(NamedTuple):
    """A response to the cell of one level of a tree, of whose nodes the last `size` are
    values.

    The right symbols have weight `truth` each, all others weight `other`.
    """

    size: int
    parents: tuple[int, ...]
    """Of every node the number of its parent plus 1, 0 at the top
    (`ldp.answers.taxonomies`).
    """
    law: tuple[int, ...]
    """The weight of each level, from the top."""
    spaces: tuple[tuple[int, int], ...]
    """By level, the order and the dimension of the projective space; `NO_SPACE`
    without.
    """
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded view by view, then pooled."""
        return "views"

    @property
    def levels(self) -> tuple[TaxonomyLevel, ...]:
        """The views: the cells of every level."""
        return levels_of(self.parents, self.size)

    @property
    def oracles(self) -> tuple[Oracle, ...]:
        """Oracles that make the symbols of each level."""
        return tuple(
            _oracle(len(level.nodes), space, self.truth, other=self.other)
            for level, space in zip(self.levels, self.spaces, strict=True)
        )

    @property
    def layout(self) -> Layout:
        """The level as a cohort, and a symbol; levels with few cells use only some of
        these.
        """
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
        """Integers of the tree, of the law and of the responses."""
        return {
            "size": self.size,
            "parents": (self.parents,),
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
        drawn = randbelow(sum(self.law), random)
        number = next(
            place for place, end in enumerate(accumulate(self.law)) if drawn < end
        )
        level = self.levels[number]
        space = self.spaces[number]
        oracle = _oracle(len(level.nodes), space, self.truth, other=self.other)
        symbol = oracle.randomize(level.cells[int(value)], random)
        return with_cohort(symbol, number, len(self.law))

    def channel(self) -> Channel:
        """One row for each value; one column for each level and symbol, also those not
        in use.
        """
        symbols = self.layout.symbols
        rows: list[tuple[Fraction, ...]] = [() for _ in range(self.size)]
        for level, oracle, share in zip(
            self.levels, self.oracles, self.shares, strict=True
        ):
            unused = (Fraction(0),) * (symbols - oracle.layout.symbols)
            of_cells = [
                (*(share * mass for mass in row), *unused)
                for row in oracle.channel().rows
            ]
            rows = [
                (*row, *of_cells[level.cells[value]]) for value, row in enumerate(rows)
            ]
        return Channel(tuple(rows))

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        parents = (0, 0, 1, 1, 2, 2, 0, 0, 0)
        spaces = ((2, 3), (2, 3))
        return TaxonomyResponse(7, parents, (1, 3), spaces=spaces, truth=5, other=2), (
            2,
            8,
        )


@lru_cache(maxsize=256)
def _oracle(cells: int, space: tuple[int, int], truth: int, other: int) -> Oracle:
    if space == NO_SPACE:
        return RandomizedResponse(cells, truth, other)
    order, dimension = space
    return ProjectiveResponse(cells, order, dimension, truth=truth, other=other)


@lru_cache(maxsize=256)
def least_error_space(cells: int, truth: int, other: int) -> tuple[int, int]:
    """The space of the response that errs less; `NO_SPACE` if that is k-ary
    response.
    """
    spaces = [space for space in candidates(cells, truth, other) if not space.folded]
    if not spaces:
        return NO_SPACE
    best = least_error(spaces)
    if total_error(RandomizedResponse(cells, truth, other)) <= total_error(best):
        return NO_SPACE
    return best.order, best.dimension


def usual_shares(upper: int) -> tuple[Fraction, ...]:
    """Return the share of each of so many upper levels where the survey names none."""
    return (min(USUAL_SHARE, Fraction(1, 2 * upper)),) * upper


def law_of(shares: tuple[Fraction, ...]) -> tuple[int, ...]:
    """The least whole numbers in proportion to the shares of the upper levels and to
    the rest.
    """
    whole = lcm(*(share.denominator for share in shares))
    parts = (*shares, 1 - sum(shares, Fraction(0)))
    return tuple(int(part * whole) for part in parts)


def response_to_levels(
    parents: tuple[int, ...],
    size: int,
    shares: tuple[Fraction, ...],
    odds_: tuple[int, int],
) -> TaxonomyResponse:
    """The response to a tree, with these shares of its upper levels, and odds for the
    truth.
    """
    levels = levels_of(parents, size)
    spaces = tuple(least_error_space(len(level.nodes), *odds_) for level in levels)
    return TaxonomyResponse(size, parents, law_of(shares), spaces, *odds_)


def design(keys: Keys, domain: Domain) -> tuple[TaxonomyResponse, Declared]:
    """`epsilon`, and `shares` if they are not to be the usual ones."""
    epsilon = keys.epsilon()
    assert domain.taxonomy is not None  # noqa: S101 (what is accepted has one)
    upper = len(domain.taxonomy.levels) - 1
    shares = _shares(keys, upper) if "shares" in keys else usual_shares(upper)
    response = response_to_levels(
        domain.taxonomy.parents, domain.size or 2, shares, odds_=odds(epsilon)
    )
    return response, Declared.epsilon(epsilon)


def _shares(keys: Keys, upper: int) -> tuple[Fraction, ...]:
    shares = keys.fractions("shares", upper, upper, furthest=Fraction(1))
    if min(shares) >= 0 and sum(shares) < 1:
        return shares
    if not keys.problems:
        keys.problem(
            "shares",
            "the part of the people for each upper level, from the top: numbers from 0 "
            "that add up to less than 1, since the values get the rest",
            ", ".join(map(str, shares)),
        )
    return usual_shares(upper)


def _accepts(domain: Domain) -> str | None:
    if domain.taxonomy is None:
        return "a question whose values have parents"
    return None


MECHANISM = Mechanism(
    "taxonomy",
    "a level of a tree for each respondent",
    ("epsilon", "shares"),
    accepts=_accepts,
    design=design,
)
