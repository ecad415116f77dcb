"""Kind `window`: a report is a place, likelier in a window about a number; a mean and a
variance.

With w places in a window, m in all, odds of R, Z = R w + m - w, and j and x counted
from the middles of their ranges,

    y  = Z j / ((R - 1) w)                                               E[y | x]  = x
    y2 = [(Z j^2 - m (m^2 - 1) / 12) / (R - 1)] / w - (w^2 - 1) / 12     E[y2 | x] = x^2

are what a report is worth to the mean and to the mean square: sums over a window are
linear in x, and those of squares quadratic. Everything else follows, linear in the
tally:

    variance of the mean, respondents    mean of (y^2 - y2), over n
    variance of the answers              mean square - mean^2 + variance of the mean
    its standard error                   that of the residuals (y2 - 2 mean y), of a
                                         population

The frequencies of single values are not estimated: unbiased they would be all but
noise. Their shape, which is biased, has to be asked for
(`ldp_aggregator.numerics.shapes`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.square_wave import SquareWave
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    MeanDecoder,
    MeanParts,
    Refusal,
    ReportLaw,
    from_middle,
    known_as,
    lines_of_mean,
    no_values,
    noise_under_parabola,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.numerics.shapes import Window, shape_of


class WindowScores(NamedTuple):
    """Worth of a report, by place: arrays of shape (places,), in steps from the
    middle.
    """

    mean: Floats
    square: Floats


def scores_of(wave: SquareWave) -> WindowScores:
    """Return the worth of the reports of a mechanism."""
    odds, width, places = float(wave.ratio), wave.width, wave.places
    total = odds * width + places - width
    # (places,): each place, counted from the middle of all.
    place = from_middle(places)
    squares = (total * place**2 - places * (places**2 - 1) / 12) / (odds - 1)
    return WindowScores(
        total * place / ((odds - 1) * width),
        squares / width - (width**2 - 1) / 12,
    )


def mean_parts(
    randomizer: Randomizer,
    moments: Moments | None,  # noqa: ARG001
    counts: Counts,
) -> MeanParts:
    """Means of scores; `counts` is of shape (1, places)."""
    wave = known_as(randomizer, SquareWave)
    scores, reports = scores_of(wave), int(counts.sum())
    # (places,): the share of the reports that name each place.
    shares = counts[0] / reports
    mean, mean_square = (float(shares @ score) for score in scores)
    variance = float(shares @ (scores.mean**2 - scores.square))
    residual = scores.square - 2 * mean * scores.mean
    spread_variance = float(shares @ residual**2 - (shares @ residual) ** 2)
    # (values,): the noise of the residuals, by what is held.
    held = from_middle(wave.size)
    summed = np.append(0.0, np.cumsum(residual**2))
    within = summed[wave.width :][: wave.size] - summed[: wave.size]
    near, far = (float(rate) for rate in wave.rates)
    noise = far * summed[-1] + (near - far) * within - (held**2 - 2 * mean * held) ** 2
    # As likely a report is any place, whatever the number: so much noise there is at
    # least.
    even = wave.places * far
    most = noise_under_parabola(held, noise, mean, mean_square=mean_square)
    return MeanParts(
        mean,
        mean_square,
        variance / reports,
        spread_error=(max(spread_variance, 0.0) / max(reports - 1, 1)) ** 0.5,
        least_variance=even * float(scores.mean.var()) / reports,
        least_spread_error=(even * float(residual.var()) / reports) ** 0.5,
        spread_noise=(max(most, 0.0) / reports) ** 0.5,
    )


def score_range(randomizer: Randomizer) -> Refusal:  # noqa: ARG001
    """None: what explains reports best is no mean of scores."""
    return Refusal(
        "a shape is what explains all reports together, and no mean of scores"
    )


def mean_reach(randomizer: Randomizer) -> Fraction:
    """From the worth of the last place to the first value."""
    wave = known_as(randomizer, SquareWave)
    return wave.worth(wave.places - 1)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Of each place: that outside of a window, unless all windows hold it, and that
    within.
    """
    wave = known_as(randomizer, SquareWave)
    near, far = (float(rate) for rate in wave.rates)
    place = np.arange(wave.places)
    in_all = (place >= wave.size - 1) & (place < wave.width)
    return np.where(in_all, near, far), np.full(wave.places, near)


def shape(randomizer: Randomizer, counts: Counts, post_process: str) -> Floats:
    """Frequencies that explain the counts best, or nearly so and smooth."""
    return shape_of(
        window_of(known_as(randomizer, SquareWave)),
        counts[0],
        smooth=post_process == "ems",
    )


def window_of(wave: SquareWave) -> Window:
    """The law of its reports."""
    near, far = (float(rate) for rate in wave.rates)
    return Window(wave.size, wave.width, near, far=far)


def explain(question: Question) -> list[str]:
    """How blurred a report is, and where there is a mean, how well it will be known."""
    wave = known_as(question.randomizer, SquareWave)
    near = float(wave.rates[0]) * wave.width
    window = (
        f"  window              {wave.width} of {wave.places} places about the answer, "
        f"which {near:.1%} of reports name; the shape (--post-process em, ems) is "
        "biased and has no intervals"
    )
    if question.domain.spacing is None:
        return [window]
    return [*lines_of_mean(question.domain, largest_error(wave)), window]


def largest_error(wave: SquareWave) -> float:
    """The standard error of a mean of one respondent, at the value where it is
    greatest: an end.
    """
    scores = scores_of(wave)
    # (places,): the law of the reports of the first value.
    law = window_of(wave).expectation(np.eye(wave.size)[0])
    return float((law @ (scores.mean**2 - scores.square)) ** 0.5)


DECODER = Decoder(
    score_range=score_range,
    gives="mean",
    values=no_values,
    mean=MeanDecoder(parts=mean_parts, reach=mean_reach),
    report_law=ReportLaw(payload_chances=payload_chances),
    shape=shape,
    explain=explain,
)
