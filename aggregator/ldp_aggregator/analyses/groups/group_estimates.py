"""Estimates of groups as tables, records and pictures; and which groups are not
shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ldp_aggregator.analyses.groups.asking import GroupRequest
from ldp_aggregator.analyses.groups.parts import (
    FORMAT,
    Labels,
    group_name,
    of_group,
    suppressed_names,
    suppressed_record,
    suppressed_remarks,
)
from ldp_aggregator.answers.results.question_estimates import (
    COLUMNS,
    QuestionEstimates,
    flat_rows,
    text_table,
)
from ldp_aggregator.output.formats.formats import Framed, Pictured
from ldp_aggregator.output.sheet import Bars, Sheet, TextTable


@dataclass(frozen=True, eq=False)
class GroupOfEstimates:
    """The estimates of a group, by question; `labels` are its values, by attribute.

    `estimate_groups` has an example.
    """

    labels: Labels
    questions: dict[str, QuestionEstimates]

    @property
    def name(self) -> str:
        """Its values, side by side."""
        return group_name(self.labels)

    def __getitem__(self, name: str) -> QuestionEstimates:
        return self.questions[name]


@dataclass(frozen=True, eq=False, repr=False)
class GroupEstimates(Framed, Pictured):
    """Estimates by public attributes, of the groups that are shown.

    `groups["ios"]` is that of a value, `groups["ios", "de"]` that of several, in the
    order in which they were asked for; `groups.total` is what they add up to.

    `least` is the number of reports below which a group is suppressed; `suppressions`
    has the groups that are, by question.

    `estimate_groups` has an example.
    """

    survey: str
    fingerprint: str
    asked: GroupRequest
    least: int
    groups: tuple[GroupOfEstimates, ...]
    suppressions: Mapping[str, tuple[Labels, ...]]

    def __getitem__(self, values: str | tuple[str, ...]) -> GroupOfEstimates:
        groups = ((group.labels, group) for group in self)
        return of_group(
            groups, values, by=self.asked.by, wanted="a group that is shown"
        )

    def __iter__(self) -> Iterator[GroupOfEstimates]:
        """The groups, without what they add up to."""
        return (
            group for group in self.groups if set(self.asked.by) <= group.labels.keys()
        )

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def total(self) -> GroupOfEstimates:
        """Sum of the groups: everyone, or those with the values of `where`.

        Without questions where that is suppressed.
        """
        where = dict(self.asked.where)
        alike = (group for group in self.groups if group.labels.keys() == where.keys())
        return next(alike, GroupOfEstimates(where, {}))

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The groups that are not shown, each as `question: values`."""
        return suppressed_names(self.suppressions)

    def sheet(self, *, in_full: bool = True) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        return Sheet(
            f"{self.survey}: estimates by group",
            tables=lambda: [self._table(part, in_full) for part in self._parts()],
            record=self.to_dict,
            columns=self.columns,
            rows=self._rows,
            bars=lambda: [self._panel(part) for part in self._parts()],
            legend=self.remarks,
            warnings=self.remarks,
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the groups that are not shown."""
        return suppressed_remarks(self.least, self.suppressions)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "format": FORMAT,
            "survey": {"name": self.survey, "fingerprint": self.fingerprint},
            **self.asked.to_dict(),
            "least_group": self.least,
            "groups": [
                {
                    "group": dict(group.labels),
                    "questions": {
                        name: question.to_dict()
                        for name, question in group.questions.items()
                    },
                }
                for group in self.groups
            ],
            "suppressed": suppressed_record(self.suppressions),
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what flat records have: attributes, then as for all
        respondents.
        """
        return (*self.asked.names, *COLUMNS)

    def rows(self) -> Iterator[dict[str, str | float]]:
        """One flat record for each value of each question in each group."""
        return (dict(zip(self.columns, row, strict=True)) for row in self._rows())

    def panels(self, truth: Any = None) -> list[Bars]:  # noqa: ARG002
        """A panel for each question and group."""
        return [self._panel(part) for part in self._parts()]

    def _parts(self) -> Iterator[tuple[str, QuestionEstimates]]:
        """Question by question, what each group says."""
        names = dict.fromkeys(name for group in self.groups for name in group.questions)
        for name in names:
            for group in self.groups:
                if name in group.questions:
                    yield group.name, group.questions[name]

    def _table(self, part: tuple[str, QuestionEstimates], in_full: bool) -> TextTable:
        group, estimates = part
        table = text_table(estimates, in_full=in_full)
        return table._replace(title=f"{table.title}, {group}")

    def _panel(self, part: tuple[str, QuestionEstimates]) -> Bars:
        group, estimates = part
        (panel,) = estimates.panels()
        return panel._replace(title=f"{panel.title}, {group}")

    def _rows(self) -> Iterator[tuple[str | float, ...]]:
        for group in self.groups:
            labels = [group.labels.get(name, "") for name in self.asked.names]
            for question in group.questions.values():
                for row in flat_rows(question):
                    yield (*labels, *row)
