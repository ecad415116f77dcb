"""Whole numbers plus noise: some stay, half of the others go up and half down.

At each step those that are going stop with probability 1 - a, wherever they came from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from ldp.mechanisms.numbers.additive import AdditiveNoise
from ldp_aggregator.decoders.numbers.noise import Noise
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_simulations.reports.forging import best_symbols, count_places
from ldp_simulations.reports.form import REPORTS, Form, Wanted, by_counts


def noise_counts(
    randomizer: AdditiveNoise, holders: Counts, generator: Generator
) -> Counts:
    """Counts of one report from each of `holders`, by value."""
    step = float(randomizer.step)
    stay = generator.binomial(holders, (1 - step) / (1 + step))
    up = generator.binomial(holders - stay, 0.5)
    counts = np.pad(stay, randomizer.margin).astype(np.int64)
    counts += _stop(np.pad(up, randomizer.margin), step, generator)
    counts += _stop(
        np.pad(holders - stay - up, randomizer.margin)[::-1], step, generator
    )[::-1]
    return counts[None, :]


def _stop(setting_out: Counts, step: float, generator: Generator) -> Counts:
    """Where those stop who set out from each output upwards.

    All who come as far as the last stop there.
    """
    stopped = np.zeros_like(setting_out)
    going = 0
    for place, more in enumerate(setting_out[:-1].tolist()):
        stopped[place] = generator.binomial(going, 1 - step)
        going += more - stopped[place]
    stopped[-1] = going + setting_out[-1]
    return stopped


def _expect(
    randomizer: AdditiveNoise,
    values: Sequence[str],  # noqa: ARG001
    frequency: Floats,
) -> Counts:
    return np.rint(REPORTS * _noisy(randomizer, frequency)).astype(np.int64)[None, :]


def _noisy(randomizer: AdditiveNoise, frequency: Floats) -> Floats:
    """The law of reports: who stays, who comes up from below and who comes down from
    above.
    """
    step, outputs = float(randomizer.step), np.pad(frequency, randomizer.margin)
    shares = (
        (1 - step)
        * (_coming(outputs, step) + _coming(outputs[::-1], step)[::-1] + outputs)
        / (1 + step)
    )
    # An end has all that would go on beyond it.
    shares[[0, -1]] /= 1 - step
    return shares


def _coming(frequency: Floats, step: float) -> Floats:
    """The frequencies below each output, weighted by step^distance."""
    coming = np.zeros_like(frequency)
    for place, share in enumerate(frequency[:-1].tolist()):
        coming[place + 1] = step * (coming[place] + share)
    return coming


def _worths(randomizer: AdditiveNoise, wanted: Wanted) -> list[Floats]:
    noise = Noise.of(randomizer)
    marks = np.pad(count_places(randomizer.size, wanted.targets), 1)
    worth = noise.own * marks[1:-1] - noise.next * (marks[:-2] + marks[2:])
    return [np.pad(worth, randomizer.margin, mode="edge")]


FORM = Form(by_counts(noise_counts), best_symbols(_worths), _expect)
