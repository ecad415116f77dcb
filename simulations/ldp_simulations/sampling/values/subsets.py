"""Tallies of uniform sets of positions, drawn from their exact law: for subset
selection.

Every report is either a uniform set, whatever its value, or a uniform one among those
that hold its value.

Positions are split in halves, these in halves again, down to single ones. Of m
positions a set has r, besides the one that it is marked with, if it is marked here; of
these, k are in the left half by a hypergeometric law, and the rest in the right half.
Sets that have as many are alike, and so only their numbers are kept, of marked and of
other sets; what happens in the halves of a half no longer depends on what happens in
the other one. As only a few times sqrt(m) different r occur among m positions, and as
many k for each, a level takes about as much time as there are positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.values.subset import SubsetSelection
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.reports.forging import plain_bits
from ldp_simulations.reports.form import Form, by_counts

_MOST_TOGETHER = 500_000_000
"""Sets drawn at once: numpy draws hypergeometric samples from fewer than 10^9."""
_DEVIATIONS, _MORE = 9, 12
"""Standard deviations, and positions besides, beyond which no k is looked at: less
likely than 1e-18.
"""
_TOGETHER = 1 << 22
"""Chances worked out at once."""


def subset_counts(
    randomizer: SubsetSelection, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`.

    The weights R (sets with the value) and 1 (without) are a weight of 1 for all and R
    - 1 more for those with it.
    """
    size, chosen, truth, other = randomizer
    anything = Fraction(size * other, chosen * truth + (size - chosen) * other)
    # (values,): reports that are uniform among the sets with their value.
    marked = generator.binomial(holders, float(1 - anything))
    # The number of reports, then how many hold each value.
    counts = np.zeros(1 + size, dtype=np.int64)
    counts[0] = holders.sum()
    parts = int(marked.sum()) // _MOST_TOGETHER + 1
    for part in range(parts):
        counts[1:] += _holders(chosen, (marked + part) // parts, 0, generator=generator)
    counts[1:] += _holders(
        chosen,
        np.zeros_like(marked),
        int((holders - marked).sum()),
        generator=generator,
    )
    return counts[None, :]


class _Level(NamedTuple):
    """How many sets have r positions in each block of a level: arrays (blocks, width +
    1).
    """

    marked: Counts
    """Of those marked in the block, by how many positions they have there besides."""
    others: Counts


def _holders(
    chosen: int, marked: Counts, unmarked: int, generator: Generator
) -> Counts:
    """How many sets of `chosen` positions hold each of them.

    `marked[x]` of the sets are uniform among those that hold x, and `unmarked` are
    uniform among all.
    """
    size = len(marked)
    width = 1 << (size - 1).bit_length()
    # The whole is one block, (1, width + 1). A marked set has its mark, and chosen - 1
    # besides.
    level = _Level(
        np.zeros((1, width + 1), np.int64), np.zeros((1, width + 1), np.int64)
    )
    level.marked[0, chosen - 1], level.others[0, chosen] = marked.sum(), unmarked
    marks = np.pad(marked, (0, width - size))
    while width > 1:
        width //= 2
        starts = np.arange(0, len(marks), width)
        # (blocks, halves): how many positions there are in each half, and sets that are
        # marked.
        positions = np.clip(size - starts, 0, width).reshape(-1, 2)
        marks_in_halves = marks.reshape(-1, 2, width).sum(axis=2)
        level = _halve(level, positions, marks_in_halves[:, 0], generator=generator)
    # Blocks are single positions now: each has the sets with r = 1, and its own marked
    # ones.
    counts: Counts = marked + level.others[:size, 1]
    return counts


def _halve(
    level: _Level, positions: Counts, marks_on_the_left: Counts, generator: Generator
) -> _Level:
    """The level below, of twice as many blocks of half the width."""
    blocks, width = 2 * len(positions), (level.others.shape[1] - 1) // 2
    below = _Level(*(np.zeros((blocks, width + 1), np.int64) for _ in range(2)))
    marked_left = _sample(level.marked, marks_on_the_left, generator)
    left, right = positions.T
    # Where the mark is, there is one position less for the rest, and the set stays a
    # marked one.
    for sets, room, to_left, to_right in (
        (marked_left, (left - 1, right), below.marked, below.others),
        (level.marked - marked_left, (left, right - 1), below.others, below.marked),
        (level.others, (left, right), below.others, below.others),
    ):
        for block, on_the_left, on_the_right, many in _dealt(sets, *room, generator):
            np.add.at(to_left, (2 * block, on_the_left), many)
            np.add.at(to_right, (2 * block + 1, on_the_right), many)
    return below


def _sample(sets: Counts, many: Counts, generator: Generator) -> Counts:
    """`many[i]` of the sets of row i, at random: a multivariate hypergeometric law, by
    columns.
    """
    sampled = np.zeros_like(sets)
    # (rows,): sets in the columns still to come, and those of the sample that are still
    # to find.
    rest, left = sets.sum(axis=1), many.copy()
    for column in np.flatnonzero(sets.any(axis=0)):
        rest -= sets[:, column]
        sampled[:, column] = generator.hypergeometric(sets[:, column], rest, left)
        left -= sampled[:, column]
    return sampled


def _dealt(
    sets: Counts, left: Counts, right: Counts, generator: Generator
) -> Iterator[tuple[Counts, Counts, Counts, Counts]]:
    """(block, positions on the left, positions on the right, sets) of all blocks of a
    level.

    `left` and `right` say how much room blocks have on either side.
    """
    # (cases,): block, r, and how many sets there are of the sort; empty sorts are left
    # out.
    blocks, having = np.nonzero(sets)
    many = sets[blocks, having]
    lowest, widest = _range(having, left[blocks], right[blocks])
    rows = max(1, _TOGETHER // widest)
    for start in range(0, len(blocks), rows):
        some = slice(start, start + rows)
        block, total = blocks[some], having[some]
        # (cases, widest): the k that are looked at, and P[k].
        on_the_left = lowest[some, None] + np.arange(widest)
        chances = _chances(
            on_the_left,
            total[:, None],
            left[block][:, None],
            right=right[block][:, None],
        )
        # The likeliest comes last, as it gets what rounding leaves.
        order = (np.arange(widest) + chances.argmax(axis=1)[:, None] + 1) % widest
        drawn = generator.multinomial(
            many[some], np.take_along_axis(chances, order, axis=1)
        )
        # Back to a list: each k that came up in a case, and how often.
        row, column = np.nonzero(drawn)
        places = np.take_along_axis(on_the_left, order, axis=1)[row, column]
        yield block[row], places, total[row] - places, drawn[row, column]


def _range(total: Counts, left: Counts, right: Counts) -> tuple[Counts, int]:
    """The least k that is looked at, by row, and how many."""
    room = np.maximum(left + right, 1)
    mean = total * left / room
    reach = _DEVIATIONS * np.sqrt(mean * right / room) + _MORE
    lowest = np.maximum(np.maximum(total - right, 0), np.floor(mean - reach)).astype(
        np.int64
    )
    highest = np.minimum(np.minimum(total, left), np.ceil(mean + reach)).astype(
        np.int64
    )
    return lowest, int((highest - lowest).max(initial=0)) + 1


def _chances(some: Counts, total: Counts, left: Counts, right: Counts) -> Floats:
    """The hypergeometric law of `total` positions, at consecutive numbers of them on
    the left.

    0 where it cannot be.
    """
    # P[k + 1] / P[k], of which the first is above 0.
    k = some[:, :-1]
    ways = np.maximum(left - k, 0) * np.maximum(total - k, 0).astype(float)
    with np.errstate(divide="ignore"):
        steps = np.log(ways) - np.log((k + 1.0) * np.maximum(right - total + k + 1, 1))
    logs = np.concatenate([np.zeros((len(some), 1)), np.cumsum(steps, axis=1)], axis=1)
    chances: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return chances


FORM = Form(by_counts(subset_counts), plain_bits)
