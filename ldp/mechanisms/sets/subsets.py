"""Many questions at once: each device tells a few of the fields of a table, drawn at
random.

Twelve questions have 66 pairs, and their table far more cells than people to fill them.
But what is asked of it is mostly how two questions go together, or three. So a device
draws m of the d fields, without a look at its answer, and tells the cell of their
values with the whole epsilon. The aggregator puts together what all subsets say of each
field and of each pair (`ldp_aggregator.decoders.marginals`), so that everyone who told
of both fields counts for a pair, whichever others they told of besides.

    subset  of m fields, by its number: one of C(d, m), all equally likely, whatever the
            answer is
    cell    of the values of these fields, the last one's varying fastest
    place   cell x step modulo the number of places, those that the response knows
    symbol  by subset selection (sets by their numbers) or projective-geometry response

    privacy  P[S, y | x] = q_S(y | cell of x in S) / C(d, m): the number of subsets
             cancels, and the ratio is R, exactly

Subsets and responses are those of other mechanisms: a subset has its number in the
combinatorial number system (`values.numbered_subsets`), and subsets with as many cells
share the response that tells two cells apart best (`ldp.mechanisms.numbers.tree`, where
steps are explained).

How many fields are told together (`together`) is left to us unless the survey says it.
Let I(S) be 1 / (cells V), with V half of n Var of the difference of two cells of S; J_T
the sum of I(S) over all subsets S that hold the fields T, over C(d, m). If answers are
spread evenly, a cell of the table of two fields with a and b values has

    n Var = [(a-1) / J_a + (b-1) / J_b + (a-1) (b-1) / J_ab - (ab - 1)] / (ab)^2

for the respondents, by what the table is made of: two main effects and an interaction.
The m from 2 on that makes the mean of this over all pairs least is taken, of those with
few enough subsets and cells. Fields are told apart by how many values they have alone,
so sums over subsets are sums over products of sizes, counted by how often they come.

A draw is one uniform integer below C(d, m), and then that of the response of its
subset. How much randomness that takes depends on the subset, and on nothing else.

Source: Kulkarni, Cormode and Srivastava 2018 (random marginals); Zhang, Wang, Li, He
and Chen 2018 (CALM: how many attributes together); the pooling is derived in
docs/appendix/sets-texts-vectors.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Domain, Value
from ldp.answers.fields import SUBSETS, values_in
from ldp.answers.keys import Keys
from ldp.mechanisms.contract import Declared, Kind, Mechanism, Numbers, Small
from ldp.mechanisms.numbers.tree import (
    Oracle,
    Space,
    best_space,
    difference_variance,
    oracle_of,
)
from ldp.mechanisms.values.numbered_subsets import members
from ldp.numbers.channel import Channel
from ldp.numbers.exact import odds
from ldp.numbers.layout import Layout, with_cohort
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket

FEWEST_TOGETHER = 2
"""Fields of one report, where that is left to us: one tells of no pair."""
MOST_SUBSETS = 1 << 14
MOST_CELLS = 1 << 12
"""Of one subset."""
MOST_COUNTED = 1 << 22
"""Symbols of all subsets: what a tally counts."""

_FINE = 64
"""Bits of the fixed-point numbers that information is summed up in."""

Sizes = tuple[int, ...]


class SubsetsResponse(NamedTuple):
    """A response to the cell of `together` of the fields, which have so many values
    each.

    The right symbols have weight `truth` each, all others `other`.
    """

    sizes: Sizes
    together: int
    spaces: tuple[tuple[int, int, int, int], ...]
    """For every number of cells that a subset has, in order: that, and the space of its
    response (`ldp.mechanisms.numbers.tree`).
    """
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded subset by subset, then pooled."""
        return "marginals"

    @property
    def size(self) -> int:
        """How many cells the table of all fields has."""
        return prod(self.sizes)

    @property
    def subsets(self) -> int:
        """How many there are."""
        return comb(len(self.sizes), self.together)

    @property
    def layout(self) -> Layout:
        """The number of a subset as a cohort, and a symbol; most subsets use only some
        of these.
        """
        symbols = max(self.oracle(cells).layout.symbols for cells, *_ in self.spaces)
        return Layout(cohorts=self.subsets, symbols=symbols)

    @property
    def ratio(self) -> Fraction:
        """Ratio of two cells: the subset tells nothing."""
        return Fraction(self.truth, self.other)

    def fields_of(self, number: int) -> tuple[int, ...]:
        """The fields of a subset, in their order."""
        return tuple(reversed(members(number, self.together)))

    def space(self, cells: int) -> Space:
        """Return the space of the response for so many cells."""
        return _by_cells(self.spaces)[cells]

    def oracle(self, cells: int) -> Oracle:
        """Return the oracle that makes the symbols of a subset with so many cells."""
        return oracle_of(cells, self.space(cells), self.truth, other=self.other)

    def integers(self) -> Numbers:
        """Integers of the fields and of the responses."""
        return {
            "sizes": (self.sizes,),
            "together": self.together,
            "spaces": self.spaces,
            "truth": self.truth,
            "other": self.other,
        }

    def blanket(self) -> Blanket:
        """Each subset of fields tells the two answers apart."""
        from ldp.mechanisms.blankets import of_views

        cells = Counter(
            prod(self.sizes[field] for field in self.fields_of(number))
            for number in range(self.subsets)
        )
        views = (
            (Fraction(many, self.subsets), self.oracle(size))
            for size, many in cells.items()
        )
        return of_views(self.ratio, views)

    def randomize(self, value: Value, random: Random) -> int:
        """A subset, and a response to the cell of its fields' values."""
        number = randbelow(self.subsets, random)
        oracle, place = self._place(values_in(self.sizes, int(value)), number)
        return with_cohort(oracle.randomize(place, random), number, self.subsets)

    def channel(self) -> Channel:
        """One row for each value; one column for each subset and symbol, also those not
        in use.
        """
        symbols, share = self.layout.symbols, Fraction(1, self.subsets)
        rows: list[list[Fraction]] = [[] for _ in range(self.size)]
        for value, row in enumerate(rows):
            for number in range(self.subsets):
                oracle, place = self._place(values_in(self.sizes, value), number)
                masses = oracle.channel().rows[place]
                row += [share * mass for mass in masses]
                row += [Fraction(0)] * (symbols - len(masses))
        return Channel(tuple(map(tuple, rows)))

    def _place(self, values: list[int], number: int) -> tuple[Oracle, int]:
        """The response of a subset, and the place of a respondent's cell there."""
        cell, cells = 0, 1
        for field in self.fields_of(number):
            cell = cell * self.sizes[field] + values[field]
            cells *= self.sizes[field]
        oracle = self.oracle(cells)
        return oracle, cell * self.space(cells)[2] % oracle.size

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        response = SubsetsResponse((2, 2, 2, 2), 3, ((8, 0, 2, 1),), truth=5, other=2)
        return response, (2, 8)


