"""The maximal gain attack: reports that are worth as much as possible to some target values
together.

    symbols   one that supports the most targets, or whose scores for them have the greatest sum: of
              a matrix by its decoding; of `hr` and `pgr` by decoding the targets as if they were
              reports, since value x supports symbol y as y supports x (in blocks: that at the row
              of x); in a sketch or a search, cohort by cohort
    seeds     x + b, a hash function that takes neighbours to one bucket, and so next to all values;
              or of the hash functions that a forger is given to choose from, the one that takes the
              most targets to one bucket
    bits      those of all targets, and others up to the number of ones that an honest report has on
              average
    windows   the same, in a window with the most targets
    levels    the highest for each target, the others as if nobody held them

Among reports that are worth the same, each forger chooses at random. Bloom filters are attacked bit
by bit, and what that is worth depends on what others report.

Source: Cao, Jia and Gong 2021, Data Poisoning Attacks to Local Differential Privacy Protocols
(MGA).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp.errors import EstimateError
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
from ldp.mechanisms.sketches import CountMean, HadamardCountMean
from ldp_aggregator.arrays import Flags, Floats, Integers, Rows
from ldp_aggregator.bloom.decoding import design_matrix
from ldp_aggregator.decoders.matrix import channel_array, decoding
from ldp_aggregator.decoders.noise import Noise
from ldp_aggregator.decoders.sketch import buckets_of
from ldp_aggregator.moments.supports import support_counts, walsh_hadamard
from ldp_aggregator.search.prefix_extension import cells
from ldp_simulations.attacks.forged_rows import bit_rows, hashed_rows, symbol_rows

_MOST_HASHES = 1 << 16
"""Hash functions tried at once."""
_SHIFTS = 8
"""Of x + b, in case that a bucket ends between targets."""


def crafted_rows(
    randomizer: Randomizer,
    targets: Integers,
    texts: Sequence[str],
    reports: int,
    hashes: int | None,
    generator: Generator,
) -> Rows:
    """So many reports for the targets: indices of values, or `texts` of an open question.

    Where a report names a hash function, `hashes` is how many it is given to choose from: all, if
    None. Raises `EstimateError` for a folded `pgr`.
    """
    if isinstance(randomizer, Chain):
        return crafted_rows(randomizer.once, targets, texts, reports, hashes, generator)
    if isinstance(randomizer, PadAndSample):
        return crafted_rows(randomizer.oracle, targets, texts, reports, hashes, generator)
    if isinstance(randomizer, LocalHashing):
        return _hashed(randomizer, targets, reports, hashes, generator)
    if isinstance(randomizer, NoisyHistogram):
        return _levels(randomizer, targets, reports, generator)
    if randomizer.layout.bits:
        return _bits(randomizer, targets, texts, reports, generator)
    best = [
        np.flatnonzero(np.isclose(row, row.max())) for row in _worths(randomizer, targets, texts)
    ]
    cohorts = generator.integers(len(best), size=reports)
    symbols = np.zeros(reports, dtype=np.int64)
    for cohort, equals in enumerate(best):
        here = cohorts == cohort
        symbols[here] = generator.choice(equals, here.sum())
    return symbol_rows(randomizer.layout, cohorts, symbols[:, None])


def _worths(randomizer: Randomizer, targets: Integers, texts: Sequence[str]) -> list[Floats]:
    """What each symbol is worth to the targets, by cohort."""
    match randomizer:
        case RandomizedResponse():
            return [_marked(randomizer.size, targets)]
        case StochasticMatrix():
            return [decoding(channel_array(randomizer))[:, targets].sum(axis=1)]
        case AdditiveNoise():
            noise, wanted = Noise.of(randomizer), np.pad(_marked(randomizer.size, targets), 1)
            worth = noise.own * wanted[1:-1] - noise.next * (wanted[:-2] + wanted[2:])
            return [np.pad(worth, randomizer.margin, mode="edge")]
        case HadamardResponse():
            marks = np.zeros((randomizer.blocks, randomizer.rows))
            for target in targets.tolist():
                marks[randomizer.place(target)] += 1
            return [walsh_hadamard(marks).ravel()]
        case ProjectiveResponse():
            return [_points(randomizer, targets)]
        case HeavyHitters():
            encoded = [text.encode() for text in texts]
            return [
                _points(randomizer.oracle, cells(randomizer, encoded, j))
                for j in range(randomizer.cohorts)
            ]
        case HadamardCountMean():
            signs = (
                walsh_hadamard(_marked(randomizer.buckets, held[targets]))
                for held in buckets_of(randomizer)
            )
            return [np.stack([plus, -plus], axis=1).ravel() for plus in signs]
    raise TypeError(f"no maximal gain attack on {type(randomizer).__name__}")


def _points(space: ProjectiveResponse, targets: Integers) -> Floats:
    if space.folded:
        raise EstimateError(
            "expected a question whose reports can be searched for the best one, got one with "
            "more points than "
            "are counted; try the attacks random and input"
        )
    points = space.layout.symbols
    return support_counts(space._replace(size=points), _tally(points, targets)).astype(float)


def _bits(
    randomizer: Any, targets: Integers, texts: Sequence[str], reports: int, generator: Generator
) -> Rows:
    layout, true_bits = randomizer.layout, 1
    if isinstance(randomizer, BitFlip):
        starts = np.arange(randomizer.size)[:, None]
        place = (targets - starts) % randomizer.size
        by_cohort = (place[:, :, None] == np.arange(randomizer.sampled)).any(axis=1)
    elif isinstance(randomizer, CountMean):
        by_cohort = np.stack(
            [_marked(randomizer.buckets, held[targets]) > 0 for held in buckets_of(randomizer)]
        )
    elif isinstance(randomizer, Rappor) and randomizer.hashes:
        true_bits = randomizer.hashes
        by_cohort = design_matrix(randomizer, texts).sum(axis=1).reshape(layout.cohorts, -1) > 0
    else:
        by_cohort = _marked(layout.bits, targets)[None] > 0
    p, q = _rates(randomizer)
    most = by_cohort.sum(axis=1)
    best = (
        np.flatnonzero(most == most.max())
        if isinstance(randomizer, BitFlip)
        else np.arange(layout.cohorts)
    )
    cohorts = generator.choice(best, reports)
    wanted: Flags = by_cohort[cohorts] == (p > q)
    ones = layout.ones or round(layout.bits * q + true_bits * (p - q))
    # Where a report that supports a value lacks its bit, all bits but the targets' are wanted.
    needed = int(most.max()) if p > q else 0
    room = layout.bits if p > q else layout.bits - int(most.max())
    return bit_rows(layout, cohorts, wanted, layout.ones or min(max(ones, needed), room), generator)


def _rates(randomizer: Any) -> tuple[Fraction, Fraction]:
    """(p, q) of a bit."""
    rates: tuple[Fraction, Fraction] = (
        randomizer.within if isinstance(randomizer, BitFlip | CountMean) else randomizer.support
    )
    return rates


def _hashed(
    randomizer: LocalHashing,
    targets: Integers,
    reports: int,
    hashes: int | None,
    generator: Generator,
) -> Rows:
    """The best of so many hash functions, for each report as far as that many
    can be tried at once.
    """
    tries = hashes or _SHIFTS
    choices = min(reports, max(1, _MOST_HASHES // tries))
    multipliers = generator.integers(1, randomizer.modulus if hashes else 2, (choices, tries))
    shifts = generator.integers(randomizer.modulus, size=(choices, tries))
    residues = (multipliers[..., None] * targets + shifts[..., None]) % randomizer.modulus
    buckets = residues * randomizer.buckets // randomizer.modulus
    meeting = np.stack(
        [(buckets == buckets[..., [target]]).sum(axis=2) for target in range(len(targets))], axis=2
    )
    best = meeting.reshape(choices, -1).argmax(axis=1)
    function, target = np.divmod(best, len(targets))
    mine = np.arange(reports) % choices
    chosen = mine, function[mine]
    symbols = buckets[*chosen, target[mine]]
    return hashed_rows(randomizer.layout, multipliers[chosen], shifts[chosen], symbols[:, None])


def _levels(
    randomizer: NoisyHistogram, targets: Integers, reports: int, generator: Generator
) -> Rows:
    law = [float(mass) for mass in randomizer.level_law(holds=False)]
    levels = generator.choice(
        randomizer.levels, (reports, randomizer.size), p=np.array(law) / sum(law)
    )
    levels[:, targets] = randomizer.levels - 1
    return symbol_rows(randomizer.layout, np.zeros(reports, dtype=np.int64), levels)


def _marked(size: int, places: Integers) -> Floats:
    """How often each place occurs."""
    return np.bincount(places, minlength=size).astype(float)


def _tally(symbols: int, places: Integers) -> Integers:
    return np.bincount(places, minlength=symbols)[None]
