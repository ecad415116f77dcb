"""Intervals and p-values that were broken once, or could be: what the measurement of coverage has to notice.

A mutant breaks what is measured, by pytest's monkeypatch; `cells` fit the part of the grid that has to show it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import false_discovery_control

from ldp_aggregator import association, intervals
from ldp_aggregator.likelihood import through
from ldp_aggregator.moments import Moments
from ldp_simulations.coverage import observing


class Mutant(NamedTuple):
    """What is broken, and which claims it breaks in which cells."""

    name: str
    break_it: Callable
    cells: str
    claim: str


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


def ninety_percent(patch):
    """Intervals of 90 % that say 95."""
    estimate = observing.estimate_question

    def weaker(question, counts, options, *rest):
        return estimate(question, counts, replace(options, level=0.9), *rest)

    patch.setattr(observing, "estimate_question", weaker)


MUTANTS = (
    Mutant("normal intervals", normal_intervals, "values: l-grr,*", "all,"),
    Mutant("normal p-values", normal_p_values, "values: l-grr,*", "alarm"),
    Mutant("normal intervals, other mechanisms", normal_intervals, "values: *lo*", "all,"),
    Mutant("clipped split", clipped_split, "joint: *", "each,"),
    Mutant("90 %", ninety_percent, "values: *-?*", "each,"),
)
