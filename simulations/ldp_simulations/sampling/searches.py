"""Tallies of heavy hitters, drawn from their law.

Holders fall into cohorts by a multinomial; in each cohort into cells, as their texts' hashes have
it; and what is reported of cells is drawn as in `ldp_simulations.sampling.projective`.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.heavy_hitters import HeavyHitters
from ldp_aggregator.arrays import Counts
from ldp_aggregator.search.prefix_extension import cells
from ldp_simulations.holders import Holders
from ldp_simulations.sampling.projective import projective_counts


def search_counts(randomizer: HeavyHitters, holders: Holders, generator: Generator) -> Counts:
    """Counts of one report from each holder, by cohort."""
    texts = [value.encode() for value in holders.values]
    spread = generator.multinomial(
        holders.counts, np.full(randomizer.cohorts, 1 / randomizer.cohorts)
    ).T
    rows = []
    for cohort, held in enumerate(spread):
        within = np.zeros(randomizer.oracle.size, dtype=np.int64)
        np.add.at(within, cells(randomizer, texts, cohort), held)
        rows.append(projective_counts(randomizer.oracle, within, generator))
    return np.concatenate(rows)
