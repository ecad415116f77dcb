"""Kind `tree`: the distribution of a number with very many values, from halves of
halves.

Any question that adds up something over what people hold is a mean of fixed scores
(`ldp_aggregator.decoders.trees.levels`): unbiased, with a variance that the same
reports tell.

    variance of an answer q'f, respondents    (mean of score^2 - what q^2 is answered) / n

Of a few queries the mean of score^2 is that of the reports, exactly. Of thousands it is
what the shares of all cells make of it (`trees.paths`): the same but for whether a
point of a projective space supports two cells, of which the mean over all others
counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.survey.survey import Question
from ldp_aggregator.decoders.arcs.bound import prefixes
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
    from_middle,
    half,
    known_as,
)
from ldp_aggregator.decoders.linear import (
    FEW,
    covariance_of_disjoint,
    moments_of_queries,
    moments_of_values,
    parts_of_mean,
    range_of,
    spread_of_powers,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.trees.levels import Views, views_of
from ldp_aggregator.decoders.trees.paths import largest_error, path_squares
from ldp_aggregator.decoders.trees.squares import (
    bounds,
    even_squares,
    extremes,
    mean_squares,
    powers_by_value,
    work,
)
from ldp_aggregator.numerics.arrays import Counts, Floats, Integers, correlation_of

_MOST_SCORES = 1 << 25
"""Scores that are squared one by one; beyond, sums over cells stand for them."""
_MOST_BY_VALUE = 1 << 24


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Moments of the ranges that are asked for, or of every value."""
    return tree_moments(randomizer, counts, asked.queries, known=asked.known)


def tree_moments(
    randomizer: Randomizer,
    counts: Counts,
    queries: Floats | None = None,
    known: Queries | None = None,
) -> Moments:
    """Of disjoint ranges, or of every value; `counts` is of shape (levels, symbols)."""
    views = views_of(response_of(randomizer))
    known = known or queries_of(randomizer, counts)
    squares = partial(path_squares, cumulative=False)
    return moments_in(views, counts, queries, known=known, squares=squares)


def moments_in(
    views: Views,
    counts: Counts,
    queries: Floats | None,
    *,
    known: Queries,
    squares: Callable[[Views, list[Floats]], Floats],
) -> Moments:
    """Moments of disjoint ranges, or of every value; `squares` has the mean squares of
    these.
    """
    size, reports = views.response.size, int(counts.sum())
    if queries is None and size > FEW:
        return moments_of_values(
            known, reports, squares(views, views.frequencies(counts))
        )
    asked = np.eye(size) if queries is None else queries
    looked_at = len(asked) <= FEW and asked.size <= _MOST_BY_VALUE

    def powers() -> list[Floats]:
        return powers_by_value(views, asked, powers=(2, 3))

    return moments_of_queries(
        known, asked, reports, powers=powers if looked_at else None
    )


def queries_of(randomizer: Randomizer, counts: Counts) -> Queries:
    """How any query is answered; `counts` is of shape (levels, symbols)."""
    views = views_of(response_of(randomizer))
    by_level = views.frequencies(counts)
    everyone = by_level[-1]
    reports = int(counts.sum())
    known = answering(views, counts, by_level)

    def below(places: Integers) -> QueryAnswers:
        if work(views, len(places)) <= _MOST_SCORES:
            within = np.asarray(
                np.arange(len(everyone)) < places[:, None], dtype=np.float64
            )
            return known.answer(within)
        share = np.cumsum(everyone)[places - 1]
        squares = path_squares(views, by_level, cumulative=True)[places]
        least = always_even(views) * _even_below(views.response)[places] / reports
        return QueryAnswers(share, share, (squares - share) / reports, least=least)

    return known._replace(
        below=below, largest_error=lambda level: _largest_error(views.response, level)
    )


def answering(views: Views, counts: Counts, by_level: list[Floats]) -> Queries:
    """How any query is answered, from the shares of all cells."""
    everyone = by_level[-1]
    reports = int(counts.sum())

    def answer(queries: Floats) -> QueryAnswers:
        mean_square = queries**2 @ everyone
        if work(views, len(queries)) <= _MOST_SCORES:
            squares = mean_squares(views, queries, counts)
        else:
            squares = even_squares(views, queries, by_level)
        return QueryAnswers(
            queries @ everyone,
            mean_square,
            (squares - mean_square) / reports,
            least=always_even(views) * even_variances(views, queries) / reports,
        )

    return Queries(
        everyone,
        answer,
        lambda queries: _correlation(views, queries),
        covariance=partial(covariance_of_disjoint, answer),
        missing=sum(level.share * (1 - level.p) for level in views.levels),
        spread=spread_of_powers(partial(powers_by_value, views)),
    )


def always_even(views: Views) -> float:
    """With how much chance a report is any symbol of its level, whatever is held: at
    least.
    """
    return min(level.symbols * float(level.rates[0]) for level in views.levels)


