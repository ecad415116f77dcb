"""The pairs that say most, as a tree: for more fields than a joint table can have.

Of all trees of pairs the one is taken whose pairs tell most of one another together
(the most mutual information); every other dependence goes along its branches. Among the
joint tables with these tables of pairs it has the greatest entropy, and people are
drawn from it field by field.

Source: Chow and Liu 1968, Approximating discrete probability distributions with
dependence trees.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ldp_aggregator.analyses.association.measures import mutual_information
from ldp_aggregator.analyses.synthesis.pairs import Pair
from ldp_aggregator.numerics.arrays import Floats


def branches(fields: int, tables: Mapping[Pair, Floats]) -> list[Pair]:
    """Field after field, from the first one on: one that is in the tree, and one that
    joins it.
    """
    worth = {pair: mutual_information(table) for pair, table in tables.items()}
    joined, links = {0}, []
    while len(joined) < fields:
        ends = [
            (worth[min(old, new), max(old, new)], old, new)
            for old in joined
            for new in range(fields)
            if new not in joined
        ]
        _, old, new = max(ends)
        joined.add(new)
        links.append((old, new))
    return links


def conditional_shares(tables: Mapping[Pair, Floats], old: int, new: int) -> Floats:
    """Of the holders of each value of one field, the shares of another's: rows that sum
    to 1.
    """
    table = tables[min(old, new), max(old, new)]
    table = table if old < new else table.T
    sums = table.sum(axis=1, keepdims=True)
    even = np.full(table.shape, 1 / table.shape[1])
    return np.asarray(np.divide(table, sums, out=even, where=sums > 0))
