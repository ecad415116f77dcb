"""Estimates that say what their batch was worth to those in it, if a relay mixed the reports."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ldp.privacy.batches import USUAL_DELTA, batch_privacy
from ldp.survey import Question, Survey
from ldp_aggregator.checks import Remark
from ldp_aggregator.estimates.survey_estimates import SurveyEstimates


def with_batches(
    estimates: SurveyEstimates,
    survey: Survey,
    mixed_by: str,
    delta: str | float | Fraction = USUAL_DELTA,
    colluding: str | float | Fraction = 0,
) -> SurveyEstimates:
    """Estimates with a remark each: (epsilon, delta) if relay and collector are apart, and if not.

    All reports of a question count as one batch. A question of a row counts with its row.

    Raises `ValueError` for a delta or a share out of range.
    """
    questions = {}
    for estimated in estimates:
        own = survey[estimated.name]
        message = survey.group_of.get(own.name, own)
        batch = batch_privacy(
            message, estimated.reports, delta, colluding=colluding, mixed_by=mixed_by
        )
        row = "" if isinstance(message, Question) else f"The row {message.name}, as one message: "
        remark = Remark("batch", f"{row}{batch.text}.")
        questions[estimated.name] = replace(estimated, remarks=(*estimated.remarks, remark))
    return replace(estimates, questions=questions)
