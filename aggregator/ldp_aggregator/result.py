"""Estimates as frozen records that print, export and plot well.

Every number comes with a standard error and an interval, and says which estimand, level and kind of interval they are
for. In a post-processed view the frequency is biased and bare; the unbiased estimate with its errors stands beside it.
"""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ldp.exact import log_upper
from ldp.survey import Question
from ldp_aggregator.moments import Floats
from ldp_aggregator.options import Options

FORMAT = 1
_COLUMNS = ("question", "value", "count", "frequency", "standard_error", "low", "high")


@dataclass(frozen=True)
class Estimate:
    """One value: `count` = reports x `frequency`; `standard_error`, `low` and `high` are of the frequency."""

    value: str
    count: float
    frequency: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class QuestionEstimates:
    """Estimates of one question: arrays of shape (M,) in the order of `values`. Iterating gives `Estimate`s."""

    question: Question
    reports: int
    options: Options
    values: tuple[str, ...]
    frequency: Floats
    """Unbiased, unless `post` names what was done to it."""
    unbiased: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    null_error: Floats
    """The standard error that the estimate of a value held by nobody would have."""
    covariance: Floats | None = None
    """(M, M), for the respondents; only where it was asked for."""
    note: str = ""

    def __iter__(self) -> Iterator[Estimate]:
        columns = (self.frequency, self.standard_error, self.low, self.high)
        for value, *numbers in zip(self.values, *(column.tolist() for column in columns), strict=True):
            yield Estimate(value, self.reports * numbers[0], *numbers)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, value: str) -> Estimate:
        return next(estimate for estimate in self if estimate.value == value)

    @property
    def name(self) -> str:
        """The question's."""
        return self.question.name

    @cached_property
    def _decimals(self) -> int:
        errors = self.standard_error[self.standard_error > 0]
        return max(4, 1 - math.floor(math.log10(errors.min()))) if len(errors) else 4

    def shown(self, frequency: float) -> str:
        """A frequency with the decimals that standard errors can bear: two digits of the smallest, 4 at least."""
        return f"{frequency:.{self._decimals}f}"

    def describe(self) -> str:
        """One line that says what the numbers are."""
        options, question = self.options, self.question
        family = f", simultaneous ({options.simultaneous})" if options.simultaneous else ""
        view = f"; frequencies post-processed by {options.post}: biased" if options.post else ""
        return (
            f"{question.mechanism}, epsilon {question.declared.text}, {self.reports:,} reports; "
            f"{options.level:.4g} {options.interval} intervals for the {options.estimand}{family}{view}"
        )

    def __repr__(self) -> str:
        show = self.shown
        lines = [
            f"  {e.value}: {show(e.frequency)} +- {show(e.standard_error)} [{show(e.low)}, {show(e.high)}]"
            for e in self
        ]
        return "\n".join([f"{self.name} ({self.describe()})", *lines, *([f"  {self.note}"] if self.note else [])])

    def _repr_html_(self) -> str:
        show = self.shown
        cells = "".join(
            f"<tr><td>{html.escape(e.value)}</td><td>{e.count:,.0f}</td><td>{show(e.frequency)}</td>"
            f"<td>{show(e.standard_error)}</td><td>[{show(e.low)}, {show(e.high)}]</td></tr>"
            for e in self
        )
        head = "".join(f"<th>{name}</th>" for name in ("value", "count", "frequency", "standard error", "interval"))
        caption = f"<b>{html.escape(self.name)}</b> {html.escape(self.describe())} {html.escape(self.note)}"
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; what is not a number (no reports yet) is None."""
        values = []
        for index, estimate in enumerate(self):
            errors = {
                "standard_error": _number(estimate.standard_error),
                "interval": [_number(estimate.low), _number(estimate.high)],
            }
            shown: dict[str, Any] = {
                "value": estimate.value,
                "count": _number(estimate.count),
                "frequency": _number(estimate.frequency),
            }
            if self.options.post is None:
                shown |= errors
            else:
                raw = _number(float(self.unbiased[index]))
                shown |= {"standard_error": None, "interval": None, "unbiased": {"frequency": raw, **errors}}
            values.append(shown)
        question, options = self.question, self.options
        return {
            "mechanism": question.mechanism,
            "epsilon": {"declared": question.declared.text, "delivered": log_upper(question.randomizer.ratio)},
            "reports": self.reports,
            "level": options.level,
            "estimand": options.estimand,
            "interval": options.interval,
            "simultaneous": options.simultaneous is not None,
            "simultaneous_method": options.simultaneous,
            "post": options.post,
            "biased": options.post is not None,
            "values": values,
            **({"note": self.note} if self.note else {}),
            **({} if self.covariance is None else {"covariance": self.covariance.tolist()}),
        }


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
        return "\n".join([f"survey {self.survey} ({self.fingerprint})", *(repr(question) for question in self)])

    def _repr_html_(self) -> str:
        return "".join(question._repr_html_() for question in self)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: the format that `ldp estimate --format json` writes."""
        survey = {"name": self.survey, "fingerprint": self.fingerprint}
        questions = {name: question.to_dict() for name, question in self.questions.items()}
        return {"format": FORMAT, "survey": survey, "questions": questions}

    def rows(self) -> Iterator[dict[str, str | float]]:
        """One flat record for each value of each question."""
        for question in self:
            for e in question:
                row = (question.name, e.value, e.count, e.frequency, e.standard_error, e.low, e.high)
                yield dict(zip(_COLUMNS, row, strict=True))

    def to_csv(self) -> str:
        """The records as CSV with a header."""
        text = io.StringIO()
        writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        return text.getvalue()

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame; needs pandas."""
        import pandas

        return pandas.DataFrame(list(self.rows()), columns=list(_COLUMNS))

    def to_polars(self) -> Any:
        """The records as a polars DataFrame; needs polars."""
        import polars

        types = [polars.String, polars.String, *[polars.Float64] * (len(_COLUMNS) - 2)]
        return polars.DataFrame(list(self.rows()), schema=dict(zip(_COLUMNS, types, strict=True)))


def _number(number: float) -> float | None:
    return number if math.isfinite(number) else None
