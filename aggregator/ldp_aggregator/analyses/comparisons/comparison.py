"""Result of a comparison, which prints, plots and exports itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ldp.answers.booleans import canonical_value
from ldp.errors import UnknownNameError
from ldp_aggregator.analyses.comparisons.any_change import AnyDifference
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
from ldp_aggregator.numerics.interval import WithInterval
from ldp_aggregator.output.formats.formats import Framed, Pictured, Tabled
from ldp_aggregator.output.people import PERCENT, POINTS
from ldp_aggregator.output.sheet import NOTHING, Bars, Dots, Sheet, TextTable, finite

FORMAT = 1
COLUMNS = (
    "question",
    "value",
    "first",
    "second",
    "difference",
    "standard_error",
    "low",
    "high",
    "ratio",
    "ratio_low",
    "ratio_high",
    "odds_ratio",
    "odds_ratio_low",
    "odds_ratio_high",
    "p_value",
    "adjusted_p_value",
    "equivalence_p_value",
)
_FAMILIES = {
    "bh": "p-values for all values together (Benjamini-Hochberg): of the values called "
    "different, the stated share are so, on average, and as many of their intervals "
    "hold; means by themselves",
    "bonferroni": "p-values and intervals for all values together (Bonferroni); means "
    "by themselves",
    "holm": "p-values for all values together (Holm), with Bonferroni's intervals; "
    "means by themselves",
}


class IntervalEstimate(NamedTuple):
    """A number with its interval; infinite where nothing bounds it."""

    estimate: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: None for what is no number, or has no end."""
        ends = [finite(self.low), finite(self.high)]
        return {"estimate": finite(self.estimate), "interval": ends}

    def __str__(self) -> str:
        """In words where nothing bounds it, and where a side lies beyond all shares."""
        if math.isinf(self.high):
            if math.isinf(self.low):
                return "infinite: no certainty"
            if self.low > 0:
                return f"above {self.low:.3g}"
            return "not bounded"
        if self.high <= 0:
            return "0: no certainty"
        if math.isnan(self.estimate):
            return f"below {self.high:.3g}"
        return f"{self.estimate:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True)
