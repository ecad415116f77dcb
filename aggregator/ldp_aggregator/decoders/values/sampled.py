"""Kind `sampled`: estimates from permanent bits for some of the values
(`chains.bit_flip`).

The score of a report for value x is (b/d) (bit - q) / (p - q) if x is in its window,
else 0; windows are uniform, so

    if_held = (b/d) (p (1-p) / (p-q)^2 + 1) - 1,   if_not = (b/d) q (1-q) / (p-q)^2

Given the value, bits are independent, and those of other values have a score of mean 0:
no two estimates correlate.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ldp.mechanisms.chains.bit_flip import BitFlip
from ldp.mechanisms.contract import Randomizer
from ldp_aggregator.decoders.decoder import (
    Decoder,
    DecoderRequest,
    MeanDecoder,
    Range,
    ShareDecoder,
    half,
    known_as,
    of_support,
)
from ldp_aggregator.decoders.moments.joint_errors import ScoreCumulants, one_by_one
from ldp_aggregator.decoders.moments.jumps import jumps_of
from ldp_aggregator.decoders.moments.moments import (
    Findings,
    LinearLaw,
    Moments,
    with_jumps,
)
from ldp_aggregator.decoders.moments.repeats import check_repeats, repeats_note
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports


def window_moments(randomizer: Randomizer, counts: Counts, repeats: int = 1) -> Moments:
    """Moments of every value, from the counts of each window.

    Of `repeats` reports from everybody, all alike.
    """
    assert isinstance(randomizer, BitFlip)  # noqa: S101
    size, reports = randomizer.size, total_reports(counts, randomizer.layout)
    check_repeats(reports, repeats)
    respondents = reports // repeats
    # (values,) each: how many reports have a bit for the value, and how many a 1 there.
    values = np.arange(size)
    asked, ones = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for place in range(randomizer.sampled):
        # A value has this place in the window that starts so much before it: (values, 1
        # + b).
        windows = counts[(values - place) % size]
        asked += windows[:, 0]
        ones += windows[:, 1 + place]
    p, q = (float(rate) for rate in randomizer.within)
    share, signal = randomizer.sampled / size, p - q
    frequency = (ones - q * asked) / (reports * share * signal)
    if_held = np.full(size, (p * (1 - p) / signal**2 + 1) / share - 1)
    if_not = np.full(size, q * (1 - q) / signal**2 / share)
    # Of a one, of a zero, and of a window without the value.
    scores = np.array([1 - q, -q, 0]) / (share * signal)
    own, other = (
        jumps_of(scores, np.array([share * rate, share * (1 - rate), 1 - share]))
        for rate in (p, q)
    )

    def covariance() -> Floats:
        matrix: Floats = np.diag(
            (frequency * if_held + (1 - frequency) * if_not) / respondents
        )
        return matrix

    def spread(weights: Floats) -> ScoreCumulants:
        # As if scores came independently, which have the variance that they have.
        laws = (
            (if_held[0], if_not[0]),
            (own.third, other.third),
            (own.fourth, other.fourth),
        )
        return ScoreCumulants(
            *(one_by_one(weights, law, order) for order, law in enumerate(laws, 2))
        )

    note = repeats_note(respondents, repeats, respondents)
    return with_jumps(
        Moments(
            respondents,
            frequency,
            if_held,
            variance_if_not=if_not,
            covariance=covariance,
            linear=LinearLaw(spread=spread),
            findings=Findings(note),
            lasting=(if_held, if_not),
        ),
        own,
        other,
    )


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Moments of one report from each respondent, or of several of the same bits."""
    return window_moments(randomizer, counts, asked.reports_per_person)


def score_range(randomizer: Randomizer) -> Range:
    """d/b times that of a bit, or 0."""
    window = known_as(randomizer, BitFlip)
    bit = of_support(*window.within)
    scale = Fraction(window.size, window.sampled)
    return Range(bit.least * scale, bit.most * scale)


def mean_reach(randomizer: Randomizer) -> Fraction:
    """Mean reach of the best window."""
    window = known_as(randomizer, BitFlip)
    return _best_window(window.size, window.sampled, score_range(randomizer)) + half(
        window.size
    )


def _best_window(size: int, sampled: int, scores: Range) -> Fraction:
    """The greatest worth of a report that has bits for the values of a window, and 0
    for others.
    """
    worths = [
        max((Fraction(2 * value - size + 1, 2)) * score for score in scores)
        for value in range(size)
    ]
    worth = best = sum(worths[:sampled], Fraction(0))
    for start in range(size - 1):
        worth += worths[(start + sampled) % size] - worths[start]
        best = max(best, worth)
    return best


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(moments=moments, known_before=True),
    mean=MeanDecoder(reach=mean_reach),
)
