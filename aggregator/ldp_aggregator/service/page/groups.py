"""The section of groups by public attributes: for each question a table of groups and values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldp_aggregator.estimates.question_estimates import QuestionEstimates
from ldp_aggregator.estimates.question_numbers import MEAN
from ldp_aggregator.groups.group_estimates import GroupEstimates
from ldp_aggregator.service.page.elements import number, row, table
from ldp_aggregator.service.page.markup import Safe, joined, tag

MOST_VALUES = 8
"""Those that are shown of a question, the most frequent of all; a download has all."""
ID = "groups"


def groups_section(groups: GroupEstimates) -> Safe:
    """What is shown of groups, and what is not."""
    tables = [_table(name, groups) for name in _names(groups)]
    nothing = tag("p", "No group is shown yet: none has enough reports in closed epochs.")
    remarks = [
        tag("p", f"{remark[:1].upper()}{remark[1:]}", class_="note") for remark in groups.remarks
    ]
    return tag(
        "section",
        tag("h2", f"By {', '.join(groups.asked.names)}", id=f"heading-{ID}"),
        tag("p", "Of closed epochs; frequencies with their standard errors.", class_="note"),
        *(tables or [nothing]),
        *remarks,
        id=ID,
        aria_labelledby=f"heading-{ID}",
    )


def _names(groups: GroupEstimates) -> Iterator[str]:
    return iter(dict.fromkeys(name for group in groups.groups for name in group.questions))


def _table(name: str, groups: GroupEstimates) -> Safe:
    parts = [(group.name, group[name]) for group in groups.groups if name in group.questions]
    everyone = parts[0][1]
    # The most frequent of all, in the order of the survey: (values,).
    most = np.sort(np.argsort(-everyone.frequency, kind="stable")[:MOST_VALUES]).tolist()
    has_mean = any(estimates.mean is not None for _, estimates in parts)
    head = ("group", "reports", *([MEAN] if has_mean else []))
    values = [everyone.values[place] for place in most]
    rows = [row(label, *_cells(estimates, values, has_mean)) for label, estimates in parts]
    return table(f"{name} by group", (*head, *values), rows)


def _cells(estimates: QuestionEstimates, values: list[str], has_mean: bool) -> Iterator[Safe]:
    yield number(f"{estimates.reports:,}", estimates.reports)
    if has_mean:
        mean = estimates.mean
        yield Safe("") if mean is None else number(" ± ".join(mean.cells[:2]), mean.estimate)
    for value in values:
        share = estimates[value]
        shown = estimates.shown(share.frequency)
        error = f" ± {estimates.shown(share.standard_error)}"
        yield joined([number(shown, share.frequency), error])
