"""Count-mean sketches: holders fall into cohorts by a multinomial.

Within a cohort `cms` has independent bits: two binomials for each bucket. In `hcms`
part of the holders send any coordinate and sign, by one multinomial, and the others the
right sign of some coordinate: all holders of a cohort bit by bit at once
(`values.hadamard`), 2 m binomials for each of the log2(m) bits of a bucket instead of m
for each bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.values.sketches import CountMean, HadamardCountMean, Sketch
from ldp_aggregator.decoders.moments.supports import walsh_hadamard
from ldp_aggregator.decoders.values.sketch import buckets_of
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.reports.forging import best_bits, best_symbols, count_places
from ldp_simulations.reports.form import (
    REPORTS,
    Form,
    Wanted,
    by_counts,
    with_hash_seed,
)
from ldp_simulations.sampling.values.bits import ones
from ldp_simulations.sampling.values.hadamard import drawn_rows

_AT_ONCE = 1 << 18
"""Coordinates and signs of cohorts whose reports are drawn together."""


def bit_counts(sketch: CountMean, holders: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `holders`, by cohort."""
    counts = empty_counts(sketch.layout)
    inside = _by_bucket(sketch, holders, generator)
    counts[:, 0] = inside.sum(axis=1)
    for row, set_by in zip(counts, inside, strict=True):
        row[1:] = ones(set_by, row[0], sketch.within, generator=generator)
    return counts


def sign_counts(
    sketch: HadamardCountMean, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by cohort."""
    p, _ = sketch.within
    symbols = 2 * sketch.buckets
    inside = _by_bucket(sketch, holders, generator)
    # Part of them send the right sign of a coordinate, the others any coordinate and
    # sign.
    right = generator.binomial(inside, float(2 * p - 1))
    counts: Counts = generator.multinomial(
        (inside - right).sum(axis=1), np.full(symbols, 1 / symbols)
    )
    cohorts = np.arange(sketch.cohorts)
    for part in np.array_split(cohorts, -(-sketch.cohorts * symbols // _AT_ONCE)):
        # (cohorts, coordinates, signs): the right sign is minus where bucket and
        # coordinate share an odd number of bits; a cohort's row has plus and minus in
        # turn.
        signs = drawn_rows(right[part], generator, even=False)
        counts[part] += signs.reshape(len(part), symbols)
    return counts


def _by_bucket(sketch: Sketch, holders: Counts, generator: Generator) -> Counts:
    """How many of each cohort hold a value of each bucket: of shape (cohorts,
    buckets).
    """
    inside = np.zeros((sketch.cohorts, sketch.buckets), dtype=np.int64)
    # (cohorts, values): how many hold each value in each cohort.
    spread = generator.multinomial(
        holders, np.full(sketch.cohorts, 1 / sketch.cohorts)
    ).T
    for row, in_cohort, bucket_of in zip(
        inside, spread, buckets_of(sketch), strict=True
    ):
        np.add.at(row, bucket_of, in_cohort)
    return inside


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
    # (cohorts, coordinates): the share of plus at each, out of 1 / buckets for either
    # sign.
    plus = (
        0.5 + (p - 0.5) * walsh_hadamard(_shares(sketch, frequency))
    ) / sketch.buckets
    counts[:, 0::2] = np.rint(cohort * plus)
    counts[:, 1::2] = np.rint(cohort * (1 / sketch.buckets - plus))
    return counts


def _shares(sketch: Sketch, frequency: Floats) -> Floats:
    """How many hold a value of each bucket, as shares of shape (cohorts, buckets)."""
    return np.stack(
        [
            np.bincount(bucket_of, frequency, sketch.buckets)
            for bucket_of in buckets_of(sketch)
        ]
    )


def _forged_bits(sketch: CountMean, wanted: Wanted, generator: Generator) -> Rows:
    by_cohort = np.stack(
        [
            count_places(sketch.buckets, bucket_of[wanted.targets]) > 0
            for bucket_of in buckets_of(sketch)
        ]
    )
    return best_bits(
        sketch.layout,
        by_cohort,
        sketch.within,
        reports=wanted.reports,
        generator=generator,
    )


def _worths_of_signs(sketch: HadamardCountMean, wanted: Wanted) -> list[Floats]:
    signs = (
        walsh_hadamard(count_places(sketch.buckets, bucket_of[wanted.targets]))
        for bucket_of in buckets_of(sketch)
    )
    return [np.stack([plus, -plus], axis=1).ravel() for plus in signs]


FORM = Form(
    by_counts(bit_counts), _forged_bits, _expected_bits, with_hashes=with_hash_seed
)
HADAMARD = Form(
    by_counts(sign_counts),
    best_symbols(_worths_of_signs),
    _expected_signs,
    with_hashes=with_hash_seed,
)
