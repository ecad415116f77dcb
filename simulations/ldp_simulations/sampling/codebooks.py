"""Codebook response: reports are drawn in bulk, and counted.

The words of a codebook are neither listed nor alike from report to report, so that a
tally has no law that is drawn sooner than its reports. Those who hold equal vectors
draw seeds of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp_aggregator.decoders.vectors.law import deviation, word_law
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_aggregator.tallies.counting.codeword_counting import OFFSET, codewords
from ldp_aggregator.tallies.counting.counting import count_rows, empty_counts
from ldp_simulations.reports.codebook_draws import codebook_rows
from ldp_simulations.reports.form import REPORTS, Form, Wanted
from ldp_simulations.reports.rows import seeded_rows
from ldp_simulations.vector_holders import VectorHolders

_AT_ONCE = 1 << 14
"""Reports that are drawn together."""
_TRIES = 1 << 10
"""Seeds that a forger tries, where it may choose from all there are."""


def word_sums(
    response: CodebookResponse, holders: VectorHolders, generator: Generator
) -> Counts:
    """The tally of one report from every holder."""
    counts = empty_counts(response.layout)
    places = np.repeat(np.arange(len(holders.counts)), holders.counts)
    for start in range(0, len(places), _AT_ONCE):
        vectors = holders.vectors[places[start : start + _AT_ONCE]]
        counts += count_rows(
            codebook_rows(response, vectors, generator.bytes), response.layout
        )
    return counts


def _expect(
    response: CodebookResponse,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,  # noqa: ARG001
) -> Counts:
    """Return the expected counts of vectors of full length in all directions alike."""
    width = response.dimensions
    counts = empty_counts(response.layout)
    counts[0, 0] = REPORTS
    counts[0, 1 : 1 + width] = OFFSET * REPORTS
    square = deviation() ** 2 * (1 + (word_law(response).along - 1) / width)
    counts[0, 1 + width :] = round(square * REPORTS)
    return counts


def _forge(response: CodebookResponse, wanted: Wanted, generator: Generator) -> Rows:
    """Forge reports: of the words of some seeds, the greatest coordinates of the
    targets.
    """
    tries = wanted.hashes or _TRIES
    seeds = np.empty(wanted.reports, dtype=np.uint64)
    symbols = np.empty(wanted.reports, dtype=np.int64)
    for place in range(wanted.reports):
        # A word of each seed is as good as any other, for who may try many.
        tried = generator.integers(1 << 64, size=tries, dtype=np.uint64)
        words = generator.integers(response.words, size=tries)
        # (tries,): what the words are worth to the targets.
        worth = codewords(tried, words, response.dimensions)[:, wanted.targets].sum(
            axis=1
        )
        best = int(worth.argmax())
        seeds[place], symbols[place] = tried[best], words[best]
    return seeded_rows(response.layout, seeds, symbols[:, None])


FORM = Form(word_sums, _forge, _expect)
