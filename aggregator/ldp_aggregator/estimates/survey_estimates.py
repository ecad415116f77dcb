"""Estimates of a survey, question by question, and as flat records for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_aggregator.estimates.question_estimates import MEAN, Gather, QuestionEstimates
from ldp_aggregator.rendering.bars import picture

FORMAT = 1
"""Of the records for JSON."""

_COLUMNS = ("question", "value", "count", "frequency", "standard_error", "low", "high")


@dataclass(frozen=True, eq=False)
class SurveyEstimates:
    """Estimates of a survey, by question name."""

    survey: str
    fingerprint: str
    questions: dict[str, QuestionEstimates]

    def __getitem__(self, name: str) -> QuestionEstimates:
        return self.questions[name]

    def __iter__(self) -> Iterator[QuestionEstimates]:
        return iter(self.questions.values())

    def __repr__(self) -> str:
        return "\n".join(
            [f"survey {self.survey} ({self.fingerprint})", *(repr(question) for question in self)]
        )

    def _repr_html_(self) -> str:
        return "".join(question._repr_html_() for question in self)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: the format that `ldp estimate --format json` writes."""
        return self.record(list)

    def record(self, gather: Gather) -> dict[str, Any]:
        """The same, with what `gather` makes of the values of each question."""
        survey = {"name": self.survey, "fingerprint": self.fingerprint}
        questions = {question.name: question.record(gather) for question in self}
        return {"format": FORMAT, "survey": survey, "questions": questions}

    def plot(self, form: str = "svg", truth: Mapping[str, Sequence[float]] | None = None) -> bytes:
        """A picture with a panel for each question, as the bytes of an SVG or PNG file.

        `truth` gives true frequencies by question, where known. Raises `EstimateError` if
        matplotlib is not there.
        """
        known = truth or {}
        return picture([question.bars(known.get(question.name)) for question in self], form)

    def rows(self) -> Iterator[dict[str, str | float]]:
        """One flat record for each value of each question.

        Then its mean, if any, as the frequency of `mean`.
        """
        return (dict(zip(_COLUMNS, row, strict=True)) for row in self._rows())

    def to_csv(self) -> str:
        """The records as CSV with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(self._rows())
        return text.getvalue()

    def _rows(self) -> Iterator[tuple[str | float, ...]]:
        for question in self:
            for e in question:
                yield question.name, e.value, e.count, e.frequency, e.standard_error, e.low, e.high
            if question.mean is not None:
                mean = question.mean
                yield (
                    question.name,
                    MEAN,
                    question.reports,
                    mean.estimate,
                    mean.standard_error,
                    mean.low,
                    mean.high,
                )

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame; needs pandas."""
        import pandas

        return pandas.DataFrame(list(self.rows()), columns=list(_COLUMNS))

    def to_polars(self) -> Any:
        """The records as a polars DataFrame; needs polars."""
        import polars

        types = [polars.String, polars.String, *[polars.Float64] * (len(_COLUMNS) - 2)]
        return polars.DataFrame(list(self.rows()), schema=dict(zip(_COLUMNS, types, strict=True)))
