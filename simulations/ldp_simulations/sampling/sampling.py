"""Tallies drawn from their exact law, without making reports one at a time.

    matrix   the reports of each value's holders: one multinomial over its row
    noise    some stay, half of the others go up and half down; at each step those that are going
             stop with probability 1 - a, wherever they came from
    sets     subset selection, as in `ldp_simulations.sampling.subsets`
    hr       as in `ldp_simulations.sampling.hadamard`
    symbols  each holder keeps its value with probability p - q, and is otherwise uniform over all
             values: a binomial for each value, and one multinomial
    bits     as in `ldp_simulations.sampling.bits`
    sums     the sides of entries as bits, and on each side a multinomial over distances
    points   as in `ldp_simulations.sampling.projective`
    hashed   local hashing and sketches, as in `ldp_simulations.sampling.hashes`
    bloom    RAPPOR's Bloom filters, as in `ldp_simulations.sampling.bloom`
    windows  bits for some of the values, as in `ldp_simulations.sampling.windows`
    search   heavy hitters, as in `ldp_simulations.sampling.searches`
    chains   memoized mechanisms: a first report has the law of a one-report mechanism
    several  sets of values, as in `ldp_simulations.sampling.sets`

The generator is numpy's: simulation only. A test holds these laws equal to those of the reports
that clients make.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.additive import AdditiveNoise
from ldp.mechanisms.bit_flip import BitFlip
from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.grr import RandomizedResponse
from ldp.mechanisms.hadamard import HadamardResponse
from ldp.mechanisms.heavy_hitters import HeavyHitters
from ldp.mechanisms.histogram import NoisyHistogram
from ldp.mechanisms.local_hashing import LocalHashing
from ldp.mechanisms.longitudinal import Chain
from ldp.mechanisms.matrix import StochasticMatrix
from ldp.mechanisms.pad_and_sample import PadAndSample
from ldp.mechanisms.projective import ProjectiveResponse
from ldp.mechanisms.rappor import Rappor
from ldp.mechanisms.set_unary import SetEncoding
from ldp.mechanisms.sketches import CountMean, HadamardCountMean
from ldp.mechanisms.subset import SubsetSelection
from ldp.mechanisms.unary import UnaryEncoding
from ldp.survey import Question
from ldp_aggregator.arrays import Counts
from ldp_aggregator.bloom.decoding import design_matrix
from ldp_aggregator.decoders.matrix import channel_array
from ldp_aggregator.tallies.counting import empty_counts
from ldp_simulations.holders import Holders, SetHolders
from ldp_simulations.sampling.bits import ones, vector_counts
from ldp_simulations.sampling.bloom import bloom_counts
from ldp_simulations.sampling.hadamard import hadamard_counts
from ldp_simulations.sampling.hashes import hashed_counts, sketch_counts
from ldp_simulations.sampling.projective import projective_counts
from ldp_simulations.sampling.searches import search_counts
from ldp_simulations.sampling.sets import encoded_counts, sampled_entries
from ldp_simulations.sampling.subsets import subset_counts
from ldp_simulations.sampling.windows import window_counts

_MOST_POSITIONS = 1 << 24
"""Bits of texts hashed at once."""


def sample_counts(question: Question, holders: Holders, generator: Generator) -> Counts:
    """The counts that one report from every holder would add up to, shaped as in
    `ldp_aggregator.tallies.counting`.
    """
    return _counts(question.randomizer, holders, generator)


def _counts(randomizer: Randomizer, holders: Holders, generator: Generator) -> Counts:
    kind = type(randomizer)
    if kind in _OF_COUNTS:
        return _OF_COUNTS[kind](randomizer, holders.counts, generator)
    if kind in _OF_HOLDERS:
        return _OF_HOLDERS[kind](randomizer, holders, generator)
    raise TypeError(f"no sampler for {kind.__name__}")


def _matrix(randomizer: StochasticMatrix, held: Counts, generator: Generator) -> Counts:
    counts: Counts = generator.multinomial(held, channel_array(randomizer)).sum(
        axis=0, keepdims=True
    )
    return counts


def _noise(randomizer: AdditiveNoise, held: Counts, generator: Generator) -> Counts:
    step = float(randomizer.step)
    stay = generator.binomial(held, (1 - step) / (1 + step))
    up = generator.binomial(held - stay, 0.5)
    counts = np.pad(stay, randomizer.margin).astype(np.int64)
    counts += _stopped(np.pad(up, randomizer.margin), step, generator)
    counts += _stopped(np.pad(held - stay - up, randomizer.margin)[::-1], step, generator)[::-1]
    return counts[None, :]


def _stopped(setting_out: Counts, step: float, generator: Generator) -> Counts:
    """Where those stop who set out from each output upwards.

    Whoever comes as far as the last stops there.
    """
    stopped = np.zeros_like(setting_out)
    going = 0
    for place, more in enumerate(setting_out[:-1].tolist()):
        stopped[place] = generator.binomial(going, 1 - step)
        going += more - stopped[place]
    stopped[-1] = going + setting_out[-1]
    return stopped


def _symbols(randomizer: RandomizedResponse, held: Counts, generator: Generator) -> Counts:
    p, q = randomizer.support
    kept = generator.binomial(held, float(p - q))
    anywhere = generator.multinomial((held - kept).sum(), np.full(len(held), 1 / len(held)))
    return (kept + anywhere).astype(np.int64)[None, :]


def _bits(randomizer: UnaryEncoding, held: Counts, generator: Generator) -> Counts:
    return vector_counts(randomizer, held, int(held.sum()), generator)


def _sums(randomizer: NoisyHistogram, held: Counts, generator: Generator) -> Counts:
    respondents = int(held.sum())
    above = ones(held, respondents, randomizer.sides.support, generator)
    distances = [float(mass) for mass in randomizer.distances()]
    lower, upper = (generator.multinomial(side, distances) for side in (respondents - above, above))
    return np.hstack([lower[:, ::-1], upper])


def _rappor(randomizer: Rappor, holders: Holders, generator: Generator) -> Counts:
    if not randomizer.hashes:
        return vector_counts(randomizer, holders.counts, holders.respondents, generator)
    counts = empty_counts(randomizer.layout)
    present = np.flatnonzero(holders.counts)
    step = max(1, _MOST_POSITIONS // (randomizer.cohorts * randomizer.hashes))
    for start in range(0, len(present), step):
        part = present[start : start + step]
        design = design_matrix(randomizer, [holders.values[index] for index in part])
        counts += bloom_counts(randomizer, holders.counts[part], design, generator)
    return counts


def _first_reports(chain: Chain, holders: Holders, generator: Generator) -> Counts:
    return _counts(chain.once, holders, generator)


def _entries(randomizer: PadAndSample, holders: SetHolders, generator: Generator) -> Counts:
    return _counts(
        randomizer.oracle, Holders((), sampled_entries(randomizer, holders, generator)), generator
    )


_OF_COUNTS: Mapping[type, Callable[[Any, Counts, Generator], Counts]] = {
    AdditiveNoise: _noise,
    BitFlip: window_counts,
    UnaryEncoding: _bits,
    CountMean: sketch_counts,
    HadamardCountMean: sketch_counts,
    HadamardResponse: hadamard_counts,
    LocalHashing: hashed_counts,
    NoisyHistogram: _sums,
    ProjectiveResponse: projective_counts,
    StochasticMatrix: _matrix,
    SubsetSelection: subset_counts,
    RandomizedResponse: _symbols,
}
"""Samplers that have to know how many hold each value."""

_OF_HOLDERS: Mapping[type, Callable[[Any, Any, Generator], Counts]] = {
    Chain: _first_reports,
    HeavyHitters: search_counts,
    PadAndSample: _entries,
    Rappor: _rappor,
    SetEncoding: encoded_counts,
}
"""Samplers that have to know the values, or the sets."""
