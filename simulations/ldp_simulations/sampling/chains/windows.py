"""Tallies of permanent bits for some of the values (`chains.bit_flip`), from their law.

Holders fall into windows by a multinomial; within each, bits are independent given the
values: two binomials for each.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp_aggregator.numerics.arrays import Counts, Rows
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.reports.forging import best_bits
from ldp_simulations.reports.form import Form, Wanted, by_counts
from ldp_simulations.sampling.values.bits import ones


def window_counts(randomizer: BitFlip, holders: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `holders`, by window."""
    size, counts = randomizer.size, empty_counts(randomizer.layout)
    spread = generator.multinomial(holders, np.full(size, 1 / size))
    starts = np.arange(size)[:, None]
    set_by = spread[(starts + np.arange(randomizer.sampled)) % size, starts]
    counts[:, 0] = spread.sum(axis=0)
    counts[:, 1:] = ones(set_by, counts[:, :1], randomizer.within, generator=generator)
    return counts


def _forge(randomizer: BitFlip, wanted: Wanted, generator: Generator) -> Rows:
    """The bits of all targets, in a window with the most of them."""
    starts = np.arange(randomizer.size)[:, None]
    place = (wanted.targets - starts) % randomizer.size
    # (windows, bits): whether the bit is that of a target.
    by_cohort = (place[:, :, None] == np.arange(randomizer.sampled)).any(axis=1)
    return best_bits(
        randomizer.layout,
        by_cohort,
        randomizer.within,
        reports=wanted.reports,
        generator=generator,
        best_cohorts_only=True,
    )


FORM = Form(by_counts(window_counts), _forge)
