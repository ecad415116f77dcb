"""A survey: its questions, and what became of its batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ldp_aggregator.distributions.applicable import options_for
from ldp_aggregator.groups.group_estimates import GroupEstimates
from ldp_aggregator.service.analysis.analysis import Analysis
from ldp_aggregator.service.page.views.asked import Asked
from ldp_aggregator.service.page.views.question import QuestionView
from ldp_aggregator.service.page.views.series import MOST_EPOCHS, GroupSeries


@dataclass(frozen=True)
class SurveyView:
    """A version of a survey: its questions, and what became of its batches."""

    questions: Sequence[QuestionView]
    outcomes: Counter[str]
    groups: GroupEstimates | None = None
    groups_over_time: GroupSeries = ()
    """Of the question that is shown over time, its groups in the last closed epochs."""


def survey_view(analysis: Analysis, asked: Asked) -> SurveyView:
    """All that is shown of a survey.

    Raises `EstimateError` if its estimates cannot be given as asked.
    """
    served, options = asked.served, asked.options
    health, changes = analysis.health(served), analysis.changes(served)
    series, own = None, options
    by_epoch: GroupSeries = ()
    if asked.over_time is not None:
        own = options_for(served.survey[asked.over_time], options)
        series = analysis.history(served, asked.over_time, own)[-MOST_EPOCHS:]
    if asked.pooled:
        survey_estimates = analysis.pooled(served.survey.name, options, asked.names)
    else:
        survey_estimates = analysis.estimates(served, options, names=asked.names)
    questions = []
    for estimates in survey_estimates:
        over_time = series if estimates.name == asked.over_time else None
        changed = changes.get(estimates.name)
        checks = health[estimates.name]
        questions.append(QuestionView.of(estimates, checks, over_time, changes=changed))
    outcomes = sum(analysis.outcomes(served).values(), Counter[str]())
    groups = None
    if asked.groups is not None:
        groups = analysis.groups(served, asked.groups, options, names=asked.names)
        if asked.over_time is not None:
            by_epoch = analysis.group_history(served, asked.over_time, asked.groups, options=own)
    return SurveyView(questions, outcomes, groups, groups_over_time=by_epoch[-MOST_EPOCHS:])
