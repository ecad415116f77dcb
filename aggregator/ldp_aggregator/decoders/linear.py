"""Linear queries of a distribution, answered by any tally of arcs and trees.

Once it is known how queries are answered (`decoder.Queries`), the moments of ranges and
the parts of a mean follow in one way, whatever the scores are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.decoders.decoder import (
    MeanParts,
    Queries,
    QueryAnswers,
    Range,
    from_middle,
)
from ldp_aggregator.decoders.moments.joint_errors import ScoreCumulants, about_means
from ldp_aggregator.decoders.moments.moments import Moments, ScoreJumps
from ldp_aggregator.numerics.arrays import Floats

FEW = 64
"""Queries whose scores are looked at value by value."""

_HARDLY_ANY = 1e-12


def moments_of_values(known: Queries, reports: int, squares: Floats) -> Moments:
    """Of every value, where these are too many for a covariance; `squares` are of their
    scores.
    """
    variance = np.maximum(squares - known.frequency, 0.0)
    return Moments(
        reports,
        known.frequency,
        variance,
        variance_if_not=variance,
        covariance=_no_covariance,
        answering=known,
    )


def moments_of_queries(
    known: Queries,
    queries: Floats,
    reports: int,
    powers: Callable[[], list[Floats]] | None,
) -> Moments:
    """Moments of queries of disjoint ranges, of shape (Q, values).

    `powers` gives the mean square and the mean cube of their scores by what is held,
    (Q, values) each. Without it, the variance of an estimate stands for that of its
    scores, held or not.
    """
    everyone = known.frequency
    shares = queries @ everyone

    def covariance() -> Floats:
        return known.covariance(queries)

    if powers is None:
        variance = known.answer(queries).errors() ** 2 * reports
        return Moments(
            reports,
            shares,
            variance,
            variance_if_not=variance,
            covariance=covariance,
            answering=known,
        )
    square, cube = powers()
    present = np.maximum(everyone, 0.0) + _HARDLY_ANY
    within, without = _shares_of(queries * present), _shares_of((1 - queries) * present)
    if_held = (within * square).sum(axis=1) - 1
    third_if_held = (within * cube).sum(axis=1) - 3 * (if_held + 1) + 2
    return Moments(
        reports,
        shares,
        np.maximum(if_held, 0.0),
        variance_if_not=(without * square).sum(axis=1),
        covariance=covariance,
        jumps=ScoreJumps((third_if_held, (without * cube).sum(axis=1))),
        answering=known,
    )


def parts_of_mean(known: Queries, reports: int) -> MeanParts:
    """Of the queries c, c^2 and c^2 - 2 mean c, with values counted from their
    middle.
    """
    values = from_middle(len(known.frequency))
    mean = known.answer(values[None])
    estimate = float(mean.estimate[0])
    residual = known.answer((values**2 - 2 * estimate * values)[None])
    return MeanParts(
        estimate,
        float(mean.mean_square[0]),
        float(mean.variance[0]),
        spread_error=float(residual.errors(reports)[0]),
        least_variance=float(mean.least[0]),
        least_spread_error=float(np.sqrt(residual.least[0])),
        spread_noise=float(residual.errors()[0]),
    )


def covariance_of_disjoint(
    answer: Callable[[Floats], QueryAnswers], queries: Floats
) -> Floats:
    """For the respondents, of shape (Q, Q): of disjoint ranges, from the variances of
    their sums.

    2 Cov(a, b) = Var(a + b) - Var(a) - Var(b), and no one holds a value of both.
    """
    first, second = np.triu_indices(len(queries), 1)
    matrix = np.diag(answer(queries).variance)
    both = answer(queries[first] + queries[second]).variance
    apart = np.diag(matrix)
    matrix[first, second] = (both - apart[first] - apart[second]) / 2
    matrix[second, first] = matrix[first, second]
    return matrix


def spread_of_powers(
    powers: Callable[[Floats, tuple[int, ...]], list[Floats]],
) -> Callable[[Floats], ScoreCumulants]:
    """The law of a query's score, from the mean powers of queries' scores by what is
    held.
    """

    def spread(query: Floats) -> ScoreCumulants:
        return about_means(query, np.concatenate(powers(query[None], (2, 3, 4))))

    return spread


def range_of(least: Floats, most: Floats) -> Range:
    """Range of the scores of several queries, from the least and the greatest of each,
    (Q,).
    """
    return Range(Fraction(float(least.min())), Fraction(float(most.max())))


def _no_covariance() -> Floats:
    raise EstimateError(
        "expected ranges or rectangles for a covariance, got every value"
    )


def _shares_of(weights: Floats) -> Floats:
    """Weights of shape (Q, values), each row adding up to 1."""
    return np.asarray(
        weights / np.maximum(weights.sum(axis=1, keepdims=True), _HARDLY_ANY)
    )