@lru_cache(maxsize=64)
def _by_cells(spaces: tuple[tuple[int, int, int, int], ...]) -> dict[int, Space]:
    return {cells: (order, number, step) for cells, order, number, step in spaces}


@lru_cache(maxsize=256)
def products(sizes: Sizes, chosen: int) -> Counter[int]:
    """The products of so many of the sizes, and how many choices have each."""
    # By how many are chosen: the products of those so far.
    of: list[Counter[int]] = [Counter({1: 1}), *(Counter[int]() for _ in range(chosen))]
    for size in sizes:
        for many in range(chosen, 0, -1):
            for product, ways in of[many - 1].items():
                of[many][product * size] += ways
    return of[chosen]


def without(sizes: Sizes, *left_out: int) -> Sizes:
    """The sizes of the other fields."""
    rest = [*sizes]
    for size in left_out:
        rest.remove(size)
    return tuple(rest)


@lru_cache(maxsize=1024)
def information(cells: int, truth: int, other: int) -> int:
    """I of a subset, in units of 2^-64."""
    oracle = oracle_of(cells, best_space(cells, truth, other), truth, other=other)
    worth = 1 / (cells * difference_variance(oracle, cells))
    return (worth.numerator << _FINE) // worth.denominator


def information_of(
    sizes: Sizes, together: int, of: Sizes, odds_: tuple[int, int]
) -> int:
    """J of the fields with these sizes, as many as are told together at most."""
    own, rest = prod(of), without(sizes, *of)
    total = sum(
        ways * information(own * product, *odds_)
        for product, ways in products(rest, together - len(of)).items()
    )
    return total // comb(len(sizes), together)


