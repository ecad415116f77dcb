"""Least squares on halves of halves: every cell becomes the sum of its two.

These are the two passes of `taxonomies.two_passes`, for a tree whose level j + 1 has
the cells 2 c and 2 c + 1 for each cell c of level j, the last cell at times only the
first of them. There are no other nodes than cells, so every step is one on whole
arrays. With s for the variance of what is known of a cell from below, and own estimates
y of the cells of every level,

    up     z = y at the last level, else own y + below (sum of both z)
    down   x = z + share (x of the cell above - sum of both z), from 1 for the whole, which is known

Where all levels are full, this is pooling in the Haar basis: what is left of the middle
of a cell less what is right of it is the mean of what each level says, weighted by its
precision.

A query is a number for each value. What it asks for is linear in all y: the passes read
backwards give its coefficients A, and a constant for the whole.

    the query's answer = constant + sum over levels and cells of A y
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ldp_aggregator.numerics.arrays import Floats


class Halves(NamedTuple):
    """The weights of both passes: by level, from the top, arrays of shape (cells,)."""

    own: tuple[Floats, ...]
    """Of a cell's own estimate, on the way up."""
    below: tuple[Floats, ...]
    """Of the sum of its halves; one level less."""
    share: tuple[Floats, ...]
    """What a cell takes of the gap between the one above and the sum of both halves."""
    variance: tuple[Floats, ...]
    """s: of z, times the number of reports, if answers are spread evenly."""

    def pool(self, direct: Sequence[Floats]) -> list[Floats]:
        """Pool as in `levels.Pooling`."""
        return pool_levels(self, direct)

    def worth(self, queries: Floats) -> HalvingScores:
        """Worth as in `levels.Pooling`."""
        return worth_of(self, queries)


class HalvingScores(NamedTuple):
    """Worth of own estimates to Q queries."""

    constant: Floats
    """Of shape (Q,)."""
    levels: tuple[Floats, ...]
    """A, by level: of shape (Q, cells)."""


def halves_of(cells: Sequence[int], precision: Sequence[float]) -> Halves:
    """The weights where each level has estimates of this precision, the last more than
    none.
    """
    own, below, share, variances = [], [], [], []
    variance = np.full(cells[-1], 1 / precision[-1])
    for level in reversed(range(len(cells))):
        if level < len(cells) - 1:
            total = pair_sums(variance)
            share.append(variance / to_halves(total, len(variance)))
            variance = 1 / (precision[level] + 1 / total)
            below.append(variance / total)
        own.append(precision[level] * variance)
        variances.append(variance)
    share.append(variance / variance.sum())
    return Halves(*(tuple(arrays[::-1]) for arrays in (own, below, share, variances)))


def pair_sums(numbers: Floats) -> Floats:
    """Pair sums of both halves of each cell: of shape (..., cells) from (...,
    halves).
    """
    sums = numbers[..., ::2].copy()
    second = numbers[..., 1::2]
    sums[..., : second.shape[-1]] += second
    return sums


def to_halves(numbers: Floats, count: int) -> Floats:
    """Give each half the number of its cell: of shape (..., halves) from (...,
    cells).
    """
    return np.repeat(numbers, 2, axis=-1)[..., :count]


def pool_levels(halves: Halves, direct: Sequence[Floats]) -> list[Floats]:
    """X of the cells of every level, from their own estimates: by level, of shape
    (cells,).
    """
    known = [halves.own[-1] * direct[-1]]
    sums = []
    for own, below, of_level in zip(
        halves.own[-2::-1], halves.below[::-1], direct[-2::-1], strict=True
    ):
        sums.append(pair_sums(known[-1]))
        known.append(own * of_level + below * sums[-1])
    known.reverse()
    sums.reverse()
    gap = 1 - known[0].sum()
    levels = [known[0] + halves.share[0] * gap]
    for share, up, total in zip(halves.share[1:], known[1:], sums, strict=True):
        levels.append(up + share * to_halves(levels[-1] - total, len(up)))
    return levels


def worth_of(halves: Halves, queries: Floats) -> HalvingScores:
    """Return the worth of own estimates to queries of shape (Q, values)."""
    # What a query asks of x, and by way of the gaps of z: from the values up.
    asked = [queries]
    of_known = []
    for share in halves.share[:0:-1]:
        above = pair_sums(share * asked[-1])
        of_known.append(asked[-1] - to_halves(above, asked[-1].shape[-1]))
        asked.append(above)
    constant = (halves.share[0] * asked[-1]).sum(axis=-1)
    of_known.append(asked[-1] - constant[:, None])
    of_known.reverse()
    # And of y: from the top down, as z goes into the sums above it.
    levels = [halves.own[0] * of_known[0]]
    through = of_known[0]
    for own, below, of_level in zip(
        halves.own[1:], halves.below, of_known[1:], strict=True
    ):
        through = of_level + to_halves(below * through, of_level.shape[-1])
        levels.append(own * through)
    return HalvingScores(constant, tuple(levels))
