"""Kind `noise`: a whole number plus noise; frequencies by a filter, and the mean
without them.

A device adds noise to its number: each step away from the truth is less likely by a
constant factor. What is reported is the truth seen through a blur, and a filter that
undoes the blur gives frequencies. Undoing it enlarges the noise, so single frequencies
are rough; the mean needs no filter, as the noise is 0 on average.

Outputs beyond the domain say no more than that, so the tally is first folded into the
domain. With a the factor of one step, k = a / (1-a)^2 and h the shares of the N + 1
outputs, the inverse of the channel has three diagonals, so frequencies come from a
filter of three terms:

    estimate of f_v = own_v h_v - next_{v-1} h_{v-1} - next_{v+1} h_{v+1}
    own = 1 + 2k, at an end 1 / (1-a);  next = k, at an end a / (1-a)

The error of an estimate depends on what others hold: E[score^2 | x] falls by a with
each step from v, so that

    E[score^2 | x] = below_v a^(v-x) for x < v,  above_v a^(x-v) for x > v

and `variance_if_not` is its mean over all who do not hold v, whose values are taken to
be the most likely ones. The squares of the scores themselves would be unbiased for it;
but they rest on the outputs next to v alone, and go wrong as f_v does. Third and fourth
powers go by the same rule; next to those, what the squares take from a fourth cumulant
is left in.

A report is the expectation of x + Z given where that was cut, if an end counts for what
lies beyond it too: the noise has no memory, so on average that is a / (1-a) farther
out, with variance k, whatever x is. And as Z has variance 2k,

    score of y = y, at an end a / (1-a) farther out
    E[score | x] = x,  Var(score | x) = k (2 - P[an end | x])

All of this is exact for weights that are exactly geometric. Those of a design are
rounded in the twentieth digit, far behind what the floats here hold.

Sources: Kac, Murdock and Szego 1953 (the inverse); Ghosh, Roughgarden and Sundararajan
2009 (cutting).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.additive import AdditiveNoise
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    MeanDecoder,
    MeanParts,
    Range,
    ReportLaw,
    ShareDecoder,
    from_middle,
    half,
    known_as,
    lines_of_mean,
    of_one_report,
    scores_of_symbols,
)
from ldp_aggregator.decoders.moments.joint_errors import spread_of_scores
from ldp_aggregator.decoders.moments.moments import (
    Findings,
    LinearLaw,
    Moments,
    ScoreJumps,
)
from ldp_aggregator.decoders.numbers.noise_likelihood import likely_shares, on_each_side
from ldp_aggregator.numerics.arrays import Counts, Floats

_FEWEST_AT_OWN = 5
"""Reports expected at a value if everybody held it.