class Compared(WithInterval):
    """One value on both sides: the second less the first, and over it."""

    value: str
    first: float
    second: float
    difference: float
    standard_error: float
    """Of the difference."""
    low: float
    high: float
    narrowest: tuple[float, float]
    """The interval if as much is shared by both as may be."""
    ratio: IntervalEstimate
    odds_ratio: IntervalEstimate | None
    """None where the numbers are no shares."""
    p_value: float
    adjusted: float
    """The p-value with what looking at all values costs; the same if that was not asked
    for.
    """
    different: bool
    """Whether that is at most 1 - level."""
    equivalence: float | None = None
    """The p-value of a difference beyond the margin, if there is one."""

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "value": self.value,
            "first": finite(self.first),
            "second": finite(self.second),
            "difference": finite(self.difference),
            "standard_error": finite(self.standard_error),
            "interval": [finite(self.low), finite(self.high)],
            "interval_if_all_is_shared": [finite(end) for end in self.narrowest],
            "ratio": self.ratio.to_dict(),
            "odds_ratio": None
            if self.odds_ratio is None
            else self.odds_ratio.to_dict(),
            "p_value": self.p_value,
            "adjusted_p_value": self.adjusted,
            "different": self.different,
            **(
                {}
                if self.equivalence is None
                else {"equivalence_p_value": self.equivalence}
            ),
        }

    def flat(self) -> tuple[str | float, ...]:
        """In the order of `COLUMNS`, without the question."""
        numbers = (self.first, self.second, self.difference, self.standard_error)
        odds = self.odds_ratio or IntervalEstimate(math.nan, math.nan, math.nan)
        alike = math.nan if self.equivalence is None else self.equivalence
        chances = self.p_value, self.adjusted, alike
        return self.value, *numbers, self.low, self.high, *self.ratio, *odds, *chances


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Framed, Pictured, Tabled):
    """Two sets of estimates of one question, and what differs. Iterating gives
    `Compared`s.

    `compare` has an example.
    """

    first: QuestionEstimates
    second: QuestionEstimates
    names: tuple[str, str]
    rows: tuple[Compared, ...]
    numbers: tuple[Compared, ...]
    """The mean, the variance and quantiles of numbers, where there are any."""
    any_difference: AnyDifference | None
    """One test of all values."""
    simultaneous: str | None = None
    margin: float | None = None
    overlap: float | None = None
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Compared]:
        yield from self.rows
        yield from self.numbers

    def __len__(self) -> int:
        return len(self.rows) + len(self.numbers)

    def __getitem__(self, value: str) -> Compared:
        known = {row.value: row for row in (*self.numbers, *self.rows)}
        value = canonical_value(value, known)
        if value not in known:
            raise UnknownNameError(value, list(known), "one of the values compared")
        return known[value]

    @property
    def level(self) -> float:
        """Coverage of the intervals."""
        return self.first.options.level

    def sheet(self) -> Sheet:
        """All that is shown (`ldp_aggregator.output.sheet`)."""
        return Sheet(
            f"{self.first.name}: {self.names[1]} against {self.names[0]}",
            tables=lambda: [self.text_table()],
            record=self.to_dict,
            columns=COLUMNS,
            rows=self._flat,
            bars=self.panels,
            warnings=self.remarks,
        )

    def text_table(self) -> TextTable:
        """Headings and rows as text, as every output shows them."""
        alike: tuple[str, ...] = ()
        if self.margin is not None:
            alike = (f"p-value, apart\nby {self.margin:g} or more",)
        return TextTable(
            self.first.name,
            self.describe(),
            (
                "value",
                *self.names,
                f"difference,\n{self.level:.4g} interval",
                "ratio",
                "odds ratio",
                "p-value",
                *([] if self.simultaneous is None else ["adjusted\np-value"]),
                *alike,
            ),
            rows=[self._cells(row) for row in self],
            remarks=self.sentences,
        )

    def describe(self) -> str:
        """One line that says what the numbers are."""
        first, second = self.first, self.second
        return (
            f"{self.names[1]} ({second.reports:,} reports) less, and over, "
            f"{self.names[0]} ({first.reports:,} reports), for "
            f"{WHOM[first.options.estimand]}"
        )

    @property
    def sentences(self) -> list[str]:
        """Notes in words."""
        overall = []
        if self.any_difference is not None:
            overall = [str(self.any_difference)]
        family = []
        if self.simultaneous is not None:
            family = [_FAMILIES[self.simultaneous]]
        return [*overall, *family, *self.remarks]

    def _cells(self, row: Compared) -> tuple[str, ...]:
        decimals = _decimals(row.standard_error)
        sides = (f"{number:.{decimals}f}" for number in (row.first, row.second))
        ends = f"[{row.low:+.{decimals}f}, {row.high:+.{decimals}f}]"
        odds = NOTHING if row.odds_ratio is None else str(row.odds_ratio)
        alike = () if self.margin is None else (_chance(row.equivalence),)
        return (
            self.first.label(row.value),
            *sides,
            f"{row.difference:+.{decimals}f} {ends}",
            str(row.ratio),
            odds,
            _chance(row.p_value),
            *([] if self.simultaneous is None else [_chance(row.adjusted)]),
            *alike,
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        overall = self.any_difference
        test = None
        if overall is not None:
            test = {"p_value": overall.p_value}
        if test is not None and overall is not None and overall.chi_square is not None:
            test |= overall.chi_square._asdict()
        return {
            "format": FORMAT,
            "question": self.first.name,
            "first": {"name": self.names[0], "reports": self.first.reports},
            "second": {"name": self.names[1], "reports": self.second.reports},
            "level": self.level,
            "estimand": self.first.options.estimand,
            "simultaneous": self.simultaneous,
            "margin": self.margin,
            "overlap": self.overlap,
            "any_difference": test,
            "values": [row.to_dict() for row in self.rows],
            "numbers": [row.to_dict() for row in self.numbers],
            "remarks": list(self.remarks),
        }

    def _flat(self) -> Iterator[tuple[str | float, ...]]:
        return ((self.first.name, *row.flat()) for row in self)

    def panels(self, truth: Any = None) -> list[Bars]:  # noqa: ARG002
        """Both sides as dots with their intervals, and the differences beside them."""
        if not self.rows:
            means = [(side.mean, side) for side in (self.first, self.second)]
            both = [
                Dots(
                    name,
                    *(np.array([number]) for number in (mean.estimate, *mean.interval)),
                )
                for name, (mean, _) in zip(self.names, means, strict=True)
                if mean is not None
            ]
            unit = self.first.question.domain.unit or ""
            return self._panels(self.numbers[:1], both, unit, unit_apart=unit)
        both = [
            Dots(name, side.unbiased, side.low, high=side.high)
            for name, side in zip(self.names, (self.first, self.second), strict=True)
        ]
        units = ("", "") if self.first.is_vector else (PERCENT, POINTS)
        return self._panels(self.rows, both, *units)

    def _panels(
        self, rows: tuple[Compared, ...], both: list[Dots], unit: str, unit_apart: str
    ) -> list[Bars]:
        labels = [self.first.label(row.value) for row in rows]
        title = self.first.question.text or self.first.name
        apart, low, high = np.array([[row.difference, *row.interval] for row in rows]).T
        return [
            Bars(
                title,
                self.describe(),
                labels,
                lengths=both[0].places,
                low=low,
                high=high,
                dots=both,
                unit=unit,
            ),
            Bars(
                f"Difference: {self.names[1]} less {self.names[0]}",
                "ranges that leave 0 out are differences",
                labels,
                lengths=np.abs(apart),
                low=low,
                high=high,
                dots=[Dots("", apart, low, high=high)],
                unit=unit_apart,
            ),
        ]


def _decimals(error: float) -> int:
    """Number of decimals that an error can bear: two digits of it, or 4."""
    if not (math.isfinite(error) and error > 0):
        return 4
    return max(0, 1 - math.floor(math.log10(error)))


def _chance(chance: float | None) -> str:
    if chance is None:
        return NOTHING
    if chance >= 0.001:
        return f"{chance:.3f}"
    return f"{chance:.1e}"
