"""The levels of a tree, and what symbols are worth to their cells.

A report of level j with symbol y supports some of its cells. With p and q for how often a report
supports its own cell and any other, and w_j for the share of the people who are asked for level j,
it is worth

    t = (support - q) / (w_j (p - q))      to a cell of its level, and 0 to those of others

whose mean over all reports is the own estimate of a cell. So what a query makes of own estimates
(`halves`) makes the score of every report: constant + sum of A t. Sums over the cells that a symbol
supports, and over the symbols that support a cell, are one correlation for projective-geometry
response, and a product with a small matrix for numbered sets.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from ldp.mechanisms.numbered_subsets import NumberedSubsets, members_of_all
from ldp.mechanisms.tree import TreeResponse, difference_variance, pair_rates
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.moments.supports import walsh_hadamard
from ldp_aggregator.projective.cyclic_design import CyclicDesign, cyclic_design
from ldp_aggregator.trees.halves import Halves, halves_of, pooled

_RATES = 4


def members_of(sets: NumberedSubsets) -> Floats:
    """1 where a set has a value, of shape (values, sets)."""
    places = np.array(members_of_all(sets.size, sets.chosen))
    members = np.zeros((sets.size, len(places)))
    members[places, np.arange(len(places))[:, None]] = 1
    return members


class Level:
    """A level that some are asked for.

    With `cells`, about which a report names one of `symbols`.
    """

    def __init__(self, response: TreeResponse, number: int) -> None:
        oracle = response.oracles[number]
        self.number = number
        self.share = float(response.shares[number])
        """w_j."""
        self.oracle = oracle
        self.cells = response.cells[number]
        self.places = np.arange(self.cells) * response.spaces[number][2] % oracle.size
        """Of every cell the place that the response knows it by."""
        self.symbols = oracle.layout.symbols
        self.p, self.q = (float(rate) for rate in oracle.support)
        self.with_one, self.with_none = (float(rate) for rate in pair_rates(oracle))
        """How often a report supports two cells: if one is the true one, and if neither is."""
        self.factor = 1 / (self.share * (self.p - self.q))
        """What (support - q) counts for in an own estimate."""
        self.ratio = float(oracle.ratio)

    @cached_property
    def _design(self) -> CyclicDesign:
        assert not isinstance(self.oracle, NumberedSubsets)  # noqa: S101 (asked for elsewhere)
        return cyclic_design(self.oracle.order, self.oracle.dimension)

    @cached_property
    def _members(self) -> Floats:
        """1 where a set has a cell, of shape (cells, symbols)."""
        assert isinstance(self.oracle, NumberedSubsets)  # noqa: S101 (as above)
        return members_of(self.oracle)

    def supports(self, numbers: Floats) -> Floats:
        """Of every cell, the sum over the symbols that support it: (..., cells) from symbols."""
        if isinstance(self.oracle, NumberedSubsets):
            return numbers if self.oracle.chosen == 1 else numbers @ self._members.T
        if self.oracle.order == 2:
            return _halved(numbers)[..., self.places]
        return self._design.sums(numbers)[..., self.places]

    def worths(self, alpha: Floats) -> Floats:
        """Of every symbol, the sum over the cells that it supports: (..., symbols) from cells."""
        if isinstance(self.oracle, NumberedSubsets):
            return alpha if self.oracle.chosen == 1 else alpha @ self._members
        padded = np.zeros((*alpha.shape[:-1], self.symbols))
        padded[..., self.places] = alpha
        if self.oracle.order == 2:
            return _halved(padded)
        # A point supports another if that supports it.
        return self._design.sums(padded)

    @property
    def rates(self) -> tuple[float, float]:
        """P[y | x] of a symbol that does not support the cell of x, and of one that does."""
        supporting = self.supports(np.ones(self.symbols))[0]
        return (1 - self.p) / (self.symbols - supporting), self.p / supporting


class Views:
    """All that the scores of a response follow from."""

    def __init__(self, response: TreeResponse) -> None:
        self.response = response
        self.levels = tuple(
            Level(response, number) for number in np.flatnonzero(response.law).tolist()
        )
        """Those that some are asked for."""
        precision = [0.0] * len(response.law)
        for level in self.levels:
            variance = difference_variance(level.oracle, level.cells)
            precision[level.number] = level.share / float(variance)
        self.precision = tuple(precision)

    @cached_property
    def halves(self) -> Halves:
        """How own estimates are pooled."""
        return halves_of(self.response.cells, self.precision)

    def frequencies(self, counts: Counts) -> list[Floats]:
        """The share of every cell, by level from the top; `counts` of shape (levels, symbols)."""
        reports = int(counts.sum())
        direct = [np.zeros(cells) for cells in self.response.cells]
        for level in self.levels:
            own = counts[level.number]
            supports = np.rint(level.supports(own[: level.symbols].astype(np.float64)))
            direct[level.number] = level.factor * (supports - level.q * own.sum()) / reports
        return pooled(self.halves, direct)


@lru_cache(maxsize=_RATES)
def views_of(response: TreeResponse) -> Views:
    """The views of a response."""
    return Views(response)


def _halved(numbers: Floats) -> Floats:
    """Sums over orthogonal points of a space over two elements, of shape (..., points).

    The bits of a point are its index plus 1; those of 0 are no point.
    """
    whole = np.concatenate([np.zeros((*numbers.shape[:-1], 1)), numbers], axis=-1)
    transformed = walsh_hadamard(whole)
    return np.asarray((transformed[..., :1] + transformed[..., 1:]) / 2)
