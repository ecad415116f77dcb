"""Estimates of a survey, question by question, and as flat records for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp import __version__
from ldp.errors import UnknownNameError
from ldp_aggregator.answers.estimates.question_estimates import (
    ALL_OF_THEM,
    COLUMNS,
    COLUMNS_OF_FOUND,
    Gather,
    QuestionEstimates,
)
from ldp_aggregator.output.formats.formats import Rendered
from ldp_aggregator.output.sheet import Bars, Sheet

FORMAT = 1
"""Of the records for JSON."""


@dataclass(frozen=True, eq=False)
class SurveyEstimates(Rendered):
    """Estimates of a survey, by question name.

    `estimate` has an example.
    """

    survey: str
    fingerprint: str
    questions: dict[str, QuestionEstimates]

    def __getitem__(self, name: str) -> QuestionEstimates:
        if name not in self.questions:
            raise UnknownNameError(name, self.questions, "one of the questions estimated")
        return self.questions[name]

    def __iter__(self) -> Iterator[QuestionEstimates]:
        return iter(self.questions.values())

    def sheet(self, *, in_full: bool = True, elsewhere: str = ALL_OF_THEM) -> Sheet:
        """All that is shown, in the shapes that formats ask for (`ldp_aggregator.output.sheet`).

        Unless it is to be in full, tables of more than `MOST_ROWS` values show the top, and
        `elsewhere`, which says where all are.
        """
        return Sheet(
            f"{self.survey}: estimates",
            tables=lambda: [
                question.text_table(in_full=in_full, elsewhere=elsewhere) for question in self
            ],
            record=lambda: self.record(iter),
            columns=self.columns,
            rows=self._rows,
            bars=lambda: [question.bars() for question in self],
            warnings=[
                f"question {question.name!r}: {remark}"
                for question in self
                for remark in question.remarks
            ],
        )

    def __repr__(self) -> str:
        return "\n\n".join(
            [f"survey {self.survey} ({self.fingerprint})", *(repr(question) for question in self)]
        )

    def _repr_html_(self) -> str:
        """Their picture, and tables."""
        tables = "".join(question._repr_html_() for question in self)
        if not self.questions:
            return tables
        from ldp_aggregator.output.formats.html_page import image

        return image(self.picture("svg"), f"{self.survey}: estimates with ranges") + tables

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: the format that `ldp estimate --format json` writes."""
        return self.record(list)

    def record(self, gather: Gather) -> dict[str, Any]:
        """The same, with what `gather` makes of the values of each question."""
        survey = {"name": self.survey, "fingerprint": self.fingerprint}
        questions = {question.name: question.record(gather) for question in self}
        return {
            "format": FORMAT,
            "version": __version__,
            "survey": survey,
            "questions": questions,
        }

    def plot(self, truth: Mapping[str, Sequence[float]] | None = None) -> Any:
        """A matplotlib figure with a panel for each question.

        `truth` gives true frequencies by question, where known. Raises `EstimateError` if
        matplotlib is not there.
        """
        from ldp_aggregator.output.pictures.picture import figure

        return figure(self._panels(truth))

    def picture(
        self, form: str = "svg", truth: Mapping[str, Sequence[float]] | None = None
    ) -> bytes:
        """Return the picture as the bytes of an SVG or PNG file."""
        from ldp_aggregator.output.pictures.picture import picture

        return picture(self._panels(truth), form)

    def _panels(self, truth: Mapping[str, Sequence[float]] | None) -> list[Bars]:
        known = truth or {}
        return [question.bars(known.get(question.name)) for question in self]

    def rows(self) -> Iterator[dict[str, str | float]]:
        """One flat record for each value of each question.

        Then its mean, if any, as the frequency of `mean`.
        """
        return (dict(zip(self.columns, row, strict=True)) for row in self._rows())

    def to_csv(self) -> str:
        """The records as CSV with a header."""
        return str(self.rendered("csv"))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what a flat record holds."""
        any_found = any(question.found is not None for question in self)
        return (*COLUMNS, *COLUMNS_OF_FOUND) if any_found else COLUMNS

    def _rows(self) -> Iterator[tuple[str | float, ...]]:
        size = len(self.columns)
        for question in self:
            yield from question.flat(size)

    def to_frame(self, kind: str = "pandas") -> Any:
        """The records as a tidy frame of pandas, polars or arrow, a row for each number.

        Raises `EstimateError` for another kind, and where its library is not installed.
        """
        from ldp_aggregator.output.frames import frame

        return frame(kind, self.columns, self._rows())

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame; needs pandas."""
        return self.to_frame("pandas")

    def to_polars(self) -> Any:
        """The records as a polars DataFrame; needs polars."""
        return self.to_frame("polars")
