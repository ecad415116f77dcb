"""Kind `pyramid`: the shares of rectangles of a map, from grids that are finer and
coarser.

A pyramid is a tree with two axes, and is decoded as such (`trees.tree`): any question
that adds up something over what people hold is a mean of fixed scores. What differs is
how the views are pooled (`trees.contrasts`), and that the cells of a zoom, side by
side, have errors that follow in one pass (`ldp_aggregator.decoders.trees.zooms`).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ldp.mechanisms.contract import Randomizer
from ldp.mechanisms.numbers.tree import TreeResponse
from ldp.mechanisms.places.pyramid import View, halvings
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
)
from ldp_aggregator.decoders.linear import FEW, range_of
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.trees.levels import Views, views_of
from ldp_aggregator.decoders.trees.squares import bounds
from ldp_aggregator.decoders.trees.tree import (
    always_even,
    answering,
    cohort_shares,
    even_variances,
    evenly,
    moments_in,
    payload_chances,
    query_range,
    response_of,
)
from ldp_aggregator.decoders.trees.zooms import contrasts_in, zoom_in
from ldp_aggregator.numerics.arrays import Counts, Floats


def moments(randomizer: Randomizer, counts: Counts, asked: DecoderRequest) -> Moments:
    """Moments of the rectangles that are asked for, or of every cell."""
    return pyramid_moments(randomizer, counts, asked.queries, known=asked.known)


def pyramid_moments(
    randomizer: Randomizer,
    counts: Counts,
    queries: Floats | None = None,
    known: Queries | None = None,
) -> Moments:
    """Of disjoint rectangles, or of every cell; `counts` is of shape (views,
    symbols).
    """
    views = views_of(response_of(randomizer))
    known = known or queries_of(randomizer, counts)
    return moments_in(views, counts, queries, known=known, squares=_squares_of_cells)


def queries_of(randomizer: Randomizer, counts: Counts) -> Queries:
    """How any query is answered; `counts` is of shape (views, symbols)."""
    views = views_of(response_of(randomizer))
    by_view = views.frequencies(counts)
    reports = int(counts.sum())

    def cells(view: View) -> QueryAnswers:
        zoom = zoom_in(views, by_view[-1], view)
        share = zoom.share.ravel()
        variance = (zoom.mean_square.ravel() - share) / reports
        one = np.zeros((1, views.response.size))
        one[0, _first(views, view)] = 1.0
        least = always_even(views) * even_variances(views, one) / reports
        return QueryAnswers(share, share, variance, least=least.repeat(len(share)))

    def shrunk() -> Floats:
        return contrasts_in(views).shrunk(by_view[-1], reports)

    return answering(views, counts, by_view)._replace(cells=cells, shrunk=shrunk)


def _first(views: Views, view: View) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The values of the first cell of a view."""
    number = halvings(_depth(views.response)).index(view)
    return np.flatnonzero(
        views.response.cell_of(number, np.arange(views.response.size)) == 0
    )


def _squares_of_cells(views: Views, by_view: list[Floats]) -> Floats:
    """The mean squares of the scores of all cells, of shape (values,)."""
    depth = _depth(views.response)
    return zoom_in(views, by_view[-1], (depth, depth)).mean_square.ravel()


def _depth(response: TreeResponse) -> int:
    return (response.size.bit_length() - 1) // 2


def score_range(randomizer: Randomizer) -> Range:
    """Score range of any symbol for any single cell."""
    return _score_range(response_of(randomizer))


@lru_cache(maxsize=8)
def _score_range(response: TreeResponse) -> Range:
    if response.size <= FEW:
        return query_range(response, np.eye(response.size))
    # Cells are alike, but for where they lie in spaces.
    return range_of(*bounds(views_of(response), np.eye(1, response.size)))


def explain(question: Question) -> list[str]:
    """How people are dealt out to the views, and how well the share of a rectangle is
    known.
    """
    response = response_of(question.randomizer)
    views = views_of(response)
    depth = _depth(response)
    side = 1 << depth
    middle = np.zeros((side, side))
    middle[side // 4 : 3 * side // 4, side // 4 : 3 * side // 4] = 1
    error = math.sqrt(float(even_variances(views, middle.reshape(1, -1))[0]))
    finest = float(response.shares[-1])
    whole = evenly(response)[-1]
    cell = math.sqrt(float(zoom_in(views, whole, (depth, depth)).mean_square[0, 0]))
    return [
        f"  views               {len(response.law)}: the map in 1 to {side} by 1 to "
        f"{side} cells; {finest:.3g} of the devices answer for the finest",
        "  the view tells      nothing: it is drawn whatever the answer is, and "
        "epsilon covers any place against any other",
        f"  a rectangle         standard error about {error:.3g} / sqrt(respondents) "
        f"of the middle quarter, {cell:.3g} of a cell",
    ]


DECODER = Decoder(
    score_range=score_range,
    gives="places",
    shares=ShareDecoder(moments=moments),
    ranges=RangeDecoder(queries=queries_of, score_range=query_range),
    report_law=ReportLaw(payload_chances=payload_chances, cohort_shares=cohort_shares),
    explain=explain,
)
