"""Small pictures over time: an estimate with its range for each epoch.

Where levels were asked for, these are a line through a band, and the estimates stand
behind them. Notes of the operator are upright lines with numbers, which a list beside
the pictures explains.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.output.markup import Safe
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.pictures.picture import chart
from ldp_aggregator.output.sheet import Band, Bars
from ldp_service.analysis.notes import Note
from ldp_service.page.views.question import QuestionView
from ldp_service.page.views.series import Series, when
from ldp_service.store.records import Epoch


class EpochPoint(NamedTuple):
    """A value, or the mean, in one epoch."""

    epoch: Epoch
    estimate: float
    low: float
    high: float


class Look(NamedTuple):
    """How pictures over time look."""

    fitted: bool = False
    """Whether an axis fits the numbers, and each picture has its own."""
    notes: Sequence[Note] = ()


def panels(
    view: QuestionView, places: Sequence[int], look: Look
) -> Iterator[tuple[str, Safe]]:
    """Yield the mean, if any, and some values by name, each with its picture over time.

    Values have one scale unless it is to fit each. Only where epochs were asked for.
    """
    series, question = view.series or (), view.estimates
    means = means_of(series)
    if means:
        unit = question.question.domain.unit or ""
        name = f"series-{question.name}-mean"
        yield MEAN, chart(_panel(view, MEAN, means, look=look, unit=unit), name)
    unit = "" if question.is_vector else PERCENT
    lines = {
        question.values[place]: points_of(series, question, place) for place in places
    }
    drawn = [
        _panel(view, value, line, look=look, unit=unit)
        for value, line in lines.items()
        if line
    ]
    numbers = [
        0.0,
        *(end for line in lines.values() for point in line for end in point[1:]),
    ]
    courses = {} if view.course is None else view.course.courses
    for course in (courses[value] for value in lines if value in courses):
        numbers += [*course.low.tolist(), *course.high.tolist()]
    within = None if look.fitted else (min(numbers), max(numbers))
    for row, (value, panel) in enumerate(
        zip(filter(lines.get, lines), drawn, strict=True)
    ):
        yield (
            question.label(value),
            chart(panel._replace(within=within), f"series-{question.name}-{row}"),
        )


def points_of(
    series: Series, overall: QuestionEstimates, place: int
) -> list[EpochPoint]:
    """A value in every epoch that has an estimate of it.

    `place` is where it stands over all of them.
    """
    value = overall.values[place]
    points = []
    for epoch, estimates in series:
        # Values that a search found differ from epoch to epoch; all others stand in one
        # place.
        here: int | None = place
        if estimates.values[place : place + 1] != (value,):
            here = None
            if value in estimates.values:
                here = estimates.values.index(value)
        if here is None or not math.isfinite(estimates.frequency[here]):
            continue
        columns = (estimates.frequency, estimates.low, estimates.high)
        points.append(EpochPoint(epoch, *(float(column[here]) for column in columns)))
    return points


def means_of(series: Series) -> list[EpochPoint]:
    """The mean in every epoch that has an estimate of it."""
    means = ((epoch, estimates.mean) for epoch, estimates in series)
    return [
        EpochPoint(epoch, mean.estimate, mean.low, high=mean.high)
        for epoch, mean in means
        if mean is not None
    ]


def _panel(
    view: QuestionView, value: str, points: list[EpochPoint], look: Look, unit: str
) -> Bars:
    """A panel from the first to the last epoch, with gaps where there is no
    estimate.
    """
    first, last = points[0].epoch, points[-1].epoch
    many = last.number - first.number + 1
    columns = np.full((3, many), np.nan)
    for point in points:
        columns[:, point.epoch.number - first.number] = point[1:]
    band = np.full((3, many), np.nan)
    course = None
    if view.course is not None:
        course = view.course.courses.get(value)
    if course is not None:
        for epoch, *ends in zip(
            course.epochs, course.level, course.low, course.high, strict=True
        ):
            if 0 <= int(epoch) - first.number < many:
                band[:, int(epoch) - first.number] = ends
    lengths, low, high = columns
    labels = [
        when(first._replace(number=first.number + place)) for place in range(many)
    ]
    notes = list(_notes(look.notes, first, last))
    return Bars(
        f"{view.estimates.label(value)}: {'mean' if value == MEAN else 'frequency'} by epoch",
        "",
        labels,
        lengths=lengths,
        low=low,
        high=high,
        form=Band(band[0], band[1], band[2], notes=notes),
        unit=unit,
    )


def _notes(
    notes: Sequence[Note], first: Epoch, last: Epoch
) -> Iterator[tuple[float, str, str]]:
    for number, note in enumerate(notes, 1):
        place = note.on.timestamp() / first.length
        if first.number <= place < last.number + 1:
            here = min(place, last.number) - first.number
            yield here, str(number), f"{note.day}: {note.text}"
