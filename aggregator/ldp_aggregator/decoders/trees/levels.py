"""The levels of a tree, and what symbols are worth to their cells.

A report of level j with symbol y supports some of its cells. With p and q for how often
a report supports its own cell and any other, and w_j for the share of the people who
are asked for level j, it is worth

    t = (support - q) / (w_j (p - q))      to a cell of its level, and 0 to those of others

whose mean over all reports is the own estimate of a cell. So what a query makes of own
estimates (`halves`) makes the score of every report: constant + sum of A t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from ldp.mechanisms.numbers.tree import TreeResponse, difference_variance, pair_rates
from ldp_aggregator.decoders.trees.contrasts import pyramid_of
from ldp_aggregator.decoders.trees.halves import Halves, HalvingScores, halves_of
from ldp_aggregator.decoders.trees.transforms import transform_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Indices


class Level:
    """A level that some are asked for: `cells`, about which a report names one of
    `symbols`.
    """

    def __init__(self, response: TreeResponse, number: int) -> None:
        oracle = response.oracles[number]
        self.number = number
        self.share = float(response.shares[number])
        """w_j."""
        self.cells = response.cells[number]
        self.symbols = oracle.layout.symbols
        self.variance = float(difference_variance(oracle, self.cells))
        """Half of n Var of the difference of two cells, of those who are asked."""
        self.p, self.q = (float(rate) for rate in oracle.support)
        self.with_one, self.with_none = (float(rate) for rate in pair_rates(oracle))
        """How often a report supports two cells: if one is the true one, and if neither is."""
        self.factor = 1 / (self.share * (self.p - self.q))
        """What (support - q) counts for in an own estimate."""
        self._places = oracle.size
        self._transform = transform_of(response.spaces[number], self.cells)

    def supports(self, numbers: Floats) -> Floats:
        """Of every cell, the sum over the symbols that support it: (..., cells) from
        symbols.
        """
        return self._transform.supports(numbers)

    def worths(self, alpha: Floats) -> Floats:
        """Of every symbol, the sum over the cells that it supports: (..., symbols) from
        cells.
        """
        return self._transform.worths(alpha)

    @cached_property
    def rates(self) -> tuple[float, float]:
        """P[y | x] of a symbol that does not support the cell of x, and of one that
        does.
        """
        return (1 - self.p) / (
            self.symbols - self._supporting
        ), self.p / self._supporting

    @cached_property
    def at_once(self) -> int:
        """How many places a symbol supports, some of which may be of no cell."""
        return self._supporting * self._places // self.symbols

    @cached_property
    def _supporting(self) -> int:
        """How many symbols support a place."""
        return round(float(self.supports(np.ones(self.symbols))[0]))


class Pooling(Protocol):
    """Least squares: how own estimates become one of each cell, and what each is
    worth.
    """

    def pool(self, direct: Sequence[Floats]) -> list[Floats]:
        """X of the cells of every level, from their own estimates: by level, of shape
        (cells,).
        """

    def worth(self, queries: Floats) -> HalvingScores:
        """Return the worth of own estimates to queries of shape (Q, values)."""


_POOLINGS: dict[str, Callable[[Sequence[int], Sequence[float]], Pooling]] = {
    "tree": halves_of,
    "pyramid": pyramid_of,
}
"""By the kind of a response, from the cells of its levels and the precision of each."""


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
            precision[level.number] = level.share / level.variance
        self.precision = tuple(precision)
        """Of the own estimates of every level; 0 of those that no one is asked for."""

    @cached_property
    def halves(self) -> Halves:
        """How own estimates of a line are pooled."""
        return halves_of(self.response.cells, self.precision)

    @cached_property
    def pooling(self) -> Pooling:
        """The same of whatever it is."""
        return _POOLINGS[self.response.kind](self.response.cells, self.precision)

    def cells_of(self, level: Level) -> Indices:
        """Return for every value its cell in a level."""
        cells: Indices = self.response.cell_of(
            level.number, np.arange(self.response.size)
        )
        return cells

    def frequencies(self, counts: Counts) -> list[Floats]:
        """The share of every cell, by level from the top; `counts` of shape (levels,
        symbols).
        """
        return self.pooling.pool(self.own(counts))

    def own(self, counts: Counts) -> list[Floats]:
        """Return the estimates of each level by itself: 0 for levels that no one is
        asked for.
        """
        reports = int(counts.sum())
        direct = [np.zeros(cells) for cells in self.response.cells]
        for level in self.levels:
            own = counts[level.number]
            supports = np.rint(level.supports(own[: level.symbols].astype(np.float64)))
            direct[level.number] = (
                level.factor * (supports - level.q * own.sum()) / reports
            )
        return direct


@lru_cache(maxsize=4)
def views_of(response: TreeResponse) -> Views:
    """The views of a response."""
    return Views(response)
