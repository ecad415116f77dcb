"""Tallies of Bloom filters, drawn from their exact law.

    one answer each    the holders of a value fall into cohorts by a multinomial. Given
                       how many have each bit set in truth, the bits of their reports
                       are independent: two binomials for each bit
    several answers    a client stays in one cohort, and its answers that agree share
                       one permanent response. Clients with r answers of one value: two
                       binomials for the permanent bits, then two for r times as many
                       reports, once for every r

A bit's count depends on values only through how many have it set, so both take the time
of the candidates' bits, and no longer for more respondents.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.chains.bloom import bloom_positions
from ldp.mechanisms.chains.rappor import Rappor
from ldp_aggregator.decoders.bloom.decoding import design_matrix
from ldp_aggregator.numerics.arrays import Counts, Floats, Rows
from ldp_aggregator.tallies.counting.counting import empty_counts
from ldp_simulations.holders import Holders
from ldp_simulations.reports.forging import best_bits, plain_bits
from ldp_simulations.reports.form import REPORTS, Form, Wanted, any_tally, no_repeats
from ldp_simulations.sampling.values.bits import ones, repeated_vectors, vector_counts

_MOST_POSITIONS = 1 << 24
"""Bits of texts hashed at once."""


def bloom_counts(
    randomizer: Rappor, holders: Counts, design: Any, generator: Generator
) -> Counts:
    """Counts of one report from each holder.

    The columns of the design have the bits of the values.
    """
    cohorts = randomizer.cohorts
    # (values, cohorts): how many hold each value in each cohort.
    spread = generator.multinomial(holders, np.full(cohorts, 1 / cohorts))
    counts = empty_counts(randomizer.layout)
    counts[:, 0] = spread.sum(axis=0)
    counts[:, 1:] = ones(
        _set_by(design, spread), counts[:, :1], randomizer.support, generator=generator
    )
    return counts


def repeated_counts(
    randomizer: Rappor, answers: Counts, design: Any, generator: Generator
) -> Counts:
    """Counts of a report of every answer.

    `answers` has a row for each client, of columns of the design.
    """
    size = design.shape[1]
    clients, (lasting, fresh) = len(answers), randomizer.steps
    cohorts = generator.integers(0, randomizer.cohorts, clients)
    # Every client's different answers, as one number for both, and how often it gives
    # each.
    same, times = np.unique(
        answers + size * np.arange(clients)[:, None], return_counts=True
    )
    client, value = np.divmod(same, size)
    counts = empty_counts(randomizer.layout)
    for repeats in np.unique(times).tolist():
        here = times == repeats
        # (values, cohorts): permanent responses of which `repeats` reports are made.
        places = value[here] * randomizer.cohorts + cohorts[client[here]]
        spread = np.bincount(places, minlength=size * randomizer.cohorts).reshape(
            size, -1
        )
        # (cohorts, 1) of them, and (cohorts, bits) that are set in them.
        responses = spread.sum(axis=0)[:, None]
        permanent = ones(
            _set_by(design, spread), responses, lasting, generator=generator
        )
        counts[:, 0] += repeats * responses[:, 0]
        counts[:, 1:] += ones(
            repeats * permanent, repeats * responses, fresh, generator=generator
        )
    return counts


def _set_by(design: Any, spread: Counts) -> Counts:
    """How many have each bit set in truth: (cohorts, bits).

    `spread` has how many hold each value in each cohort: (values, cohorts).
    """
    # A row of the design is a bit of a cohort, and a column is a value.
    bits = design.shape[0] // spread.shape[1]
    entries = design.tocoo()
    weights = spread[entries.col, entries.row // bits]
    # Sums of whole numbers below 2^53 are exact in floating point.
    return (
        np.bincount(entries.row, weights, design.shape[0])
        .astype(np.int64)
        .reshape(-1, bits)
    )


def rappor_counts(randomizer: Rappor, holders: Holders, generator: Generator) -> Counts:
    """Counts of one report from every holder, of a Bloom filter or of a bit for each
    value.
    """
    if not randomizer.hashes:
        return vector_counts(
            randomizer, holders.counts, holders.respondents, generator=generator
        )
    counts = empty_counts(randomizer.layout)
    present = np.flatnonzero(holders.counts)
    step = max(1, _MOST_POSITIONS // (randomizer.cohorts * randomizer.hashes))
    for start in range(0, len(present), step):
        part = present[start : start + step]
        design = design_matrix(randomizer, [holders.values[index] for index in part])
        counts += bloom_counts(
            randomizer, holders.counts[part], design, generator=generator
        )
    return counts


def _expect(randomizer: Rappor, values: Sequence[str], frequency: Floats) -> Counts:
    """By cohort: its share of the reports, and of those the rate of 1s that frequencies
    give.
    """
    if not randomizer.hashes:
        return any_tally(randomizer, values, frequency)
    one, zero = (float(rate) for rate in randomizer.support)
    # (cohorts, bits): the share of the respondents whose values set the bit.
    share = np.zeros((randomizer.cohorts, randomizer.bits))
    for value, mass in zip(values, frequency.tolist(), strict=True):
        for cohort in range(randomizer.cohorts):
            text, hashes = value.encode(), randomizer.hashes
            positions = set(bloom_positions(text, cohort, hashes, bits=randomizer.bits))
            share[cohort, list(positions)] += mass
    counts = empty_counts(randomizer.layout)
    counts[:, 0] = REPORTS // randomizer.cohorts
    counts[:, 1:] = np.rint(counts[:, :1] * (zero + (one - zero) * share))
    return counts


def _forge(randomizer: Rappor, wanted: Wanted, generator: Generator) -> Rows:
    if not randomizer.hashes:
        return plain_bits(randomizer, wanted, generator)
    layout = randomizer.layout
    design = design_matrix(randomizer, wanted.texts)
    # (cohorts, bits): whether any target sets it.
    by_cohort = design.sum(axis=1).reshape(layout.cohorts, -1) > 0
    return best_bits(
        layout,
        by_cohort,
        randomizer.support,
        reports=wanted.reports,
        generator=generator,
        true_bits=randomizer.hashes,
    )


def _repeat(
    randomizer: Rappor, holders: Holders, repeats: int, generator: Generator
) -> Counts:
    if randomizer.hashes:
        return no_repeats(randomizer, holders, repeats, generator=generator)
    return repeated_vectors(randomizer.steps, holders, repeats, generator=generator)


FORM = Form(rappor_counts, _forge, _expect, repeated=_repeat)
