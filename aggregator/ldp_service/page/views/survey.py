"""A survey: its questions, and what became of its batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.answers.estimates.applicable import options_for
from ldp_aggregator.answers.estimates.survey_estimates import SurveyEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.tallies.mixing.batches import MixedBatch
from ldp_service.analysis.analysis import Analysis
from ldp_service.page.views.alarms import Alarm, alarms_of
from ldp_service.page.views.course import CourseView, course_of
from ldp_service.page.views.question import QuestionView
from ldp_service.page.views.series import MOST_EPOCHS, GroupSeries, Series
from ldp_service.page.views.view_request import CUMULATED, SMOOTHED, ViewRequest

MOST_FOLLOWED = 6
"""Values that are shown over time, the most frequent ones."""


@dataclass(frozen=True)
class SurveyView:
    """A version of a survey: its questions, and what became of its batches."""

    questions: Sequence[QuestionView]
    outcomes: Counter[str]
    groups: GroupEstimates | None = None
    groups_over_time: GroupSeries = ()
    """Of the question that is shown over time, its groups in the last closed epochs."""
    alarms: Sequence[Alarm] = ()
    """What someone had better look at."""
    mixed: Sequence[tuple[MixedBatch, str]] = ()
    """What relays had mixed, and what that was worth, in words."""


def survey_view(analysis: Analysis, asked: ViewRequest) -> SurveyView:
    """All that is shown of a survey.

    Raises `EstimateError` if its estimates cannot be given as asked.
    """
    served, options, span = asked.served, asked.options, asked.span
    health, changes = analysis.health(served), analysis.changes(served)
    series = None
    if asked.over_time is not None:
        series = _series(analysis, asked, asked.over_time)
    questions = []
    for estimates in _estimates(analysis, asked):
        name = estimates.name
        over_time = series if name == asked.over_time else None
        question = QuestionView.of(
            estimates,
            health[name],
            over_time,
            changes=changes.get(name),
            search=asked.search_in(name),
            course=_course(analysis, asked, over_time or [], estimates=estimates),
        )
        questions.append(question)
    outcomes = sum(analysis.outcomes(served).values(), Counter[str]())
    groups = None
    if asked.groups is not None:
        groups = analysis.groups(
            served, asked.groups, options, epoch=span, names=asked.names
        )
    return SurveyView(
        questions,
        outcomes,
        groups,
        groups_over_time=_group_series(analysis, asked),
        alarms=alarms_of(analysis, served),
        mixed=analysis.batches(served, span),
    )


def _estimates(analysis: Analysis, asked: ViewRequest) -> SurveyEstimates:
    served = asked.served
    if asked.pooled:
        return analysis.pool(
            served.survey.name, asked.options, asked.names, span=asked.span
        )
    return analysis.estimates(served, asked.options, asked.span, names=asked.names)


def _series(analysis: Analysis, asked: ViewRequest, name: str) -> Series:
    """The last epochs of those that are asked for, each by itself or with all before
    it.
    """
    served, span = asked.served, asked.span
    own = options_for(served.survey[name], asked.options)
    if asked.way == CUMULATED:
        return analysis.cumulate(served, name, own, span=span)[-MOST_EPOCHS:]
    history = analysis.history(served, name, own)
    return [row for row in history if span is None or span.has(row[0])][-MOST_EPOCHS:]


def _group_series(analysis: Analysis, asked: ViewRequest) -> GroupSeries:
    name, groups, span = asked.over_time, asked.groups, asked.span
    if name is None or groups is None:
        return ()
    own = options_for(asked.served.survey[name], asked.options)
    history = analysis.group_history(asked.served, name, groups, options=own)
    return [row for row in history if span is None or span.has(row[0])][-MOST_EPOCHS:]


def _course(
    analysis: Analysis, asked: ViewRequest, series: Series, estimates: QuestionEstimates
) -> CourseView | None:
    if asked.way != SMOOTHED or not series:
        return None
    values = [estimates.values[place] for place in leading_values(estimates)]
    newest = series[-1][1]
    known = [value for value in values if value in newest.values]
    if newest.mean is not None and MEAN not in known:
        known.append(MEAN)
    return course_of(
        series, known, asked.options, closed=analysis.last_closed_epoch(asked.served)
    )


def leading_values(estimates: QuestionEstimates) -> Sequence[int]:
    """The places of the values that are shown over time: the most frequent; none of a
    shape.
    """
    if estimates.is_shape:
        return ()
    places: list[int] = np.argsort(-estimates.frequency, kind="stable")[
        :MOST_FOLLOWED
    ].tolist()
    return places
