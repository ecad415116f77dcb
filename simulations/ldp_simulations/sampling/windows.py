"""Tallies of permanent bits for some of the values (`ldp.mechanisms.bit_flip`), drawn from their
law.

Holders fall into windows by a multinomial; within each, bits are independent given the values: two
binomials for each.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.bit_flip import BitFlip
from ldp_aggregator.arrays import Counts
from ldp_aggregator.tallies.counting import empty_counts
from ldp_simulations.sampling.bits import ones


def window_counts(randomizer: BitFlip, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, by window."""
    size, counts = randomizer.size, empty_counts(randomizer.layout)
    spread = generator.multinomial(held, np.full(size, 1 / size))
    starts = np.arange(size)[:, None]
    set_by = spread[(starts + np.arange(randomizer.sampled)) % size, starts]
    counts[:, 0] = spread.sum(axis=0)
    counts[:, 1:] = ones(set_by, counts[:, :1], randomizer.within, generator)
    return counts
