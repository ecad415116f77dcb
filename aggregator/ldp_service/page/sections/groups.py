"""The section of groups by public attributes: for each question a table of groups and
values.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.output.markup import Safe, join, tag
from ldp_service.page.markup.elements import number, row, table
from ldp_service.page.views.series import GroupSeries, when

MOST_VALUES = 8
"""Those that are shown of a question, the most frequent of all; a download has all."""
ID = "groups"
SUPPRESSED = "-"


def groups_section(groups: GroupEstimates, over_time: GroupSeries = ()) -> Safe:
    """Return the published groups, and the hidden ones; of one question in each epoch
    as well.
    """
    tables = [_table(name, groups) for name in _names(groups)]
    nothing = tag(
        "p", "No group is shown yet: none has enough reports in closed epochs."
    )
    remarks = [
        tag("p", f"{remark[:1].upper()}{remark[1:]}", class_="note")
        for remark in groups.remarks
    ]
    return tag(
        "section",
        tag("h2", f"By {', '.join(groups.asked.names)}", id=f"heading-{ID}"),
        tag(
            "p",
            "Of closed epochs; frequencies with their standard errors.",
            class_="note",
        ),
        *(tables or [nothing]),
        *_over_time(over_time),
        *remarks,
        id=ID,
        aria_labelledby=f"heading-{ID}",
    )


def _over_time(series: GroupSeries) -> Iterator[Safe]:
    """The groups of a question in each epoch, the last first: the most frequent value
    of all.
    """
    shown = [(epoch, group) for epoch, groups in series for group in groups.groups]
    if not shown:
        return
    [name] = {name for _, group in shown for name in group.questions}
    newest = next(
        groups.groups[0][name] for _, groups in reversed(series) if groups.groups
    )
    what = MEAN
    if len(newest):
        what = newest.values[int(np.argmax(newest.frequency))]
    labels = list(dict.fromkeys(group.name for _, group in shown))
    rows = []
    for epoch, groups in reversed(series):
        known = {group.name: group[name] for group in groups.groups}
        cells = [_cell(known.get(label), what) for label in labels]
        rows.append(row(when(epoch), *cells))
    caption = (
        f"{name} by group, over time: {newest.label(what)} ({SUPPRESSED}: suppressed "
        "in that epoch)"
    )
    yield table(caption, ("epoch", *labels), rows)


def _cell(estimates: QuestionEstimates | None, what: str) -> Safe:
    if estimates is None:
        return tag("span", SUPPRESSED)
    if what == MEAN:
        mean = estimates.mean
        if mean is None:
            return Safe("")
        return number(" ± ".join(mean.cells[:2]), mean.estimate)
    share = estimates[what]
    error = f" ± {estimates.shown(share.standard_error)}"
    return join([number(estimates.shown(share.frequency), share.frequency), error])


def _names(groups: GroupEstimates) -> Iterator[str]:
    return iter(
        dict.fromkeys(name for group in groups.groups for name in group.questions)
    )


def _table(name: str, groups: GroupEstimates) -> Safe:
    parts = [
        (group.name, group[name]) for group in groups.groups if name in group.questions
    ]
    everyone = parts[0][1]
    # The most frequent of all, in the order of the survey: (values,).
    most = np.sort(
        np.argsort(-everyone.frequency, kind="stable")[:MOST_VALUES]
    ).tolist()
    has_mean = any(estimates.mean is not None for _, estimates in parts)
    head = ("group", "reports", *([MEAN] if has_mean else []))
    values = [everyone.values[place] for place in most]
    rows = [
        row(label, *_cells(estimates, values, has_mean)) for label, estimates in parts
    ]
    return table(f"{name} by group", (*head, *map(everyone.label, values)), rows)


def _cells(
    estimates: QuestionEstimates, values: list[str], has_mean: bool
) -> Iterator[Safe]:
    yield number(f"{estimates.reports:,}", estimates.reports)
    if has_mean:
        mean = estimates.mean
        yield (
            Safe("")
            if mean is None
            else number(" ± ".join(mean.cells[:2]), mean.estimate)
        )
    for value in values:
        yield _cell(estimates, value)
