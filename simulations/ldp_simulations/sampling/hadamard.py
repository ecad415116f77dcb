"""Tallies of Hadamard response, drawn from their exact law.

Every report is either a uniform symbol, whatever its value, or a uniform one among those that
support its value: a row of the value's block that shares an even number of bits with the value's
row. Bit by bit, from the top, a row takes a 0 or a 1 by a fair coin; only the lowest bit that the
value's row has must make the number of shared bits even.

Reports are alike that have the same bits so far, share an even or an odd number of them, and whose
values have the same bits still to come. So only their numbers are kept: 2 K binomials for each bit.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.hadamard import HadamardResponse
from ldp_aggregator.arrays import Counts


def hadamard_counts(randomizer: HadamardResponse, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, by value."""
    symbols = randomizer.symbols
    supporting = generator.binomial(held, float(1 / randomizer.worth))
    anything = generator.multinomial((held - supporting).sum(), np.full(symbols, 1 / symbols))
    # Of shape (rows of values, blocks), as values are dealt out to the blocks in turn.
    by_row = np.zeros((randomizer.rows, randomizer.blocks), dtype=np.int64)
    by_row.ravel()[randomizer.blocks : randomizer.blocks + len(held)] = supporting
    counts: Counts = anything + _supporting_rows(by_row.T, generator).ravel()
    return counts[None, :]


def _supporting_rows(by_row: Counts, generator: Generator) -> Counts:
    """Reports (blocks, rows) of so many holders (blocks, rows of values)."""
    blocks, rows = by_row.shape
    # (blocks, bits of the report so far, bits of the value still to come, whether they share an odd
    # number so far)
    alike = np.zeros((blocks, 1, rows, 2), dtype=np.int64)
    alike[:, 0, :, 0] = by_row
    while alike.shape[2] > 1:
        # The next bit of the value is split off: (blocks, so far, next, to come after it, odd).
        split = alike.reshape(blocks, alike.shape[1], 2, -1, 2)
        ones = generator.binomial(split, 0.5)
        last = ones[:, :, 1, 0]
        last[..., 0], last[..., 1] = 0, split[:, :, 1, 0, 1]
        zeros = split - ones
        after_zero = zeros[:, :, 0] + zeros[:, :, 1]
        after_one = ones[:, :, 0] + ones[:, :, 1, :, ::-1]
        alike = np.stack([after_zero, after_one], axis=2).reshape(blocks, 2 * alike.shape[1], -1, 2)
    even: Counts = alike[:, :, 0, 0]
    return even
