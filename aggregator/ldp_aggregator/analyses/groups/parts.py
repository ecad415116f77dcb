"""Parts of a tally: the groups that are shown, each with its counts, for whatever is
made of those.

What estimates, queries, comparisons and trends by group have in common is here: which
groups there are, which are not shown, in which words that is said, and how the sheets
of parts make one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.attributes import UNKNOWN
from ldp_aggregator.analyses.groups.asking import (
    GroupRequest,
    crowds_of_request,
    with_any,
)
from ldp_aggregator.analyses.groups.crowds import Crowd, shown_crowd
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.output.sheet import Bars, Sheet, TextTable
from ldp_aggregator.tallies.tally import Tally

EVERYONE = "everyone"
"""What the group of all is called."""
FORMAT = 1
"""Of the records for JSON."""

Labels = Mapping[str, str]
"""The values of a group, by attribute."""

T = TypeVar("T")


@dataclass(frozen=True)
class GroupTally:
    """A group: its values, and a tally with its counts of the questions of which it is
    shown.
    """

    labels: Labels
    tally: Tally
    questions: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its values, side by side."""
        return group_name(self.labels)


@dataclass(frozen=True)
class GroupTallies:
    """The groups that were asked for: those that are shown, and which are suppressed.

    The first is the total, what the others add up to, unless that is suppressed.
    """

    asked: GroupRequest
    least: int
    """The number of reports below which a group is suppressed."""
    parts: tuple[GroupTally, ...]
    suppressions: Mapping[str, tuple[Labels, ...]]
    """The groups that are not shown, by question."""

    def __iter__(self) -> Iterator[GroupTally]:
        """The groups, without their total."""
        return (part for part in self.parts if set(self.asked.by) <= part.labels.keys())

    def with_question(self, name: str) -> list[GroupTally]:
        """The groups that are shown of a question, without their total.

        Raises `EstimateError` where its reports do not carry what groups are by.
        """
        if name not in self.suppressions and not any(
            name in part.questions for part in self.parts
        ):
            raise EstimateError(
                f"question {name!r}: expected reports that carry "
                f"{', '.join(self.asked.names)}, as the survey's [[attribute]] says, "
                "got one that does not"
            )
        return [part for part in self if name in part.questions]

    def total(self, name: str) -> GroupTally | None:
        """Sum of the groups of a question, if that is shown."""
        where = dict(self.asked.where)
        totals = (part for part in self.parts if part.labels.keys() == where.keys())
        return next((part for part in totals if name in part.questions), None)

    def only(self, names: Iterable[str]) -> GroupTallies:
        """The same, saying of some questions alone what is suppressed."""
        wanted = set(names)
        kept = {
            name: listed for name, listed in self.suppressions.items() if name in wanted
        }
        return replace(self, suppressions=kept)

    def sheet(
        self,
        title: str,
        sheets: Sequence[tuple[Labels, Sheet]],
        remarks: Sequence[str] = (),
    ) -> Sheet:
        """One sheet of those of some groups, with what is said of groups that are not
        shown.

        A record of each group has the form that it has alone; flat rows begin with its
        values.
        """
        names = self.asked.names
        of_none: tuple[str, ...] = ()
        columns = next((tuple(sheet.columns) for _, sheet in sheets), of_none)
        legends = dict.fromkeys(line for _, sheet in sheets for line in sheet.legend)
        said = (*remarks, *suppressed_remarks(self.least, self.suppressions))
        warnings = dict.fromkeys(line for _, sheet in sheets for line in sheet.warnings)
        return Sheet(
            title,
            tables=lambda: [
                _with_title(table, labels)
                for labels, sheet in sheets
                for table in sheet.tables()
            ],
            record=lambda: {
                "format": FORMAT,
                **self.asked.to_dict(),
                "least_group": self.least,
                "groups": [
                    {"group": dict(labels), **sheet.record()}
                    for labels, sheet in sheets
                ],
                "suppressed": suppressed_record(self.suppressions),
                "remarks": list(remarks),
            },
            columns=(*names, *columns),
            rows=lambda: (
                (*(labels.get(name, "") for name in names), *row)
                for labels, sheet in sheets
                for row in sheet.rows()
            ),
            bars=lambda: [
                _panel(bars, labels)
                for labels, sheet in sheets
                for bars in sheet.bars()
            ],
            legend=(*legends, *said),
            warnings=(*warnings, *said),
        )


