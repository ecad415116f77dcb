"""The subsets of fields, in groups that report alike, and what their symbols say of a
few fields.

Subsets whose fields have the same numbers of values, in their order, have one response:
they form a group. What is asked about some fields T takes all subsets that hold them;
within a group these have T at the same places or at others. A part is one group and one
choice of places: its subsets say the same of T by the same symbol.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.numbers.tree import difference_variance
from ldp.mechanisms.sets.subsets import SubsetsResponse
from ldp_aggregator.decoders.trees.transforms import transform_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers

Fields = tuple[int, ...]
"""Fields by their places in the table, in their order."""


class SubsetInformation(NamedTuple):
    """Subsets that hold some fields T, and what their symbols say of a cell of
    these.
    """

    numbers: Integers
    """Those of the subsets."""
    share: float
    """Of the devices, who are asked for one of them."""
    supports: Floats
    """How many of the cells of a subset that lie in one of T a symbol supports: (cells
    of T, symbols).
    """
    within: int
    """How many cells of a subset lie in one of T."""
    information: float
    """I of a subset (`ldp.mechanisms.sets.subsets`)."""
    excess: float
    """p - q: how much more often a report supports its cell than any other."""
    other: float
    """P[y | x] of a symbol that does not support the cell of x."""
    surplus: float
    """By how much more likely one is that does."""

    @property
    def law(self) -> Floats:
        """P[y | cell of T], if the other fields' values are spread evenly: (cells,
        symbols).
        """
        return self.other + self.surplus * self.supports / self.within

    @property
    def worths(self) -> Floats:
        """Weights of a symbol in the sums that scores are made of: (cells of T,
        symbols).

        I (support - q) / (p - q), added up over the cells of the subset, less the mean
        of that.
        """
        above = self.supports - self.supports.mean(axis=0)
        return np.asarray(above * (self.information / self.excess))


class SubsetGroup:
    """Subsets that report alike."""

    def __init__(
        self, response: SubsetsResponse, sizes: Fields, numbers: list[int]
    ) -> None:
        cells = int(np.prod(sizes))
        oracle = response.oracle(cells)
        self.sizes = sizes
        self.numbers = np.array(numbers)
        self.fields = np.array([response.fields_of(number) for number in numbers])
        """Of every subset: (subsets, together)."""
        self.cells = cells
        self.symbols = oracle.layout.symbols
        self.information = float(1 / (cells * difference_variance(oracle, cells)))
        p, q = (float(rate) for rate in oracle.support)
        self.excess = p - q
        self._transform = transform_of(response.space(cells), cells)
        supporting = round(float(self._transform.worths(np.eye(1, cells)).sum()))
        self.other = (1 - p) / (self.symbols - supporting)
        self.surplus = p / supporting - self.other

    def parts(self, fields: Fields, subsets: int) -> Iterator[SubsetInformation]:
        """Parts about some fields, of so many subsets in all."""
        # (subsets, fields, together): where each field is.
        there = self.fields[:, None, :] == np.array(fields)[None, :, None]
        holding = np.flatnonzero(there.any(axis=2).all(axis=1))
        places = there[holding].argmax(axis=2)
        kinds, kind_of = np.unique(places, axis=0, return_inverse=True)
        for kind, at in enumerate(kinds.tolist()):
            numbers = self.numbers[holding[kind_of.ravel() == kind]]
            supports = self.supports(tuple(at))
            yield SubsetInformation(
                numbers,
                len(numbers) / subsets,
                supports,
                within=self.cells // len(supports),
                information=self.information,
                excess=self.excess,
                other=self.other,
                surplus=self.surplus,
            )

    def supports(self, places: Fields) -> Floats:
        """By cell of the fields at some places: (cells of these, symbols)."""
        # (cells of these, cells of the subset): 1 for the cells that lie in one.
        inside = np.zeros((*self.sizes, *(self.sizes[place] for place in places)))
        values = np.indices(self.sizes)
        inside[(*values, *(values[place] for place in places))] = 1
        flat = inside.reshape(self.cells, -1).T
        return self._transform.worths(np.ascontiguousarray(flat))


class Subsets:
    """All that the scores of a response follow from."""

    def __init__(self, response: SubsetsResponse) -> None:
        self.response = response
        sizes_of = {
            number: tuple(response.sizes[field] for field in response.fields_of(number))
            for number in range(response.subsets)
        }
        alike = groupby(
            sorted(sizes_of, key=lambda number: sizes_of[number]), key=sizes_of.get
        )
        self.groups = tuple(
            SubsetGroup(response, sizes, [*numbers])
            for sizes, numbers in alike
            if sizes is not None
        )
        self._parts: dict[Fields, tuple[SubsetInformation, ...]] = {}

    def shape(self, fields: Fields) -> Fields:
        """How many values some fields have each."""
        return tuple(self.response.sizes[field] for field in fields)

    def parts(self, fields: Fields) -> tuple[SubsetInformation, ...]:
        """All subsets that hold some fields."""
        if fields not in self._parts:
            subsets = self.response.subsets
            self._parts[fields] = tuple(
                part for group in self.groups for part in group.parts(fields, subsets)
            )
        return self._parts[fields]

    def information(self, fields: Fields) -> float:
        """J: what all subsets that hold these fields know of them."""
        return sum(part.share * part.information for part in self.parts(fields))


def counts_of(part: SubsetInformation, counts: Counts) -> Floats:
    """How often the subsets of a part were told each symbol, (symbols,)."""
    own = counts[part.numbers, : part.supports.shape[1]]
    return np.asarray(own.sum(axis=0), dtype=np.float64)


@lru_cache(maxsize=8)
def subsets_of(response: SubsetsResponse) -> Subsets:
    """The subsets of a response."""
    return Subsets(response)
