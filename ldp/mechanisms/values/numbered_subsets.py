"""Subset selection among few values: a report is the number of a set, and a symbol.

Subset selection (`values.subset`) reports a set as a vector of bits. Of few values
there are so few sets of w that each can have a number: then a report is a symbol, as
those of k-ary response are, which is what this is with sets of one.

    a set c_1 < c_2 < ... < c_w has the number C(c_1, 1) + C(c_2, 2) + ... + C(c_w, w)
    C(d-1, w-1) sets hold the true value and have weight R each, C(d-1, w) do not and have weight 1

A draw is one uniform integer below the sum of the weights. It names a set of the other
values, of w - 1 to which the true one is added, or of w.

Source: Ye and Barg 2018; Wang, Huang, Wang, Nie, Xu, Yang, Li and Qiao 2016. The
numbers are those of the combinatorial number system.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from ldp.answers.domain import Value
from ldp.mechanisms.contract import Kind, Small
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.numbers.channel import Channel
from ldp.numbers.layout import Layout
from ldp.numbers.randomness import Random, randbelow

if TYPE_CHECKING:
    from ldp.mechanisms.blankets import Blanket


class NumberedSubsets(NamedTuple):
    """A set of `chosen` of `size` values, by its number.

    Sets that hold the truth have weight `truth` each, others `other`.
    """

    size: int
    chosen: int
    truth: int
    other: int

    @property
    def kind(self) -> Kind:
        """Decoded by counting."""
        return "pure"

    @property
    def layout(self) -> Layout:
        """A symbol: the number of a set."""
        return Layout(symbols=comb(self.size, self.chosen))

    @property
    def ratio(self) -> Fraction:
        """The odds of a set that holds the truth against one that does not."""
        return Fraction(self.truth, self.other)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        return SubsetSelection(*self).support

    def joint_support(self) -> tuple[Fraction, Fraction]:
        """Given whether the truth is in, the rest of the set is uniform."""
        return SubsetSelection(*self).joint_support()

    def blanket(self) -> Blanket:
        """Equal to that of the sets themselves."""
        return SubsetSelection(*self).blanket()

    def randomize(self, value: Value, random: Random) -> int:
        """The number of a set."""
        size, chosen, truth, other = self
        within = truth * comb(size - 1, chosen - 1)
        drawn = randbelow(within + other * comb(size - 1, chosen), random)
        beyond = drawn - within
        true = int(value)
        if beyond < 0:
            others = members(drawn // truth, chosen - 1)
        else:
            others = members(beyond // other, chosen)
        # Numbered without the true value, so that those from it on are one more.
        picked = [place + (place >= true) for place in others]
        return number_of(picked if beyond >= 0 else [*picked, true])

    def channel(self) -> Channel:
        """One row for each value; a column for each set."""
        size, chosen, truth, other = self
        sets = members_of_all(size, chosen)
        total = truth * comb(size - 1, chosen - 1) + other * comb(size - 1, chosen)
        true, false = Fraction(truth, total), Fraction(other, total)
        return Channel(
            tuple(
                tuple(true if value in set_ else false for set_ in sets)
                for value in range(size)
            )
        )

    def small(self) -> Small:
        """An instance of small integers, of which the audit runs every tape."""
        return NumberedSubsets(4, 2, 3, other=1), (8,)


def number_of(places: Iterable[int]) -> int:
    """The number of a set."""
    return sum(comb(place, order) for order, place in enumerate(sorted(places), 1))


def members(number: int, chosen: int) -> list[int]:
    """The set of so many places that has a number, from its last one down."""
    places = []
    for order in range(chosen, 0, -1):
        place = number
        if order != 1:
            place = order - 1
        while comb(place + 1, order) <= number:
            place += 1
        number -= comb(place, order)
        places.append(place)
    return places


@lru_cache(maxsize=64)
def members_of_all(size: int, chosen: int) -> list[tuple[int, ...]]:
    """All sets of so many of the places, by their numbers."""
    return sorted(combinations(range(size), chosen), key=lambda places: places[::-1])
