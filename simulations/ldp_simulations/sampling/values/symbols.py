"""Reports of one symbol.

k-ary randomized response: each holder keeps its value with probability p - q, and is
otherwise uniform over all values: a binomial for each value, and one multinomial. The
one-bit mean: a binomial for the holders of each value. A stochastic matrix: a
multinomial over its row for those. A square wave: each holder's report comes from the
window, uniformly, with probability w (near - far), and is otherwise uniform over all
places; a binomial for the holders of each value, a multinomial over its window for
those of them, and one multinomial for the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp.mechanisms.numbers.one_bit import OneBitMean
from ldp.mechanisms.numbers.square_wave import SquareWave
from ldp.mechanisms.values.grr import RandomizedResponse
from ldp_aggregator.decoders.numbers.window import window_of
from ldp_aggregator.decoders.values.matrix import channel_array, decoding
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.reports.forging import best_symbols, count_places
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts

_AT_ONCE = 1 << 22
"""Pairs of value and place that are handled together."""


def symbol_counts(
    randomizer: RandomizedResponse, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    p, q = randomizer.support
    truthful = generator.binomial(holders, float(p - q))
    anywhere = generator.multinomial(
        (holders - truthful).sum(), np.full(len(holders), 1 / len(holders))
    )
    return (truthful + anywhere).astype(np.int64)[None, :]


def _worths(randomizer: RandomizedResponse, wanted: Wanted) -> list[Floats]:
    return [count_places(randomizer.size, wanted.targets)]


def bit_counts(randomizer: OneBitMean, holders: Counts, generator: Generator) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    ones = int(generator.binomial(holders, _chances(randomizer)).sum())
    return np.array([[holders.sum() - ones, ones]], dtype=np.int64)


def _chances(randomizer: OneBitMean) -> Floats:
    """P[1 | x] of every value."""
    p, q = (float(rate) for rate in randomizer.ends)
    return np.linspace(q, p, randomizer.size)


def _expected_bits(
    randomizer: OneBitMean,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    ones = round(REPORTS * float(frequency @ _chances(randomizer)))
    return np.array([[REPORTS - ones, ones]], dtype=np.int64)


def _worths_of_bits(randomizer: OneBitMean, wanted: Wanted) -> list[Floats]:
    """A 1 where the targets are high on average, a 0 where low: it moves the mean
    there.
    """
    middle = (randomizer.size - 1) / 2
    towards = float(np.mean(wanted.targets)) - middle
    return [np.array([-towards, towards])]


def matrix_counts(
    randomizer: StochasticMatrix, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    by_value = generator.multinomial(holders, channel_array(randomizer))
    counts: Counts = by_value.sum(axis=0, keepdims=True)
    return counts


def _expected_symbols(
    randomizer: StochasticMatrix,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    shares = frequency @ channel_array(randomizer)
    return np.rint(REPORTS * shares).astype(np.int64)[None, :]


def _worths_of_symbols(randomizer: StochasticMatrix, wanted: Wanted) -> list[Floats]:
    return [decoding(channel_array(randomizer))[:, wanted.targets].sum(axis=1)]


def place_counts(
    randomizer: SquareWave, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    size, width, places = randomizer.size, randomizer.width, randomizer.places
    near, far = randomizer.rates
    in_window = generator.binomial(holders, float(width * (near - far)))
    even = np.full(places, 1 / places)
    counts: Counts = generator.multinomial(
        int((holders - in_window).sum()), even
    ).astype(np.int64)
    for values in np.array_split(np.arange(size), -(-size * width // _AT_ONCE)):
        # (values of the part, width): how many of a value's holders report each place.
        spread = generator.multinomial(in_window[values], np.full(width, 1 / width))
        np.add.at(counts, values[:, None] + np.arange(width), spread)
    return counts[None, :]


def _expected_places(
    randomizer: SquareWave,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    law = window_of(randomizer).expectation(frequency)
    return np.rint(REPORTS * law).astype(np.int64)[None, :]


def _worths_of_places(randomizer: SquareWave, wanted: Wanted) -> list[Floats]:
    """The last place where the targets are high on average, the first where low."""
    towards = float(np.mean(wanted.targets)) - (randomizer.size - 1) / 2
    return [towards * np.arange(randomizer.places, dtype=np.float64)]


FORM = Form(by_counts(symbol_counts), best_symbols(_worths))
ONE_BIT = Form(by_counts(bit_counts), best_symbols(_worths_of_bits), _expected_bits)
MATRIX = Form(
    by_counts(matrix_counts), best_symbols(_worths_of_symbols), _expected_symbols
)
SQUARE_WAVE = Form(
    by_counts(place_counts), best_symbols(_worths_of_places), _expected_places
)
