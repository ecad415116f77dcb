"""k-ary randomized response: each holder keeps its value with probability p - q, and is otherwise
uniform over all values: a binomial for each value, and one multinomial.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.grr import RandomizedResponse
from ldp_aggregator.arrays import Counts, Floats
from ldp_simulations.reports.forging import best_symbols, marked
from ldp_simulations.reports.form import Form, Wanted, by_counts


def symbol_counts(randomizer: RandomizedResponse, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, by value."""
    p, q = randomizer.support
    kept = generator.binomial(held, float(p - q))
    anywhere = generator.multinomial((held - kept).sum(), np.full(len(held), 1 / len(held)))
    return (kept + anywhere).astype(np.int64)[None, :]


def _worths(randomizer: RandomizedResponse, wanted: Wanted) -> list[Floats]:
    return [marked(randomizer.size, wanted.targets)]


FORM = Form(by_counts(symbol_counts), best_symbols(_worths))
