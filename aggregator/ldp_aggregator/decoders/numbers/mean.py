"""Kind `mean`: a report is a bit whose expectation is linear in a whole number; a mean
alone.

With c the value counted from the middle of its range, -h to h, and s = h / (p - q) (p,
q: a 1 from the last value, from the first; q = 1 - p), a report is worth s if it is 1
and -s if it is 0:

    E[score | c] = c,  Var(score | c) = s^2 - c^2

For a population the variance of the mean score is (s^2 - estimate^2) / (n - 1),
unbiased. For the respondents it is (s^2 - mean of c^2) / n, and no report tells how c^2
is spread; with the square of the estimate in its place, which is never more than the
mean of c^2, errors are too large rather than too small: the same number for both
estimands. As c^2 is at most h^2, it is (s^2 - h^2) / n at least, also where all reports
are alike; of two values it is that. A remark says that the error is a bound.
"""

from __future__ import annotations

from fractions import Fraction

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.one_bit import OneBitMean
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    MeanDecoder,
    MeanParts,
    ReportLaw,
    alike,
    half,
    known_as,
    lines_of_mean,
    no_score_range,
    no_values,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Counts, Floats


def mean_parts(
    randomizer: Randomizer,
    moments: Moments | None,  # noqa: ARG001
    counts: Counts,
) -> MeanParts:
    """From the number of ones; `counts` is ((zeros, ones),)."""
    zeros, ones = counts[0].tolist()
    reports = zeros + ones
    one_bit = known_as(randomizer, OneBitMean)
    scale = float(_scale(one_bit))
    estimate = scale * (ones - zeros) / reports
    # Of a single report no spread is seen: then the largest that there is.
    variance = (scale**2 - estimate**2) / (reports - 1) if reports > 1 else scale**2
    farthest = float(half(one_bit.size))
    least = (scale**2 - farthest**2) / reports
    if one_bit.size == 2:
        return MeanParts(estimate, farthest**2, least)
    # The least mean square that the squared mean, less its error, allows: no spread is
    # added.
    return MeanParts(estimate, estimate**2 - variance, variance, least_variance=least)


def mean_reach(randomizer: Randomizer) -> Fraction:
    """A forged bit is worth s or -s, and its device may hold the other end."""
    one_bit = known_as(randomizer, OneBitMean)
    return _scale(one_bit) + half(one_bit.size)


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Payload chances of either bit: q at least, and p at most."""
    p, q = known_as(randomizer, OneBitMean).ends
    return alike(q, p)


def explain(question: Question) -> list[str]:
    """Explain the scope of epsilon, and the error of the mean."""
    one_bit = known_as(question.randomizer, OneBitMean)
    return lines_of_mean(question.domain, float(_scale(one_bit)))


def _scale(one_bit: OneBitMean) -> Fraction:
    """Return the worth of a 1, counted from the middle."""
    p, q = one_bit.ends
    return half(one_bit.size) / (p - q)


DECODER = Decoder(
    score_range=no_score_range,
    gives="mean",
    values=no_values,
    mean=MeanDecoder(parts=mean_parts, reach=mean_reach),
    report_law=ReportLaw(payload_chances=payload_chances),
    explain=explain,
)