def even_variances(views: Views, queries: Floats) -> Floats:
    """Variances of scores of queries if answers are spread evenly: of shape (Q,)."""
    worth = views.pooling.worth(queries)
    of_levels = (
        (worth.levels[level.number] ** 2).sum(axis=1) / views.precision[level.number]
        for level in views.levels
    )
    return np.asarray(sum(of_levels))


@lru_cache(maxsize=8)
def _even_below(response: TreeResponse) -> Floats:
    """The same of what lies below each value: of shape (values,)."""
    share = np.arange(response.size) / response.size
    return path_squares(views_of(response), evenly(response), cumulative=True) - share


def evenly(response: TreeResponse) -> list[Floats]:
    """The shares of the cells of each level, if answers are spread evenly."""
    values = np.arange(response.size)
    return [
        np.bincount(response.cell_of(number, values)) / response.size
        for number in range(len(response.law))
    ]


def _correlation(views: Views, queries: Floats) -> Floats:
    """Correlation of the errors of queries if answers are spread evenly: of shape (Q,
    Q).

    Own estimates then err alike within a level, and apart.
    """
    covariance = np.zeros((len(queries), len(queries)))
    worth = views.pooling.worth(queries)
    for level in views.levels:
        alpha = worth.levels[level.number]
        covariance += alpha @ alpha.T / views.precision[level.number]
    return correlation_of(covariance)


@lru_cache(maxsize=8)
def _largest_error(response: TreeResponse, level: float) -> float:
    return largest_error(views_of(response), level)


def mean_parts(
    randomizer: Randomizer, moments: Moments | None, counts: Counts
) -> MeanParts:
    """Mean parts of the queries that `linear` says."""
    known = None if moments is None else moments.answering
    return parts_of_mean(known or queries_of(randomizer, counts), int(counts.sum()))


def mean_reach(randomizer: Randomizer) -> Fraction:
    """The best symbol's worth to the mean, and the farthest value from there."""
    response = response_of(randomizer)
    least, most = extremes(views_of(response), from_middle(response.size)[None])
    return Fraction(float(max(most[0], -least[0]))) + half(response.size)


def score_range(randomizer: Randomizer) -> Range:
    """Score range of any symbol for any single value."""
    return _score_range(response_of(randomizer))


@lru_cache(maxsize=8)
def _score_range(response: TreeResponse) -> Range:
    size = response.size
    if size <= FEW:
        return query_range(response, np.eye(size))
    # Each half is alike, but for where the line ends: one value of each whole branch
    # stands for all of it, wherever their cells lie in spaces.
    last = size - 1
    branches = [
        ((last >> shift) - 1) << shift
        for shift in range(last.bit_length())
        if last >> shift & 1
    ]
    places = np.array([*branches, last])
    queries = np.asarray(np.arange(size) == places[:, None], dtype=np.float64)
    return range_of(*bounds(views_of(response), queries))


def query_range(randomizer: Randomizer, queries: Floats) -> Range:
    """Query range of any symbol for any of these queries."""
    return range_of(*extremes(views_of(response_of(randomizer)), queries))


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Of every symbol of every level, of shape (levels, symbols): 0 for those that it
    never has.
    """
    response = response_of(randomizer)
    layout = response.layout
    low, high = np.zeros((2, layout.cohorts, layout.symbols))
    for level in views_of(response).levels:
        used = level.number, slice(level.symbols)
        low[used], high[used] = level.rates
    return low, high


def cohort_shares(randomizer: Randomizer) -> Floats:
    """The law of the levels."""
    return np.array([float(share) for share in response_of(randomizer).shares])


def explain(question: Question) -> list[str]:
    """How people are dealt out to the levels, and how well the share below a number is
    known.
    """
    response = response_of(question.randomizer)
    views = views_of(response)
    size = response.size
    places = prefixes(size, most=FEW).sum(axis=1).astype(np.int64)
    square = path_squares(views, evenly(response), cumulative=True)[places]
    error = math.sqrt(float((square - places / size).max()))
    shares = ", ".join(f"{float(share):.3g}" for share in response.shares)
    return [
        f"  levels              {len(response.law)}: halves, quarters, ..., values; "
        f"the shares of the devices that answer for each are {shares}",
        "  the level tells     nothing: it is drawn whatever the answer is, and "
        "epsilon covers any value against any other",
        f"  cumulative share    standard error about {error:.3g} / sqrt(respondents), "
        "if answers are spread evenly",
    ]


def response_of(randomizer: Randomizer) -> TreeResponse:
    """The response to halves, which a pyramid's is as well."""
    return known_as(randomizer, TreeResponse)


DECODER = Decoder(
    score_range=score_range,
    gives="distribution",
    shares=ShareDecoder(moments=moments),
    mean=MeanDecoder(parts=mean_parts, reach=mean_reach),
    ranges=RangeDecoder(queries=queries_of, score_range=query_range),
    report_law=ReportLaw(payload_chances=payload_chances, cohort_shares=cohort_shares),
    explain=explain,
)