def parts_of(
    tally: Tally,
    asked: GroupRequest,
    shown: Mapping[str, Mapping[Crowd, Counts]],
    least: int,
) -> GroupTallies:
    """The groups that are asked for, where `shown` has the counts of all that are, by
    question.
    """
    parts: dict[tuple[tuple[str, str], ...], GroupTally] = {}
    suppressed: dict[str, list[Labels]] = {}
    # Nothing of those who are not in a group goes with it, whatever is looked at.
    nobody = replace(
        tally,
        counts={name: np.zeros_like(counts) for name, counts in tally.counts.items()},
        combinations={},
    )
    for name, counts_by_crowd in shown.items():
        attributes = tally.survey[name].attributes
        crowds = crowds_of_request(attributes, asked) or []
        totals = [with_any(crowd, attributes, asked.by) for crowd in crowds[:1]]
        for crowd in dict.fromkeys((*totals, *crowds)):
            labels = shown_crowd(attributes, crowd)
            if crowd not in counts_by_crowd:
                # Where groups of one are shown, one that is not has nobody in it.
                if least > 1:
                    suppressed.setdefault(name, []).append(labels)
                continue
            empty = GroupTally(labels, replace(nobody, counts=dict(nobody.counts)))
            part = parts.setdefault(tuple(labels.items()), empty)
            part.tally.counts[name] = counts_by_crowd[crowd]
            part.questions.append(name)
    by_question = {name: tuple(labels) for name, labels in suppressed.items()}
    return GroupTallies(asked, least, tuple(parts.values()), suppressions=by_question)


def group_name(labels: Labels) -> str:
    """The values of a group, side by side; `EVERYONE` if it has none."""
    values = (
        f"{name} {label}" if label == UNKNOWN else label
        for name, label in labels.items()
    )
    return ", ".join(values) or EVERYONE


def of_group(
    groups: Iterable[tuple[Labels, T]],
    values: str | tuple[str, ...],
    *,
    by: Sequence[str],
    wanted: str,
) -> T:
    """Return the member of a group, by its values of the attributes in `by`.

    Raises `UnknownNameError` for groups that are not among them.
    """
    asked = values
    if isinstance(values, str):
        asked = (values,)
    known = {
        tuple(labels[name] for name in by if name in labels): one
        for labels, one in groups
    }
    if asked not in known:
        raise UnknownNameError(
            ", ".join(asked), [", ".join(names) for names in known], wanted
        )
    return known[asked]


def suppressed_names(suppressions: Mapping[str, Iterable[Labels]]) -> tuple[str, ...]:
    """The groups that are not shown, each as `question: values`."""
    return tuple(
        f"{name}: {group_name(labels)}"
        for name, groups in suppressions.items()
        for labels in groups
    )


def suppressed_remarks(
    least: int, suppressions: Mapping[str, Iterable[Labels]]
) -> tuple[str, ...]:
    """Remarks on groups that are not shown."""
    return said_of(least, suppressed_names(suppressions))


def said_of(least: int, names: Sequence[str]) -> tuple[str, ...]:
    """Name the groups that are called so; empty if there are none."""
    if not names:
        return ()
    return (
        f"suppressed, because they have fewer than {least:,} reports, or would give "
        f"away what has: {'; '.join(names)}",
    )


def suppressed_record(
    suppressions: Mapping[str, Iterable[Labels]],
) -> dict[str, list[dict[str, str]]]:
    """The groups that are not shown, ready for JSON."""
    return {
        name: [dict(labels) for labels in groups]
        for name, groups in suppressions.items()
    }


def _with_title(table: TextTable, labels: Labels) -> TextTable:
    return table._replace(
        title=", ".join(filter(None, (table.title, group_name(labels))))
    )


def _panel(bars: Bars, labels: Labels) -> Bars:
    return bars._replace(title=f"{bars.title}, {group_name(labels)}")
