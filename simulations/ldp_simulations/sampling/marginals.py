"""Subsets of fields: holders are dealt out to the subsets, each of which has its own
response.

Those who drew a subset answer for their cells there: what reports come of that, the row
of the subset's response says. Who holds what is known by all fields together, of which
there may be more cells than could be listed (`ldp_simulations.field_holders`). A forger
takes the subset and the symbol that are worth most to the targets, which are values of
fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.numbers.tree import Oracle
from ldp.mechanisms.sets.subsets import SubsetsResponse
from ldp_aggregator.decoders.marginals.marginals import scores_of
from ldp_aggregator.decoders.marginals.subsets import subsets_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_simulations.field_holders import cells_told, dealt_out, fields_by_number
from ldp_simulations.holders import Holders
from ldp_simulations.reports.form import REPORTS, Wanted
from ldp_simulations.reports.rows import symbol_rows


def by_subset(
    randomizer: SubsetsResponse, holders: Holders, generator: Generator
) -> Iterator[tuple[Oracle, Counts]]:
    """Yield the response of each subset, and how many who drew it hold each of its
    cells.
    """
    sizes = (
        np.array(randomizer.sizes)[fields_by_number(randomizer)].prod(axis=1).tolist()
    )
    drawn = dealt_out(randomizer, holders, generator)
    for cells, own in zip(sizes, drawn, strict=True):
        oracle = randomizer.oracle(cells)
        places = np.zeros(oracle.size, dtype=np.int64)
        places[np.arange(cells) * randomizer.space(cells)[2] % oracle.size] = own[
            :cells
        ]
        yield oracle, places


def expected_counts(
    randomizer: SubsetsResponse,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    """The tally to be expected where the cells of all fields have the given
    frequencies.
    """
    subsets = subsets_of(randomizer)
    law = np.zeros((randomizer.subsets, randomizer.layout.symbols))
    held = np.stack(
        np.unravel_index(np.arange(len(frequency)), randomizer.sizes), axis=1
    )
    for group in subsets.groups:
        supports = group.supports(tuple(range(randomizer.together)))
        for number in group.numbers.tolist():
            cells, _ = cells_told(randomizer, held, np.full(len(held), number))
            inside = np.bincount(cells, frequency, group.cells) @ supports
            chances = group.other * frequency.sum() + group.surplus * inside
            law[number, : group.symbols] = chances / randomizer.subsets
    return np.asarray(np.rint(REPORTS * law), dtype=np.int64)


def forge(randomizer: SubsetsResponse, wanted: Wanted, generator: Generator) -> Rows:
    """Reports of the subset and the symbol that are worth most to the targets
    together.
    """
    subsets, sizes = subsets_of(randomizer), randomizer.sizes
    ends = np.cumsum([0, *sizes])
    worths = np.zeros((randomizer.subsets, randomizer.layout.symbols))
    for field, size in enumerate(sizes):
        targets = wanted.targets[
            (wanted.targets >= ends[field]) & (wanted.targets < ends[field + 1])
        ]
        worths += len(targets) / size
        for part in subsets.parts((field,)) if len(targets) else ():
            scores = scores_of(subsets, part, field)[targets - ends[field]].sum(axis=0)
            worths[part.numbers, : len(scores)] += scores - len(targets) / size
    # (subset, symbol) of all that are worth as much.
    best = np.argwhere(np.isclose(worths, worths.max()))
    chosen = best[generator.integers(len(best), size=wanted.reports)]
    return symbol_rows(randomizer.layout, chosen[:, 0], chosen[:, 1:])
