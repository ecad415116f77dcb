"""Regressions as a frozen record that prints and exports; what the reports cost comes
first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ldp.errors import UnknownNameError
from ldp_aggregator.analyses.weighting.weighted import of_freedom
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.interval import WithInterval
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.sheet import NOTHING, Sheet, TextTable, blanks, finite

FORMAT = 1
COLUMNS = ("coefficient", "estimate", "standard_error", "low", "high", "p_value")
_LARGEST = 700.0
_RATIOS = {"logit": "odds ratio", "poisson": "rate ratio"}
"""What exponentials of coefficients are, by model."""


@dataclass(frozen=True)
class Coefficient(WithInterval):
    """One coefficient."""

    name: str
    estimate: float
    standard_error: float
    low: float
    high: float
    p_value: float
    """Of Wald's test of its being 0."""

    def within(self, low: float, high: float) -> Coefficient:
        """Return the result with another interval."""
        return replace(self, low=low, high=high)


@dataclass(frozen=True)
class Prediction(WithInterval):
    """The mean of an answer, or its chance, of those with some values."""

    of: str
    estimate: float
    low: float
    high: float


class TermTest(NamedTuple):
    """Whether the outcome depends on a term at all."""

    term: str
    kind: str
    statistic: float
    p_value: float
    freedom: int


@dataclass(frozen=True, eq=False, repr=False)
class Regression(Tabled):
    """Regression of a randomized answer.

    `regress_rows` has an example.
    """

    question: str
    spent: tuple[str, ...]
    """What respondents spent on their reports, in sentences."""
    formula: str
    model: str
    method: str
    event: str | None
    """The value whose chance a logit explains."""
    reports: int
    level: float
    interval: str
    errors: str
    coefficients: tuple[Coefficient, ...]
    covariance: Floats
    freedom: float
    """Of t, by clusters and strata; infinite without either."""
    tests: tuple[TermTest, ...]
    log_likelihood: float | None
    """With the penalty, if there is one."""
    converged: bool
    """Whether the search came to its end; without, no number here says anything."""
    steps: int
    remarks: tuple[Remark, ...] = ()
    penalty: str | None = None
    predictions: tuple[Prediction, ...] = ()

    def __getitem__(self, name: str) -> Coefficient:
        for row in self.coefficients:
            if row.name == name:
                return row
        raise UnknownNameError(
            name, [row.name for row in self.coefficients], "a coefficient"
        )

    @property
    def aic(self) -> float | None:
        """Akaike's criterion, smaller for the better of two fits.

        None without a likelihood, or with a penalty.
        """
        if self.log_likelihood is None or self.penalty is not None:
            return None
        return 2 * (len(self.coefficients) - self.log_likelihood)

    def describe(self) -> str:
        """Describe the numbers."""
        event = ""
        if self.event is not None:
            event = f" of {self.event}"
        fit = ""
        if self.aic is not None:
            fit = f"; log-likelihood {self.log_likelihood:,.3f}, AIC {self.aic:,.3f}"
        elif self.penalty is not None:
            fit = (
                f"; penalty {self.penalty}, penalized log-likelihood "
                f"{self.log_likelihood:,.3f}"
            )
        end = "NOT CONVERGED"
        if self.converged:
            end = f"converged in {self.steps}"
        return (
            f"{self.model}{event} by {self.method}, {self.errors} errors; "
            f"{self.reports:,} reports"
            f"; {self.level:.4g} {self.interval} intervals for {WHOM['population']}"
            f"{of_freedom(self.freedom)}{fit}; {end}"
        )

    def text_tables(self) -> Iterator[TextTable]:
        """Coefficients, then the tests of terms."""
        headings = [
            "coefficient",
            "estimate",
            "standard error",
            f"{self.level:.4g} interval",
        ]
        if self.model in _RATIOS:
            headings.append(f"{_RATIOS[self.model]},\n{self.level:.4g} interval")
        headings.append("p-value")
        yield TextTable(
            self.formula,
            self.describe(),
            headings,
            rows=[self._cells(row) for row in self.coefficients],
            remarks=[*map(str, self.remarks)],
        )
        if self.tests:
            yield TextTable(
                "terms",
                "whether the answer depends on each at all, the others kept",
                ("term", "test", "chi-square", "degrees", "p-value"),
                rows=[
                    (
                        test.term,
                        test.kind,
                        f"{test.statistic:.3f}",
                        str(test.freedom),
                        _chance(test.p_value),
                    )
                    for test in self.tests
                ],
            )
        if self.predictions:
            yield TextTable(
                "predicted",
                "the mean, or the chance, of those with these values",
                ("of", "estimate", f"{self.level:.4g} interval"),
                rows=[
                    (
                        one.of,
                        f"{one.estimate:.4f}",
                        f"[{one.low:.4f}, {one.high:.4f}]",
                    )
                    for one in self.predictions
                ],
            )

    def sheet(self) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        return Sheet(
            f"{self.question}: {self.formula}",
            lead=self.spent,
            tables=self.text_tables,
            record=self.to_dict,
            columns=COLUMNS,
            rows=self._rows,
            warnings=[*self.spent, self.describe(), *map(str, self.remarks)],
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "format": FORMAT,
            "privacy": list(self.spent),
            "question": self.question,
            "formula": self.formula,
            "model": self.model,
            "event": self.event,
            "method": self.method,
            "errors": self.errors,
            "interval": self.interval,
            "level": self.level,
            "estimand": "population",
            "degrees_of_freedom": finite(self.freedom),
            "reports": self.reports,
            "converged": self.converged,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "coefficients": [
                {
                    "name": row.name,
                    "estimate": row.estimate,
                    "standard_error": row.standard_error,
                    "interval": [finite(row.low), finite(row.high)],
                    "p_value": finite(row.p_value),
                }
                for row in self.coefficients
            ],
            "penalty": self.penalty,
            "tests": [test._asdict() for test in self.tests],
            "predictions": [
                {
                    "of": one.of,
                    "estimate": one.estimate,
                    "interval": list(one.interval),
                }
                for one in self.predictions
            ],
            "covariance": self.covariance.tolist(),
            **(
                {"remarks": [remark._asdict() for remark in self.remarks]}
                if self.remarks
                else {}
            ),
        }

    def _rows(self) -> Iterator[list[str | float | None]]:
        for row in self.coefficients:
            numbers = (row.estimate, row.standard_error, row.low, row.high, row.p_value)
            yield blanks([row.name, *numbers])

    def _cells(self, row: Coefficient) -> list[str]:
        cells = [
            row.name,
            f"{row.estimate:.4f}",
            f"{row.standard_error:.4f}",
            f"[{row.low:.4f}, {row.high:.4f}]",
        ]
        if self.model in _RATIOS:
            ratio, low, high = (
                math.exp(min(number, _LARGEST))
                for number in (row.estimate, *row.interval)
            )
            cells.append(f"{ratio:.3g} [{low:.3g}, {high:.3g}]")
        return [*cells, _chance(row.p_value)]


def _chance(chance: float) -> str:
    """A p-value as journals print it."""
    if math.isnan(chance):
        return NOTHING
    if chance < 0.001:
        return "< .001"
    return f"{chance:.3f}".lstrip("0")
