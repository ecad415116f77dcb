"""Estimates of a question: what those of all kinds have, and how they are shown.

Each kind of answer has a room in `answers`, with a record that adds to this one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from ldp.numbers.exact import log_upper
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.answers.results.values import (
    DEVIATION,
    MEAN,
    VARIANCE,
    ByValue,
    Estimate,
)
from ldp_aggregator.output.formats.formats import Tidy
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.sheet import Bars, Sheet, TextTable, finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_aggregator.answers.lines.answers import Quantile
    from ldp_aggregator.answers.lines.line import OrderedValues
    from ldp_aggregator.answers.options import Options
    from ldp_aggregator.answers.results.cells import Cell
    from ldp_aggregator.answers.results.manipulation import Manipulation
    from ldp_aggregator.answers.results.means import Mean
    from ldp_aggregator.decoders.moments.moments import Moments
    from ldp_aggregator.numerics.arrays import Floats
    from ldp_aggregator.output.checks import Check, Remark

COLUMNS = ("question", "value", "count", "frequency", "standard_error", "low", "high")
"""Of flat records."""

BOOLEAN = "boolean"
COLUMNS_OF_FOUND = ("p_value", "q_value", "found_low", "found_high")
"""Of flat records besides, where it was asked which values are there."""

ALL_OF_THEM = (
    "All of them: `for estimate in estimates`; those of a survey: `rows()`, "
    "`to_csv()`, `to_dict()`."
)
"""Where the values are that are not shown."""

MOST_SINGLE = 60
"""Numbers that are drawn one by one; of more, ranges of them."""

Gather = Callable[[Iterator[dict[str, Any]]], Any]
"""What becomes of records that come one by one: a list, or what writes them."""


class Further(NamedTuple):
    """A number that stands below those of the values."""

    name: str
    cells: tuple[str, ...]
    """The row of a table, without its name."""
    numbers: tuple[float, ...]
    """Count, estimate, standard error and both ends."""
    label: str = ""
    """Its name in tables, if that is another."""


@dataclass(frozen=True)
class OfValue:
    """What a kind knows of a value beside its share."""

    cells: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()
    """In the columns of flat records."""
    further: tuple[Further, ...] = ()
    """In flat records of their own."""
    record: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class QuestionEstimates(ByValue, Tidy):
    """Estimates of one question: arrays of shape (M,) in the order of `values`.

    Iterating gives `Estimate`s; indexing by a value, its `Estimate`.

    `estimate` has an example.
    """

    is_shape: ClassVar[bool] = False
    """Whether its frequencies are a biased shape, without errors, intervals or tests.
    """

    is_vector: ClassVar[bool] = False
    """Whether its values are coordinates, and its frequencies their means."""

    reports: int
    options: Options
    note: str = ""
    mean: Mean | None = None
    """Of a question whose values are numbers a step apart, unbiased whatever the view
    is.

    Its interval is its own, never simultaneous. What is done with numbers outside is
    part of what it is the mean of.
    """
    law: Moments | None = None
    """How the unbiased frequencies err at any true ones: for intervals at other levels,
    and for comparisons. None where there are no frequencies.
    """
    checks: tuple[Check, ...] = ()
    """What the estimator found out about the reports; see `health` for more."""
    manipulation: Manipulation | None = None
    """How far forged reports can move what is unbiased here; None without reports."""
    remarks: tuple[Remark, ...] = ()
    """What to know before believing these numbers, if anything."""

    def only(self, places: NDArray[np.int64]) -> Self:
        """The values at these places, in their order."""
        law = None
        if self.law is not None:
            law = _law_of(self.law, places)
        return replace(super().only(places), law=law)

    @property
    def variance(self) -> Mean | None:
        """Variance of the answers, for the estimand of the mean; None where no report
        tells it.
        """
        if self.mean is None:
            return None
        return self.mean.variance

    @property
    def numbers(self) -> tuple[tuple[str, Mean], ...]:
        """The mean, the variance and its root, by name, as far as there are any."""
        root = None
        if self.variance is not None:
            root = self.variance.root
        named = ((MEAN, self.mean), (VARIANCE, self.variance), (DEVIATION, root))
        return tuple((name, number) for name, number in named if number is not None)

    @property
    def sentences(self) -> list[str]:
        """Notes in words: note, remarks, the power of forgers, and failed checks."""
        choice = ""
        if self.left_out:
            choice = (
                f"shown: the {len(self):,} highest of {len(self) + self.left_out:,} "
                "estimates, which for having been chosen as such are too high on "
                "average"
            )
        bound = ""
        if self.manipulation is not None:
            bound = str(self.manipulation)
        notes = (choice, self.note, *map(str, self.remarks), bound)
        return [
            *filter(None, notes),
            *(str(check) for check in self.checks if check.suspicious),
        ]

    def describe(self) -> str:
        """One line that says what the numbers are."""
        options, question = self.options, self.question
        family = ""
        if options.simultaneous:
            family = f", simultaneous ({options.simultaneous})"
        view = ""
        if options.post_process:
            view = f"; frequencies post-processed by {options.post_process}: biased"
        view += ", without intervals" if self.is_shape else ""
        unit = ""
        if question.domain.unit:
            unit = f"; in {question.domain.unit}"
        return (
            f"{question.mechanism}, epsilon {question.declared.text}, {self.reports:,} "
            f"reports; {options.level:.4g} {options.interval} intervals for "
            f"{WHOM[options.estimand]}{family}{view}{unit}"
        )

    @property
    def headings(self) -> tuple[str, ...]:
        """The names of the cells of a row."""
        level = f"{self.options.level:.4g} interval"
        post_process = self.options.post_process
        if post_process is None:
            return "value", "count", "frequency", "standard error", level
        if self.is_shape:
            return (
                "value",
                "count",
                f"frequency ({post_process}, biased)",
                "standard error",
                level,
            )
        frequency, error = f"frequency ({post_process})", "unbiased standard error"
        return "value", "count", frequency, error, f"unbiased {level}"

    def of_value(self, place: int) -> OfValue:  # noqa: ARG002
        """Return what this kind of answer knows of a value beside its share."""
        return OfValue()

    def listed(self) -> list[Estimate]:
        """The estimates that tables list: of all values, Yes before No."""
        return list(self)[:: -1 if self.question.domain.type == BOOLEAN else 1]

    def further(self) -> Iterator[Further]:
        """The rows below those of the values: mean, variance and its root, if any."""
        for name, number in self.numbers:
            errors = (number.standard_error, number.low, number.high)
            numbers = (self.reports, number.estimate, *errors)
            yield Further(name, ("", *number.cells), numbers)

    def asked_record(self) -> dict[str, Any]:
        """For JSON: how the values were chosen, or tested."""
        if self.left_out:
            return {"left_out": self.left_out}
        return {}

    def own_record(self) -> dict[str, Any]:
        """For JSON: what only this kind of answer has."""
        return {}

    @property
    def line(self) -> OrderedValues | None:
        """The line of the values; None for a circle, and for the highest of them
        alone.
        """
        domain = self.question.domain
        if domain.scale is None and domain.numbers is None:
            return None
        from ldp_aggregator.answers.lines.line import line_of

        line = line_of(domain)
        if line is None or line.circular or self.left_out:
            return None
        return line

    def cells(self) -> tuple[Cell, ...]:
        """The cells of a histogram, in their order; none where values are no numbers on
        a line.
        """
        line = self.line
        if line is None or not self.reports or line.size > MOST_SINGLE:
            return ()
        from ldp_aggregator.answers.results.cells import cells_of

        return cells_of(self, line, [(place, place + 1) for place in range(line.size)])

    def marked_quantiles(self) -> Sequence[Quantile]:
        """The quantiles that stand below a histogram, if any."""
        return ()

    @property
    def title(self) -> str:
        """The text of the question, or its name."""
        return self.question.text or self.name

    def bars(self, truth: Sequence[float] | None = None) -> Bars:
        """The estimates as a panel of a picture; `truth` gives true frequencies, where
        known.

        Numbers in their order are a histogram.
        """
        cells, about = self.cells(), self.describe()
        if cells:
            from ldp_aggregator.answers.results.cells import columns_of, histogram_of

            unit = self.question.domain.unit or ""
            columns = columns_of(cells, self.mean, self.marked_quantiles(), unit=unit)
            return histogram_of(cells, columns, self.title, about=about, truth=truth)
        # Noise takes estimates beyond all shares: the nearest possible one, as
        # intervals are.
        lengths = np.clip(self.frequency, 0, 1)
        bars = Bars(
            self.title,
            about,
            tuple(map(self.label, self.values)),
            lengths=lengths,
            low=self.low,
            high=self.high,
            truth=truth,
            unit=PERCENT,
        )
        if self.question.domain.type != BOOLEAN:
            return bars
        # Yes stands before No.
        return bars._replace(
            labels=bars.labels[::-1],
            lengths=lengths[::-1],
            low=self.low[::-1],
            high=self.high[::-1],
            truth=None if truth is None else truth[::-1],
        )

    def label(self, value: str) -> str:
        """Return what people call a value."""
        return self.question.domain.label(value)

    def __dir__(self) -> list[str]:
        """Return what people look for and this kind has; all its other names can be
        used, too.
        """
        names = (
            *(
                "values",
                "frequency",
                "standard_error",
                "low",
                "high",
                "reports",
                "mean",
            ),
            *(
                "distribution",
                "quantiles",
                "share",
                "ratio",
                "top",
                "nodes",
                "map",
                "describe",
            ),
            *("plot", "to_dict", "to_pandas", "to_polars"),
        )
        return [
            name for name in names if hasattr(type(self), name) or name in vars(self)
        ]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise `AttributeError` for what only other kinds of answers have."""
            if name.startswith("_") or "question" not in vars(self):
                raise AttributeError(name)
            raise AttributeError(
                f"question {self.name!r}, answered by {self.question.mechanism}, has "
                f"no {name!r}; it has {', '.join(dir(self))}"
            )

    def panels(self, truth: Sequence[float] | None = None) -> list[Bars]:
        """The panel of its picture."""
        return [self.bars(truth)]

    def sheet(self, *, in_full: bool = True) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        return Sheet(
            self.name,
            tables=lambda: [text_table(self, in_full=in_full)],
            record=lambda: record_of(self, iter),
            columns=flat_columns((self,)),
            rows=lambda: flat_rows(self),
            bars=self.panels,
            warnings=list(map(str, self.remarks)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; what is not a number (no reports yet) is None."""
        return record_of(self, list)


class OfSomeKind(QuestionEstimates):
    """Of the kind that the question has: what only some kinds have may be asked of
    it.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def text_table(
    estimates: QuestionEstimates, *, in_full: bool = True, elsewhere: str = ALL_OF_THEM
) -> TextTable:
    """Headings and rows as text, as every output shows them.

    Unless it is to be in full, of more than `MOST_ROWS` values only the top, and
    `elsewhere`, which says where all are.
    """
    shown = estimates if in_full else estimates.brief
    rows = []
    for place, estimate in enumerate(shown.listed()):
        of_value = shown.of_value(place).cells if place < len(shown) else ()
        rows.append((*shown.row(estimate), *of_value))
    rows += [
        (further.label or further.name, *further.cells)
        for further in estimates.further()
    ]
    headings = shown.headings
    rows = [(*row, *("",) * (len(headings) - len(row))) for row in rows]
    remarks = shown.sentences if shown is estimates else [*shown.sentences, elsewhere]
    return TextTable(
        estimates.name, estimates.describe(), headings, rows=rows, remarks=remarks
    )


def flat_columns(questions: Sequence[QuestionEstimates]) -> tuple[str, ...]:
    """The names of what a flat record holds, of one question or several."""
    tested = any("correction" in question.asked_record() for question in questions)
    if tested:
        return (*COLUMNS, *COLUMNS_OF_FOUND)
    return COLUMNS


def flat_rows(
    estimates: QuestionEstimates, size: int | None = None
) -> Iterator[tuple[str | float, ...]]:
    """One flat record for each value, and for each further number, in the order of the
    columns.

    NaN stands where there is no number: a quantile has an interval, and no standard
    error. Rows are of a given size, if another question has more columns.
    """
    if size is None:
        size = len(flat_columns((estimates,)))
    for row in _flat_rows(estimates):
        yield *row, *(math.nan,) * (size - len(row))


def _flat_rows(estimates: QuestionEstimates) -> Iterator[tuple[str | float, ...]]:
    for place, e in enumerate(estimates):
        of_value = estimates.of_value(place)
        numbers = (e.count, e.frequency, e.standard_error, e.low, e.high)
        yield estimates.name, e.value, *numbers, *of_value.numbers
        for of_key in of_value.further:
            yield estimates.name, of_key.name, *of_key.numbers
    for further in estimates.further():
        yield estimates.name, further.name, *further.numbers


def record_of(estimates: QuestionEstimates, gather: Gather) -> dict[str, Any]:
    """A record for JSON, with what `gather` makes of the values: there may be a
    million.
    """
    question, options = estimates.question, estimates.options
    delivered = None
    if question.declared.is_finite:
        delivered = log_upper(question.randomizer.ratio)
    own = estimates.own_record()
    covariance = own.pop("covariance", None)
    record = {
        "mechanism": question.mechanism,
        "epsilon": {"declared": question.declared.text, "delivered": delivered},
        "reports": estimates.reports,
        **({"unit": question.domain.unit} if question.domain.unit else {}),
        "level": options.level,
        "estimand": options.estimand,
        "interval": options.interval,
        "simultaneous": options.simultaneous is not None,
        "simultaneous_method": options.simultaneous,
        "post_process": options.post_process,
        "biased": options.post_process is not None,
        "values": gather(_value_records(estimates)),
        **estimates.asked_record(),
        **({"respondents": estimates.respondents} if options.repeats > 1 else {}),
        **{
            name.replace(" ", "_"): number.to_dict()
            for name, number in estimates.numbers
        },
        **own,
    }
    if estimates.manipulation is not None:
        record["manipulation"] = estimates.manipulation.to_dict()
    if estimates.checks:
        record["checks"] = [check._asdict() for check in estimates.checks]
    if estimates.note:
        record["note"] = estimates.note
    if estimates.remarks:
        record["remarks"] = [remark._asdict() for remark in estimates.remarks]
    if covariance is not None:
        record["covariance"] = covariance
    return record


def _value_records(estimates: QuestionEstimates) -> Iterator[dict[str, Any]]:
    for place, estimate in enumerate(estimates):
        record: dict[str, Any] = {"value": estimate.value, **share_record(estimate)}
        errors = error_record(estimate)
        if estimates.options.post_process is None:
            record |= errors
        else:
            record |= {"standard_error": None, "interval": None}
            if not estimates.is_shape:
                raw = finite(float(estimates.unbiased[place]))
                record["unbiased"] = {"frequency": raw, **errors}
        yield record | estimates.of_value(place).record


def share_record(estimate: Estimate) -> dict[str, Any]:
    """For JSON: the count and the frequency of an estimate."""
    return {"count": finite(estimate.count), "frequency": finite(estimate.frequency)}


def error_record(estimate: Estimate) -> dict[str, Any]:
    """For JSON: the standard error and the interval of an estimate."""
    ends = [finite(estimate.low), finite(estimate.high)]
    return {"standard_error": finite(estimate.standard_error), "interval": ends}


def _law_of(law: Moments, places: NDArray[np.int64]) -> Moments:
    """Law of some values, with what their covariance is among themselves."""

    def covariance() -> Floats:
        return law.covariance()[np.ix_(places, places)]

    return replace(law.of_values(places), covariance=covariance)
