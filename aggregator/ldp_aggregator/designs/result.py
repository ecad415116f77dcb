"""What a survey design gives, as a frozen record that prints and exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ldp.errors import UnknownNameError
from ldp_aggregator.checks import Remark
from ldp_aggregator.interval import Estimated
from ldp_aggregator.rendering.formats import Tabled
from ldp_aggregator.rendering.sheet import Bars, Sheet, TextTable, blanks, finite

FORMAT = 1
COLUMNS = ("of", "estimate", "standard_error", "low", "high")
_OF = {"population": "sampling and randomization", "respondents": "randomization alone"}


@dataclass(frozen=True)
class DesignEstimate(Estimated):
    """An estimated one."""

    name: str
    estimate: float
    standard_error: float
    low: float
    high: float


class DesignTest(NamedTuple):
    """A test of what the design takes for granted."""

    name: str
    statistic: float
    degrees: int
    """Of freedom; 0 for a test that has none."""
    p_value: float
    meaning: str

    def __str__(self) -> str:
        degrees = f", {self.degrees} df" if self.degrees else ""
        return f"{self.name}: {self.statistic:.2f}{degrees}, p {self.p_value:.3g}; {self.meaning}"


@dataclass(frozen=True, eq=False, repr=False)
class DesignEstimates(Tabled):
    """Shares or means with standard errors and intervals."""

    design: str
    title: str
    privacy: str
    respondents: int
    level: float
    estimand: str
    estimates: tuple[DesignEstimate, ...]
    tests: tuple[DesignTest, ...] = ()
    remarks: tuple[Remark, ...] = ()

    def __getitem__(self, name: str) -> DesignEstimate:
        for one in self.estimates:
            if one.name == name:
                return one
        raise UnknownNameError(name, [one.name for one in self.estimates], "an estimate")

    def describe(self) -> str:
        """What the numbers are."""
        return (
            f"{self.respondents:,} respondents; {self.level:.4g} intervals for the "
            f"{self.estimand}: {_OF[self.estimand]}"
        )

    def sheet(self) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        said = (*self.tests, *self.remarks)
        return Sheet(
            f"{self.design}: {self.title}",
            lead=(f"{self.design}: {self.title}", self.privacy),
            tables=self._tables,
            record=self.to_dict,
            columns=COLUMNS,
            rows=self._rows,
            bars=self._bars,
            warnings=(self.describe(), *map(str, said)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        tests = [test._asdict() for test in self.tests]
        remarks = [remark._asdict() for remark in self.remarks]
        return {
            "format": FORMAT,
            "design": self.design,
            "privacy": self.privacy,
            "respondents": self.respondents,
            "level": self.level,
            "estimand": self.estimand,
            "estimates": [
                {
                    "of": one.name,
                    "estimate": finite(one.estimate),
                    "standard_error": finite(one.standard_error),
                    "interval": [one.low, one.high],
                }
                for one in self.estimates
            ],
            **({"tests": tests} if tests else {}),
            **({"remarks": remarks} if remarks else {}),
        }

    def _tables(self) -> Iterator[TextTable]:
        rows = [
            (
                one.name,
                f"{one.estimate:.4f}",
                f"{one.standard_error:.4f}",
                f"[{one.low:.4f}, {one.high:.4f}]",
            )
            for one in self.estimates
        ]
        headings = ("", "estimate", "standard error", f"{self.level:.4g} interval")
        said = [*map(str, self.tests), *map(str, self.remarks)]
        yield TextTable("", self.describe(), headings, rows=rows, remarks=said)

    def _rows(self) -> Iterator[list[str | float | None]]:
        for one in self.estimates:
            numbers = (one.estimate, one.standard_error, one.low, one.high)
            yield blanks([one.name, *numbers])

    def _bars(self) -> list[Bars]:
        import numpy as np

        names = [one.name for one in self.estimates]
        lengths, low, high = (
            np.array([getattr(one, name) for one in self.estimates])
            for name in ("estimate", "low", "high")
        )
        return [Bars(self.design, self.describe(), names, lengths=lengths, low=low, high=high)]
