"""Estimates: from a tally to frequencies with standard errors and intervals.

Looking is post-processing: it costs no privacy, however often and in whatever way it is
done.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.survey import Question
from ldp_aggregator.answers.estimates.applicable import (
    advice,
    check_asked,
    not_this_view,
    options_for,
)
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.options import Options
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.remarks import on_repeats
from ldp_aggregator.decoders.moments.repeats import check_repeatable, most_repeats
from ldp_aggregator.tallies.tally import Tally

DEFAULTS = Options()


def estimate(
    tally: Tally,
    *,
    options: Options = DEFAULTS,
    candidates: Mapping[str, Sequence[str]] | None = None,
    names: Collection[str] = (),
) -> SurveyEstimates:
    """Estimates of the questions of a tally, as `ldp_aggregator.estimate` says."""
    known = candidates or {}
    survey = tally.survey
    for name in (*names, *known):
        if name not in {question.name for question in survey}:
            raise UnknownNameError(
                name,
                [question.name for question in survey],
                "one of the survey's questions",
            )
    asked = [question for question in survey if not names or question.name in names]
    check_repeatable(asked, options.repeats)
    check_asked(asked, options)
    questions: dict[str, QuestionEstimates] = {}
    for question in asked:
        own = with_repeats(options_for(question, options), tally, question)
        counts, texts = tally.counts[question.name], known.get(question.name)
        try:
            estimates = estimate_question(question, counts, own, candidates=texts)
        except EstimateError as error:
            raise EstimateError(f"{error}{advice(asked, options)}") from None
        notes = (not_this_view(own, options), estimates.note)
        remarks = (
            *estimates.remarks,
            *on_repeats(
                question,
                options.reports_per_person,
                tally.epochs.get(question.name, {}),
            ),
        )
        questions[question.name] = replace(
            estimates, note="; ".join(filter(None, notes)), remarks=remarks
        )
    return SurveyEstimates(survey.name, survey.fingerprint.hex(), questions)


def with_repeats(options: Options, tally: Tally, question: Question) -> Options:
    """The options with the number of reports of each respondent.

    Unless it is said, it is as large as the epochs of the tally allow, so that errors
    are the largest.
    """
    epochs = tally.epochs.get(question.name)
    if options.reports_per_person is not None or not epochs:
        return options
    return replace(options, reports_per_person=most_repeats(epochs))
