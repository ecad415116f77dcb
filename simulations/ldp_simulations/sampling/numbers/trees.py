"""Halves of halves, of a line or a map: holders are dealt out to levels, each with its
response.

The holders of a value are spread over the levels by a multinomial, and those of a level
answer for their cells: what reports come of that, the row of the level's response says.
Of numbered sets that is a multinomial over all sets for each cell; of sets of one,
k-ary response. A forger takes the level and the symbol that are worth most to the
targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.numbered_subsets import NumberedSubsets
from ldp_aggregator.decoders.trees.levels import views_of
from ldp_aggregator.decoders.trees.squares import parts, scores_under
from ldp_aggregator.decoders.trees.transforms import members_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_simulations.holders import Holders
from ldp_simulations.reports.forging import best_symbols, count_places
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts
from ldp_simulations.reports.rows import symbol_rows
from ldp_simulations.sampling.values.symbols import symbol_counts


def by_place(
    randomizer: TreeResponse, holders: Holders, generator: Generator
) -> Iterator[Counts]:
    """Yield for each level how many of those who drew it hold each of its places."""
    shares = [float(share) for share in randomizer.shares]
    # (levels, values)
    drawn = generator.multinomial(holders.counts, shares).T
    for number, oracle in enumerate(randomizer.oracles):
        cells = randomizer.cell_of(number, np.arange(randomizer.size))
        places = cells * randomizer.spaces[number][2] % oracle.size
        yield np.bincount(places, drawn[number], oracle.size).astype(np.int64)


def expected_counts(
    randomizer: TreeResponse,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    """The tally to be expected where values have the given frequencies."""
    law = np.zeros((len(randomizer.law), randomizer.layout.symbols))
    views = views_of(randomizer)
    for level in views.levels:
        other, one = level.rates
        held = np.bincount(views.cells_of(level), frequency, level.cells)
        inside = level.worths(held.astype(np.float64))
        chances = other * frequency.sum() + (one - other) * inside
        law[level.number, : level.symbols] = level.share * chances
    return np.asarray(np.rint(REPORTS * law), dtype=np.int64)


def forge(randomizer: TreeResponse, wanted: Wanted, generator: Generator) -> Rows:
    """Reports of the level and the symbol that are worth most to the targets
    together.
    """
    views = views_of(randomizer)
    targets = count_places(randomizer.size, wanted.targets)[None]
    (_, worth), *_ = parts(views, targets)
    scores = [scores_under(level, worth)[0] for level in views.levels]
    most = max(of_level.max() for of_level in scores)
    # (level, symbol) of all that are worth as much.
    best = np.array(
        [
            (level.number, place)
            for level, of_level in zip(views.levels, scores, strict=True)
            for place in np.flatnonzero(np.isclose(of_level, most)).tolist()
        ]
    )
    chosen = best[generator.integers(len(best), size=wanted.reports)]
    return symbol_rows(randomizer.layout, chosen[:, 0], chosen[:, 1:])


def set_counts(
    randomizer: NumberedSubsets, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value: of shape (1, sets)."""
    size, chosen, truth, other = randomizer
    if chosen == 1:
        return symbol_counts(RandomizedResponse(size, truth, other), holders, generator)
    total = truth * comb(size - 1, chosen - 1) + other * comb(size - 1, chosen)
    chances = other / total + (truth - other) / total * members_of(size, chosen)
    by_value = generator.multinomial(holders, chances)
    counts: Counts = by_value.sum(axis=0, keepdims=True)
    return counts


def _worths(randomizer: NumberedSubsets, wanted: Wanted) -> list[Floats]:
    return [
        count_places(randomizer.size, wanted.targets)
        @ members_of(randomizer.size, randomizer.chosen)
    ]


SETS = Form(by_counts(set_counts), best_symbols(_worths))
