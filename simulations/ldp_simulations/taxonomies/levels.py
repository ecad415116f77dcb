"""Taxonomies: holders are dealt out to the levels of the tree, and each level has its
own response.

The holders of a value are spread over the levels by a multinomial, and those of a level
answer for their cells: what reports come of that, the row of the level's response says.
A forger takes the level in which one report is worth most to the targets, as levels are
not equally likely: reports of a level that few are asked for count for more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.mechanisms.texts.taxonomy import TaxonomyResponse
from ldp_aggregator.decoders.taxonomies.worths import parts_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_simulations.holders import Holders
from ldp_simulations.reports.form import REPORTS, Wanted
from ldp_simulations.reports.rows import symbol_rows


def by_level(
    randomizer: TaxonomyResponse, holders: Holders, generator: Generator
) -> Iterator[Counts]:
    """Yield for each level how many of those who drew it hold each of its cells."""
    shares = [float(share) for share in randomizer.shares]
    # (levels, values)
    drawn = generator.multinomial(holders.counts, shares).T
    for level, held_there in zip(randomizer.levels, drawn, strict=True):
        cells = np.bincount(level.cells, held_there, len(level.nodes))
        yield cells.astype(np.int64)


def side_by_side(
    randomizer: TaxonomyResponse | TreeResponse, parts: Iterable[Counts]
) -> Counts:
    """Counts of the symbols of each level, as a tally has them: (levels, symbols)."""
    counts = np.zeros((len(randomizer.law), randomizer.layout.symbols), dtype=np.int64)
    for row, part in zip(counts, parts, strict=True):
        row[: len(part)] = part
    return counts


def expected_counts(
    randomizer: TaxonomyResponse,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    """The tally to be expected where values have the given frequencies."""
    law = np.zeros((len(randomizer.law), randomizer.layout.symbols))
    cells = [
        np.bincount(level.cells, frequency, len(level.nodes))
        for level in randomizer.levels
    ]
    for part in parts_of(randomizer):
        view = part.view
        chances = view.other * frequency.sum() + view.surplus * (
            cells[view.number] @ part.supports
        )
        law[view.number, part.symbols] = view.share * chances
    return np.asarray(np.rint(REPORTS * law), dtype=np.int64)


def forge(randomizer: TaxonomyResponse, wanted: Wanted, generator: Generator) -> Rows:
    """Reports of the level and the symbol that are worth most to the targets
    together.
    """
    worths = [
        (part.view.number, part.symbols.start, part.scores[wanted.targets].sum(axis=0))
        for part in parts_of(randomizer)
    ]
    most = max(worth.max() for _, _, worth in worths)
    # (level, symbol) of all that are worth as much.
    best = np.array(
        [
            (number, first + place)
            for number, first, worth in worths
            for place in np.flatnonzero(np.isclose(worth, most)).tolist()
        ]
    )
    chosen = best[generator.integers(len(best), size=wanted.reports)]
    return symbol_rows(randomizer.layout, chosen[:, 0], chosen[:, 1:])
