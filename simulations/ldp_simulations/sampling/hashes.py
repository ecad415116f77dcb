"""Tallies of hashed reports and of sketches, drawn from their law.

local hashing   reports are drawn and counted in bulk. Where they and the values are too many for
                that, two binomials for each value instead: then each count has its exact law, but
                together they lack the dependence that one set of hash functions gives them.
sketches        holders fall into cohorts by a multinomial. Within a cohort `cms` has independent
                bits: two binomials for each bucket. In `hcms` part of the holders send any
                coordinate and sign, by one multinomial, and the others the right sign of some
                coordinate, by one multinomial for each bucket.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.local_hashing import LocalHashing
from ldp.mechanisms.sketches import CountMean, Sketch
from ldp_aggregator.arrays import Counts
from ldp_aggregator.decoders.sketch import buckets_of
from ldp_aggregator.tallies.counting import empty_counts
from ldp_aggregator.tallies.hash_counting import hash_supports
from ldp_simulations.sampling.bits import ones, vector_counts

MOST_PAIRS = 1 << 28
"""Reports times values (64, if there are fewer) up to which reports are drawn."""


def hashed_counts(randomizer: LocalHashing, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, by value."""
    reports = int(held.sum())
    if reports * max(len(held), 64) > MOST_PAIRS:
        return vector_counts(randomizer, held, reports, generator)
    multiplier = generator.integers(1, randomizer.modulus, reports)
    shift = generator.integers(0, randomizer.modulus, reports)
    values = np.repeat(np.arange(len(held)), held)
    buckets = (
        (multiplier * values + shift)
        % randomizer.modulus
        * randomizer.buckets
        // randomizer.modulus
    )
    p, q = (float(rate) for rate in randomizer.response.support)
    kept = generator.random(reports) < p - q
    symbols = np.where(kept, buckets, generator.integers(0, randomizer.buckets, reports))
    seeds = np.stack([multiplier, shift], axis=1).astype(np.uint32)
    counts = empty_counts(randomizer.layout)
    counts[0, 0] = reports
    counts[0, 1:] = hash_supports(seeds, symbols, randomizer.layout)
    return counts


def sketch_counts(sketch: Sketch, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, by cohort."""
    counts, buckets = empty_counts(sketch.layout), sketch.buckets
    p, _ = sketch.within
    spread = generator.multinomial(held, np.full(sketch.cohorts, 1 / sketch.cohorts)).T
    for row, holders, bucket_of in zip(counts, spread, buckets_of(sketch), strict=True):
        inside = np.zeros(buckets, dtype=np.int64)
        np.add.at(inside, bucket_of, holders)
        if isinstance(sketch, CountMean):
            row[0] = holders.sum()
            row[1:] = ones(inside, row[0], sketch.within, generator)
            continue
        occupied = np.flatnonzero(inside)
        right = generator.binomial(inside[occupied], float(2 * p - 1))
        row += generator.multinomial(
            holders.sum() - right.sum(), np.full(2 * buckets, 0.5 / buckets)
        )
        at = generator.multinomial(right, np.full(buckets, 1 / buckets))
        minus = at * _parity(occupied[:, None] & np.arange(buckets))
        row[0::2] += (at - minus).sum(axis=0)
        row[1::2] += minus.sum(axis=0)
    return counts


def _parity(numbers: Counts) -> Counts:
    for shift in (16, 8, 4, 2, 1):
        numbers = numbers ^ numbers >> shift
    return numbers & 1
