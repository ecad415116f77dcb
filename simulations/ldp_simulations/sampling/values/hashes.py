"""Local hashing: reports are drawn and counted in bulk.

Where they and the values are too many for that, two binomials for each value instead:
then each count has its exact law, but together they lack the dependence that one set of
hash functions gives them.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp_aggregator.numerics.arrays import Counts, Rows
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_aggregator.tallies.counting.hash_counting import hash_supports
from ldp_simulations.reports.form import Form, Wanted, by_counts
from ldp_simulations.reports.rows import hashed_rows
from ldp_simulations.sampling.values.bits import vector_counts

_MOST_HASHES = 1 << 16
"""Hash functions tried at once."""
_SHIFTS = 8
"""Of x + b, in case that a bucket ends between targets."""

MOST_PAIRS = 1 << 28
"""Reports times values (64, if there are fewer) up to which reports are drawn."""


def hashed_counts(
    randomizer: LocalHashing, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    reports = int(holders.sum())
    if reports * max(len(holders), 64) > MOST_PAIRS:
        return vector_counts(randomizer, holders, reports, generator=generator)
    # (reports,): the hash function of each respondent, its value, and the bucket of
    # that.
    multiplier = generator.integers(1, randomizer.modulus, reports)
    shift = generator.integers(0, randomizer.modulus, reports)
    values = np.repeat(np.arange(len(holders)), holders)
    buckets = (
        (multiplier * values + shift)
        % randomizer.modulus
        * randomizer.buckets
        // randomizer.modulus
    )
    # The bucket is kept with probability p - q; any other symbol is uniform over all
    # buckets.
    p, q = (float(rate) for rate in randomizer.response.support)
    truthful = generator.random(reports) < p - q
    symbols = np.where(
        truthful, buckets, generator.integers(0, randomizer.buckets, reports)
    )
    seeds = np.stack([multiplier, shift], axis=1).astype(np.uint32)
    counts = empty_counts(randomizer.layout)
    counts[0, 0] = reports
    counts[0, 1:] = hash_supports(seeds, symbols, randomizer.layout)
    return counts


def _forge(randomizer: LocalHashing, wanted: Wanted, generator: Generator) -> Rows:
    """Reports that support as many of the targets as can be.

    Their hash functions are x + b, which take neighbours to one bucket, and so next to
    all values; or, of those that a forger may choose from, the one that takes the most
    targets to one bucket, as far as that many can be tried at once.
    """
    targets, reports, hashes = wanted.targets, wanted.reports, wanted.hashes
    tries = hashes or _SHIFTS
    # As many forgers choose for themselves as can be worked out at once; others do what
    # they do.
    choices = min(reports, max(1, _MOST_HASHES // tries))
    multipliers = generator.integers(
        1, randomizer.modulus if hashes else 2, (choices, tries)
    )
    shifts = generator.integers(randomizer.modulus, size=(choices, tries))
    # (choices, tries, targets): the bucket of each target under each function.
    residues = (
        multipliers[..., None] * targets + shifts[..., None]
    ) % randomizer.modulus
    buckets = residues * randomizer.buckets // randomizer.modulus
    # (choices, tries, targets): how many targets are in the same bucket as that one.
    meeting = np.stack(
        [
            (buckets == buckets[..., [target]]).sum(axis=2)
            for target in range(len(targets))
        ],
        axis=2,
    )
    # (choices,): the best function, and a target in its best bucket.
    best = meeting.reshape(choices, -1).argmax(axis=1)
    function, target = np.divmod(best, len(targets))
    # (reports,): whose choice each report follows.
    mine = np.arange(reports) % choices
    chosen = mine, function[mine]
    symbols = buckets[*chosen, target[mine]]
    return hashed_rows(
        randomizer.layout, multipliers[chosen], shifts[chosen], symbols=symbols[:, None]
    )


FORM = Form(by_counts(hashed_counts), _forge)
