"""Tallies of Hadamard response, drawn from their exact law.

Every report is either a uniform symbol, whatever its value, or a uniform one among
those that support its value: a row of the value's block that shares an even number of
bits with the value's row. Bit by bit, from the top, a row takes a 0 or a 1 by a fair
coin; only the lowest bit that the value's row has must make the number of shared bits
even. (Where any row may be drawn, and whether that number is odd is told beside it,
every bit has its coin: so it is in the Hadamard count-mean sketch,
`ldp_simulations.sampling.values.sketches`.)

Reports are alike that have the same bits so far, share an even or an odd number of
them, and whose values have the same bits still to come. So only their numbers are kept:
2 K binomials for each bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.contract import Blocked
from ldp.mechanisms.values.hadamard import HadamardResponse
from ldp_aggregator.decoders.moments.supports import walsh_hadamard
from ldp_aggregator.decoders.values.blocks import blocks_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.reports.forging import best_symbols
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts


def hadamard_counts(
    randomizer: HadamardResponse, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    symbols = randomizer.symbols
    # (values,): reports that are uniform among the supporters of their value.
    supporting = generator.binomial(holders, float(1 / randomizer.worth))
    # (symbols,): all others, which are uniform whatever the value is.
    anything = generator.multinomial(
        (holders - supporting).sum(), np.full(symbols, 1 / symbols)
    )
    # Of shape (rows of values, blocks), as values are dealt out to the blocks in turn.
    by_row = np.zeros((randomizer.rows, randomizer.blocks), dtype=np.int64)
    by_row.ravel()[randomizer.blocks : randomizer.blocks + len(holders)] = supporting
    # (blocks, rows): none of them shares an odd number.
    even = drawn_rows(by_row.T, generator, even=True)[..., 0]
    counts: Counts = anything + even.ravel()
    return counts[None, :]


def drawn_rows(by_row: Counts, generator: Generator, *, even: bool) -> Counts:
    """How often each row is drawn by holders (blocks, rows of values): of shape
    (blocks, rows, 2).

    The last axis tells whether it shares an odd number of bits with the row of the
    holder's value. Only rows are drawn that share an even number, or any.
    """
    blocks, rows = by_row.shape
    # (blocks, bits of the report so far, bits of the value still to come, whether they
    # share an odd number so far)
    alike = np.zeros((blocks, 1, rows, 2), dtype=np.int64)
    alike[:, 0, :, 0] = by_row
    while alike.shape[2] > 1:
        # The next bit of the value is split off: (blocks, so far, next, to come after
        # it, odd).
        split = alike.reshape(blocks, alike.shape[1], 2, -1, 2)
        # How many take a 1: half of them by a fair coin,
        ones = generator.binomial(split, 0.5)
        if even:
            # but where the value's row has a 1 here and only zeros to come, all that
            # share an odd number so far, and none of the others. `last` is a view,
            # (blocks, so far, odd).
            last = ones[:, :, 1, 0]
            last[..., 0], last[..., 1] = 0, split[:, :, 1, 0, 1]
        zeros = split - ones
        # (blocks, so far, to come, odd): one more bit is shared where both have a 1.
        after_zero = zeros[:, :, 0] + zeros[:, :, 1]
        after_one = ones[:, :, 0] + ones[:, :, 1, :, ::-1]
        alike = np.stack([after_zero, after_one], axis=2).reshape(
            blocks, 2 * alike.shape[1], -1, 2
        )
    return alike[:, :, 0]


def expected_counts(
    randomizer: Blocked,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
    most: int = 0,
) -> Counts:
    """The law of reports, as a tally.

    Each half of a block comes as often as any, and more often from those whom it
    supports. With `most`, the law is of sets of up to that many values, an entry of
    which is reported.
    """
    oracle = blocks_of(randomizer)
    entries = frequency
    if most:
        drawn = frequency / most
        # What is not a value is a dummy.
        entries = np.append(drawn, 1 - drawn.sum())
    # (rows of values, blocks), as values are dealt out to the blocks in turn.
    by_row = np.zeros((oracle.rows, oracle.blocks))
    by_row.ravel()[oracle.blocks : oracle.blocks + len(entries)] = entries
    # (blocks, rows): the share of respondents whose values a symbol supports; row 0 of
    # the transform has the block's sum.
    transformed = walsh_hadamard(by_row.T)
    supported = (transformed[:, :1] + transformed) / 2
    _, half = oracle.halves
    shares: Floats = (float(half) + supported / float(oracle.worth)) / (oracle.rows / 2)
    return np.rint(REPORTS * shares.ravel()).astype(np.int64)[None, :]


def _worths(randomizer: HadamardResponse, wanted: Wanted) -> list[Floats]:
    """By decoding the targets as if they were reports: x supports symbol y as y
    supports x.
    """
    # (blocks, rows of values): how many targets there are at each place.
    marks = np.zeros((randomizer.blocks, randomizer.rows))
    for target in wanted.targets.tolist():
        marks[randomizer.block_and_row(target)] += 1
    return [walsh_hadamard(marks).ravel()]


FORM = Form(by_counts(hadamard_counts), best_symbols(_worths), expected_counts)
