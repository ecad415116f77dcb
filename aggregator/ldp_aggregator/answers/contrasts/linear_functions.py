"""Linear functions of what is estimated of a question, from its moments or its
distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from ldp.answers.domain import Domain
from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.answers.contrasts.functions import Functions
from ldp_aggregator.answers.options import Options
from ldp_aggregator.decoders.decoder import Queries, QueryAnswers
from ldp_aggregator.decoders.intervals.intervals import standard_error
from ldp_aggregator.decoders.moments.joint_errors import (
    FEW_REPORTS,
    Covariance,
    of_matrix,
)
from ldp_aggregator.decoders.moments.moments import Moments
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts, Floats
from ldp_aggregator.tallies.counting.counting import total_reports

MOST_IN_A_MATRIX = 2048
"""Values whose covariance is made for functions of a few of them."""


def functions_of(
    moments: Moments, question: Question, values: Sequence[str], options: Options
) -> Functions:
    """Sums and differences of the frequencies of values."""
    return Functions(
        question.name,
        values,
        moments.frequency,
        reports=moments.reports,
        options=options,
        covariance=_covariance(moments),
        errors=partial(standard_error, moments, options.estimand),
        spread=moments.linear.spread,
        shares=moments,
        exclusive=not values_overlap(question.domain),
    )


def values_overlap(domain: Domain) -> bool:
    """Whether a respondent may hold several of the values that have frequencies."""
    return (
        domain.most is not None or domain.taxonomy is not None or bool(domain.collect)
    )


def _covariance(moments: Moments) -> Covariance:
    if moments.linear.covariance is not None:
        return moments.linear.covariance
    if len(moments.frequency) > MOST_IN_A_MATRIX:
        return _too_many
    return of_matrix(moments.covariance)


def _too_many(weights: Floats) -> Floats:
    raise EstimateError(
        f"expected at most {MOST_IN_A_MATRIX:,} values for a covariance, got "
        f"{weights.shape[1]:,}"
    )


def distribution_functions(
    question: Question, counts: Counts, options: Options
) -> Functions:
    """The same of a question whose reports are made for a distribution or a map, by its
    cells.
    """
    queries = decoder_of(question.randomizer).ranges.queries(
        question.randomizer, counts
    )
    if queries is None:
        raise EstimateError(
            f"expected a question with a distribution, got {question.name!r}"
        )
    return functions_of_queries(
        queries, question, total_reports(counts, question.layout), options=options
    )


def functions_of_queries(
    queries: Queries, question: Question, reports: int, options: Options
) -> Functions:
    """Sums and differences of the cells of a distribution whose queries have
    answers.
    """
    values = [] if question.domain.values is None else question.domain.values
    return Functions(
        question.name,
        values,
        queries.frequency,
        reports=reports,
        options=options,
        covariance=partial(_polarize, queries),
        errors=lambda: np.zeros_like(queries.frequency),
        spread=queries.spread if reports < FEW_REPORTS else None,
    )


def _polarize(queries: Queries, weights: Floats) -> Floats:
    """Covariances from the variances of sums: 2 Cov(q, r) = Var(q + r) - Var q -
    Var r.
    """
    alone = _variance(queries.answer(weights))
    rows, columns = np.triu_indices(len(weights), 1)
    covariance = np.diag(alone)
    if len(rows):
        sums = _variance(queries.answer(weights[rows] + weights[columns]))
        covariance[rows, columns] = (sums - alone[rows] - alone[columns]) / 2
        covariance[columns, rows] = covariance[rows, columns]
    return covariance


def _variance(answers: QueryAnswers) -> Floats:
    return np.maximum(answers.variance, answers.least)
