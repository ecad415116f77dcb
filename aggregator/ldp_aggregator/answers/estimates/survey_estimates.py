"""Estimates of a survey, question by question, and as flat records for other
programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ldp import __version__
from ldp.errors import UnknownNameError
from ldp_aggregator.answers.results.question_estimates import (
    ALL_OF_THEM,
    Gather,
    OfSomeKind,
    QuestionEstimates,
    flat_columns,
    flat_rows,
    record_of,
    text_table,
)
from ldp_aggregator.output.formats.formats import Tidy
from ldp_aggregator.output.sheet import Bars, Sheet

FORMAT = 1
"""Of the records for JSON."""


@dataclass(frozen=True, eq=False)
class SurveyEstimates(Tidy):
    """Estimates of a survey, by question name.

    `estimate` has an example.
    """

    survey: str
    fingerprint: str
    questions: dict[str, QuestionEstimates]

    def __getitem__(self, name: str) -> OfSomeKind:
        if name not in self.questions:
            raise UnknownNameError(
                name, self.questions, "one of the questions estimated"
            )
        return cast(OfSomeKind, self.questions[name])

    def __iter__(self) -> Iterator[QuestionEstimates]:
        return iter(self.questions.values())

    def sheet(self, *, in_full: bool = True, elsewhere: str = ALL_OF_THEM) -> Sheet:
        """All that is shown, in the shapes that formats ask for
        (`ldp_aggregator.output.sheet`).

        Unless it is to be in full, tables of more than `MOST_ROWS` values show the top,
        and `elsewhere`, which says where all are.
        """
        return Sheet(
            f"{self.survey}: estimates",
            tables=lambda: [
                text_table(question, in_full=in_full, elsewhere=elsewhere)
                for question in self
            ],
            record=lambda: self.record(iter),
            columns=flat_columns([*self]),
            rows=self._rows,
            bars=self.panels,
            warnings=[
                f"question {question.name!r}: {remark}"
                for question in self
                for remark in question.remarks
            ],
        )

    def __repr__(self) -> str:
        tables = super().__repr__()
        return "\n\n".join(
            filter(None, (f"survey {self.survey} ({self.fingerprint})", tables))
        )

    def _repr_html_(self) -> str:
        """Their picture, and tables."""
        tables = super()._repr_html_()
        if not self.questions:
            return tables
        from ldp_aggregator.output.formats.html_page import image

        return (
            image(self.picture("svg"), f"{self.survey}: estimates with ranges") + tables
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: the format that `ldp estimate --format json` writes."""
        return self.record(list)

    def record(self, gather: Gather) -> dict[str, Any]:
        """The same, with what `gather` makes of the values of each question."""
        survey = {"name": self.survey, "fingerprint": self.fingerprint}
        questions = {question.name: record_of(question, gather) for question in self}
        return {
            "format": FORMAT,
            "version": __version__,
            "survey": survey,
            "questions": questions,
        }

    def panels(self, truth: Mapping[str, Sequence[float]] | None = None) -> list[Bars]:
        """The panels of its picture; `truth` gives true frequencies by question, where
        known.
        """
        known = truth or {}
        return [question.bars(known.get(question.name)) for question in self]

    def _rows(self) -> Iterator[tuple[str | float, ...]]:
        size = len(flat_columns([*self]))
        return (row for question in self for row in flat_rows(question, size))
