"""A question by epoch: each by itself, cumulated, or as levels with bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.output.markup import Safe, join, tag
from ldp_service.analysis.notes import Note
from ldp_service.page.charts.over_time import Look, means_of, panels, points_of
from ldp_service.page.markup.elements import many, number, row, table
from ldp_service.page.sections.side_by_side import side_by_side
from ldp_service.page.views.question import QuestionView
from ldp_service.page.views.series import when
from ldp_service.page.views.survey import leading_values
from ldp_service.page.views.view_request import CUMULATED, EPOCHS, SMOOTHED, ViewRequest

_WAYS = {
    EPOCHS: "each epoch by itself",
    CUMULATED: "cumulated: all reports up to each epoch",
    SMOOTHED: "levels with bands",
}


def over_time(
    view: QuestionView, asked: ViewRequest, notes: Sequence[Note] = ()
) -> Safe:
    """Return the course over time; a link to it, where it was not asked for."""
    name = view.estimates.name
    if view.series is None:
        return tag(
            "p", _link("Show over time", asked, name, over_time=name), class_="way"
        )
    hide = tag("p", _link("Hide over time", asked, name, over_time=""), class_="way")
    heading = tag("h3", "Over time")
    if not view.series:
        empty = tag(
            "p", "No epoch with reports is in this range of time.", class_="note"
        )
        return join([heading, empty, hide])
    most = leading_values(view.estimates)
    figures = (
        tag("figure", tag("figcaption", tag("bdi", value)), drawn)
        for value, drawn in panels(view, most, Look(asked.fitted, notes))
    )
    pictures = tag("div", *figures, class_="panels")
    both = side_by_side(view.series) if asked.way == EPOCHS else Safe("")
    return join(
        [
            heading,
            _ways(asked, name),
            pictures,
            *_list_notes(notes, view),
            *_levels(view),
            both,
            _table(view, asked, most),
            hide,
        ]
    )


def _ways(asked: ViewRequest, name: str) -> Safe:
    """Links to the other ways, and to axes that fit."""
    links = []
    for way, words in _WAYS.items():
        here = way == asked.way
        link = tag("strong", words) if here else _link(words, asked, name, way=way)
        links.append(tag("li", link))
    fit, words = (
        ("fit", "axes that fit") if not asked.fitted else (None, "axes from zero")
    )
    links.append(tag("li", _link(words, asked, name, axes=fit)))
    return tag("ul", *links, class_="ways")


def _list_notes(notes: Sequence[Note], view: QuestionView) -> Iterator[Safe]:
    """The notes by their numbers in the pictures."""
    if notes:
        rows = (tag("li", tag("strong", note.day), f" {note.text}") for note in notes)
        yield tag(
            "ol", *rows, class_="notes", aria_label=f"Notes on {view.estimates.name}"
        )


def _levels(view: QuestionView) -> Iterator[Safe]:
    """Yield the remarks on levels."""
    course = view.course
    if course is None:
        return
    if course.problem:
        yield tag("p", f"No levels: {course.problem}.", class_="note")
        return
    level = f"{view.estimates.options.level:.4g}"
    rows = [row(*known.summary()[:2]) for known in course.courses.values()]
    caption = f"{view.estimates.name}: level at the end, with its {level} band"
    yield table(caption, ("value", "level"), rows)
    if course.remarks:
        remarks = (
            tag("li", f"{remark[:1].upper()}{remark[1:]}.") for remark in course.remarks
        )
        summary = tag(
            "summary", f"{many(len(course.remarks), 'remark')} on these levels"
        )
        yield tag("details", summary, tag("ul", *remarks), class_="note")


def _table(view: QuestionView, asked: ViewRequest, most: Sequence[int]) -> Safe:
    """A row for each epoch, the last one first."""
    name, series = view.estimates.name, view.series or ()
    shown = ""
    if 0 < len(most) < len(view.estimates):
        shown = f" Its {len(most)} most frequent values."
    what = "up to each epoch, cumulated" if asked.way == CUMULATED else "by epoch"
    caption = f"{name} {what} (each begins at the time given, UTC).{shown}"
    values = [view.estimates.values[place] for place in most]
    points = [
        {point.epoch: point for point in points_of(series, view.estimates, place)}
        for place in most
    ]
    has_mean = bool(means_of(series))
    rows = []
    for epoch, estimates in reversed(series):
        cells = [number(f"{estimates.reports:,}", estimates.reports)]
        if has_mean:
            cells.append(_mean(estimates))
        for by_epoch in points:
            point = by_epoch.get(epoch)
            if point is None:
                cells.append(Safe(""))
            else:
                cells.append(number(estimates.shown(point.estimate), point.estimate))
        rows.append(row(when(epoch), *cells))
    return table(
        caption,
        (
            "epoch",
            "reports",
            *([MEAN] if has_mean else []),
            *map(view.estimates.label, values),
        ),
        rows,
    )


def _mean(estimates: QuestionEstimates) -> Safe:
    mean = estimates.mean
    if mean is None:
        return Safe("")
    return number(mean.cells[0], mean.estimate)


def _link(words: str, asked: ViewRequest, name: str, **changes: str | None) -> Safe:
    return tag(
        "a", words, href=f"./?{urlencode(asked.query(**changes))}#question-{name}"
    )
