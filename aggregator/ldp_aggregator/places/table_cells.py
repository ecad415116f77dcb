"""Rectangles of a map whose cells were told one by one: sums of cells, with their covariance.

Every cell is a value of the question, through a mechanism that knows nothing of maps. Scores of
cells have known products (`ldp_aggregator.moments.scores`), so that errors of cells are not added
up as if they had nothing to do with each other; but errors of many cells do add up, and pyramids
are there for large rectangles.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from ldp.errors import EstimateError
from ldp.survey import Question
from ldp_aggregator.arrays import Counts, Floats
from ldp_aggregator.decoders.decoder import Answers, Queries
from ldp_aggregator.decoders.table import decoder_of

MOST_CELLS = 1024
"""Whose scores are multiplied pair by pair."""
_MOST_SCORES = 1 << 23


def queries_of_cells(question: Question, counts: Counts, frequency: Floats) -> Queries:
    """How rectangles are answered, from the shares of all cells; errors are worked out late."""
    size = question.domain.size or 0

    @cache
    def products() -> tuple[Floats, int]:
        if size > MOST_CELLS or size * counts.size > _MOST_SCORES:
            raise EstimateError(
                f"question {question.name!r}: expected a map of at most {MOST_CELLS:,} cells, told "
                f"by few symbols, for rectangles and zooms, got {size:,}; a question with `goal = "
                '"rectangles"` has them at any size'
            )
        values = question.domain.values or ()
        scores = decoder_of(question.randomizer).joint_scores(question, counts, values)
        marks = counts.ravel().astype(np.float64)
        reports = round(float(scores.ones @ marks))
        return scores.moments(marks) / reports, reports

    def covariance(queries: Floats) -> Floats:
        of_scores, reports = products()
        held = queries * frequency @ queries.T
        return np.asarray((queries @ of_scores @ queries.T - held) / reports)

    def answer(queries: Floats) -> Answers:
        of_scores, reports = products()
        mean_square = queries**2 @ frequency
        squares = ((queries @ of_scores) * queries).sum(axis=1)
        variance = (squares - mean_square) / reports
        return Answers(queries @ frequency, mean_square, variance, least=np.zeros(len(queries)))

    def correlation(queries: Floats) -> Floats:
        together = covariance(queries)
        error = np.sqrt(np.maximum(np.diag(together), 1e-300))
        return np.asarray(together / error / error[:, None])

    return Queries(frequency, answer, correlation, covariance=covariance)
