"""The tally that a question can expect, and what its errors depend on: planning runs the decoder on
it.

pure     the errors depend on p and q alone, so any tally will do: one in which all cells are equal
sum      the errors are the same for any tally
blocks   reports x the chance of each symbol, given the frequencies
matrix   reports x the true distribution x the matrix
noise    reports x the true distribution after the noise
sketch   per cohort: the rates of bits, or of signs at each coordinate, that the values' buckets give
bloom    per cohort: its share of the reports, and of those the rate of 1s that the candidates' frequencies give
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldp.bloom import bloom_positions
from ldp.mechanisms.additive import AdditiveNoise
from ldp.mechanisms.contract import Blocked, Randomizer, is_blocked
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.pad_and_sample import PadAndSample
from ldp.mechanisms.rappor import Rappor
from ldp.mechanisms.sketches import CountMean, HadamardCountMean
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.decoders.matrix import channel_array
from ldp_aggregator.decoders.sketch import buckets_of
from ldp_aggregator.moments.supports import blocks_of, walsh_hadamard
from ldp_aggregator.tallies.counting import empty_counts

REPORTS = 10**12
"""So many that rounding to whole reports changes nothing.

Errors are scaled to the number that is planned.
"""


def expected_counts(randomizer: Randomizer, values: Sequence[str], frequency: Floats) -> Counts:
    """The tally of `REPORTS` reports, in expectation, where `values` are held with the given
    frequencies.
    """
    counts = empty_counts(randomizer.layout)
    if isinstance(randomizer, StochasticMatrix):
        counts[0] = np.rint(REPORTS * (frequency @ channel_array(randomizer)))
    elif is_blocked(randomizer):
        counts[0] = np.rint(REPORTS * _in_blocks(randomizer, frequency))
    elif isinstance(randomizer, AdditiveNoise):
        counts[0] = np.rint(REPORTS * _noisy(randomizer, frequency))
    elif isinstance(randomizer, Rappor) and randomizer.hashes:
        one, zero = (float(rate) for rate in randomizer.support)
        share = np.zeros((randomizer.cohorts, randomizer.bits))
        for value, held in zip(values, frequency.tolist(), strict=True):
            for cohort in range(randomizer.cohorts):
                positions = set(
                    bloom_positions(value.encode(), cohort, randomizer.hashes, randomizer.bits)
                )
                share[cohort, list(positions)] += held
        counts[:, 0] = REPORTS // randomizer.cohorts
        counts[:, 1:] = np.rint(counts[:, :1] * (zero + (one - zero) * share))
    elif isinstance(randomizer, CountMean | HadamardCountMean):
        p, q = (float(rate) for rate in randomizer.within)
        share = np.stack(
            [np.bincount(each, frequency, randomizer.buckets) for each in buckets_of(randomizer)]
        )
        cohort = REPORTS // randomizer.cohorts
        if isinstance(randomizer, CountMean):
            counts[:, 0], counts[:, 1:] = cohort, np.rint(cohort * (q + (p - q) * share))
        else:
            plus = (0.5 + (p - 0.5) * walsh_hadamard(share)) / randomizer.buckets
            counts[:, 0::2], counts[:, 1::2] = (
                np.rint(cohort * plus),
                np.rint(cohort * (1 / randomizer.buckets - plus)),
            )
    else:
        counts += REPORTS // counts.shape[1]
    return counts


def _in_blocks(randomizer: Blocked, frequency: Floats) -> Floats:
    """The law of reports: each half of a block as often as any, and more often for those whom it
    supports.
    """
    oracle, entries = blocks_of(randomizer), frequency
    if isinstance(randomizer, PadAndSample):
        drawn = frequency / randomizer.most
        entries = np.append(drawn, 1 - drawn.sum())
    by_row = np.zeros((oracle.rows, oracle.blocks))
    by_row.ravel()[oracle.blocks : oracle.blocks + len(entries)] = entries
    transformed = walsh_hadamard(by_row.T)
    supported = (transformed[:, :1] + transformed) / 2
    _, half = oracle.halves
    shares: Floats = (float(half) + supported / float(oracle.worth)) / (oracle.rows / 2)
    return shares.ravel()


def _noisy(randomizer: AdditiveNoise, frequency: Floats) -> Floats:
    """The law of reports: the frequencies after those who come up from below and those who come
    down from above.
    """
    step, outputs = float(randomizer.step), np.pad(frequency, randomizer.margin)
    shares = (
        (1 - step)
        * (_coming(outputs, step) + _coming(outputs[::-1], step)[::-1] + outputs)
        / (1 + step)
    )
    # An end has all that would go on beyond it.
    shares[[0, -1]] /= 1 - step
    return shares


def _coming(frequency: Floats, step: float) -> Floats:
    """The frequencies below each output, weighted by step^distance."""
    coming = np.zeros_like(frequency)
    for place, held in enumerate(frequency[:-1].tolist()):
        coming[place + 1] = step * (coming[place] + held)
    return coming
