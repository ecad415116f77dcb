"""The maximal gain attack: reports that are worth as much as possible to the targets
together.

    symbols   one that supports the most targets, or whose scores for them have the
              greatest sum, in each cohort; of dithered levels, in the best cohort
    bits      those of all targets, and others up to the number of ones that an honest
              report has on average

Among reports that are worth the same, each forger chooses at random. What a symbol is
worth is said by the modules of `ldp_simulations.sampling`. Bloom filters are attacked
bit by bit, and what that is worth depends on what others report.

Source: Cao, Jia and Gong 2021, Data Poisoning Attacks to Local Differential Privacy
Protocols (MGA).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp.numbers.layout import Layout
from ldp_aggregator.numerics.arrays import Flags, Floats, Integers, Rows
from ldp_simulations.reports.form import Wanted
from ldp_simulations.reports.rows import bit_rows, symbol_rows

Worths = Callable[[Any, Wanted], Sequence[Floats]]
"""What each symbol is worth to the targets, by cohort."""


def best_symbols(
    worths: Worths, *, best_cohorts_only: bool = False
) -> Callable[[Any, Wanted, Generator], Rows]:
    """Forged reports of symbols, from what symbols are worth."""

    def forge(randomizer: Any, wanted: Wanted, generator: Generator) -> Rows:
        by_cohort = worths(randomizer, wanted)
        most = np.array([worth.max() for worth in by_cohort])
        best = [np.flatnonzero(np.isclose(worth, worth.max())) for worth in by_cohort]
        allowed = np.arange(len(best))
        if best_cohorts_only:
            allowed = np.flatnonzero(np.isclose(most, most.max()))
        cohorts = generator.choice(allowed, wanted.reports)
        symbols = np.zeros(wanted.reports, dtype=np.int64)
        for cohort, equals in enumerate(best):
            here = cohorts == cohort
            symbols[here] = generator.choice(equals, here.sum())
        return symbol_rows(randomizer.layout, cohorts, symbols[:, None])

    return forge


def best_bits(
    layout: Layout,
    by_cohort: Flags,
    rates: tuple[Fraction, Fraction],
    reports: int,
    generator: Generator,
    *,
    true_bits: int = 1,
    best_cohorts_only: bool = False,
) -> Rows:
    """Forged reports of bits; `by_cohort` (cohorts, bits) has those of the targets.

    `rates` are (p, q) of a bit, and `true_bits` how many of them an answer sets.
    """
    p, q = rates
    most = by_cohort.sum(axis=1)
    if best_cohorts_only:
        best = np.flatnonzero(most == most.max())
    else:
        best = np.arange(layout.cohorts)
    cohorts = generator.choice(best, reports)
    wanted: Flags = by_cohort[cohorts] == (p > q)
    ones = layout.ones or round(layout.bits * q + true_bits * (p - q))
    # Where a report that supports a value lacks its bit, all bits but the targets' are
    # wanted.
    needed = int(most.max()) if p > q else 0
    room = layout.bits if p > q else layout.bits - int(most.max())
    return bit_rows(
        layout,
        cohorts,
        wanted,
        ones=layout.ones or min(max(ones, needed), room),
        generator=generator,
    )


def plain_bits(randomizer: Any, wanted: Wanted, generator: Generator) -> Rows:
    """Where each value has a bit of its own."""
    marks = count_places(randomizer.layout.bits, wanted.targets)[None] > 0
    return best_bits(
        randomizer.layout,
        marks,
        randomizer.support,
        reports=wanted.reports,
        generator=generator,
    )


def count_places(size: int, places: Integers) -> Floats:
    """How often each place occurs."""
    return np.bincount(places, minlength=size).astype(float)
