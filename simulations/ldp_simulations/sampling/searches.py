"""Tallies of heavy hitters, drawn from their law.

Holders fall into cohorts by a multinomial; in each cohort into cells, as their texts'
hashes have it; and what is reported of cells is drawn as in
`ldp_simulations.sampling.values.projective`.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp_aggregator.decoders.search.prefix_extension import cells
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.holders import Holders
from ldp_simulations.reports.forging import best_symbols
from ldp_simulations.reports.form import Form, Wanted, with_hash_seed
from ldp_simulations.sampling.values.projective import (
    projective_counts,
    worth_of_points,
)


def search_counts(
    randomizer: HeavyHitters, holders: Holders, generator: Generator
) -> Counts:
    """Counts of one report from each holder, by cohort."""
    texts = [value.encode() for value in holders.values]
    spread = generator.multinomial(
        holders.counts, np.full(randomizer.cohorts, 1 / randomizer.cohorts)
    ).T
    rows = []
    for cohort, in_cohort in enumerate(spread):
        within = np.zeros(randomizer.oracle.size, dtype=np.int64)
        np.add.at(within, cells(randomizer, texts, cohort), in_cohort)
        rows.append(projective_counts(randomizer.oracle, within, generator))
    return np.concatenate(rows)


def _worths(randomizer: HeavyHitters, wanted: Wanted) -> list[Floats]:
    encoded = [text.encode() for text in wanted.texts]
    return [
        worth_of_points(randomizer.oracle, cells(randomizer, encoded, cohort))
        for cohort in range(randomizer.cohorts)
    ]


FORM = Form(search_counts, best_symbols(_worths), with_hashes=with_hash_seed)
