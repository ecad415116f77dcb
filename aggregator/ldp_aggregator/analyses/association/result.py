"""Associations as a frozen record that prints and exports: a row for each combination
of values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from ldp.survey.survey import Question
from ldp_aggregator.answers.options import WHOM, Options
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.sheet import Sheet, TextTable

FORMAT = 1
_COLUMNS = (
    "frequency",
    "standard_error",
    "low",
    "high",
    "conditional",
    "conditional_low",
    "conditional_high",
)
_TOO_FEW = (
    "too few reports to test for independence: some value's reports have not varied yet"
)


def _verdict(test: ChiSquare, level: float) -> str:
    """Describe the test, its result, and the limits of that."""
    degrees = f"{test.freedom:,} degree{'' if test.freedom == 1 else 's'} of freedom"
    numbers = (
        f"chi-square {test.statistic:,.2f} with {degrees}, p-value {test.p_value:.3g}"
    )
    if test.p_value <= 1 - level:
        finding = f"rejected at level {1 - level:.4g}: the answers go together"
    else:
        finding = f"not rejected at level {1 - level:.4g}, which does not prove it"
    return f"test of independence: {finding} ({numbers})"


@dataclass(frozen=True, eq=False, repr=False)
class Association(Tabled):
    """Arrays have one axis for each question, in the order of its values.

    `associate` has an example.
    """

    questions: tuple[Question, ...]
    values: tuple[tuple[str, ...], ...]
    reports: int
    options: Options
    frequency: Floats
    """The unbiased shares of respondents who hold all the values; may be below 0."""
    standard_error: Floats
    low: Floats
    high: Floats
    conditional: tuple[Floats, Floats, Floats]
    """(share, low, high) of the last question's value among those who hold the values
    of the others; the share is NaN where these are not told from nobody.
    """
    independence: ChiSquare | None
    """The test of all questions being independent of each other; None with too few
    reports.
    """
    likely: Floats | None = None
    """The most likely frequencies, if asked for: biased."""
    covariance: Floats | None = None
    """(cells, cells), for the respondents and the cells in the order of rows, if asked
    for.
    """
    remarks: tuple[Remark, ...] = ()
    """What to know before believing these numbers, if anything."""

    @property
    def names(self) -> tuple[str, ...]:
        """The questions'."""
        return tuple(question.name for question in self.questions)

    @property
    def title(self) -> str:
        """The questions that go together, or do not."""
        return " x ".join(self.names)

    def describe(self) -> str:
        """Describe the numbers and the result of the test."""
        options, test = self.options, self.independence
        family = ""
        if options.simultaneous:
            family = f", simultaneous ({options.simultaneous})"
        verdict = _TOO_FEW
        if test is not None:
            verdict = _verdict(test, options.level)
        return (
            f"{self.reports:,} reports; {options.level:.4g} score intervals for "
            f"{WHOM[options.estimand]}{family}; {verdict}"
        )

    def text_table(self) -> TextTable:
        """Headings and rows as text, as every output shows them."""
        level = f"{self.options.level:.4g} interval"
        others, last = " and ".join(self.names[:-1]), self.names[-1]
        share = f"share of {last} given {others}"
        headings = [*self.names, "frequency", "standard error", level, share, level]
        if self.likely is not None:
            headings.append("most likely (biased)")
        rows = [self._row(record) for record in self.rows()]
        return TextTable(
            self.title,
            self.describe(),
            headings,
            rows=rows,
            remarks=[*map(str, self.remarks)],
        )

    def _row(self, record: dict[str, Any]) -> list[str]:
        """A combination of values as text."""
        conditional = record["conditional"]
        row = [
            *record["values"],
            self._format(record["frequency"]),
            self._format(record["standard_error"]),
            self._interval(record["interval"]),
            "-" if conditional["share"] is None else self._format(conditional["share"]),
            self._interval(conditional["interval"]),
        ]
        if self.likely is None:
            return row
        return [*row, self._format(record["most_likely"])]

    @cached_property
    def _decimals(self) -> int:
        errors = self.standard_error[self.standard_error > 0]
        if len(errors):
            return max(4, 1 - math.floor(math.log10(errors.min())))
        return 4

    def _format(self, number: float) -> str:
        return f"{number:.{self._decimals}f}"

    def _interval(self, ends: Sequence[float]) -> str:
        return f"[{self._format(ends[0])}, {self._format(ends[1])}]"

    def sheet(self) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        likely = []
        if self.likely is not None:
            likely = ["most_likely"]
        return Sheet(
            f"{self.title}: association",
            tables=lambda: [self.text_table()],
            record=lambda: self._record(self.rows()),
            columns=[*self.names, *_COLUMNS, *likely],
            rows=self._flat_rows,
            warnings=[f"{self.title}: {remark}" for remark in self.remarks],
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """One record for each combination of values, the last question's varying
        fastest.
        """
        share, share_low, share_high = (
            part.ravel().tolist() for part in self.conditional
        )
        likely = (
            [None] * len(share) if self.likely is None else self.likely.ravel().tolist()
        )
        columns = (
            part.ravel().tolist()
            for part in (self.frequency, self.standard_error, self.low, self.high)
        )
        cells = zip(
            product(*self.values),
            *columns,
            share,
            share_low,
            share_high,
            likely,
            strict=True,
        )
        for (
            values,
            frequency,
            error,
            low,
            high,
            conditional,
            given_low,
            given_high,
            most_likely,
        ) in cells:
            row = {
                "values": list(values),
                "frequency": frequency,
                "standard_error": error,
                "interval": [low, high],
                "conditional": {
                    "share": conditional if math.isfinite(conditional) else None,
                    "interval": [given_low, given_high],
                },
            }
            yield row if most_likely is None else row | {"most_likely": most_likely}

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return self._record(list(self.rows()))

    def _record(self, cells: Iterable[dict[str, Any]]) -> dict[str, Any]:
        test, options = self.independence, self.options
        tested = None
        if test is not None:
            tested = {**test._asdict(), "p_value": test.p_value}
        return {
            "format": FORMAT,
            "questions": list(self.names),
            "reports": self.reports,
            "level": options.level,
            "estimand": options.estimand,
            "interval": options.interval,
            "simultaneous": options.simultaneous is not None,
            "independence": tested,
            "cells": cells,
            **({} if self.likely is None else {"biased": ["most_likely"]}),
            **(
                {"remarks": [remark._asdict() for remark in self.remarks]}
                if self.remarks
                else {}
            ),
            **(
                {}
                if self.covariance is None
                else {"covariance": self.covariance.tolist()}
            ),
        }

    def to_csv(self) -> str:
        """The records as CSV with a header."""
        return str(self.rendered("csv"))

    def _flat_rows(self) -> Iterator[list[str | float | None]]:
        for record in self.rows():
            conditional = record["conditional"]
            row = [
                *record["values"],
                record["frequency"],
                record["standard_error"],
                *record["interval"],
                conditional["share"],
                *conditional["interval"],
            ]
            yield row if self.likely is None else [*row, record["most_likely"]]
