"""Estimates of a question as a frozen record that prints, exports and plots well.

Every number comes with a standard error and an interval, and says which estimand, level and kind of
interval they are for. In a post-processed view the frequency is biased and bare; the unbiased
estimate with its errors stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldp.errors import UnknownNameError
from ldp.exact import log_upper
from ldp.survey import Question
from ldp_aggregator.arrays import Floats
from ldp_aggregator.checks import Check, Remark
from ldp_aggregator.estimates.manipulation import Manipulation
from ldp_aggregator.estimates.means import Mean
from ldp_aggregator.options import Options
from ldp_aggregator.rendering.bars import figure, picture
from ldp_aggregator.rendering.columns import aligned
from ldp_aggregator.rendering.frames import pandas_frame, polars_frame
from ldp_aggregator.rendering.html_page import captioned
from ldp_aggregator.rendering.sheet import Bars, Cells

MOST_ROWS = 100
"""Values that tables, notebooks and `repr` show of a question unless they are asked for more."""

COLUMNS = ("question", "value", "count", "frequency", "standard_error", "low", "high")
"""Of flat records."""

MEAN = "mean"
"""Where a value would stand, in rows of an integer question, whose values are numbers."""

UNALLOCATED = "(no candidate)"
"""Where a value would stand, for all texts that are no candidates together."""

ALL_OF_THEM = "All of them: `for estimate in estimates`; those of a survey: `rows()`, `to_csv()`, `to_dict()`."
"""Where the values are that are not shown."""

Gather = Callable[[Iterator[dict[str, Any]]], Any]
"""What becomes of records that come one by one: a list, or what writes them."""


@dataclass(frozen=True)
class Estimate:
    """One value: `count` = respondents x `frequency`.

    `standard_error`, `low` and `high` are of the frequency.
    """

    value: str
    count: float
    frequency: float
    standard_error: float
    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval, of the level that was asked for."""
        return self.low, self.high


