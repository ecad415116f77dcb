"""Dithered k-ary response: levels by dither, then randomized response to the level.

Holders of a value that lies between two places of the grid go to either, by a binomial;
where there are more values than can be listed, holders are counted by places in the
first place. Holders of a place are spread over the dithers by a multinomial; a dither
takes a place to one level. Of the holders of each level, under each dither, a binomial
keeps theirs and a multinomial spreads the others evenly over all levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp_aggregator.decoders.numbers.dithered import scores_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers
from ldp_simulations.reports.forging import best_symbols
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts

_AT_ONCE = 1 << 22
"""Pairs of place and dither that are handled together."""


def level_counts(
    randomizer: DitheredResponse, held: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `held` holders, of shape (grid, levels)."""
    # (grid + 1,): holders of each place, those between two of them shared out.
    on_grid = held
    if len(held) != randomizer.grid + 1:
        places, above = _places(randomizer)
        upwards = generator.binomial(held, above)
        on_grid = _on_grid(randomizer, places, held - upwards, onwards=upwards).astype(
            np.int64
        )
    truly = np.zeros((randomizer.grid, randomizer.levels), dtype=np.int64)
    even = np.full(randomizer.grid, 1 / randomizer.grid)
    for part in _parts(randomizer):
        # (places of the part, grid): how many of a place's holders draw each dither.
        spread = generator.multinomial(on_grid[part], even)
        _add_levels(truly, randomizer, part, spread=spread)
    p, q = randomizer.response.support
    kept = generator.binomial(truly, float(p - q))
    alike = np.full(randomizer.levels, 1 / randomizer.levels)
    return kept + generator.multinomial((truly - kept).sum(axis=1), alike)


def _expect(
    randomizer: DitheredResponse,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    on_grid = frequency
    if len(frequency) != randomizer.grid + 1:
        places, above = _places(randomizer)
        on_grid = _on_grid(
            randomizer, places, frequency * (1 - above), onwards=frequency * above
        )
    truly = np.zeros((randomizer.grid, randomizer.levels))
    for part in _parts(randomizer):
        shares = np.repeat(
            on_grid[part, None] / randomizer.grid, randomizer.grid, axis=1
        )
        _add_levels(truly, randomizer, part, spread=shares)
    p, q = (float(rate) for rate in randomizer.response.support)
    law = (p - q) * truly + q * truly.sum(axis=1, keepdims=True)
    return np.asarray(np.rint(REPORTS * law), dtype=np.int64)


def _worths(randomizer: DitheredResponse, wanted: Wanted) -> list[Floats]:
    """By dither: what each level is worth to a mean, or takes from it where the targets
    are low.
    """
    towards = float(np.mean(wanted.targets)) - (randomizer.size - 1) / 2
    return list(np.sign(towards) * scores_of(randomizer).place)


def _places(randomizer: DitheredResponse) -> tuple[Integers, Floats]:
    """The place below each value, and how likely its holder goes to the next one."""
    last = randomizer.size - 1
    place, rest = np.divmod(np.arange(randomizer.size) * randomizer.grid, last)
    return place, rest / last


def _on_grid(
    randomizer: DitheredResponse,
    places: Integers,
    there: Counts | Floats,
    onwards: Counts | Floats,
) -> Floats:
    """Return the mass at each place, and the part that goes on to the next: (grid +
    1,).
    """
    size = randomizer.grid + 1
    at_next = np.bincount(places + 1, onwards, size + 1)[:size]
    return np.asarray(np.bincount(places, there, size) + at_next, dtype=np.float64)


def _parts(randomizer: DitheredResponse) -> Iterator[Integers]:
    """The places of the grid, some at a time."""
    places = np.arange(randomizer.grid + 1)
    yield from np.array_split(places, -(-len(places) * randomizer.grid // _AT_ONCE))


def _add_levels(
    totals: Counts | Floats,
    randomizer: DitheredResponse,
    places: Integers,
    spread: Counts | Floats,
) -> None:
    """Add what is spread over (places, dithers) to the level that each pair comes
    to.
    """
    dithers = np.arange(randomizer.grid)
    # (places, grid): the level of each pair.
    levels = ((randomizer.levels - 1) * places[:, None] + dithers) // randomizer.grid
    np.add.at(totals, (dithers[None, :], levels), spread)


FORM = Form(
    by_counts(level_counts), best_symbols(_worths, best_cohorts_only=True), _expect
)
