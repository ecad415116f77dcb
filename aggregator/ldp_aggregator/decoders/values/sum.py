"""Kind `sum`: a report has a number for each value; the estimate is the mean score of a
value's.

The variance of a score is the same no matter who holds the value, and places are
independent given what a respondent holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.values.histogram import NoisyHistogram
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    MeanDecoder,
    Range,
    ReportLaw,
    ShareDecoder,
    known_as,
    of_one_report,
    reach_of_mean,
)
from ldp_aggregator.decoders.moments.jumps import jumps_of
from ldp_aggregator.decoders.moments.moments import Moments, with_jumps
from ldp_aggregator.decoders.moments.scores import Scores, by_pairs, even_powers
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports


def sum_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of a vector of noisy numbers."""
    assert isinstance(randomizer, NoisyHistogram)  # noqa: S101
    reports = total_reports(counts, randomizer.layout)
    scores = np.array([float(score) for score in randomizer.scores()])
    frequency = counts @ scores / reports
    variance = np.full(len(frequency), float(randomizer.variance()))
    if_not, if_held = _level_laws(randomizer)

    def covariance() -> Floats:
        matrix: Floats = np.diag(variance / reports)
        return matrix

    moments = Moments(
        reports, frequency, variance, variance_if_not=variance, covariance=covariance
    )
    return with_jumps(moments, jumps_of(scores, if_held), jumps_of(scores, if_not))


def score_range(randomizer: Randomizer) -> Range:
    """Score range of a level."""
    levels = known_as(randomizer, NoisyHistogram).scores()
    return Range(levels[0], levels[-1])


def mean_reach(randomizer: Randomizer) -> Fraction:
    """The highest level at half of the values, the lowest at the others."""
    size = known_as(randomizer, NoisyHistogram).size
    return reach_of_mean(size, size // 2, score_range(randomizer))


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """The probability of each level for a value that is held, or that is not."""
    laws = _level_laws(known_as(randomizer, NoisyHistogram))
    return laws.min(axis=0), laws.max(axis=0)


def joint_scores(question: Question, counts: Counts, values: Sequence[str]) -> Scores:  # noqa: ARG001
    """Joint scores of numbers, place by place."""
    randomizer = known_as(question.randomizer, NoisyHistogram)
    size = randomizer.size
    levels = randomizer.levels
    variance = float(randomizer.variance())
    level_scores = np.array([float(score) for score in randomizer.scores()])
    # A value's score is that of its own place: (size, size * levels).
    scores: Floats = np.kron(np.eye(size), level_scores).astype(float)
    laws = _level_laws(randomizer)
    law = laws[np.eye(size, dtype=int)].reshape(size, size * levels)
    if_not, if_held = (even_powers(level_scores, level_law, size) for level_law in laws)
    return by_pairs(
        question,
        scores,
        (variance + 1, variance),
        pair=(0.0, 0.0),
        law=law,
        powers=(if_held, if_not),
    )


def _level_laws(randomizer: NoisyHistogram) -> Floats:
    """P[level], of shape (2, levels): of a value that is not held, and of one that
    is.
    """
    laws = (randomizer.level_law(holds=holds) for holds in (False, True))
    return np.array([[float(mass) for mass in law] for law in laws])


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(
        moments=of_one_report(sum_moments), joint_scores=joint_scores, known_before=True
    ),
    mean=MeanDecoder(reach=mean_reach),
    report_law=ReportLaw(payload_chances=payload_chances),
)
