"""Stochastic matrices: the reports of each value's holders are one multinomial over its row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.matrix import StochasticMatrix
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.decoders.matrix import channel_array, decoding
from ldp_simulations.reports.forging import best_symbols
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts


def matrix_counts(randomizer: StochasticMatrix, held: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `held` holders, by value."""
    by_value = generator.multinomial(held, channel_array(randomizer))
    counts: Counts = by_value.sum(axis=0, keepdims=True)
    return counts


def _expected(
    randomizer: StochasticMatrix,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    shares = frequency @ channel_array(randomizer)
    return np.rint(REPORTS * shares).astype(np.int64)[None, :]


def _worths(randomizer: StochasticMatrix, wanted: Wanted) -> list[Floats]:
    return [decoding(channel_array(randomizer))[:, wanted.targets].sum(axis=1)]


FORM = Form(by_counts(matrix_counts), best_symbols(_worths), _expected)
