"""Levels with bands behind the estimates of epochs, by
`ldp_aggregator.analyses.series`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ldp.errors import EstimateError
from ldp_aggregator.analyses.series.course import Course
from ldp_aggregator.analyses.series.following import follow
from ldp_aggregator.answers.options import Options
from ldp_service.page.views.series import Series


@dataclass(frozen=True)
class CourseView:
    """The courses of values, by name; or why there are none."""

    courses: Mapping[str, Course] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    problem: str = ""


def course_of(
    series: Series, values: Sequence[str], options: Options, closed: int
) -> CourseView:
    """Levels of some values; epochs after the last one `closed` may still get
    reports.
    """
    still_open = sum(epoch.number > closed for epoch, _ in series)
    history = [(epoch.number, estimates) for epoch, estimates in series]
    try:
        trends = follow(
            history,
            values=values,
            level=options.level,
            estimand=options.estimand,
            still_open=still_open,
        )
    except EstimateError as error:
        return CourseView(problem=str(error))
    return CourseView(
        {course.value: course for course in trends.courses}, trends.remarks
    )
