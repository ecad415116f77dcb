"""The table of a few fields as a mean of scores, which are fixed by the survey.

What people hold of fields T is told by components: for each U within T, what the values
of U do together beyond what fewer of them do (1 / cells for none; main effects;
interactions). They are centred: they add up to 0 over the values of each of their
fields.

    f_T = sum over U within T of component_U / (cells of the other fields of T)

Every subset S that holds U tells its component: with t = (support - q) / (p - q) for
the cells of S, added up to the cells of U and centred. Components of different S are
pooled by what they know:

    score of a report of S for component_U = I(S) / J_U x (t, added up and centred)    U within S
                                             0                                         else

with J_U the sum of I(S) over all S that hold U, over C(d, m), so that the score of a
report has the component as its expectation, given what the respondent holds, whatever
that is: estimates are unbiased, and tables agree with each other, as a component has
one estimate. I is what minimizes the error if answers are spread evenly; unequal
numbers of values are in it.

The score of a report of S for the cells of T depends on the fields that both have, U.
So for each U it takes a sum of what symbols say (I t) over reports of subsets that have
U, and no more of T; and the sum of its products, for the errors:

    first   sum of z, with z = I t added up to the cells of U
    second  sum of z z'

of subsets that hold U at least, from which those that hold more are subtracted. With
L_U, which makes scores of z, the sum of scores is sum of L_U first_U, and that of their
products sum of L_U second_U L_U', and mixed terms with 1 / cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from ldp_aggregator.decoders.marginals.subsets import Fields, Subsets, counts_of
from ldp_aggregator.numerics.arrays import Counts, Floats


class SubsetSums(NamedTuple):
    """Sums over the reports of some subsets, about fields U: of z and of z z'."""

    first: Floats
    """(cells of U,)."""
    second: Floats
    """(cells of U, cells of U)."""


class Table(NamedTuple):
    """The table of some fields."""

    frequency: Floats
    """Unbiased shares of the respondents: an axis for each field."""
    products: Floats
    """The mean products of the cells' scores, of shape (cells, cells)."""


class Tables:
    """All tables of as many fields as are sums together, at most.

    `counts` is of shape (subsets, symbols).
    """

    def __init__(self, subsets: Subsets, counts: Counts) -> None:
        self.subsets = subsets
        self.counts = counts
        self.reports = int(counts.sum())
        self._sums_of: dict[Fields, SubsetSums] = {}

    def shares(self, fields: Fields) -> Floats:
        """The shares of the cells alone, an axis for each field."""
        shape = self.subsets.shape(fields)
        shares = np.full(shape, 1 / math.prod(shape))
        for own in _within(fields):
            first = sum(
                part.worths @ counts_of(part, self.counts)
                for part in self.subsets.parts(own)
            )
            component = _centre(
                np.reshape(first, self.subsets.shape(own)), range(len(own))
            )
            rest = math.prod(shape) / component.size
            scale = self.reports * self.subsets.information(own) * rest
            shares += _on_axes(component / scale, own, fields)
        return shares

    def table(self, fields: Fields) -> Table:
        """The table of some fields, with what its errors follow from."""
        shape = self.subsets.shape(fields)
        cells = math.prod(shape)
        scores, products = np.zeros(cells), np.zeros((cells, cells))
        for own, sums in self._sums_alone(fields).items():
            to_scores = scores_from(self.subsets, own, fields)
            scores += to_scores @ sums.first
            products += to_scores @ sums.second @ to_scores.T
        products += (self.reports / cells + scores[:, None] + scores) / cells
        shares = np.reshape(1 / cells + scores / self.reports, shape)
        return Table(shares, products / self.reports)

    def _sums_alone(self, fields: Fields) -> dict[Fields, SubsetSums]:
        """By the fields that a subset shares with `fields`: of the subsets that share
        no more.
        """
        alone: dict[Fields, SubsetSums] = {}
        for own in sorted(_within(fields), key=len, reverse=True):
            sums = self._sums(own)
            for more, theirs in alone.items():
                if set(own) < set(more):
                    sums = _less(
                        sums,
                        _added_up(theirs, more, own, shape=self.subsets.shape(more)),
                    )
            alone[own] = sums
        return alone

    def _sums(self, own: Fields) -> SubsetSums:
        """Sums of all subsets that hold some fields."""
        if own not in self._sums_of:
            cells = math.prod(self.subsets.shape(own))
            first, second = np.zeros(cells), np.zeros((cells, cells))
            for part in self.subsets.parts(own):
                # (cells, symbols) and (symbols,)
                worths, often = part.worths, counts_of(part, self.counts)
                first += worths @ often
                second += (worths * often) @ worths.T
            self._sums_of[own] = SubsetSums(first, second)
        return self._sums_of[own]


def scores_from(subsets: Subsets, own: Fields, fields: Fields) -> Floats:
    """L: what z, about fields that a report tells, makes of the cells of `fields`.

    Without 1 / cells; of shape (cells of `fields`, cells of `own`).
    """
    shape, cells = subsets.shape(own), math.prod(subsets.shape(own))
    whole = math.prod(subsets.shape(fields))
    unit = np.eye(cells).reshape(cells, *shape)
    scores = np.zeros((cells, *subsets.shape(fields)))
    for inner in _within(own):
        others = tuple(
            1 + place for place, field in enumerate(own) if field not in inner
        )
        # (cells of own, values of each inner field)
        centred = _centre(unit.sum(axis=others), range(1, 1 + len(inner)))
        rest = whole / math.prod(subsets.shape(inner))
        scores += _on_axes(centred / (subsets.information(inner) * rest), inner, fields)
    return scores.reshape(cells, -1).T


def _less(sums: SubsetSums, other: SubsetSums) -> SubsetSums:
    return SubsetSums(sums.first - other.first, sums.second - other.second)


def _added_up(
    sums: SubsetSums, fields: Fields, own: Fields, shape: Fields
) -> SubsetSums:
    """The same about some of the fields, `own`."""
    others = tuple(place for place, field in enumerate(fields) if field not in own)
    also = tuple(len(shape) + place for place in others)
    first = sums.first.reshape(shape).sum(axis=others).ravel()
    second = sums.second.reshape(*shape, *shape).sum(axis=(*others, *also))
    return SubsetSums(first, second.reshape(len(first), -1))


def _within(fields: Fields) -> Iterator[Fields]:
    """All choices of some of the fields."""
    return chain.from_iterable(
        combinations(fields, many + 1) for many in range(len(fields))
    )


def _centre(numbers: Floats, axes: range) -> Floats:
    """Numbers that add up to 0 along each of these axes."""
    for axis in axes:
        numbers = numbers - numbers.mean(axis=axis, keepdims=True)
    return numbers


def _on_axes(numbers: Floats, own: Fields, fields: Fields) -> Floats:
    """Numbers by the values of some fields, the same for all values of the others."""
    before = numbers.ndim - len(own)
    missing = (before + place for place, field in enumerate(fields) if field not in own)
    return np.expand_dims(numbers, tuple(missing))