With fewer its estimate is far from normal, whatever is true.
"""
_HARDLY_ANY = 1e-9
"""If fewer hold another value, they are taken to hold the one that is nearest."""


class Noise(NamedTuple):
    """The numbers of the formulas above: arrays over the outputs of the domain, or one
    number.
    """

    own: Floats
    next: Floats
    stays: Floats
    """P[y | y]; P[y | x] is that times a^|y-x|."""
    step: float
    """a."""
    spread: float
    """k: half the variance of the noise."""
    beyond: float
    """a / (1-a): how much farther out an end counts."""

    @classmethod
    def of(cls, randomizer: AdditiveNoise) -> Noise:
        """In exact arithmetic as far as possible, since a may be next to 1."""
        size, step = randomizer.size, randomizer.step
        spread, beyond = step / (1 - step) ** 2, step / (1 - step)
        return cls(
            _with_ends(size, float(1 + 2 * spread), float(1 / (1 - step))),
            _with_ends(size, float(spread), float(beyond)),
            _with_ends(size, float((1 - step) / (1 + step)), float(1 / (1 + step))),
            float(step),
            float(spread),
            float(beyond),
        )


def fold_margins(randomizer: AdditiveNoise, counts: Counts) -> Counts:
    """The counts of the outputs, those beyond the domain being added to its ends.

    Shape (values,).
    """
    margin, last = randomizer.margin, randomizer.size - 1
    inside: Counts = counts[0, margin : margin + last + 1].copy()
    inside[0] += counts[0, :margin].sum()
    inside[last] += counts[0, margin + last + 1 :].sum()
    return inside


def noise_moments(randomizer: Randomizer, counts: Counts) -> Moments:
    """Moments of a whole number plus noise."""
    assert isinstance(randomizer, AdditiveNoise)  # noqa: S101
    noise = Noise.of(randomizer)
    shares = fold_margins(randomizer, counts).astype(float)
    reports = int(counts.sum())
    # (values,) each: what comes out, the frequencies by the filter, and the most likely
    # ones, at which errors are taken.
    shares /= reports
    own, near = noise.own, noise.next
    frequency = _three_terms(own, -near, shares)
    likely = likely_shares(shares, frequency, noise.stays, step=noise.step)
    # The shares of those who hold less and more, each by a^distance.
    less, more = on_each_side(likely, noise.step)
    others = 1 - likely

    def expectation(of_own: Floats, of_next: Floats) -> tuple[Floats, Floats]:
        """Return the mean of a score: of holders, and of the others who are likely
        there.

        A score is `of_own` for the value's output and `of_next` for those beside it,
        else 0.
        """
        middle, beside = of_own * noise.stays, of_next * noise.stays
        before, after = np.pad(beside, (1, 0))[:-1], np.pad(beside, (0, 1))[1:]
        # Of those who hold less and more, but for the powers of a.
        below = middle + before / noise.step + after * noise.step
        above = middle + before * noise.step + after / noise.step
        # Where hardly anyone holds another value, the worse of the two sides.
        larger = np.where(np.abs(below) > np.abs(above), below, above)
        elsewhere = np.divide(
            below * less + above * more,
            others,
            out=noise.step * larger,
            where=others > _HARDLY_ANY,
        )
        return middle + noise.step * (before + after), elsewhere

    if_held, if_not = expectation(own**2, near**2)
    held_cube, third = expectation(own**3, -(near**3))
    nothing = np.zeros_like(own)
    (held_up, rising), (held_down, falling) = (
        expectation(own**4, nothing),
        expectation(nothing, near**4),
    )
    # About 1, the mean of a holder's score; which part goes up is of no weight there,
    # so both ways have all.
    held_fourth = held_up + held_down - 4 * held_cube + 6 * if_held - 3

    def covariance() -> Floats:
        # (values, values): the mean product of two scores, by the filter along both
        # axes.
        square = _three_terms(own, -near, _three_terms(own, -near, np.diag(shares)).T)
        matrix: Floats = (square - np.diag(frequency)) / reports
        return matrix

    def scores(weights: Floats) -> Floats:
        return own * weights - near * _neighbours(weights)

    def expected_scores(numbers: Floats) -> Floats:
        # (Q, outputs), and what is on either side of each value.
        likely_numbers = numbers * noise.stays
        sides = [np.add(*on_each_side(row, noise.step)) for row in likely_numbers]
        return np.asarray(likely_numbers + np.array(sides))

    unknown = reports * noise.stays < _FEWEST_AT_OWN
    return Moments(
        reports,
        frequency,
        if_held - 1,
        variance_if_not=if_not,
        covariance=covariance,
        linear=LinearLaw(spread=spread_of_scores(scores, expected_scores)),
        jumps=ScoreJumps(
            third=(held_cube - 3 * if_held + 2, third),
            fourth=(held_fourth, rising + falling),
            rising=(held_fourth, rising),
            falling=(held_fourth, falling),
        ),
        findings=Findings(unknown=unknown),
    )


def mean_error(randomizer: AdditiveNoise) -> float:
    """The standard error of a respondents' mean, times the root of their number, at the
    worst.
    """
    noise, half = Noise.of(randomizer), (randomizer.size - 1) / 2
    least_at_ends = 2 * noise.step**half / (1 + noise.step)
    return math.sqrt(noise.spread * (2 - least_at_ends))


def _three_terms(own: Floats, near: Floats, shares: Floats) -> Floats:
    terms: Floats = own * shares + _neighbours(near * shares)
    return terms


def _neighbours(numbers: Floats) -> Floats:
    """The sum of those before and after, along the last axis."""
    total = np.zeros_like(numbers)
    total[..., 1:] += numbers[..., :-1]
    total[..., :-1] += numbers[..., 1:]
    return total


def _with_ends(size: int, inside: float, end: float) -> Floats:
    numbers = np.full(size, inside)
    numbers[[0, -1]] = end
    return numbers


def mean_parts(
    randomizer: Randomizer,
    moments: Moments | None,  # noqa: ARG001
    counts: Counts,
) -> MeanParts:
    """From the scores alone, without frequencies."""
    randomizer = known_as(randomizer, AdditiveNoise)
    noise = Noise.of(randomizer)
    shares = fold_margins(randomizer, counts) / counts.sum()
    score = from_middle(randomizer.size)
    score[0] -= noise.beyond
    score[-1] += noise.beyond
    added = noise.spread * (2 - float(shares[0] + shares[-1]))
    return MeanParts(
        float(shares @ score),
        float(shares @ score**2) - added,
        added / int(counts.sum()),
    )


def score_range(randomizer: Randomizer) -> Range:
    """own_y, or -next_y for the neighbours of y."""
    noise = Noise.of(known_as(randomizer, AdditiveNoise))
    return Range(Fraction(-noise.next.max()), Fraction(noise.own.max()))


def mean_reach(randomizer: Randomizer) -> Fraction:
    """Mean reach of an end, which counts for what lies beyond it."""
    additive = known_as(randomizer, AdditiveNoise)
    return 2 * half(additive.size) + Fraction(Noise.of(additive).beyond)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """a^z (1-a) / (1+a), at an end a^z / (1+a).

    z is the distance of the nearest value, or of the farthest.
    """
    randomizer = known_as(randomizer, AdditiveNoise)
    step, last = float(randomizer.step), randomizer.size - 1
    # (outputs,) each: the number that comes out, and its distance from the values.
    outputs = np.arange(randomizer.layout.symbols) - randomizer.margin
    scale = np.full(len(outputs), (1 - step) / (1 + step))
    scale[[0, -1]] = 1 / (1 + step)
    farthest = np.maximum(np.abs(outputs), np.abs(outputs - last))
    nearest = np.abs(outputs - np.clip(outputs, 0, last))
    return scale * step**farthest, scale * step**nearest


def explain(question: Question) -> list[str]:
    """Explain the scope of epsilon, and the error of the mean."""
    additive = known_as(question.randomizer, AdditiveNoise)
    return lines_of_mean(question.domain, mean_error(additive))


DECODER = Decoder(
    score_range=score_range,
    shares=ShareDecoder(
        moments=of_one_report(noise_moments),
        joint_scores=scores_of_symbols(noise_moments),
        if_asked=True,
    ),
    mean=MeanDecoder(parts=mean_parts, reach=mean_reach),
    report_law=ReportLaw(payload_chances=payload_chances),
    explain=explain,
)
