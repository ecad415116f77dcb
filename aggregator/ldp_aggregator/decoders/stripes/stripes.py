"""Kind `stripes`: the shares of rectangles of a map, from stripes that are laid across
it.

Any question that adds up something over what people hold is a mean of fixed scores
(`ldp_aggregator.decoders.stripes.plane`): unbiased, with a variance that the same
reports tell.

    variance of an answer q'f, respondents    (mean of score^2 - what q^2 is answered) / n

Of the cells of a zoom, side by side, it follows in one pass (`stripes.zooms`). A view
for the eye shrinks contrasts of neighbours as that of a pyramid does, by their own
noise.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.places.pyramid import View
from ldp.mechanisms.places.stripes import Stripes
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import (
    Decoder,
    DecoderRequest,
    Queries,
    QueryAnswers,
    Range,
    RangeDecoder,
    ReportLaw,
    ShareDecoder,
    alike,
    known_as,
)
from ldp_aggregator.decoders.linear import (
    FEW,
    moments_of_queries,
    moments_of_values,
    range_of,
    spread_of_powers,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.stripes.plane import (
    Plane,
    even_covariance,
    even_variances,
    frequencies,
    plane_of,
    scores,
)
from ldp_aggregator.decoders.stripes.squares import (
    extremes,
    least_variances,
    mean_products,
    mean_squares,
    powers_by_value,
)
from ldp_aggregator.decoders.stripes.zooms import score_bounds, zoom_in
from ldp_aggregator.decoders.trees.contrasts import Contrasts
from ldp_aggregator.numerics.arrays import Counts, Floats, correlation_of


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Moments of the rectangles that are asked for, or of every cell."""
    return stripe_moments(randomizer, counts, asked.queries, known=asked.known)


def stripe_moments(
    randomizer: Randomizer,
    counts: Counts,
    queries: Floats | None = None,
    known: Queries | None = None,
) -> Moments:
    """Stripe moments of disjoint rectangles, or of every cell; `counts` is of shape (K,
    P).
    """
    plane = plane_of(known_as(randomizer, Stripes))
    size, reports = plane.stripes.size, int(counts.sum())
    known = known or queries_of(randomizer, counts)
    if queries is None and size > FEW:
        depth = _depth(plane)
        square = zoom_in(
            plane, counts, known.frequency, view=(depth, depth)
        ).mean_square
        return moments_of_values(known, reports, square)
    asked = np.eye(size) if queries is None else queries

    def powers() -> list[Floats]:
        return powers_by_value(plane, scores(plane, asked), powers=(2, 3))

    return moments_of_queries(
        known, asked, reports, powers=powers if len(asked) <= FEW else None
    )


def queries_of(randomizer: Randomizer, counts: Counts) -> Queries:
    """How any query is answered; `counts` is of shape (K, P)."""
    plane = plane_of(known_as(randomizer, Stripes))
    everyone = frequencies(plane, counts)
    reports = int(counts.sum())

    def answer(queries: Floats) -> QueryAnswers:
        mean_square = queries**2 @ everyone
        worth = scores(plane, queries)
        squares = mean_squares(plane, worth, counts)
        return QueryAnswers(
            queries @ everyone,
            mean_square,
            (squares - mean_square) / reports,
            least=least_variances(plane, queries, worth) / reports,
        )

    def covariance(queries: Floats) -> Floats:
        products = mean_products(plane, scores(plane, queries), counts)
        return (products - queries * everyone @ queries.T) / reports

    def cells(view: View) -> QueryAnswers:
        zoom = zoom_in(plane, counts, everyone, view=view)
        drawn = plane.stripes.modulus * plane.stripes.other / plane.stripes.mass
        return QueryAnswers(
            zoom.share,
            zoom.share,
            (zoom.mean_square - zoom.share) / reports,
            least=drawn * zoom.even / reports,
        )

    def powers(queries: Floats, orders: tuple[int, ...]) -> list[Floats]:
        return powers_by_value(plane, scores(plane, queries), powers=orders)

    def shrunk() -> Floats:
        return _contrasts(plane.stripes).shrunk(everyone, reports)

    missing = 1 - plane.stripes.width * plane.stripes.truth / plane.stripes.mass
    return Queries(
        everyone,
        answer,
        partial(_correlation, plane),
        covariance=covariance,
        cells=cells,
        shrunk=shrunk,
        missing=missing,
        spread=spread_of_powers(powers),
    )


