"""How far synthetic people are from the unbiased tables, pair by pair.

The rows' table of a pair differs from the unbiased one by what was done to make a joint
table: cut noise, and dependence that it has no room for. Both are shown beside the
noise of the unbiased table itself: rows that differ by less than that are as good as
it.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ldp_aggregator.analyses.association.measures import cramers_v
from ldp_aggregator.analyses.synthesis.pairs import Pair, Pairs
from ldp_aggregator.numerics.arrays import Floats, Integers


class PairFit(NamedTuple):
    """Fit of one pair of fields; differences are root mean squares over its cells."""

    first: str
    second: str
    noise: float
    """The standard error of the unbiased table."""
    difference: float
    """Between the unbiased table and that of the rows."""
    strength: float
    """Cramér's V of the consistent table."""
    kept: float
    """The same in the rows."""


def fit_of(
    names: tuple[str, ...], pairs: Pairs, tables: dict[Pair, Floats], people: Integers
) -> list[PairFit]:
    """Fit of each pair; `tables` are the consistent ones, `people` of shape (rows,
    fields).
    """
    fits = []
    for pair in combinations(range(len(names)), 2):
        first, second = pair
        there = pair_shares(people, pair, pairs.tables[pair].shape)
        fits.append(
            PairFit(
                names[first],
                names[second],
                noise=_root_mean_square(pairs.errors[pair]),
                difference=_root_mean_square(there - pairs.tables[pair]),
                strength=cramers_v(tables[pair]),
                kept=cramers_v(there),
            )
        )
    return fits


def pair_shares(people: Integers, pair: Pair, shape: tuple[int, ...]) -> Floats:
    """The shares of the rows in each cell of two fields."""
    first, second = pair
    cells = people[:, first] * shape[1] + people[:, second]
    shares = np.bincount(cells, minlength=shape[0] * shape[1]) / max(len(people), 1)
    return shares.reshape(shape)


def _root_mean_square(numbers: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(numbers))))
