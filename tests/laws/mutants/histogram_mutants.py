"""Histogram encodings broken on purpose.

Unless they say otherwise, functions replace `NoisyHistogram.randomize`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from lawbook import decoder, errors, same_bytes, sampler
from mutants import altered, decoded_by, designed_as
from specimens import question

from ldp.mechanisms.values.histogram import NoisyHistogram


def noise_of_one_entry(mechanism):
    """The design for epsilon 1 with noise of scale 1: values differ in two entries, by
    1 each.
    """
    return question(
        mechanism, 'type = "category"\nvalues = ["a", "b", "c", "d"]\nepsilon = 2'
    ).randomizer


def true_entry_not_far(self, value, random):
    """The entry of the value is without the second step of noise."""
    report = NoisyHistogram(*self).randomize(value, random)
    entries, half = bytearray(report.to_bytes(self.size, "little")), self.levels // 2
    entries[value] = half if entries[value] >= half else half - 1
    return int.from_bytes(entries, "little")


def one_distance_for_all(self, value, random):
    """The word of the first entry decides all distances."""
    words = [random, lambda size: random(1)[:] * size]
    return NoisyHistogram(*self).randomize(value, lambda size: words.pop(0)(size))


def numbered_from_the_end(self, value, random):
    report = NoisyHistogram(*self).randomize(value, random)
    return int.from_bytes(
        bytes(
            self.levels - 1 - level for level in report.to_bytes(self.size, "little")
        ),
        "little",
    )


def folded_too_late(self, value, random):
    """On either side there is a level more than reports have room for."""
    return NoisyHistogram(
        self.size, self.levels + 2, self.flip, word=self.word
    ).randomize(value, random)


def plain_mean(moments, randomizer, counts):
    """Folded ends count as if nothing lay beyond them."""
    numbers = [level + 1 - randomizer.levels // 2 for level in range(randomizer.levels)]
    return replace(moments, frequency=counts @ numbers / moments.reports)


def of_unfolded_noise(moments, randomizer, _):
    a = float(Fraction(randomizer.flip, (1 << randomizer.word) - randomizer.flip))
    return replace(
        moments, variance_if_held=moments.variance_if_held * 0 + 2 * a / (1 - a) ** 2
    )


MUTANTS = (
    designed_as("histogram: noise of one entry", "she-1", noise_of_one_entry("she")),
    designed_as("thresholds: noise of one entry", "the-1", noise_of_one_entry("the")),
    altered(
        "histogram: no distance for the truth",
        sampler,
        "histogram-2",
        randomize=true_entry_not_far,
    ),
    altered(
        "histogram: one distance for all",
        sampler,
        "histogram-3",
        randomize=one_distance_for_all,
    ),
    altered(
        "histogram: numbered from the end",
        sampler,
        "histogram-2",
        randomize=numbered_from_the_end,
    ),
    altered(
        "histogram: folded too late",
        same_bytes,
        "histogram-2",
        randomize=folded_too_late,
    ),
    decoded_by(
        "histogram: folded ends taken at face value",
        decoder,
        "histogram-2",
        change=plain_mean,
    ),
    decoded_by(
        "histogram: variance of unfolded noise",
        errors,
        "histogram-2",
        change=of_unfolded_noise,
    ),
)
