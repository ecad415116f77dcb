"""Trends of a question over epochs, which print, plot and export themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldp.answers.booleans import canonical_value
from ldp.errors import UnknownNameError
from ldp.survey.survey import Question
from ldp_aggregator.analyses.series.course import Course
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.answers.results.values import MEAN
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.columns import align
from ldp_aggregator.output.formats.formats import Framed, Pictured
from ldp_aggregator.output.formats.html_page import table_with_caption
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.sheet import Bars, Sheet, TextTable

FORMAT = 1
COLUMNS = (
    "value",
    "epoch",
    "reports",
    "estimate",
    "low",
    "high",
    "level",
    "level_low",
    "level_high",
    "evidence",
)


@dataclass(frozen=True, eq=False)
class Trends(Framed, Pictured):
    """The courses of a question's values. Iterating gives `Course`s.

    `follow` has an example.
    """

    question: Question
    courses: tuple[Course, ...]
    coverage: float
    """Of the bands."""
    estimand: str
    alarm_rate: float
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Course]:
        return iter(self.courses)

    def __len__(self) -> int:
        return len(self.courses)

    def __getitem__(self, value: str) -> Course:
        known = {course.value: course for course in self}
        value = canonical_value(value, known)
        if value not in known:
            raise UnknownNameError(
                value, list(known), "one of the values that are followed"
            )
        return known[value]

    @property
    def evidence(self) -> Floats:
        """Against "nothing has changed", after each epoch: the mean e-value of all
        values; (T,).
        """
        mean: Floats = np.mean([course.evidence for course in self], axis=0)
        return mean

    @property
    def alarm(self) -> bool:
        """Whether something has changed, up to any epoch."""
        return self._is_evident or any(
            course.p_value is not None and course.alarm is not None for course in self
        )

    @property
    def _is_evident(self) -> bool:
        return bool(self.evidence.max() >= 1 / self.alarm_rate)

    @property
    def tested(self) -> bool:
        """Whether any value could be tested for a change."""
        return any(course.tested for course in self)

    @property
    def changed(self) -> tuple[Course, ...]:
        """The values of which that is certain enough by themselves."""
        return tuple(course for course in self if course.alarm is not None)

    @property
    def name(self) -> str:
        """The question; of a panel, its first and its last."""
        first, *_, last = (*self.courses[0].epochs, self.question.name)
        panel = self.courses[0].epochs[-1] == last != first
        if panel:
            return f"{first} to {last}"
        return last

    def sheet(self) -> Sheet:
        """All that is shown (`ldp_aggregator.output.sheet`)."""
        return Sheet(
            f"{self.name}: over time",
            tables=self.tables,
            record=self.to_dict,
            columns=COLUMNS,
            rows=self._flat,
            bars=self.panels,
            warnings=self.remarks,
        )

    def tables(self) -> list[TextTable]:
        """A line for each value; of a single one, a line for each epoch."""
        band = f"{self.coverage:.4g} band"
        summary = TextTable(
            self.name,
            self.describe(),
            (
                "value",
                f"level at the end,\n{band}",
                "slope",
                "evidence",
                "changed by",
                "since",
            ),
            rows=[self._labelled(course.summary()) for course in self],
            remarks=[self.verdict, *self.remarks],
        )
        if len(self) > 1:
            return [summary]
        [course] = self
        by_epoch = TextTable(
            "",
            f"{self.question.domain.label(course.value)}, by epoch",
            ("epoch", "reports", "estimate, interval", f"level, {band}", "evidence"),
            rows=list(course.rows()),
        )
        return [summary, by_epoch]

    def _labelled(self, row: tuple[str, ...]) -> tuple[str, ...]:
        return self.question.domain.label(row[0]), *row[1:]

    def describe(self) -> str:
        """One line that says what the numbers are."""
        epochs = self.courses[0].epochs
        return (
            f"{len(epochs)} epochs, from {epochs[0]} to {epochs[-1]}, for "
            f"{WHOM[self.estimand]}"
        )

    @property
    def verdict(self) -> str:
        """Whether something has changed, in words."""
        if not any(course.tested for course in self):
            return "whether anything has changed was not tested; why is said below"
        said = []
        if any(course.has_evidence for course in self):
            said.append(self._evident)
        split = [course for course in self if course.p_value is not None]
        if split:
            changed = [course for course in split if course.alarm is not None]
            least = min(course.p_value or 0.0 for course in split)
            named = ", ".join(
                f"{course.value} (since {course.possible})" for course in changed
            )
            what = "no change is found"
            if changed:
                what = f"something has changed: {named}"
            said.append(
                f"{what}, in one look at before and after (least p-value {least:.2g}, "
                f"where {self.alarm_rate:.4g} is needed)"
            )
        return "; ".join(said)

    @property
    def _evident(self) -> str:
        """The same of values that are tested epoch by epoch."""
        most = float(self.evidence.max())
        rate = f"{self.alarm_rate:.4g}"
        if not self._is_evident:
            return (
                f"no change is certain enough: evidence (e-value) {most:.3g}, where "
                f"{1 / self.alarm_rate:,.4g} are needed for false alarms in {rate} of "
                "all cases"
            )
        named = ", ".join(
            f"{self.question.domain.label(course.value)} (since {course.possible})"
            for course in self.changed
            if course.has_evidence
        )
        return (
            f"something has changed: evidence (e-value) {most:,.3g}, which is reached "
            f"at any epoch in at most {1 / most:.2g} of all cases where nothing has"
            + (f"; certain by themselves: {named}" if named else "")
        )

    def __repr__(self) -> str:
        return "\n".join(align(table).rstrip("\n") for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(map(table_with_caption, self.tables()))

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "format": FORMAT,
            "question": self.question.name,
            "estimand": self.estimand,
            "level": self.coverage,
            "alarm_rate": self.alarm_rate,
            "alarm": self.alarm,
            "evidence": self.evidence.tolist(),
            "values": [course.to_dict() for course in self],
            "remarks": list(self.remarks),
        }

    def _flat(self) -> Iterator[tuple[str | float, ...]]:
        return (row for course in self for row in course.flat())

    def panels(self, truth: Any = None) -> list[Bars]:  # noqa: ARG002
        """Estimates with intervals and the level with its band, a panel for each
        value.
        """
        domain, panels = self.question.domain, []
        for course in self:
            of_shares = course.value != MEAN and domain.ball is None
            unit = PERCENT if of_shares else domain.unit or ""
            panels.append(course.panel(self.name, self.describe(), unit))
        return panels