def _correlation(plane: Plane, queries: Floats) -> Floats:
    """Correlation of the errors of queries if places are held evenly: of shape (Q,
    Q).
    """
    return correlation_of(even_covariance(plane, queries))


@lru_cache(maxsize=8)
def _contrasts(stripes: Stripes) -> Contrasts:
    """Return the noise of contrasts, each of the first of its levels."""
    plane = plane_of(stripes)
    depth = _depth(plane)
    along = [np.ones(stripes.side)]
    for level in range(1, depth + 1):
        half = stripes.side >> level
        along.append(np.repeat([1.0, -1.0, 0.0], [half, half, stripes.side - 2 * half]))
    contrasts = np.array([np.outer(x, y).ravel() for x in along for y in along])
    # The whole map has no noise.
    noise = np.maximum(even_variances(plane, contrasts), 0.0)
    return Contrasts(depth, (), noise=noise.reshape(depth + 1, depth + 1))


def score_range(randomizer: Randomizer) -> Range:
    """Score range of any arc for any single cell."""
    return _score_range(known_as(randomizer, Stripes))


@lru_cache(maxsize=8)
def _score_range(stripes: Stripes) -> Range:
    if stripes.size <= FEW:
        return query_range(stripes, np.eye(stripes.size))
    least, most = score_bounds(plane_of(stripes))
    return Range(Fraction(least), Fraction(most))


def query_range(randomizer: Randomizer, queries: Floats) -> Range:
    """Query range of any arc for any of these queries."""
    plane = plane_of(known_as(randomizer, Stripes))
    return range_of(*extremes(plane, scores(plane, queries)))


def payload_chances(randomizer: Randomizer) -> tuple[Floats, Floats]:
    """Payload chances of any arc under its frequency: without the cell, and with it."""
    stripes = known_as(randomizer, Stripes)
    return alike(
        Fraction(stripes.other, stripes.mass), Fraction(stripes.truth, stripes.mass)
    )


def cohort_shares(randomizer: Randomizer) -> Floats:
    """The weights of the frequencies."""
    return plane_of(known_as(randomizer, Stripes)).law


def explain(question: Question) -> list[str]:
    """How many frequencies there are, and how well the share of a rectangle is
    known.
    """
    stripes = known_as(question.randomizer, Stripes)
    plane = plane_of(stripes)
    side = stripes.side
    middle = np.zeros((side, side))
    middle[side // 4 : 3 * side // 4, side // 4 : 3 * side // 4] = 1
    one = np.eye(1, stripes.size)
    rectangle, cell = np.sqrt(even_variances(plane, np.array([middle.ravel(), one[0]])))
    return [
        f"  frequencies         {len(plane.law)}: stripes across the map, at as many "
        "slants and widths",
        "  a frequency tells   nothing: it is drawn whatever the answer is, and "
        "epsilon covers any place against any other",
        f"  a rectangle         standard error about {rectangle:.3g} / "
        f"sqrt(respondents) of the middle quarter, {cell:.3g} of a cell",
    ]


def _depth(plane: Plane) -> int:
    return plane.stripes.side.bit_length() - 1


DECODER = Decoder(
    score_range=score_range,
    gives="places",
    shares=ShareDecoder(moments=moments),
    ranges=RangeDecoder(queries=queries_of, score_range=query_range),
    report_law=ReportLaw(payload_chances=payload_chances, cohort_shares=cohort_shares),
    explain=explain,
)
