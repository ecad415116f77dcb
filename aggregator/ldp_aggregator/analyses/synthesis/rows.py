"""People drawn from a joint table, or field by field along a tree.

Their tables differ from those they are drawn from by less than chance would make them:
of a cell with a share s of n people there are n s of them, rounded up or down
(systematic sampling).

Source: Madow and Madow 1944 (systematic sampling).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.random import Generator

from ldp_aggregator.analyses.synthesis.pairs import Pair
from ldp_aggregator.analyses.synthesis.tree import conditional_shares
from ldp_aggregator.numerics.arrays import Floats, Integers


def from_joint(joint: Floats, rows: int, generator: Generator) -> Integers:
    """The values of so many people, of shape (rows, fields), in a random order."""
    cells = _draw(joint.ravel(), rows, generator)
    generator.shuffle(cells)
    return np.stack(np.unravel_index(cells, joint.shape), axis=1)


def along(
    branches: Sequence[Pair],
    tables: Mapping[Pair, Floats],
    rows: int,
    generator: Generator,
) -> Integers:
    """The same, from the first field on along the branches of a tree."""
    people = np.zeros((rows, len(branches) + 1), dtype=np.int64)
    first = next(table for (place, _), table in tables.items() if place == 0)
    people[:, 0] = _draw(first.sum(axis=1), rows, generator)
    for old, new in branches:
        shares = conditional_shares(tables, old, new)
        for value, of_value in enumerate(shares):
            holders = np.flatnonzero(people[:, old] == value)
            generator.shuffle(holders)
            people[holders, new] = _draw(of_value, len(holders), generator)
    generator.shuffle(people)
    return people


def _draw(shares: Floats, rows: int, generator: Generator) -> Integers:
    """Cells by their shares, in their order: points one step apart, from a random
    start.
    """
    points = (np.arange(rows) + generator.random()) / max(rows, 1)
    ends = np.cumsum(shares)
    cells = np.searchsorted(ends / ends[-1], points, side="right")
    return np.minimum(cells, len(shares) - 1)
