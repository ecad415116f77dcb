"""Rectangles of a map whose cells were told one by one: sums of cells, with their
covariance.

Every cell is a value of the question, through a mechanism that knows nothing of maps.
Scores of cells have known products (`moments.scores`), so that errors of cells are not
added up as if they had nothing to do with each other; but errors of many cells do add
up, and pyramids are there for large rectangles.

Beyond 1,024 cells a table of all products is too large, and not needed. Of points of a
projective space one transform has the score of every report to a query. And where
reports support any two values as often as any other two (`joint_support`), with E[s_x
s_z] = e if x or z is held, c if neither is, and E[s_x^2] = own or other, for queries q
and r and the shares f

    mean of the product of two scores = other q'r + (own - other) (qr)'f
        + c (1'q 1'r - q'r) + (e - c) (q'f 1'r + 1'q r'f - 2 (qr)'f)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from ldp.errors import EstimateError
from ldp.mechanisms.contract import Pure, is_pure
from ldp.mechanisms.values.projective import ProjectiveResponse
from ldp.survey.survey import Question
from ldp_aggregator.decoders.decoder import Queries, QueryAnswers
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.decoders.trees.transforms import Points
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports

MOST_CELLS = 1024
"""Whose scores are multiplied pair by pair."""
_MOST_SCORES = 1 << 23
_AT_ONCE = 1 << 22
"""Scores that are handled together."""

Products = Callable[[Floats, Floats], Floats]
"""The mean product of the scores of two queries that stand side by side, (Q, values)
each: (Q,).
"""


def queries_of_cells(question: Question, counts: Counts, frequency: Floats) -> Queries:
    """How rectangles are answered, from the shares of all cells; errors are worked out
    late.
    """
    reports = total_reports(counts, question.layout)
    products = _products_of(question, counts, frequency)

    def covariance(queries: Floats) -> Floats:
        many = len(queries)
        first, second = (side.ravel() for side in np.indices((many, many)))
        of_scores = products(queries[first], queries[second]).reshape(many, many)
        held = queries * frequency @ queries.T
        return (of_scores - held) / reports

    def answer(queries: Floats) -> QueryAnswers:
        mean_square = queries**2 @ frequency
        variance = (products(queries, queries) - mean_square) / reports
        return QueryAnswers(
            queries @ frequency, mean_square, variance, least=np.zeros(len(queries))
        )

    def correlation(queries: Floats) -> Floats:
        together = covariance(queries)
        error = np.sqrt(np.maximum(np.diag(together), 1e-300))
        return together / error / error[:, None]

    return Queries(frequency, answer, correlation, covariance=covariance)


def _products_of(question: Question, counts: Counts, frequency: Floats) -> Products:
    """From a table of all products where that is small, else from how values are
    supported.
    """
    size, randomizer = question.domain.size or 0, question.randomizer
    if size <= MOST_CELLS and size * counts.size <= _MOST_SCORES:
        return _by_table(question, counts)
    points = decoder_of(randomizer).report_law.points(randomizer)
    if points is not None and not points.folded:
        return partial(_by_points, points, counts[0])
    if is_pure(randomizer) and randomizer.joint_support() is not None:
        return partial(_by_support, randomizer, frequency)

    def refuse(first: Floats, second: Floats) -> Floats:  # noqa: ARG001
        raise EstimateError(
            f"question {question.name!r}: expected a map of at most {MOST_CELLS:,} "
            "cells, or one "
            "whose reports support any two cells alike (pgr, ss), for rectangles and "
            "zooms, got "
            f"{size:,} cells through {question.mechanism}; a question with `goal = "
            '"rectangles"` '
            "has them at any size"
        )

    return refuse


def _by_table(question: Question, counts: Counts) -> Products:
    @cache
    def table() -> Floats:
        values = question.domain.values or ()
        scores = decoder_of(question.randomizer).shares.joint_scores(
            question, counts, values
        )
        marks = counts.ravel().astype(np.float64)
        return scores.moments(marks) / round(float(scores.ones @ marks))

    def products(first: Floats, second: Floats) -> Floats:
        return np.asarray(((first @ table()) * second).sum(axis=1))

    return products


def _by_points(
    points: ProjectiveResponse, counts: Counts, first: Floats, second: Floats
) -> Floats:
    p, q = map(float, points.support)
    transform = Points(points.order, points.dimension, np.arange(points.size))
    share = counts / counts.sum() / (p - q) ** 2
    products = np.empty(len(first))
    some = max(_AT_ONCE // len(counts), 1)
    for start in range(0, len(first), some):
        part = slice(start, start + some)
        # (some, points): what each report is worth to the queries, times p - q.
        one, other = (
            transform.worths(queries[part])
            - q * queries[part].sum(axis=1, keepdims=True)
            for queries in (first, second)
        )
        products[part] = (one * other) @ share
    return products


def _by_support(
    randomizer: Pure, frequency: Floats, first: Floats, second: Floats
) -> Floats:
    p, q = map(float, randomizer.support)
    joint = randomizer.joint_support()
    assert joint is not None  # noqa: S101 (asked before)
    scale = (p - q) ** 2
    own, other = p * (1 - p) / scale + 1, q * (1 - q) / scale
    either = (float(joint[0]) - p * q) / scale
    neither = (float(joint[1]) - q * q) / scale
    # (Q,): the sums of both queries and of their products, as such and among what is
    # held.
    whole, others = first.sum(axis=1), second.sum(axis=1)
    share, of_others = first @ frequency, second @ frequency
    both = (first * second).sum(axis=1)
    held = np.einsum("qv,qv,v->q", first, second, frequency)
    pairs = share * others + whole * of_others - 2 * held
    return np.asarray(
        other * both
        + (own - other) * held
        + neither * (whole * others - both)
        + (either - neither) * pairs
    )
