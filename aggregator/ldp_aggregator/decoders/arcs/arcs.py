"""Kind `arcs`: the distribution of a number, from arcs of a circle.

Any question that adds up something over what people hold is a mean of fixed scores
(`ldp_aggregator.decoders.arcs.circle`): unbiased, with a variance that the same reports
tell.

    variance of an answer q'f, respondents    (mean of score^2 - what q^2 is answered) / n
    variance of the answers                   that of c^2, less the square of that of c
    its standard error                        that of the query c^2 - 2 mean c, of a
                                              population

with c the values one step apart. The frequencies of few ranges (a histogram) have the
variances of their scores by what people hold, as in `values.matrix`; of many, what the
scores themselves say. Of a whole cumulative distribution, how often two values are
supported together says it (`ldp_aggregator.decoders.arcs.pairs`), which is counted once
for all queries.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache, partial

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.arcs import Arcs
from ldp.survey.survey import Question
from ldp_aggregator.decoders.arcs.bound import around_circle, efficiency, prefixes
from ldp_aggregator.decoders.arcs.circle import circle_of, frequencies, scores
from ldp_aggregator.decoders.arcs.pairs import (
    mean_products,
    mean_squares_by_pairs,
    supported_pairs,
)
from ldp_aggregator.decoders.arcs.squares import (
    correlation,
    error_root,
    extremes,
    least_variances,
    mean_squares,
    powers_by_value,
)
from ldp_aggregator.decoders.decoder import (
    Decoder,
    DecoderRequest,
    MeanDecoder,
    MeanParts,
    Queries,
    QueryAnswers,
    Range,
    RangeDecoder,
    ReportLaw,
    ShareDecoder,
    alike,
    from_middle,
    half,
    known_as,
)
from ldp_aggregator.decoders.linear import (
    FEW,
    moments_of_queries,
    parts_of_mean,
    range_of,
    spread_of_powers,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.numerics.arrays import Counts, Floats

_CUMULATIVE_SHARES = ("cumulative share", "all cumulative shares")
_CIRCULAR_SHARES = ("share of a range", "all ranges of the circle")


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Moments of the ranges that are asked for, or of every value."""
    return arc_moments(randomizer, counts, asked.queries, known=asked.known)


def arc_moments(
    randomizer: Randomizer,
    counts: Counts,
    queries: Floats | None = None,
    known: Queries | None = None,
) -> Moments:
    """Arc moments of disjoint ranges, or of every value; `counts` is of shape (K,
    P).
    """
    circle = circle_of(known_as(randomizer, Arcs))
    asked = np.eye(circle.arcs.size) if queries is None else queries

    def powers() -> list[Floats]:
        return powers_by_value(circle, scores(circle, asked), powers=(2, 3))

    return moments_of_queries(
        known or queries_of(randomizer, counts),
        asked,
        int(counts.sum()),
        powers=powers if len(asked) <= FEW else None,
    )


def queries_of(randomizer: Randomizer, counts: Counts) -> Queries:
    """How any query is answered; `counts` is of shape (K, P)."""
    circle = circle_of(known_as(randomizer, Arcs))
    everyone = frequencies(circle, counts)
    reports = int(counts.sum())

    @cache
    def pairs() -> Floats:
        return supported_pairs(circle.arcs, counts)

    def answer(queries: Floats) -> QueryAnswers:
        worth = scores(circle, queries)
        if len(queries) > circle.arcs.width:  # Then pairs are quicker.
            squares = mean_squares_by_pairs(circle, worth, pairs(), reports=reports)
        else:
            squares = mean_squares(circle, worth, counts)
        mean_square = queries**2 @ everyone
        return QueryAnswers(
            queries @ everyone,
            mean_square,
            (squares - mean_square) / reports,
            least=least_variances(circle, queries, worth) / reports,
        )

    def covariance(queries: Floats) -> Floats:
        products = mean_products(
            circle, scores(circle, queries), pairs(), reports=reports
        )
        return (products - queries * everyone @ queries.T) / reports

    def together(queries: Floats) -> Floats:
        return correlation(queries, scores(circle, queries))

    def powers(queries: Floats, orders: tuple[int, ...]) -> list[Floats]:
        return powers_by_value(circle, scores(circle, queries), powers=orders)

    arcs = circle.arcs
    missing = 1 - arcs.width * arcs.truth / arcs.mass
    return Queries(
        everyone,
        answer,
        together,
        covariance=covariance,
        missing=missing,
        root=partial(error_root, circle),
        spread=spread_of_powers(powers),
    )


def mean_parts(
    randomizer: Randomizer,
    moments: Moments | None,
    counts: Counts,
) -> MeanParts:
    """Mean parts of the queries that `linear` says."""
    known = None if moments is None else moments.answering
    return parts_of_mean(known or queries_of(randomizer, counts), int(counts.sum()))


def mean_reach(randomizer: Randomizer) -> Fraction:
    """The best arc's worth to the mean, and the farthest value from there."""
    arcs = known_as(randomizer, Arcs)
    circle = circle_of(arcs)
    least, most = extremes(circle, scores(circle, from_middle(arcs.size)[None]))
    return Fraction(float(max(most[0], -least[0]))) + half(arcs.size)


def score_range(randomizer: Randomizer) -> Range:
    """Score range of any arc for any single value."""
    return _score_range(known_as(randomizer, Arcs))


@lru_cache(maxsize=8)
def _score_range(arcs: Arcs) -> Range:
    return query_range(arcs, np.eye(arcs.size))


def query_range(randomizer: Randomizer, queries: Floats) -> Range:
    """Query range of any arc for any of these queries."""
    circle = circle_of(known_as(randomizer, Arcs))
    return range_of(*extremes(circle, scores(circle, queries)))


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Payload chances of any arc under its frequency: without the value, and with
    it.
    """
    arcs = known_as(randomizer, Arcs)
    return alike(Fraction(arcs.other, arcs.mass), Fraction(arcs.truth, arcs.mass))


def cohort_shares(randomizer: Randomizer) -> Floats:
    """The weights of the frequencies."""
    return circle_of(known_as(randomizer, Arcs)).law


def explain(question: Question) -> list[str]:
    """How well shares are known, at most and beside what is possible.

    Those below a number, or of a circle those of ranges.
    """
    arcs, circular = known_as(question.randomizer, Arcs), question.domain.circular
    circle = circle_of(arcs)
    queries = (around_circle if circular else prefixes)(arcs.size, FEW)
    square = powers_by_value(circle, scores(circle, queries))[0]
    error = math.sqrt(float((square - queries).max()))
    shares, all_of_them = _CIRCULAR_SHARES if circular else _CUMULATIVE_SHARES
    lines = [f"  {shares:<19} standard error at most {error:.3g} / sqrt(respondents)"]
    variance = square.mean(axis=1) - queries.mean(axis=1)
    efficient = efficiency(queries, variance, float(arcs.ratio), circular=circular)
    if efficient is not None:
        lines.append(
            f"  efficiency          {efficient:.3f} of what a bound for all mechanisms "
            f"allows at the delivered epsilon, on average over {all_of_them}"
        )
    return lines


DECODER = Decoder(
    score_range=score_range,
    gives="distribution",
    shares=ShareDecoder(moments=moments),
    mean=MeanDecoder(parts=mean_parts, reach=mean_reach),
    ranges=RangeDecoder(queries=queries_of, score_range=query_range),
    report_law=ReportLaw(payload_chances=payload_chances, cohort_shares=cohort_shares),
    explain=explain,
)
