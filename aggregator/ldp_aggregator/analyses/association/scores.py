"""Worth of a report to each value, for products with other questions' reports.

The functions are those of the question's decoder (`moments.scores` says what they
are).
"""

from __future__ import annotations

from collections.abc import Sequence

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.decoders.moments.scores import Powers, Scores
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Counts

__all__ = ["MOST_SCORES", "Powers", "Scores", "joint_scores"]

MOST_SCORES = 1 << 22


def joint_scores(question: Question, counts: Counts, values: Sequence[str]) -> Scores:
    """The functions of a question whose own tally is `counts`.

    Raises `EstimateError` where they are too large.
    """
    if len(values) * counts.size > MOST_SCORES:
        raise EstimateError(
            f"question {question.name!r}: expected at most {MOST_SCORES:,} scores "
            "(values times cells of the tally) for an association, got "
            f"{len(values) * counts.size:,}"
        )
    return decoder_of(question.randomizer).shares.joint_scores(question, counts, values)