@dataclass(frozen=True, eq=False)
class QuestionEstimates:
    """Estimates of one question: arrays of shape (M,) in the order of `values`.

    Iterating gives `Estimate`s.
    """

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
    chances: Floats
    """The chance that the estimate of a value held by nobody would be as high as this."""
    covariance: Floats | None = None
    """(M, M), for the respondents; only where it was asked for."""
    note: str = ""
    mean: Mean | None = None
    """Of a question of type integer, unbiased whatever `post` is.

    Its interval is its own, never simultaneous.
    """
    respondents: int = 0
    """Whom `reports` come from: as many, unless the options say that each sent several."""
    unallocated: Estimate | None = None
    """Of an open question: those whose text is no candidate.

    Unbiased, and its interval is its own.
    """
    checks: tuple[Check, ...] = ()
    """What the estimator found out about the reports; see `health` for more."""
    manipulation: Manipulation | None = None
    """How far forged reports can move what is unbiased here; None without reports."""
    left_out: int = 0
    """How many further values the question has, all of lower estimates, if only the highest were
    asked for.
    """
    remarks: tuple[Remark, ...] = ()
    """What to know before believing these numbers, if anything."""

    def __iter__(self) -> Iterator[Estimate]:
        columns = (self.frequency, self.standard_error, self.low, self.high)
        for value, *numbers in zip(
            self.values, *(column.tolist() for column in columns), strict=True
        ):
            yield Estimate(value, self.respondents * numbers[0], *numbers)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, value: str) -> Estimate:
        place = self._places.get(value)
        if place is None:
            what = f"one of the values of question {self.name!r}"
            raise UnknownNameError(value, self.values, what)
        columns = (self.frequency, self.standard_error, self.low, self.high)
        frequency, *errors = (float(column[place]) for column in columns)
        return Estimate(value, self.respondents * frequency, frequency, *errors)

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each value, made when one is first asked for."""
        return {value: place for place, value in enumerate(self.values)}

    def top(self, most: int) -> QuestionEstimates:
        """The values with the highest estimates, the highest first.

        Intervals stay those of the whole question.
        """
        found = self.only(np.argsort(-self.frequency, kind="stable")[:most])
        return replace(found, left_out=self.left_out + len(self) - len(found))

    def only(self, places: NDArray[np.int64]) -> QuestionEstimates:
        """The values at these places, in their order."""
        columns = (
            "frequency",
            "unbiased",
            "standard_error",
            "low",
            "high",
            "null_error",
            "chances",
        )
        return replace(
            self,
            values=tuple(self.values[place] for place in places.tolist()),
            covariance=None if self.covariance is None else self.covariance[np.ix_(places, places)],
            **{column: getattr(self, column)[places] for column in columns},
        )

    @property
    def brief(self) -> QuestionEstimates:
        """All values in their order, but of more than `MOST_ROWS` only the top."""
        return self if len(self) <= MOST_ROWS else self.top(MOST_ROWS)

    @property
    def everything(self) -> list[Estimate]:
        """The estimates of all values, and of what is unallocated."""
        return [*self, *([] if self.unallocated is None else [self.unallocated])]

    @property
    def sentences(self) -> list[str]:
        """What to know, in words: the note, the remarks, what forged reports could do, and the
        checks that failed.
        """
        bound = "" if self.manipulation is None else str(self.manipulation)
        said = (self._choice, self.note, *map(str, self.remarks), bound)
        return [*filter(None, said), *(str(check) for check in self.checks if check.suspicious)]

    @property
    def _choice(self) -> str:
        """What was left out, and what choosing by estimates does to those that were chosen."""
        if not self.left_out:
            return ""
        return (
            f"shown: the {len(self):,} highest of {len(self) + self.left_out:,} estimates, "
            "which for having been chosen as such are too high on average"
        )

    @property
    def name(self) -> str:
        """The question's."""
        return self.question.name

    @cached_property
    def _decimals(self) -> int:
        errors = self.standard_error[self.standard_error > 0]
        return max(4, 1 - math.floor(math.log10(errors.min()))) if len(errors) else 4

    def shown(self, frequency: float) -> str:
        """A frequency with the decimals that standard errors can bear: two digits of the smallest,
        4 at least.
        """
        return f"{frequency:.{self._decimals}f}"

    def describe(self) -> str:
        """One line that says what the numbers are."""
        options, question = self.options, self.question
        family = f", simultaneous ({options.simultaneous})" if options.simultaneous else ""
        view = f"; frequencies post-processed by {options.post}: biased" if options.post else ""
        return (
            f"{question.mechanism}, epsilon {question.declared.text}, {self.reports:,} reports; "
            f"{options.level:.4g} {options.interval} intervals for the "
            f"{options.estimand}{family}{view}"
        )

    def cells(self, *, in_full: bool = True, elsewhere: str = ALL_OF_THEM) -> Cells:
        """Headings and rows as text, as every output shows them.

        Unless it is to be in full, of more than `MOST_ROWS` values only the top, and `elsewhere`,
        which says where all are.
        """
        shown = self if in_full else self.brief
        rows = [shown.row(estimate) for estimate in shown.everything]
        if self.mean is not None:
            rows.append((MEAN, "", *self.mean.cells))
        remarks = shown.sentences if shown is self else [*shown.sentences, elsewhere]
        return Cells(self.name, self.describe(), self.headings, rows, remarks)

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the cells of a row."""
        level, post = f"{self.options.level:.4g} interval", self.options.post
        if post is None:
            return "value", "count", "frequency", "standard error", level
        return (
            "value",
            "count",
            f"frequency ({post})",
            "unbiased standard error",
            f"unbiased {level}",
        )

    def row(self, estimate: Estimate) -> tuple[str, ...]:
        """An estimate as text."""
        show = self.shown
        return (
            estimate.value,
            f"{estimate.count:,.0f}",
            show(estimate.frequency),
            show(estimate.standard_error),
            f"[{show(estimate.low)}, {show(estimate.high)}]",
        )

    def __repr__(self) -> str:
        return aligned(self.cells(in_full=False)).rstrip("\n")

    def _repr_html_(self) -> str:
        return captioned(self.cells(in_full=False))

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The estimates as a panel of a picture; `truth` gives true frequencies, where known."""
        return Bars(
            self.name,
            self.describe(),
            self.values,
            self.frequency,
            low=self.low,
            high=self.high,
            truth=truth,
        )

    def plot(self, truth: Sequence[float] | None = None) -> Any:
        """A matplotlib figure with a bar for each value and its interval; `truth`, (M,), as marks.

        Of more than 40 values it shows the 40 most frequent. Raises `EstimateError` if matplotlib
        is not there.
        """
        return figure([self.bars(truth)])

    def picture(self, form: str = "svg", truth: Sequence[float] | None = None) -> bytes:
        """The same as the bytes of an SVG or PNG file."""
        return picture([self.bars(truth)], form)

    def rows(self) -> Iterator[dict[str, str | float]]:
        """One flat record for each value, then for the mean, if any, as the frequency of `mean`."""
        return (dict(zip(COLUMNS, row, strict=True)) for row in self.flat())

    def flat(self) -> Iterator[tuple[str | float, ...]]:
        """The same as tuples, in the order of `COLUMNS`."""
        for e in self:
            yield self.name, e.value, e.count, e.frequency, e.standard_error, e.low, e.high
        if self.mean is not None:
            mean = self.mean
            errors = (mean.standard_error, mean.low, mean.high)
            yield self.name, MEAN, self.reports, mean.estimate, *errors

    def to_pandas(self) -> Any:
        """The records as a pandas DataFrame; needs pandas."""
        return pandas_frame(COLUMNS, self.flat())

    def to_polars(self) -> Any:
        """The records as a polars DataFrame; needs polars."""
        return polars_frame(COLUMNS, self.flat())

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; what is not a number (no reports yet) is None."""
        return self.record(list)

    def record(self, gather: Gather) -> dict[str, Any]:
        """The same, with what `gather` makes of the values, of which there may be a million."""
        question, options = self.question, self.options
        return {
            "mechanism": question.mechanism,
            "epsilon": {
                "declared": question.declared.text,
                "delivered": log_upper(question.randomizer.ratio),
            },
            "reports": self.reports,
            "level": options.level,
            "estimand": options.estimand,
            "interval": options.interval,
            "simultaneous": options.simultaneous is not None,
            "simultaneous_method": options.simultaneous,
            "post": options.post,
            "biased": options.post is not None,
            "values": gather(self._value_records()),
            **({"left_out": self.left_out} if self.left_out else {}),
            **({"respondents": self.respondents} if options.reports_each > 1 else {}),
            **({} if self.mean is None else {"mean": self.mean.to_dict()}),
            **({"unallocated": _share(rest) | _errors(rest)} if (rest := self.unallocated) else {}),
            **({} if self.manipulation is None else {"manipulation": self.manipulation.to_dict()}),
            **({"checks": [check._asdict() for check in self.checks]} if self.checks else {}),
            **({"note": self.note} if self.note else {}),
            **({"remarks": [remark._asdict() for remark in self.remarks]} if self.remarks else {}),
            **({} if self.covariance is None else {"covariance": self.covariance.tolist()}),
        }

    def _value_records(self) -> Iterator[dict[str, Any]]:
        for index, estimate in enumerate(self):
            errors = _errors(estimate)
            shown: dict[str, Any] = {"value": estimate.value, **_share(estimate)}
            if self.options.post is None:
                shown |= errors
            else:
                raw = _number(float(self.unbiased[index]))
                shown |= {
                    "standard_error": None,
                    "interval": None,
                    "unbiased": {"frequency": raw, **errors},
                }
            yield shown


def _share(estimate: Estimate) -> dict[str, Any]:
    return {"count": _number(estimate.count), "frequency": _number(estimate.frequency)}


def _errors(estimate: Estimate) -> dict[str, Any]:
    ends = [_number(estimate.low), _number(estimate.high)]
    return {"standard_error": _number(estimate.standard_error), "interval": ends}


def _number(number: float) -> float | None:
    return number if math.isfinite(number) else None
