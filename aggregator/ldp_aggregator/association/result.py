"""Associations as a frozen record that prints and exports: one row for each
combination of values.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from ldp.survey import Question
from ldp_aggregator.arrays import Floats
from ldp_aggregator.checks import Remark
from ldp_aggregator.decoders.bloom.regression import ChiSquare
from ldp_aggregator.options import Options
from ldp_aggregator.rendering.columns import columns

FORMAT = 1
_TOO_FEW = "too few reports to test for independence: some value's reports have not varied yet"


def _verdict(test: ChiSquare, level: float) -> str:
    """What was tested, what was found, and what that does not mean."""
    degrees = f"{test.freedom:,} degree{'' if test.freedom == 1 else 's'} of freedom"
    numbers = f"chi-square {test.statistic:,.2f} with {degrees}, p-value {test.p_value:.3g}"
    if test.p_value <= 1 - level:
        return f"test of independence: rejected at level {1 - level:.4g}: the answers go together ({numbers})"
    return f"test of independence: not rejected at level {1 - level:.4g}, which does not prove it ({numbers})"


@dataclass(frozen=True, eq=False)
class Association:
    """Arrays have one axis for each question, in the order of its values."""

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
    """(share, low, high) of the last question's value among those who hold the values of the
    others.
    """
    independence: ChiSquare | None
    """The test of all questions being independent of each other; None with too few reports."""
    likely: Floats | None = None
    """The most likely frequencies, if asked for: biased."""
    covariance: Floats | None = None
    """(cells, cells), for the respondents and the cells in the order of rows, if asked for."""
    remarks: tuple[Remark, ...] = ()
    """What to know before believing these numbers, if anything."""

    @property
    def names(self) -> tuple[str, ...]:
        """The questions'."""
        return tuple(question.name for question in self.questions)

    def describe(self) -> str:
        """What the numbers are, and what the test says."""
        options, test = self.options, self.independence
        family = f", simultaneous ({options.simultaneous})" if options.simultaneous else ""
        verdict = _TOO_FEW if test is None else _verdict(test, options.level)
        return (
            f"{' x '.join(self.names)}, {self.reports:,} reports; {options.level:.4g} score "
            f"intervals for the "
            f"{options.estimand}{family}\n{verdict}"
        )

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """An aligned table for people."""
        errors = self.standard_error[self.standard_error > 0]
        decimals = max(4, 1 - math.floor(math.log10(errors.min()))) if len(errors) else 4

        def interval(ends: list[float]) -> str:
            return f"[{ends[0]:.{decimals}f}, {ends[1]:.{decimals}f}]"

        level = f"{self.options.level:.4g} interval"
        given, last = " and ".join(self.names[:-1]), self.names[-1]
        likely = [] if self.likely is None else ["most likely (biased)"]
        headings = [
            *self.names,
            "frequency",
            "standard error",
            level,
            f"share of {last} given {given}",
            level,
            *likely,
        ]
        rows = [
            (
                *row["values"],
                f"{row['frequency']:.{decimals}f}",
                f"{row['standard_error']:.{decimals}f}",
                interval(row["interval"]),
                "-"
                if row["conditional"]["share"] is None
                else f"{row['conditional']['share']:.{decimals}f}",
                interval(row["conditional"]["interval"]),
                *([f"{row['most_likely']:.{decimals}f}"] if likely else []),
            )
            for row in self.rows()
        ]
        said = "".join(f"  {remark}\n" for remark in self.remarks)
        return f"{self.describe()}\n{columns(headings, rows)}{said}"

    def rows(self) -> Iterator[dict[str, Any]]:
        """One record for each combination of values, the last question's varying fastest."""
        share, share_low, share_high = (part.ravel().tolist() for part in self.conditional)
        likely = [None] * len(share) if self.likely is None else self.likely.ravel().tolist()
        columns = (
            part.ravel().tolist()
            for part in (self.frequency, self.standard_error, self.low, self.high)
        )
        cells = zip(
            product(*self.values), *columns, share, share_low, share_high, likely, strict=True
        )
        for held, frequency, error, low, high, given, given_low, given_high, most_likely in cells:
            row = {
                "values": list(held),
                "frequency": frequency,
                "standard_error": error,
                "interval": [low, high],
                "conditional": {
                    "share": given if math.isfinite(given) else None,
                    "interval": [given_low, given_high],
                },
            }
            yield row if most_likely is None else row | {"most_likely": most_likely}

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        test, options = self.independence, self.options
        tested = None if test is None else {**test._asdict(), "p_value": test.p_value}
        return {
            "format": FORMAT,
            "questions": list(self.names),
            "reports": self.reports,
            "level": options.level,
            "estimand": options.estimand,
            "interval": options.interval,
            "simultaneous": options.simultaneous is not None,
            "independence": tested,
            "cells": list(self.rows()),
            **({} if self.likely is None else {"biased": ["most_likely"]}),
            **({"remarks": [remark._asdict() for remark in self.remarks]} if self.remarks else {}),
            **({} if self.covariance is None else {"covariance": self.covariance.tolist()}),
        }

    def to_csv(self) -> str:
        """The records as CSV with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        likely = [] if self.likely is None else ["most_likely"]
        shares = ["conditional", "conditional_low", "conditional_high"]
        writer.writerow(
            [*self.names, "frequency", "standard_error", "low", "high", *shares, *likely]
        )
        for row in self.rows():
            given = row["conditional"]
            numbers = [
                row["frequency"],
                row["standard_error"],
                *row["interval"],
                given["share"],
                *given["interval"],
            ]
            writer.writerow([*row["values"], *numbers, *(row[name] for name in likely)])
        return text.getvalue()
