"""Vectors of noisy numbers: entries' sides as bits, on each side a multinomial over
distances.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.values.histogram import NoisyHistogram
from ldp_aggregator.numerics.arrays import Counts, Rows
from ldp_simulations.reports.form import Form, Wanted, by_counts
from ldp_simulations.reports.rows import symbol_rows
from ldp_simulations.sampling.values.bits import ones


def sum_counts(
    randomizer: NoisyHistogram, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    respondents = int(holders.sum())
    above = ones(holders, respondents, randomizer.sides.support, generator=generator)
    distances = [float(mass) for mass in randomizer.distances()]
    lower, upper = (
        generator.multinomial(side, distances) for side in (respondents - above, above)
    )
    return np.hstack([lower[:, ::-1], upper])


def _forge(randomizer: NoisyHistogram, wanted: Wanted, generator: Generator) -> Rows:
    """The highest level for each target, the others as if no one held them."""
    reports = wanted.reports
    law = [float(mass) for mass in randomizer.level_law(holds=False)]
    levels = generator.choice(
        randomizer.levels, (reports, randomizer.size), p=np.array(law) / sum(law)
    )
    levels[:, wanted.targets] = randomizer.levels - 1
    return symbol_rows(randomizer.layout, np.zeros(reports, dtype=np.int64), levels)


FORM = Form(by_counts(sum_counts), _forge)
