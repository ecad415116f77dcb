"""Kind `matrix`: a report is a symbol, drawn from the row of a small stochastic matrix
A.

    estimate h B / n with A B = 1 (`decoding`), h the counts of the symbols
    variance of the score of value v: sum_y A[v,y] B[y,x]^2 - [v = x]

What an estimate errs by depends on what others hold: `variance_if_not` is the mean of
that variance over the values other than x, weighted by the estimated frequencies.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.matrices.matrix import StochasticMatrix
from ldp_aggregator.decoders.count_law import CountLaw
from ldp_aggregator.decoders.decoder import (
    Decoder,
    MeanDecoder,
    Range,
    ReportLaw,
    ShareDecoder,
    half,
    known_as,
    of_one_report,
    scores_of_symbols,
)
from ldp_aggregator.decoders.moments.joint_errors import spread_of_scores
from ldp_aggregator.decoders.moments.moments import (
    LinearLaw,
    Moments,
    OneCount,
    ScoreJumps,
)
from ldp_aggregator.numerics.arrays import Counts, Floats

WORST_CONDITION = 1000.0
"""Of a matrix: beyond it, people should know what they are in for."""


def matrix_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of a stochastic matrix."""
    assert isinstance(randomizer, StochasticMatrix)  # noqa: S101
    channel = channel_array(randomizer)
    return moments_of_scores(channel, decoding(channel), counts[0])


def moments_of_scores(
    channel: Floats, inverse: Floats, observed: Counts | Floats
) -> Moments:
    """Moments of means of scores, of counts of symbols (symbols,).

    `channel` is (values, symbols); `inverse`, (symbols, values), is what each symbol is
    worth to each value, and undoes it: channel @ inverse = 1.
    """
    reports = int(observed.sum())
    frequency = observed / reports @ inverse
    score_variance, score_third = score_moments(channel, inverse)
    if_held = np.diag(score_variance).copy()
    shares = np.clip(frequency, 0, 1)
    # For each column the other values by their shares, all alike if no one holds any.
    weights = np.where(np.eye(len(shares), dtype=bool), 0.0, shares[:, None] + 1e-12)
    if_not = (weights * score_variance).sum(axis=0) / weights.sum(axis=0)
    third = (
        np.diag(score_third).copy(),
        (weights * score_third).sum(axis=0) / weights.sum(axis=0),
    )

    def covariance() -> Floats:
        # (symbols, symbols): the covariance of one report's symbol, given what
        # respondents hold.
        spread = np.diag(frequency @ channel) - channel.T @ np.diag(frequency) @ channel
        matrix: Floats = inverse.T @ spread @ inverse / reports
        return matrix

    spread = spread_of_scores(
        lambda weights: np.asarray(weights @ inverse.T),
        lambda numbers: np.asarray(numbers @ channel.T),
    )

    if channel.shape != (2, 2):
        return Moments(
            reports,
            frequency,
            if_held,
            variance_if_not=if_not,
            covariance=covariance,
            linear=LinearLaw(spread=spread),
            jumps=ScoreJumps(third),
        )
    own = np.diag(channel).copy()
    return Moments(
        reports,
        frequency,
        if_held,
        variance_if_not=if_not,
        covariance=covariance,
        linear=LinearLaw(spread=spread),
        count=OneCount(observed.astype(np.int64), (own, 1 - own[::-1])),
        jumps=ScoreJumps(third),
    )


def score_moments(channel: Floats, inverse: Floats) -> tuple[Floats, Floats]:
    """(values held, values): variance and third moment of the second one's score, if
    the first is.

    With [v = x] for the mean, E[(B - mean)^3] = E[B^3] - 3 mean E[B^2] + 2 mean.
    """
    variance = np.maximum(channel @ inverse**2 - np.eye(len(channel)), 0.0)
    third = channel @ inverse**3 - np.diag(3 * np.diag(variance) + 1)
    return variance, third


def count_law(randomizer: Randomizer) -> CountLaw:
    """Each symbol is worth its row of the decoding matrix."""
    assert isinstance(randomizer, StochasticMatrix)  # noqa: S101
    channel = channel_array(randomizer)
    inverse = decoding(channel)
    variance, third = score_moments(channel, inverse)
    alone = channel.shape == (2, 2)
    return CountLaw(
        inverse.T,
        0.0,
        1.0,
        variance_if_held=np.diag(variance).copy(),
        variance_if_not=variance,
        third_if_held=np.diag(third).copy(),
        third_if_not=third,
        signal=np.full(2, abs(channel[0, 0] + channel[1, 1] - 1)) if alone else None,
        labels=channel.shape[0] == channel.shape[1],
    )


def decoding(channel: Floats) -> Floats:
    """The inverse of a channel.

    If it has more reports than values, its right inverse as in `ldp.numbers.channel`.
    """
    if channel.shape[0] == channel.shape[1]:
        return np.asarray(np.linalg.inv(channel), dtype=float)
    posterior = (channel / channel.sum(axis=0)).T
    return np.asarray(posterior @ np.linalg.inv(channel @ posterior), dtype=float)


def channel_array(randomizer: StochasticMatrix) -> Floats:
    """The matrix as floats, rows by true value."""
    totals = map(sum, randomizer.weights)
    return np.array(
        [
            [weight / total for weight in row]
            for row, total in zip(randomizer.weights, totals, strict=True)
        ]
    )


def score_range(randomizer: Randomizer) -> Range:
    """The least and the greatest entry of the decoding matrix."""
    scores = _scores(randomizer)
    return Range(Fraction(scores.min()), Fraction(scores.max()))


def mean_reach(randomizer: Randomizer) -> Fraction:
    """Return the greatest worth of a symbol to the mean."""
    scores = _scores(randomizer)
    farthest = half(scores.shape[1])
    worth = scores @ (np.arange(scores.shape[1]) - float(farthest))
    return max(Fraction(worth.max()) + farthest, farthest - Fraction(worth.min()))


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """The largest and the least entry of each symbol's column."""
    channel = channel_array(known_as(randomizer, StochasticMatrix))
    return channel.min(axis=0), channel.max(axis=0)


def warnings(randomizer: Randomizer) -> list[str]:
    """Warnings of a matrix that hardly tells its values apart."""
    condition = float(
        np.linalg.cond(channel_array(known_as(randomizer, StochasticMatrix)))
    )
    if condition <= WORST_CONDITION:
        return []
    return [
        f"the matrix is badly conditioned ({condition:.3g}); standard errors will be "
        "that many times those of a plain sample, at worst"
    ]


def _scores(randomizer: Randomizer) -> Floats:
    return decoding(channel_array(known_as(randomizer, StochasticMatrix)))


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(
        moments=of_one_report(matrix_moments),
        joint_scores=scores_of_symbols(matrix_moments),
        count_law=count_law,
    ),
    mean=MeanDecoder(reach=mean_reach),
    report_law=ReportLaw(payload_chances=payload_chances),
    warnings=warnings,
)
