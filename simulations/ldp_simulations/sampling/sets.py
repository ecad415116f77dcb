"""Tallies of sets, drawn from their exact law.

set-unary        given the sets, bits are independent, as in
                 `ldp_simulations.sampling.values.bits`
signed items     of those who draw a key, how many draw its upper item: a binomial
pad-and-sample   the entries that the holders of a set draw: one multinomial; then a
                 tally of those entries
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.answers.key_values import ENDS
from ldp.mechanisms.sets.pad_and_sample import PadAndSample, SignedItems
from ldp.mechanisms.sets.set_unary import SetEncoding
from ldp_aggregator.numerics.arrays import Counts
from ldp_simulations.holders import SetHolders
from ldp_simulations.key_holders import PairHolders
from ldp_simulations.reports.forging import plain_bits
from ldp_simulations.reports.form import Form
from ldp_simulations.sampling.values.bits import vector_counts


def encoded_counts(
    randomizer: SetEncoding, holders: SetHolders, generator: Generator
) -> Counts:
    """The counts of one report from every holder."""
    return vector_counts(
        randomizer,
        holders.holding(randomizer.size),
        holders.respondents,
        generator=generator,
    )


FORM = Form(encoded_counts, plain_bits)


def sampled_entries(
    randomizer: PadAndSample, holders: SetHolders, generator: Generator
) -> Counts:
    """How many holders draw each value, and each dummy."""
    most = randomizer.most
    drawn = generator.multinomial(holders.counts, np.full(most, 1 / most))
    entries = [
        randomizer.entry(indices, place)
        for indices in holders.sets
        for place in range(most)
    ]
    counts = np.zeros(randomizer.oracle.size, dtype=np.int64)
    np.add.at(counts, np.array(entries, dtype=np.int64), drawn.ravel())
    return counts


def sampled_items(
    randomizer: SignedItems, holders: PairHolders, generator: Generator
) -> Counts:
    """How many holders draw each signed item, and each dummy."""
    most, size = randomizer.most, randomizer.size
    # (holders, most): how many of them draw each place of what they hold.
    drawn = generator.multinomial(holders.counts, np.full(most, 1 / most))
    owner, keys, up = holders.columns
    held = np.bincount(owner, minlength=len(drawn))
    places = np.arange(len(owner)) - (np.cumsum(held) - held)[owner]
    of_pair = drawn[owner, places]
    upper = generator.binomial(of_pair, up)
    counts = np.zeros(randomizer.oracle.size, dtype=np.int64)
    np.add.at(counts, ENDS * keys + 1, upper)
    np.add.at(counts, ENDS * keys, of_pair - upper)
    # The other places are dummies, each its own as far as there are several.
    for place in range(most):
        counts[size + place % (len(counts) - size)] += drawn[held <= place, place].sum()
    return counts
