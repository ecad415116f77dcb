"""Intervals and p-values that were broken, which measuring coverage has to notice.

A mutant breaks what is measured, by pytest's monkeypatch; its cells have to show it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lab.coverage import observing
from ldp_aggregator.analyses.association import association
from ldp_aggregator.analyses.association.likelihood import through
from ldp_aggregator.answers.distributions import distribution
from ldp_aggregator.decoders.intervals import intervals
from ldp_aggregator.decoders.intervals.intervals import null_error
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.numbers import noise as noise_decoder
from ldp_aggregator.decoders.numbers.noise import Noise, _neighbours, fold_margins
from ldp_aggregator.decoders.values import pure


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
    from scipy.special import ndtr
    from scipy.stats import false_discovery_control

    def detected(estimates, level=0.95, correction="benjamini-hochberg"):
        chances = ndtr(-estimates.unbiased / null_error(estimates.law))
        if correction == "bonferroni":
            return chances * len(chances) <= 1 - level
        return false_discovery_control(chances) <= 1 - level

    patch.setattr(observing, "detected", detected)


def clipped_split(patch):
    """A joint cell's variance split by its estimated frequency, cut at .99, however
    noisy.
    """

    def moments(table, reports, scores, jumps):
        frequency = through(table, [score.scores for score in scores]).ravel() / reports
        squares = through(table, [score.squares for score in scores]).ravel() / reports
        own = through(
            np.ones([1] * len(scores)), [score.own[:, None] for score in scores]
        ).ravel()
        shares = np.minimum(frequency, 0.99)
        if_not = np.maximum((squares - shares * own) / (1 - shares), 0.0)
        return Moments(
            reports,
            frequency,
            own - 1,
            variance_if_not=if_not,
            covariance=lambda: np.zeros((0, 0)),
        )

    patch.setattr(association, "_moments", moments)


def split_by_the_estimate(patch):
    """A noisy number's variance from squares of scores, split by the estimate
    itself.
    """
    sound = noise_decoder.DECODER

    def moments(randomizer, counts, asked):
        known, noise = (
            sound.shares.moments(randomizer, counts, asked),
            Noise.of(randomizer),
        )
        shares = fold_margins(randomizer, counts) / counts.sum()
        overall = noise.own**2 * shares + _neighbours(noise.next**2 * shares)
        frequency = np.clip(known.frequency, 0, 1)
        others = np.divide(
            overall - frequency * (known.variance_if_held + 1),
            1 - frequency,
            out=np.zeros(len(frequency)),
            where=frequency < 1,
        )
        return replace(known, variance_if_not=np.maximum(others, 1e-9), jumps=None)

    shares = sound.shares._replace(moments=moments)
    patch.setattr(noise_decoder, "DECODER", sound._replace(shares=shares))


def normal_joint_cells(patch):
    """Joint cells by normal theory, however few reports are expected."""
    patch.setattr(association, "careful_interval", intervals.score_interval)


def normal_noise(patch):
    """Noisy numbers by normal theory, however few reports are next to a value."""
    sound = noise_decoder.DECODER

    def moments(*arguments):
        return replace(sound.shares.moments(*arguments), jumps=None)

    shares = sound.shares._replace(moments=moments)
    patch.setattr(noise_decoder, "DECODER", sound._replace(shares=shares))


def alike_jumps(patch):
    """Several reports of each respondent as if chance would only ever move one of
    them.
    """
    sound = pure.memoized_moments

    def moments(*arguments):
        known = sound(*arguments)
        alike = known.jumps._replace(fourth=None, rising=None, falling=None)
        return replace(known, jumps=alike)

    patch.setattr(pure, "memoized_moments", moments)


def ninety_percent(patch):
    """Intervals of 90 % that say 95."""
    estimate = observing.estimate_question

    def weaker(question, counts, options, **others):
        return estimate(question, counts, replace(options, level=0.9), **others)

    patch.setattr(observing, "estimate_question", weaker)


def points_for_bands(patch):
    """A band as wide as the intervals of single points."""
    from scipy.special import ndtri

    patch.setattr(
        distribution, "multiplier", lambda _, level: float(ndtri((1 + level) / 2))
    )


MUTANTS = (
    Mutant("normal intervals", normal_intervals, "values: grr,*", claim="all,"),
    Mutant(
        "normal p-values, Bonferroni", normal_p_values, "values: grr,*", claim="alarm"
    ),
    Mutant(
        "normal p-values, Benjamini-Hochberg",
        normal_p_values,
        "values: olh, *8, 1000 *, n = 200",
        claim="wrong",
        surveys=100,
    ),
    Mutant("clipped split", clipped_split, "joint: grr*", claim="each,"),
    Mutant(
        "split by the estimate",
        split_by_the_estimate,
        "values: geometric,*",
        claim="each,",
    ),
    Mutant(
        "normal joint cells",
        normal_joint_cells,
        "joint: grr x grr, *4, 12 *, n = 200",
        claim="all,",
        surveys=60,
    ),
    Mutant(
        "normal noise",
        normal_noise,
        "values: laplace, *8, 100 *, n = 200",
        claim="all,",
        surveys=60,
    ),
    Mutant(
        "jumps that are alike",
        alike_jumps,
        "repeats: l-grr, *8, 100 *, n = 200",
        claim="all,",
        surveys=45,
    ),
    Mutant(
        "points for bands",
        points_for_bands,
        "distributions: arcs, epsilon 2, 10 *, n = 1000000",
        claim="band",
        surveys=200,
    ),
    Mutant(
        "90 %",
        ninety_percent,
        "values: forced, *1/2, *, n = 1000000",
        claim="each,",
        surveys=2_000,
    ),
)
