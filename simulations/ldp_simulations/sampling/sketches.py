"""Count-mean sketches: holders fall into cohorts by a multinomial.

Within a cohort `cms` has independent bits: two binomials for each bucket. In `hcms` part of the
holders send any coordinate and sign, by one multinomial, and the others the right sign of some
coordinate, by one multinomial for each bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.sketches import CountMean, HadamardCountMean, Sketch
from ldp_aggregator.arrays import Counts, Floats, Rows
from ldp_aggregator.decoders.sketch import buckets_of
from ldp_aggregator.moments.supports import walsh_hadamard
from ldp_aggregator.tallies.counting import empty_counts
from ldp_simulations.reports.forging import best_bits, best_symbols, marked
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts, with_hash_seed
from ldp_simulations.sampling.bits import ones


def sketch_counts(sketch: Sketch, holders: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `holders`, by cohort."""
    counts, buckets = empty_counts(sketch.layout), sketch.buckets
    p, _ = sketch.within
    # (cohorts, values): how many hold each value in each cohort.
    spread = generator.multinomial(holders, np.full(sketch.cohorts, 1 / sketch.cohorts)).T
    for row, in_cohort, bucket_of in zip(counts, spread, buckets_of(sketch), strict=True):
        # (buckets,): how many of the cohort hold a value of each bucket.
        inside = np.zeros(buckets, dtype=np.int64)
        np.add.at(inside, bucket_of, in_cohort)
        if isinstance(sketch, CountMean):
            row[0] = in_cohort.sum()
            row[1:] = ones(inside, row[0], sketch.within, generator=generator)
            continue
        # Part of them send the right sign of a coordinate, the others any coordinate and sign.
        occupied = np.flatnonzero(inside)
        right = generator.binomial(inside[occupied], float(2 * p - 1))
        row += generator.multinomial(
            in_cohort.sum() - right.sum(), np.full(2 * buckets, 0.5 / buckets)
        )
        # (occupied, coordinates): the right sign is minus where bucket and coordinate share an odd
        # number of bits; a cohort's row has plus and minus in turn.
        at = generator.multinomial(right, np.full(buckets, 1 / buckets))
        minus = at * _parity(occupied[:, None] & np.arange(buckets))
        row[0::2] += (at - minus).sum(axis=0)
        row[1::2] += minus.sum(axis=0)
    return counts


def _parity(numbers: Counts) -> Counts:
    """1 where a number below 2^32 has an odd number of bits, else 0."""
    for shift in (16, 8, 4, 2, 1):
        numbers = numbers ^ numbers >> shift
    return numbers & 1


def _expected_bits(
    sketch: CountMean,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    """By cohort, the rates of bits that the values' buckets give."""
    p, q = (float(rate) for rate in sketch.within)
    counts, cohort = empty_counts(sketch.layout), REPORTS // sketch.cohorts
    counts[:, 0] = cohort
    counts[:, 1:] = np.rint(cohort * (q + (p - q) * _shares(sketch, frequency)))
    return counts


def _expected_signs(
    sketch: HadamardCountMean,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    """By cohort, the rates of signs at each coordinate."""
    p = float(sketch.within[0])
    counts, cohort = empty_counts(sketch.layout), REPORTS // sketch.cohorts
    # (cohorts, coordinates): the share of plus at each, out of 1 / buckets for either sign.
    plus = (0.5 + (p - 0.5) * walsh_hadamard(_shares(sketch, frequency))) / sketch.buckets
    counts[:, 0::2] = np.rint(cohort * plus)
    counts[:, 1::2] = np.rint(cohort * (1 / sketch.buckets - plus))
    return counts


def _shares(sketch: Sketch, frequency: Floats) -> Floats:
    """How many hold a value of each bucket, as shares of shape (cohorts, buckets)."""
    return np.stack(
        [np.bincount(bucket_of, frequency, sketch.buckets) for bucket_of in buckets_of(sketch)]
    )


def _forged_bits(sketch: CountMean, wanted: Wanted, generator: Generator) -> Rows:
    by_cohort = np.stack(
        [marked(sketch.buckets, bucket_of[wanted.targets]) > 0 for bucket_of in buckets_of(sketch)]
    )
    return best_bits(
        sketch.layout, by_cohort, sketch.within, reports=wanted.reports, generator=generator
    )


def _worths_of_signs(sketch: HadamardCountMean, wanted: Wanted) -> list[Floats]:
    signs = (
        walsh_hadamard(marked(sketch.buckets, bucket_of[wanted.targets]))
        for bucket_of in buckets_of(sketch)
    )
    return [np.stack([plus, -plus], axis=1).ravel() for plus in signs]


FORM = Form(by_counts(sketch_counts), _forged_bits, _expected_bits, with_hashes=with_hash_seed)
HADAMARD = Form(
    by_counts(sketch_counts),
    best_symbols(_worths_of_signs),
    _expected_signs,
    with_hashes=with_hash_seed,
)
