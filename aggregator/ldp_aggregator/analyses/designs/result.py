"""Result of a survey design, as a frozen record that prints and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ldp.errors import UnknownNameError
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.numerics.interval import Estimated
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.people import PERCENT
from ldp_aggregator.output.sheet import Bars, Sheet, TextTable, blanks, finite

FORMAT = 1
COLUMNS = ("of", "estimate", "standard_error", "low", "high")


@dataclass(frozen=True)
class DesignEstimate(Estimated):
    """An estimated one."""

    name: str
    estimate: float
    standard_error: float
    low: float
    high: float

    def cells(self) -> tuple[str, ...]:
        """Cells of a table."""
        ends = f"[{self.low:.4f}, {self.high:.4f}]"
        return self.name, f"{self.estimate:.4f}", f"{self.standard_error:.4f}", ends


class DesignTest(NamedTuple):
    """A test of what the design takes for granted."""

    name: str
    statistic: float
    degrees: int
    """Of freedom; 0 for a test that has none."""
    p_value: float
    meaning: str

    def __str__(self) -> str:
        degrees = ""
        if self.degrees:
            degrees = f", {self.degrees} df"
        return (
            f"{self.name}: {self.statistic:.2f}{degrees}, p {self.p_value:.3g}; "
            f"{self.meaning}"
        )


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
    unit: str = PERCENT
    """Per cent of shares; nothing of means."""

    def __getitem__(self, name: str) -> DesignEstimate:
        for one in self.estimates:
            if one.name == name:
                return one
        raise UnknownNameError(
            name, [one.name for one in self.estimates], "an estimate"
        )

    def describe(self) -> str:
        """Describe the numbers."""
        return (
            f"{self.respondents:,} respondents; {self.level:.4g} intervals for "
            f"{WHOM[self.estimand]}"
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
            rows=self.rows,
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
        rows = [one.cells() for one in self.estimates]
        said = [*map(str, self.tests), *map(str, self.remarks)]
        yield TextTable("", self.describe(), self.headings(), rows=rows, remarks=said)

    def headings(self) -> tuple[str, ...]:
        """The headings of what `cells` gives."""
        return ("", "estimate", "standard error", f"{self.level:.4g} interval")

    def rows(self) -> Iterator[list[str | float | None]]:
        """One flat record for each estimate."""
        for one in self.estimates:
            yield blanks(
                [one.name, one.estimate, one.standard_error, one.low, one.high]
            )

    def _bars(self) -> list[Bars]:
        import numpy as np

        names = [one.name for one in self.estimates]
        lengths, low, high = (
            np.array([getattr(one, name) for one in self.estimates])
            for name in ("estimate", "low", "high")
        )
        panel = Bars(
            self.design, self.describe(), names, lengths=lengths, low=low, high=high
        )
        return [panel._replace(unit=self.unit)]


@dataclass(frozen=True, eq=False, repr=False)
class DesignGroups(Tabled):
    """Estimates of all respondents, and of groups by columns."""

    by: tuple[str, ...]
    groups: Mapping[tuple[str, ...], DesignEstimates]
    """By the values of these columns; all respondents by none."""
    said: tuple[str, ...] = ()
    """How columns were read."""

    def __getitem__(self, values: str | tuple[str, ...]) -> DesignEstimates:
        key = (values,) if isinstance(values, str) else values
        if key not in self.groups:
            names = [", ".join(known) for known in self.groups if known]
            raise UnknownNameError(", ".join(key), names, "a group")
        return self.groups[key]

    @property
    def whole(self) -> DesignEstimates:
        """The estimates of all respondents."""
        return self.groups[()]

    def sheet(self) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        sheet = self.whole.sheet()
        return replace(
            sheet,
            tables=self._tables,
            record=self.to_dict,
            columns=(*self.by, *COLUMNS),
            rows=self._rows,
            bars=self._bars,
            warnings=(self.whole.describe(), *self._remarks()),
        )

    def _bars(self) -> list[Bars]:
        """Return a panel for each group, with its name in the title."""
        return [
            bar._replace(title=f"{bar.title}: {', '.join(key) or 'all'}")
            for key, one in self.groups.items()
            for bar in one.sheet().bars()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        groups = [
            {"group": dict(zip(self.by, key, strict=False)), **estimates.to_dict()}
            for key, estimates in self.groups.items()
        ]
        return {"format": FORMAT, "by": list(self.by), "groups": groups}

    def _tables(self) -> Iterator[TextTable]:
        rows = []
        for key, estimates in self.groups.items():
            name = ", ".join(key) or "all"
            people = f"{estimates.respondents:,}"
            rows += [(name, people, *one.cells()) for one in estimates.estimates]
        headings = (", ".join(self.by), "respondents", *self.whole.headings())
        yield TextTable(
            "", self.whole.describe(), headings, rows=rows, remarks=self._remarks()
        )

    def _remarks(self) -> list[str]:
        """Tests and remarks, with the group that they are of."""
        said = []
        for key, estimates in self.groups.items():
            name = ", ".join(key) or "all"
            said += [
                f"{name}: {text}" for text in (*estimates.tests, *estimates.remarks)
            ]
        return said

    def _rows(self) -> Iterator[list[str | float | None]]:
        for key, estimates in self.groups.items():
            labels = key or ("",) * len(self.by)
            for row in estimates.rows():
                yield [*labels, *row]
