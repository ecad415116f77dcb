"""Kind `dithered`: a report is a level and its dither; a mean and a variance are
decoded.

With G the steps of the grid, k levels, L = k - 1, Z = R + L, and for a report of level
j under dither u

    s1 = (Z j - k (k-1) / 2) / (R - 1)                  the level s, on average
    s2 = (Z j^2 - k (k-1) (2k-1) / 6) / (R - 1)         its square (s itself where k = 2)
    e  = (G - 1) / 2 - u

a report is worth y = (G s1 + e) / L to the mean, and to the mean square

    (G^2 s2 + 2 G s1 e + e^2 - (G^2 - 1) / 12) / L^2                    k > 2
    G^2 / 4 - G (G-1) / 6 + G b^2 / (2 (G+1)) + G b (s1 - 1/2)          k = 2, b = G - 1 - 2u

The second is the square of the place counted from the middle; it comes of telling, for
each threshold G - u, whether the place is beyond. Both are unbiased for every place, so
that everything here is linear in the tally:

    variance of the mean, respondents    mean of (G^2 (s1^2 - s2) + (G^2 - 1) / 12) /
                                         L^2, over n
    variance of the answers              mean square - mean^2 + variance of the mean
    its standard error                   that of the residuals (square - 2 mean y), of a
                                         population

With a probability of k / Z a level is drawn evenly from all, whatever the place:
variances are at least so large a share of those of the scores of all reports.

Where the grid is coarser than the values, rounding to it adds up to a quarter of a step
squared, which is added in full. All of it is in steps of the grid until it leaves this
module.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.dithered import DitheredResponse
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    MeanDecoder,
    MeanParts,
    ReportLaw,
    alike,
    known_as,
    lines_of_mean,
    no_score_range,
    no_values,
    noise_under_parabola,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Counts, Floats

_PLACES = 65
"""At which the noise of a variance is looked at."""


class DitheredScores(NamedTuple):
    """Worth of a report, by dither and level: arrays of shape (grid, levels)."""

    place: Floats
    """To the mean of the place, counted from the middle of the grid."""
    square: Floats
    """To the mean of its square."""
    variance: Floats
    """To the mean variance of `place`, given what each respondent holds."""


def scores_of(dithered: DitheredResponse) -> DitheredScores:
    """Return the worth of the reports of a mechanism."""
    grid, levels = dithered.grid, dithered.levels
    odds, steps = float(dithered.ratio), levels - 1
    level = np.arange(levels)
    # (levels,): the level and its square, unbiased.
    first = ((odds + steps) * level - levels * steps / 2) / (odds - 1)
    second = first
    if levels > 2:
        all_squares = levels * steps * (2 * levels - 1) / 6
        second = ((odds + steps) * level**2 - all_squares) / (odds - 1)
    # (grid, 1): what the dither takes back.
    offset = (grid - 1) / 2 - np.arange(grid)[:, None]
    worth = (grid * first + offset) / steps
    spread = (grid**2 * (first**2 - second) + (grid**2 - 1) / 12) / steps**2
    if levels == 2:
        beyond = 2 * offset
        level_free = (
            grid**2 / 4 - grid * (grid - 1) / 6 + grid * beyond**2 / (2 * (grid + 1))
        )
        square = level_free + grid * beyond * (first - 0.5)
    else:
        squared_place = grid**2 * second + 2 * grid * first * offset + offset**2
        square = (squared_place - (grid**2 - 1) / 12) / steps**2
        square = square - grid * worth + grid**2 / 4
    return DitheredScores(
        worth - grid / 2, square, np.broadcast_to(spread, square.shape)
    )


def mean_parts(
    randomizer: Randomizer,
    moments: Moments | None,  # noqa: ARG001
    counts: Counts,
) -> MeanParts:
    """Means of scores; `counts` is of shape (grid, levels)."""
    dithered = known_as(randomizer, DitheredResponse)
    scores, reports = scores_of(dithered), int(counts.sum())
    shares = counts / reports
    step = (dithered.size - 1) / dithered.grid
    mean, mean_square, variance = (float((shares * score).sum()) for score in scores)
    residual = scores.square - 2 * mean * scores.place
    spread_variance = float(
        (shares * residual**2).sum() - (shares * residual).sum() ** 2
    )
    held, noise = _noise_by_place(dithered, residual, mean)
    most = noise_under_parabola(held, noise, mean, mean_square=mean_square)
    even = dithered.levels / (float(dithered.ratio) + dithered.levels - 1)
    return MeanParts(
        step * mean,
        step**2 * mean_square,
        step**2 * (variance + _rounding(dithered)) / reports,
        spread_error=step**2 * (max(spread_variance, 0.0) / max(reports - 1, 1)) ** 0.5,
        least_variance=step**2 * even * float(scores.place.var()) / reports,
        least_spread_error=step**2 * (even * float(residual.var()) / reports) ** 0.5,
        spread_noise=step**2 * (max(most, 0.0) / reports) ** 0.5,
    )


def _noise_by_place(
    dithered: DitheredResponse, residual: Floats, mean: float
) -> tuple[Floats, Floats]:
    """Some places, counted from the middle, and the variance of a residual of their
    holders.
    """
    grid, levels = dithered.grid, dithered.levels
    own, other = (float(rate) for rate in dithered.response.support)
    squares, dither = residual**2, np.arange(grid)
    places = np.unique(np.linspace(0, grid, _PLACES).round().astype(np.int64))
    # (places, grid): the level of a place under each dither.
    level = (places[:, None] * (levels - 1) + dither) // grid
    expected = other * squares.sum() + (own - other) * squares[dither, level].sum(
        axis=1
    )
    held = places - grid / 2
    rounded = _rounding(dithered) * 4 * (held - mean) ** 2
    noise = expected / grid - (held**2 - 2 * mean * held) ** 2 + rounded
    return np.asarray(held), np.asarray(noise)


def mean_reach(randomizer: Randomizer) -> Fraction:
    """From the greatest worth, of the last level and dither 0, to the first value."""
    dithered = known_as(randomizer, DitheredResponse)
    step = Fraction(dithered.size - 1, dithered.grid)
    return step * dithered.worth(0, dithered.levels - 1)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Payload chances of any level: that of another, and that of its own."""
    own, other = known_as(randomizer, DitheredResponse).response.support
    return alike(other, own)


def explain(question: Question) -> list[str]:
    """Explain the scope of epsilon, and the error of the mean."""
    dithered = known_as(question.randomizer, DitheredResponse)
    return lines_of_mean(question.domain, largest_error(dithered))


def largest_error(dithered: DitheredResponse) -> float:
    """The standard error of a mean of one respondent, at the value where it is
    greatest: an end.
    """
    p, q = (float(rate) for rate in dithered.response.support)
    # (levels,): the first value has the first level, whatever the dither.
    variance = scores_of(dithered).variance[0]
    at_end = (p - q) * variance[0] + q * variance.sum()
    return float(
        (dithered.size - 1) / dithered.grid * (at_end + _rounding(dithered)) ** 0.5
    )


def _rounding(dithered: DitheredResponse) -> float:
    """Return the variance that rounding to a coarser grid may add, in its steps."""
    if dithered.size - 1 > dithered.grid:
        return 0.25
    return 0.0


DECODER = Decoder(
    score_range=no_score_range,
    gives="mean",
    values=no_values,
    mean=MeanDecoder(parts=mean_parts, reach=mean_reach),
    report_law=ReportLaw(payload_chances=payload_chances),
    explain=explain,
)
