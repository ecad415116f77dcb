"""Intervals and p-values that were broken once, or could be: what the measurement of coverage has to notice.

A mutant breaks what is measured, by pytest's monkeypatch; its cells have to show it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from ldp_aggregator import association, estimation, intervals
from ldp_aggregator.likelihood import through
from ldp_aggregator.moments import Moments
from ldp_aggregator.noise_moments import Noise, _neighbours, folded
from ldp_simulations.coverage import observing


class Mutant(NamedTuple):
    """What is broken, and which claims it breaks in which cells."""

    name: str
    break_it: Callable
    cells: str
    claim: str
    surveys: int | None = None
    """In a cell of the whole grid; None for the part of every day as it is."""


def normal_intervals(patch):
    """Score intervals from normal theory, however few reports are expected."""
    patch.setitem(intervals.INTERVAL_ENDS, "score", intervals.score_interval)


def normal_p_values(patch):
    """P-values from normal theory, however few reports are expected."""

    def detected(estimates, level=0.95, correction="benjamini-hochberg"):
        chances = ndtr(-estimates.unbiased / estimates.null_error)
        if correction == "bonferroni":
            return chances * len(chances) <= 1 - level
        return false_discovery_control(chances) <= 1 - level

    patch.setattr(observing, "detected", detected)


def clipped_split(patch):
    """The variance of a joint cell split by its estimated frequency, clipped at .99, however noisy that is."""

    def moments(table, reports, scores):
        frequency = through(table, [each.scores for each in scores]).ravel() / reports
        squares = through(table, [each.squares for each in scores]).ravel() / reports
        own = through(np.ones([1] * len(scores)), [each.own[:, None] for each in scores]).ravel()
        held = np.minimum(frequency, 0.99)
        other = np.maximum((squares - held * own) / (1 - held), 0.0)
        return Moments(reports, frequency, own - 1, other, lambda: np.zeros((0, 0)))

    patch.setattr(association, "_moments", moments)


def split_by_the_estimate(patch):
    """The variance of the frequency of a noisy number from squares of scores, split by the estimate itself."""
    sound = estimation._MOMENTS["noise"]

    def moments(randomizer, counts):
        found, noise = sound(randomizer, counts), Noise.of(randomizer)
        shares = folded(randomizer, counts) / counts.sum()
        overall = noise.own**2 * shares + _neighbours(noise.next**2 * shares)
        held = np.clip(found.frequency, 0, 1)
        others = np.divide(overall - held * (found.hold + 1), 1 - held, out=np.zeros(len(held)), where=held < 1)
        return replace(found, other=np.maximum(others, 1e-9))

    patch.setitem(estimation._MOMENTS, "noise", moments)


def ninety_percent(patch):
    """Intervals of 90 % that say 95."""
    estimate = observing.estimate_question

    def weaker(question, counts, options, *rest):
        return estimate(question, counts, replace(options, level=0.9), *rest)

    patch.setattr(observing, "estimate_question", weaker)


MUTANTS = (
    Mutant("normal intervals", normal_intervals, "values: grr,*", "all,"),
    Mutant("normal p-values, Bonferroni", normal_p_values, "values: grr,*", "alarm"),
    Mutant("normal p-values, Benjamini-Hochberg", normal_p_values, "values: olh, *8, 1000 *, n = 200", "wrong", 100),
    Mutant("clipped split", clipped_split, "joint: grr*", "each,"),
    Mutant("split by the estimate", split_by_the_estimate, "values: geometric,*", "each,"),
    Mutant("90 %", ninety_percent, "values: forced, *1/2, *, n = 1000000", "each,", 3_000),
)
