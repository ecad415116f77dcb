"""Tallies drawn from their exact law, without making reports one at a time.

    matrix   the reports of each value's holders: one multinomial over its row
    sets     part of the reports are uniform sets whatever the value, the others uniform ones that hold it; position
             by position, by how many members each still lacks
    hr       holders by whether their symbol supports the value, then uniform over that half
    symbols  each holder keeps its value with probability p - q, and is otherwise uniform over all values:
             a binomial for each value, and one multinomial
    bits     given the true values, bits are independent: two binomials for each bit
    points   as in `ldp_simulations.projective_sampling`
    hashed   local hashing and sketches, as in `ldp_simulations.hash_sampling`
    bloom    holders fall into cohorts by a multinomial; then as bits, within each cohort

The generator is numpy's: simulation only. A test holds these laws equal to those of the reports that clients make.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.random import Generator

from ldp.bloom import bloom_positions
from ldp.mechanisms.grr import SymbolResponse
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.local_hashing import LocalHashing
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.projective import ProjectiveResponse
from ldp.mechanisms.rappor import Rappor
from ldp.mechanisms.sketches import CountMean, HadamardCountMean
from ldp.mechanisms.subset import SubsetSelection
from ldp.mechanisms.unary import BitVector
from ldp.survey import Question
from ldp_aggregator.counting import Counts, empty_counts
from ldp_aggregator.moments import channel_array
from ldp_simulations.hash_sampling import hashed_counts, sketch_counts
from ldp_simulations.population import Holders
from ldp_simulations.projective_sampling import projective_counts

_MOST_TOGETHER = 500_000_000
"""Sets drawn at once: numpy draws hypergeometric samples from fewer than 10^9."""


def sample_counts(question: Question, holders: Holders, generator: Generator) -> Counts:
    """The counts that one report from every holder would add up to, of the shape of `ldp_aggregator.counting`."""
    randomizer = question.randomizer
    if isinstance(randomizer, StochasticMatrix):
        return _matrix(randomizer, holders.counts, generator)
    if isinstance(randomizer, SymbolResponse):
        return _symbols(randomizer, holders.counts, generator)
    if isinstance(randomizer, SubsetSelection):
        return _sets(randomizer, holders.counts, generator)
    if isinstance(randomizer, HadamardResponse):
        return _hadamard(randomizer, holders.counts, generator)
    if isinstance(randomizer, ProjectiveResponse):
        return projective_counts(randomizer, holders.counts, generator)
    if isinstance(randomizer, Rappor) and randomizer.hashes:
        return _bloom(randomizer, holders, generator)
    if isinstance(randomizer, BitVector | Rappor):
        counts = empty_counts(randomizer.layout)
        counts[0, 0] = holders.respondents
        counts[0, 1:] = _bits(randomizer, holders.counts, holders.respondents, generator)
        return counts
    if isinstance(randomizer, CountMean | HadamardCountMean):
        return sketch_counts(randomizer, holders.counts, generator)
    if isinstance(randomizer, LocalHashing):
        return hashed_counts(randomizer, holders.counts, generator)
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


def _sets(randomizer: SubsetSelection, held: Counts, generator: Generator) -> Counts:
    """Every report is either a uniform set, whatever its value, or a uniform one among those that hold its value.

    The weights R (sets with the value) and 1 (without) are a weight of 1 for all and R - 1 more for those with it.
    """
    size, chosen, truth, other = randomizer
    anything = Fraction(size * other, chosen * truth + (size - chosen) * other)
    marked = generator.binomial(held, float(1 - anything))
    counts = np.zeros(1 + size, dtype=np.int64)
    counts[0] = held.sum()
    parts = int(marked.sum()) // _MOST_TOGETHER + 1
    for part in range(parts):
        counts[1:] += _marked_sets(chosen, (marked + part) // parts, 0, generator)
    counts[1:] += _marked_sets(chosen + 1, np.zeros_like(marked), int((held - marked).sum()), generator)
    return counts[None, :]


def _marked_sets(chosen: int, marked: Counts, unmarked: int, generator: Generator) -> Counts:
    """How many sets hold each position: `marked[x]` uniform sets of `chosen` positions that hold x, and `unmarked` ones
    of `chosen - 1`.

    Position by position: a set that still lacks r of its members takes the next of m positions with probability r / m.
    Sets that lack as many are alike, so only their numbers are kept: of those whose mark is still to come, and of the
    others. At position x the sets that are marked with it are a uniform sample of the former.
    """
    lacking = np.arange(chosen)
    ahead, others = np.zeros(chosen, dtype=np.int64), np.zeros(chosen, dtype=np.int64)
    ahead[-1], others[-1] = marked.sum(), unmarked
    counts = marked.copy()
    for position, arriving in enumerate(marked.tolist()):
        arrived = generator.multivariate_hypergeometric(ahead, arriving, method="marginals")
        ahead -= arrived
        left = len(marked) - position
        for group, others_left in ((ahead, max(left - 1, 1)), (others, left)):
            taking = generator.binomial(group, np.minimum(lacking / others_left, 1.0))
            counts[position] += taking.sum()
            group -= taking
            group[:-1] += taking[1:]
        others += arrived
    return counts


def _hadamard(randomizer: HadamardResponse, held: Counts, generator: Generator) -> Counts:
    """Reports of every value: uniform over the half that supports it, or over the other half."""
    p, _ = randomizer.support
    counts = np.zeros(randomizer.symbols, dtype=np.int64)
    symbols = np.arange(randomizer.symbols)
    supporting = generator.binomial(held, float(p))
    for value in np.flatnonzero(held).tolist():
        shared = symbols & (value + 1)
        odd = sum((shared >> bit & 1) for bit in range(randomizer.symbols.bit_length())) & 1
        for parity, reports in ((0, supporting[value]), (1, held[value] - supporting[value])):
            half = np.flatnonzero(odd == parity)
            counts[half] += generator.multinomial(reports, np.full(len(half), 1 / len(half)))
    return counts[None, :]
