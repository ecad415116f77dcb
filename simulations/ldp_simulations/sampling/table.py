"""The table of forms: how reports of each class of randomizers come about, in
simulations.

Simulations, attacks and plans go by the row. The generator is numpy's: simulation only.
A test holds the laws of tallies equal to those of the reports that clients make.

Those that are made of others are here: a first report of a memoized mechanism has the
law of a one-report mechanism, and of a set one entry goes through the mechanism of
entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.random import Generator

from ldp.answers.key_values import ENDS
from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.chains.longitudinal import Chain
from ldp.mechanisms.chains.rappor import Rappor
from ldp.mechanisms.contract import Randomizer, is_blocked, is_pure
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.numbers.additive import AdditiveNoise
from ldp.mechanisms.numbers.arcs import Arcs
from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp.mechanisms.numbers.one_bit import OneBitMean
from ldp.mechanisms.numbers.square_wave import SquareWave
from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.mechanisms.places.pyramid import PyramidResponse
from ldp.mechanisms.places.stripes import Stripes
from ldp.mechanisms.sets.pad_and_sample import PadAndSample, SignedItems
from ldp.mechanisms.sets.set_unary import SetEncoding
from ldp.mechanisms.sets.subsets import SubsetsResponse
from ldp.mechanisms.texts.heavy_hitters import HeavyHitters
from ldp.mechanisms.texts.taxonomy import TaxonomyResponse
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp.mechanisms.values.histogram import NoisyHistogram
from ldp.mechanisms.values.local_hashing import LocalHashing
from ldp.mechanisms.values.numbered_subsets import NumberedSubsets
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.mechanisms.values.sketches import CountMean, HadamardCountMean
from ldp.mechanisms.values.subset import SubsetSelection
from ldp.mechanisms.values.unary import UnaryEncoding
from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp.survey.survey import Question
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_simulations.holders import Holders, SetHolders
from ldp_simulations.key_holders import PairHolders
from ldp_simulations.reports.form import Form, Wanted, any_tally
from ldp_simulations.sampling import codebooks, marginals, searches, sets, stripes
from ldp_simulations.sampling.chains import bloom, windows
from ldp_simulations.sampling.numbers import arcs, dithered, noise, trees
from ldp_simulations.sampling.values import (
    bits,
    hadamard,
    hashes,
    projective,
    sketches,
    subsets,
    sums,
    symbols,
)
from ldp_simulations.taxonomies import levels


def form_of(randomizer: Randomizer) -> Form:
    """The row of a randomizer's class, or of one whose reports have the same law.

    Raises `TypeError` if there is none.
    """
    return FORMS.get(type(randomizer)) or _form_by_law(randomizer)


def _form_by_law(randomizer: Randomizer) -> Form:
    """The form of reports that name one value, or have an independent bit for each."""
    if is_pure(randomizer):
        p, q = randomizer.support
        if (
            p + (randomizer.size - 1) * q == 1
            and randomizer.layout.symbols == randomizer.size
        ):
            return symbols.FORM
        if randomizer.joint_support() == (p * q, q * q) and randomizer.layout.bits:
            return bits.FORM
    raise TypeError(f"{type(randomizer).__name__} needs a row in FORMS")


def sample_counts(question: Question, holders: Holders, generator: Generator) -> Counts:
    """The counts that one report from every holder would add up to.

    They are shaped as in `ldp_aggregator.tallies.counting`.

    >>> import ldp, ldp_simulations, numpy
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> holders = ldp_simulations.from_table(survey, {"mode": ["car", "bus"] * 50})["mode"]
    >>> counts = ldp_simulations.sample_counts(survey["mode"], holders, numpy.random.default_rng(1))
    >>> counts.sum().item()
    100
    """
    randomizer = question.randomizer
    return form_of(randomizer).sample(randomizer, holders, generator)


def repeated_counts(
    question: Question, holders: Holders, repeats: int, generator: Generator
) -> Counts:
    """Count n reports from every holder, all of one permanent response.

    Raises `EstimateError` where that is not drawn from a law.
    """
    randomizer = question.randomizer
    if repeats == 1:
        return sample_counts(question, holders, generator)
    return form_of(randomizer).repeated(randomizer, holders, repeats, generator)


def expected_counts(
    randomizer: Randomizer, values: Sequence[str], frequency: Floats
) -> Counts:
    """The tally of `REPORTS` reports, in expectation, where `values` have the given
    frequencies.
    """
    return form_of(randomizer).expected(randomizer, values, frequency)


def crafted_rows(randomizer: Randomizer, wanted: Wanted, generator: Generator) -> Rows:
    """Forged reports for the targets, as rows of bytes.

    Raises `EstimateError` for a folded `pgr`.
    """
    return form_of(randomizer).forge(randomizer, wanted, generator)


def _first_reports(chain: Chain, holders: Holders, generator: Generator) -> Counts:
    return form_of(chain.once).sample(chain.once, holders, generator)


def _several_reports(
    chain: Chain, holders: Holders, repeats: int, generator: Generator
) -> Counts:
    if chain.layout.bits:
        return bits.repeated_vectors(chain.steps, holders, repeats, generator=generator)
    # (values,): the permanent responses, each of which takes the second step `repeats`
    # times.
    symbols = form_of(chain.lasting).sample(chain.lasting, holders, generator)[0]
    kept = Holders(holders.values, repeats * symbols)
    return form_of(chain.fresh).sample(chain.fresh, kept, generator)


def _forged_once(chain: Chain, wanted: Wanted, generator: Generator) -> Rows:
    return crafted_rows(chain.once, wanted, generator)


def _entries(
    randomizer: PadAndSample, holders: SetHolders, generator: Generator
) -> Counts:
    entries = Holders((), sets.sampled_entries(randomizer, holders, generator))
    return form_of(randomizer.oracle).sample(randomizer.oracle, entries, generator)


def _expected_entries(
    randomizer: PadAndSample, values: Sequence[str], frequency: Floats
) -> Counts:
    if not is_blocked(randomizer):
        return any_tally(randomizer, values, frequency)
    return hadamard.expected_counts(randomizer, values, frequency, most=randomizer.most)


def _forged_entry(
    randomizer: PadAndSample, wanted: Wanted, generator: Generator
) -> Rows:
    return crafted_rows(randomizer.oracle, wanted, generator)


def _items(
    randomizer: SignedItems, holders: PairHolders, generator: Generator
) -> Counts:
    entries = Holders((), sets.sampled_items(randomizer, holders, generator))
    return form_of(randomizer.oracle).sample(randomizer.oracle, entries, generator)


def _forged_items(
    randomizer: SignedItems, wanted: Wanted, generator: Generator
) -> Rows:
    """Both items of a key are worth as much to the share who hold it."""
    items = (ENDS * wanted.targets[:, None] + np.arange(ENDS)).ravel()
    return crafted_rows(randomizer.oracle, wanted._replace(targets=items), generator)


def _levels(
    randomizer: TaxonomyResponse, holders: Holders, generator: Generator
) -> Counts:
    """Count the reports of those who drew each level, of shape (levels, symbols)."""
    drawn = zip(
        randomizer.oracles, levels.by_level(randomizer, holders, generator), strict=True
    )
    parts = (
        form_of(oracle).sample(oracle, Holders((), cells), generator)[0]
        for oracle, cells in drawn
    )
    return levels.side_by_side(randomizer, parts)


def _halves(randomizer: TreeResponse, holders: Holders, generator: Generator) -> Counts:
    """Count the reports of those who drew each level of halves."""
    drawn = zip(
        randomizer.oracles, trees.by_place(randomizer, holders, generator), strict=True
    )
    parts = (
        form_of(oracle).sample(oracle, Holders((), places), generator)[0]
        for oracle, places in drawn
    )
    return levels.side_by_side(randomizer, parts)


def _subsets(
    randomizer: SubsetsResponse, holders: Holders, generator: Generator
) -> Counts:
    """Count the reports of those who drew each subset of fields, (subsets, symbols)."""
    counts = np.zeros((randomizer.subsets, randomizer.layout.symbols), dtype=np.int64)
    drawn = marginals.by_subset(randomizer, holders, generator)
    for row, (oracle, places) in zip(counts, drawn, strict=True):
        part = form_of(oracle).sample(oracle, Holders((), places), generator)[0]
        row[: len(part)] = part
    return counts


FORMS: Mapping[type, Form] = {
    AdditiveNoise: noise.FORM,
    Arcs: arcs.FORM,
    BitFlip: windows.FORM,
    Chain: Form(_first_reports, _forged_once, repeated=_several_reports),
    CodebookResponse: codebooks.FORM,
    CountMean: sketches.FORM,
    DitheredResponse: dithered.FORM,
    HadamardCountMean: sketches.HADAMARD,
    HadamardResponse: hadamard.FORM,
    HeavyHitters: searches.FORM,
    LocalHashing: hashes.FORM,
    NoisyHistogram: sums.FORM,
    NumberedSubsets: trees.SETS,
    OneBitMean: symbols.ONE_BIT,
    PadAndSample: Form(_entries, _forged_entry, _expected_entries),
    ProjectiveResponse: projective.FORM,
    PyramidResponse: Form(_halves, trees.forge, trees.expected_counts),
    RandomizedResponse: symbols.FORM,
    Rappor: bloom.FORM,
    SetEncoding: sets.FORM,
    SignedItems: Form(_items, _forged_items),
    SquareWave: symbols.SQUARE_WAVE,
    StochasticMatrix: symbols.MATRIX,
    Stripes: stripes.FORM,
    SubsetSelection: subsets.FORM,
    SubsetsResponse: Form(_subsets, marginals.forge, marginals.expected_counts),
    TaxonomyResponse: Form(_levels, levels.forge, levels.expected_counts),
    TreeResponse: Form(_halves, trees.forge, trees.expected_counts),
    UnaryEncoding: bits.FORM,
}
"""By class; others go by their law, where `form_of` knows it."""
