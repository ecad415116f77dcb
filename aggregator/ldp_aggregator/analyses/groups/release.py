"""Which groups of a question are shown, and which are suppressed.

Rules
- A group of fewer reports than `least` is suppressed. So are others (*complementary
  suppression*), until nothing that follows from what is shown, whether by subtracting
  groups from totals or from each other, rests on fewer reports than that (`span`).
- What is shown does not depend on what is asked for, in which order and how often: it
  is decided for all tables of groups at once. Everyone first; then groups by one
  attribute, by two, by three, in the order of the survey; and of one table the greatest
  first.
- Where the same reports were shown before, when there were fewer, the groups that were
  shown then count as shown as well: no difference of two releases rests on fewer
  reports either.
- Where a lower least holds for the same reports as well, what is shown by a higher one
  is part of what is shown by the lower: whoever sees both sees no more than by the
  lower one.
- The number of reports of everyone is known. If they are fewer than `least`, there are
  no groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldp.survey.attributes import Attributes
from ldp_aggregator.analyses.groups.crowds import Crowd, everyone, members, tables_of
from ldp_aggregator.analyses.groups.leftovers import Leftovers
from ldp_aggregator.analyses.groups.span import LinearSpan
from ldp_aggregator.numerics.arrays import Integers

Sizes = Mapping[int, int]
"""Reports by combination."""


@dataclass(frozen=True)
class Release:
    """Visible groups of a question: the crowds, with their reports."""

    least: int
    shown: Mapping[Crowd, int]

    def __contains__(self, crowd: Crowd) -> bool:
        return crowd in self.shown


def release(
    attributes: Attributes,
    sizes: Sizes,
    least: int,
    *,
    earlier: Sequence[Sizes] = (),
    within: Sequence[int] = (),
) -> Release:
    """The crowds that are shown, where each combination has so many reports.

    `earlier` are the sizes at releases before this one, the first in front: each at
    most as large as the next. Raises `ValueError` if one is larger. `within` are lower
    leasts by which the same reports are shown as well: nothing is shown by a higher one
    that is suppressed by a lower.
    """
    states = [*earlier, sizes]
    numbers = sorted({number for state in states for number in state if state[number]})
    # Reports by state and combination, (states, numbers), and how many came between two
    # states.
    table = np.array([[state.get(number, 0) for number in numbers] for state in states])
    came = np.diff(
        table, axis=0, prepend=np.zeros((1, len(numbers)), dtype=table.dtype)
    )
    if (came < 0).any():
        raise ValueError(
            "expected no more reports at an earlier release than at a later one"
        )
    # A cell is what came of a combination between two releases; those of no reports are
    # none.
    occupied = came.ravel() > 0
    spans = [
        LinearSpan(came.ravel()[occupied], level) for level in sorted({*within, least})
    ]
    shown: dict[Crowd, int] = {}
    for state, reports in enumerate(table, 1):
        is_past = np.repeat(np.arange(len(states)) < state, len(numbers))[occupied]
        columns = occupied, is_past
        for place, span in enumerate(spans):
            by_lower = shown if place else None
            shown = _visible_groups(
                attributes,
                numbers,
                reports,
                span=span,
                columns=columns,
                within=by_lower,
            )
    return Release(least, shown)


def _visible_groups(
    attributes: Attributes,
    numbers: Sequence[int],
    reports: Integers,
    *,
    span: LinearSpan,
    columns: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    within: Mapping[Crowd, int] | None,
) -> dict[Crowd, int]:
    """The crowds that are shown at one release, and their reports; they are added to
    the span.

    `reports` are those until then, (numbers,). `columns` says of which pairs of a
    release and a combination there are cells, and which of the cells had come by then.
    `within` are the only crowds that may be shown, if not all.
    """
    occupied, is_past = columns
    total = int(reports.sum())
    of_all = everyone(attributes)
    shown = {of_all: total}
    span.show(is_past[None])
    if total < span.least:
        return shown
    for table in tables_of(attributes):
        inside = members(attributes, table, numbers)
        sizes = inside @ reports
        # The greatest first; of equal ones, in the order of the survey.
        order = np.argsort(-sizes, kind="stable")
        order = order[sizes[order] >= span.least]
        if within is not None:
            order = order[[table[place] in within for place in order.tolist()]]
        # Which cells each crowd sums, (crowds, cells): those of its combinations, until
        # then.
        copies = len(occupied) // max(len(numbers), 1)
        sums = np.tile(inside[order], (1, copies))[:, occupied] & is_past
        crowds = [(table[place], int(sizes[place])) for place in order.tolist()]
        shown |= _safe(crowds, sums, shown, span=span)
    return shown


def _safe(
    crowds: Sequence[tuple[Crowd, int]],
    sums: NDArray[np.bool_],
    shown: Mapping[Crowd, int],
    *,
    span: LinearSpan,
) -> dict[Crowd, int]:
    """Those crowds of a table, in their order, with which everything stays safe.

    `sums` says which cells each of them sums, (crowds, cells). They are tried many at a
    time, as far as leftovers allow, and where these are not safe together, half as
    many.
    """
    safe: dict[Crowd, int] = {}
    left = Leftovers(shown, span.least)
    start, step = 0, len(crowds)
    while start < len(crowds) and span.trials:
        trial = left.copy()
        some: list[int] = []
        place = start
        while place < len(crowds) and len(some) < step:
            if trial.allows(*crowds[place]):
                trial.take(*crowds[place])
                some.append(place)
            place += 1
        if not some or span.show_safe(sums[some]):
            safe.update(crowds[known] for known in some)
            left, start, step = trial, place, 2 * step
        elif len(some) > 1:
            step = (len(some) + 1) // 2
        else:
            start = some[0] + 1
    return safe
