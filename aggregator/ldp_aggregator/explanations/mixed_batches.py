"""Estimates that say what their batch was worth to those in it, if a relay mixed the
reports.

Either all reports are said to be one batch (`with_batches`), or a service's store knows
of each batch which relay mixed it (`with_mixing`). Reports that came without a relay
are said as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from ldp.privacy.batches import USUAL_DELTA, batch_privacy
from ldp.survey.survey import Envelope, Question, Survey
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.tallies.mixing.batches import (
    NOBODY,
    MixedBatch,
    batches_text,
    least_worth,
)


def with_batches(
    estimates: SurveyEstimates,
    survey: Survey,
    mixed_by: str,
    delta: str | float | Fraction = USUAL_DELTA,
    colluding: str | float | Fraction = 0,
) -> SurveyEstimates:
    """Estimates with a remark each: (epsilon, delta) if relay and collector are apart,
    and if not.

    All reports of a question count as one batch. A question of a row counts with its
    row.

    Raises `ValueError` for a delta or a share out of range.
    """
    questions = {}
    for estimated in estimates:
        own = survey[estimated.name]
        message = survey.group_of.get(own.name, own)
        batch = batch_privacy(
            message, estimated.reports, delta, colluding=colluding, mixed_by=mixed_by
        )
        questions[estimated.name] = _with_remark(estimated, message, f"{batch.text}.")
    return replace(estimates, questions=questions)


def with_mixing(
    estimates: SurveyEstimates,
    survey: Survey,
    batches: Sequence[MixedBatch],
    delta: Fraction = USUAL_DELTA,
    colluding: Fraction = NOBODY,
) -> SurveyEstimates:
    """Add the known batches of this survey to the estimates; without any, unchanged."""
    if not batches:
        return estimates
    questions = {
        estimated.name: mixed_question(
            estimated, [(survey, batches)], delta=delta, colluding=colluding
        )
        for estimated in estimates
    }
    return replace(estimates, questions=questions)


def mixed_question(
    estimated: QuestionEstimates,
    versions: Iterable[tuple[Survey, Sequence[MixedBatch]]],
    delta: Fraction = USUAL_DELTA,
    colluding: Fraction = NOBODY,
) -> QuestionEstimates:
    """A question's estimates, with what became of the reports of one version or of
    several.
    """
    mixed: list[tuple[MixedBatch, Envelope]] = []
    for survey, batches in versions:
        message = survey.group_of.get(estimated.name, survey[estimated.name])
        mixed += [
            (batch, message) for batch in batches if batch.question == message.name
        ]
    if not mixed:
        return estimated
    least = least_worth(mixed, delta=delta, colluding=colluding)
    text = f"{batches_text([batch for batch, _ in mixed], least)}."
    apart = estimated.reports - sum(batch.counted for batch, _ in mixed)
    if apart > 0:
        text += f" {apart:,} reports came without a relay: {least.local_text} each."
    return _with_remark(estimated, mixed[-1][1], text)


def _with_remark(
    estimated: QuestionEstimates, message: Envelope, text: str
) -> QuestionEstimates:
    """Add this remark to estimates of one message."""
    if isinstance(message, Question):
        row = ""
    else:
        row = f"The row {message.name}, as one message: "
    return replace(
        estimated, remarks=(*estimated.remarks, Remark("batch", f"{row}{text}"))
    )