def pair_error(sizes: Sizes, together: int, odds_: tuple[int, int]) -> Fraction:
    """Return n Var of a cell of the table of two fields, on average over all pairs."""
    often = Counter(sizes)
    total = 0
    for first, second in combinations_with_replacement(often, 2):
        pairs = (
            often[first] * often[second] if first != second else comb(often[first], 2)
        )
        if pairs:
            total += pairs * _cell_error(sizes, together, (first, second), odds_=odds_)
    return Fraction(total, comb(len(sizes), 2) << _FINE)


def _cell_error(
    sizes: Sizes, together: int, pair: tuple[int, int], odds_: tuple[int, int]
) -> int:
    """Return the error of one pair, in units of 2^-64."""
    first, second = pair
    parts = (
        ((first,), first - 1),
        ((second,), second - 1),
        (pair, (first - 1) * (second - 1)),
    )
    noise = sum(
        (weight << 2 * _FINE) // information_of(sizes, together, of, odds_=odds_)
        for of, weight in parts
    )
    cells = first * second
    return (noise - ((cells - 1) << _FINE)) // cells**2


def spaces_of(
    sizes: Sizes, together: int, odds_: tuple[int, int]
) -> tuple[tuple[int, int, int, int], ...]:
    """The responses of all subsets, by their number of cells."""
    return tuple(
        (cells, *best_space(cells, *odds_))
        for cells in sorted(products(sizes, together))
    )


def fits(sizes: Sizes, together: int, odds_: tuple[int, int]) -> bool:
    """Whether there are few enough subsets, cells and symbols."""
    subsets = comb(len(sizes), together)
    if subsets > MOST_SUBSETS or prod(sorted(sizes)[-together:]) > MOST_CELLS:
        return False
    spaces = spaces_of(sizes, together, odds_)
    response = SubsetsResponse(sizes, together, spaces, *odds_)
    return response.layout.cells <= MOST_COUNTED


@lru_cache(maxsize=64)
def usual_together(sizes: Sizes, truth: int, other: int) -> int | None:
    """How many fields are told together; None if even two have too many cells."""
    best: tuple[Fraction, int] | None = None
    for together in _fitting(sizes, (truth, other)):
        error = pair_error(sizes, together, (truth, other))
        if best is not None and error >= best[0]:
            break
        best = error, together
    if best is None:
        return None
    return best[1]


def _fitting(sizes: Sizes, odds_: tuple[int, int]) -> Iterator[int]:
    for together in range(FEWEST_TOGETHER, len(sizes) + 1):
        if not fits(sizes, together, odds_):
            return
        yield together


def design(keys: Keys, domain: Domain) -> tuple[SubsetsResponse, Declared]:
    """`epsilon`, and `together` if it is not to be the usual number."""
    epsilon = keys.epsilon()
    odds_ = odds(epsilon)
    sizes = tuple(field.size for field in domain.fields)
    if "together" in keys:
        together = keys.integer("together", 1, len(sizes))
        fitting = together if fits(sizes, together, odds_) else None
        key, what = "together", f"{together} of {len(sizes)}"
    else:
        fitting = usual_together(sizes, *odds_)
        key, what = "field", f"{len(sizes)} fields with up to {max(sizes):,} values"
    if fitting is None:
        expected = (
            f"at most {MOST_SUBSETS:,} subsets of at most {MOST_CELLS:,} cells each, "
            f"with {MOST_COUNTED:,} symbols between them"
        )
        keys.problem(key, expected, what)
        sizes, fitting = (2, 2), 1
    response = SubsetsResponse(sizes, fitting, spaces_of(sizes, fitting, odds_), *odds_)
    return response, Declared.epsilon(epsilon)


def _accepts(domain: Domain) -> str | None:
    if domain.collect == SUBSETS:
        return None
    return f'a question of type table with `collect = "{SUBSETS}"`'


MECHANISM = Mechanism(
    "subsets",
    "some of many fields for each respondent, for the tables of any two",
    ("epsilon", "together"),
    accepts=_accepts,
    design=design,
)
