"""Kind `codebook`: a report is a seed and one of the random words it gives; a mean
vector.

A report is worth y = word x scale to the mean (`vectors.law`), so that all there is to
know are sums over the words that were reported: of each coordinate, and of its square.
With n reports

    estimate = scale x sum / n
    variance = (scale^2 x sum of squares / n - estimate^2) / (n - 1)

for each coordinate, unbiased for a population. A single report shows no spread: then it
is the greatest that a coordinate can have. Below `_FEW` reports, which show little of
it, that counts as `_WEIGHT` of them.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.vectors.codebook import CodebookResponse
from ldp.numbers.exact import decimal_text
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    MeanDecoder,
    known_as,
    no_score_range,
)
from ldp_aggregator.decoders.other_results import VectorParts
from ldp_aggregator.decoders.vectors.law import word_law
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.codeword_counting import OFFSET

_FEW = 30
_WEIGHT = 5


def vector_parts(randomizer: Randomizer, counts: Counts) -> VectorParts:
    """From sums; `counts` is of shape (1, 1 + 2 coordinates)."""
    codebook = known_as(randomizer, CodebookResponse)
    law, width = word_law(codebook), codebook.dimensions
    reports = int(counts[0, 0])
    # (coordinates,): exact sums, then floats.
    sums = counts[0, 1 : 1 + width] - OFFSET * reports
    estimate = law.scale * sums / reports
    squares = law.scale**2 * counts[0, 1 + width :] / reports
    greatest = law.stretch**2 * max(1.0, law.along)
    variance = np.full(width, greatest)
    if reports > 1:
        variance = (squares - estimate**2) / (reports - 1)
    if 1 < reports < _FEW:
        shown = reports - 1
        pooled = (_WEIGHT * greatest / reports + shown * variance) / (_WEIGHT + shown)
        variance = np.maximum(variance, pooled)
    return VectorParts(estimate, squares, variance)


def mean_reach(randomizer: Randomizer) -> Fraction:
    """A forger may look for a seed with the greatest coordinate; its device may hold
    the radius.
    """
    return Fraction(word_law(known_as(randomizer, CodebookResponse)).most) + 1


def values(
    question: Question,
    counts: Counts,  # noqa: ARG001
    candidates: object,  # noqa: ARG001
) -> tuple[tuple[str, ...], str]:
    """The coordinates, by their numbers."""
    ball = question.domain.ball
    return (() if ball is None else ball.names), ""


def explain(question: Question) -> list[str]:
    """Explain the scope of epsilon, the treatment of long vectors, and the error of
    means.
    """
    codebook = known_as(question.randomizer, CodebookResponse)
    ball = question.domain.ball
    assert ball is not None  # noqa: S101 (the mechanism accepts no other)
    radius, law = decimal_text(ball.radius), word_law(codebook)
    of_one = float(ball.radius) * law.total_variance(ball.dimensions) ** 0.5
    outside = f"vectors longer than {radius} are refused: nothing is sent"
    if ball.outside == "clip":
        outside = ball.estimand
    return [
        f"  sensitivity         {decimal_text(2 * ball.radius)}: epsilon covers the "
        "whole vector, any against any other",
        f"  outside             {outside}",
        f"  codebook            {codebook.words} random words for each report, of "
        f"which the {codebook.near} nearest are likelier; a seed of 64 bits, drawn "
        "anew, gives them",
        f"  error of a mean     {of_one / ball.dimensions**0.5:.4g} / "
        f"sqrt(respondents) for a coordinate, {of_one:.4g} / sqrt(respondents) for the "
        "whole vector, about",
    ]


DECODER = Decoder(
    score_range=no_score_range,
    gives="vector",
    values=values,
    mean=MeanDecoder(reach=mean_reach),
    vector_parts=vector_parts,
    explain=explain,
)
