"""Tallies drawn from their exact law, without making reports one at a time.

    matrix   the reports of each value's holders: one multinomial over its row
    symbols  each holder keeps its value with probability p - q, and is otherwise uniform over all values:
             a binomial for each value, and one multinomial
    bits     given the true values, bits are independent: two binomials for each bit
    bloom    holders fall into cohorts by a multinomial; then as bits, within each cohort

The generator is numpy's: simulation only. A test holds these laws equal to those of the reports that clients make.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.bloom import bloom_positions
from ldp.mechanisms.grr import SymbolResponse
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.rappor import Rappor
from ldp.mechanisms.unary import BitVector
from ldp.survey import Question
from ldp_aggregator.counting import Counts, empty_counts
from ldp_aggregator.moments import channel_array
from ldp_simulations.population import Holders


def sample_counts(question: Question, holders: Holders, generator: Generator) -> Counts:
    """The counts that one report from every holder would add up to, of the shape of `ldp_aggregator.counting`."""
    randomizer = question.randomizer
    if isinstance(randomizer, StochasticMatrix):
        return _matrix(randomizer, holders.counts, generator)
    if isinstance(randomizer, SymbolResponse):
        return _symbols(randomizer, holders.counts, generator)
    if isinstance(randomizer, Rappor) and randomizer.hashes:
        return _bloom(randomizer, holders, generator)
    if isinstance(randomizer, BitVector | Rappor):
        counts = empty_counts(randomizer.layout)
        counts[0, 0] = holders.respondents
        counts[0, 1:] = _bits(randomizer, holders.counts, holders.respondents, generator)
        return counts
    raise TypeError(f"no sampler for {type(randomizer).__name__}")


def _matrix(randomizer: StochasticMatrix, held: Counts, generator: Generator) -> Counts:
    counts: Counts = generator.multinomial(held, channel_array(randomizer)).sum(axis=0, keepdims=True)
    return counts


def _symbols(randomizer: SymbolResponse, held: Counts, generator: Generator) -> Counts:
    p, q = randomizer.support
    kept = generator.binomial(held, float(p - q))
    anywhere = generator.multinomial((held - kept).sum(), np.full(len(held), 1 / len(held)))
    return (kept + anywhere).astype(np.int64)[None, :]


def _bits(randomizer: BitVector | Rappor, set_by: Counts, reports: int | Counts, generator: Generator) -> Counts:
    """How many of `reports` set each bit, `set_by` of them having it set in truth."""
    p, q = (float(rate) for rate in randomizer.support)
    return generator.binomial(set_by, p) + generator.binomial(reports - set_by, q)


def _bloom(randomizer: Rappor, holders: Holders, generator: Generator) -> Counts:
    cohorts = randomizer.cohorts
    spread = generator.multinomial(holders.counts, np.full(cohorts, 1 / cohorts))
    set_by = np.zeros((cohorts, randomizer.bits), dtype=np.int64)
    for row, value in enumerate(holders.values):
        text = value.encode()
        for cohort in np.flatnonzero(spread[row]).tolist():
            # A set: hash functions that agree on a position set it once.
            positions = set(bloom_positions(text, cohort, randomizer.hashes, randomizer.bits))
            set_by[cohort, list(positions)] += spread[row, cohort]
    counts = empty_counts(randomizer.layout)
    counts[:, 0] = spread.sum(axis=0)
    counts[:, 1:] = _bits(randomizer, set_by, counts[:, :1], generator)
    return counts
