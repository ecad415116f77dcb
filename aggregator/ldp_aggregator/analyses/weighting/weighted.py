"""Weighted estimates as a frozen record that prints and exports; every output names the
margins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ldp.errors import UnknownNameError
from ldp_aggregator.answers.options import WHOM
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.interval import WithInterval
from ldp_aggregator.output.checks import Remark
from ldp_aggregator.output.formats.formats import Tabled
from ldp_aggregator.output.sheet import Bars, Sheet, TextTable, blanks, finite

FORMAT = 1
COLUMNS = (
    "value",
    "weighted",
    "standard_error",
    "low",
    "high",
    "unweighted",
    "design_effect",
    "replicate_error",
)


def of_freedom(freedom: float) -> str:
    """Return how intervals say their degrees of freedom; nothing where they are
    infinite.
    """
    if math.isfinite(freedom):
        return f", t with {freedom:g} degrees of freedom"
    return ""


class DesignEffects(NamedTuple):
    """Factors of a variance, beside that of a simple random sample of answers in the
    clear.

    NaN where they are not known.
    """

    noise: float
    """By randomization."""
    weights: float
    """By margins and design weights."""
    clusters: float
    """By clusters and strata."""


@dataclass(frozen=True)
class WeightedShare(WithInterval):
    """The weighted share of a value, or the weighted mean of a number."""

    value: str
    estimate: float
    standard_error: float
    low: float
    high: float
    unweighted: float
    """What it is without margins and design weights."""
    design_effect: float
    """Its variance, over that of the unweighted estimate."""
    effects: DesignEffects


class MarginShown(NamedTuple):
    """One value of a margin: how far the respondents are from the population."""

    margin: str
    value: str
    seen: float
    """Its share among the respondents, with design weights; of randomized fields an
    estimate.
    """
    known: float
    """Its share in the population."""
    met: float
    """Its share after weighting."""
    responded: float | None
    """The share of these people who answered, where margins are counts of people."""


@dataclass(frozen=True, eq=False, repr=False)
class Weighted(Tabled):
    """Estimates for a population with known margins.

    `weigh_rows` has an example.
    """

    question: str
    spent: tuple[str, ...]
    of: str
    """What is estimated: the question, or a field of it."""
    reports: int
    level: float
    method: str
    by: tuple[str, ...]
    """The margins."""
    designed: bool
    """Whether there are design weights."""
    freedom: float
    """Of t, by clusters and strata; infinite without either."""
    shares: tuple[WeightedShare, ...]
    margins: tuple[MarginShown, ...]
    effective: float
    """Kish's effective sample size."""
    covariance: Floats
    """Of the estimates, in their order."""
    replicated: Floats | None = None
    """Standard errors by replicates, if asked for."""
    way: str | None = None
    """How these came about."""
    remarks: tuple[Remark, ...] = ()

    def __getitem__(self, value: str) -> WeightedShare:
        for share in self.shares:
            if share.value == value:
                return share
        raise UnknownNameError(value, [share.value for share in self.shares], "a value")

    @property
    def how(self) -> str:
        """Weighting of the numbers."""
        design = " on design weights" if self.designed else ""
        if self.by:
            return f"weighted by {', '.join(self.by)} ({self.method}){design}"
        if self.designed:
            return "design weights"
        return "not weighted: no margins, no design weights"

    def describe(self) -> str:
        """Describe the numbers."""
        return (
            f"{self.how}; {self.reports:,} reports, worth {self.effective:,.0f} with "
            f"equal weights; {self.level:.4g} intervals for "
            f"{WHOM['population']}{of_freedom(self.freedom)}"
        )

    def text_tables(self) -> Iterator[TextTable]:
        """The estimates, then the margins."""
        headings = [self.of, "weighted", "standard error", f"{self.level:.4g} interval"]
        headings += ["unweighted", "design\neffect"]
        if self.replicated is not None:
            headings.append(f"{self.way}\nerror")
        rows = [self._cells(place) for place in range(len(self.shares))]
        remarks = [*map(str, self.remarks)]
        title = self.of
        if self.by or self.designed:
            title = f"{self.of}, weighted"
        yield TextTable(title, self.describe(), headings, rows=rows, remarks=remarks)
        if self.designed or math.isfinite(self.freedom):
            yield TextTable(
                "design effects",
                "factors of the variance beside that of a simple random sample, asked "
                "directly",
                (self.of, *DesignEffects._fields),
                rows=[
                    (share.value, *(f"{effect:.2f}" for effect in share.effects))
                    for share in self.shares
                ],
            )
        if self.margins:
            yield TextTable(
                "margins",
                "shares among those who answered, and in the population",
                ("margin", "value", "respondents", "population", "factor", "answered"),
                rows=[_margin_cells(margin) for margin in self.margins],
            )

    def sheet(self) -> Sheet:
        """All that is shown, in the shapes that formats ask for."""
        return Sheet(
            f"{self.of}: {self.how}",
            lead=self.spent,
            tables=self.text_tables,
            record=self.to_dict,
            columns=COLUMNS,
            rows=self._rows,
            bars=self._bars,
            warnings=[
                f"{self.of}: {text}"
                for text in (self.describe(), *map(str, self.remarks))
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "format": FORMAT,
            "question": self.question,
            "of": self.of,
            "privacy": list(self.spent),
            "weighted_by": list(self.by),
            "design_weights": self.designed,
            "method": self.method,
            "reports": self.reports,
            "effective_sample_size": self.effective,
            "level": self.level,
            "estimand": "population",
            "degrees_of_freedom": finite(self.freedom),
            "estimates": [
                {
                    "value": share.value,
                    "weighted": share.estimate,
                    "standard_error": share.standard_error,
                    "interval": [share.low, share.high],
                    "unweighted": share.unweighted,
                    "design_effect": finite(share.design_effect),
                    "design_effects": {
                        name: finite(effect)
                        for name, effect in share.effects._asdict().items()
                    },
                    **self._replicate(place),
                }
                for place, share in enumerate(self.shares)
            ],
            "margins": [margin._asdict() for margin in self.margins],
            "covariance": self.covariance.tolist(),
            **(
                {"remarks": [remark._asdict() for remark in self.remarks]}
                if self.remarks
                else {}
            ),
        }

    def _replicate(self, place: int) -> dict[str, float | str | None]:
        if self.replicated is None:
            return {}
        return {
            "replicates": self.way,
            "replicate_error": float(self.replicated[place]),
        }

    def _rows(self) -> Iterator[list[str | float | None]]:
        for place, share in enumerate(self.shares):
            again = None
            if self.replicated is not None:
                again = float(self.replicated[place])
            numbers = (share.estimate, share.standard_error, share.low, share.high)
            yield blanks(
                [share.value, *numbers, share.unweighted, share.design_effect, again]
            )

    def _cells(self, place: int) -> list[str]:
        share = self.shares[place]
        row = [
            share.value,
            f"{share.estimate:.4f}",
            f"{share.standard_error:.4f}",
            f"[{share.low:.4f}, {share.high:.4f}]",
            f"{share.unweighted:.4f}",
            f"{share.design_effect:.2f}",
        ]
        if self.replicated is None:
            return row
        return [*row, f"{self.replicated[place]:.4f}"]

    def _bars(self) -> list[Bars]:
        import numpy as np

        shown = [share for share in self.shares if 0 <= share.low <= share.high <= 1]
        low, high = (
            np.array([getattr(share, end) for share in shown])
            for end in ("low", "high")
        )
        lengths = np.array([share.estimate for share in shown])
        labels = [share.value for share in shown]
        return [
            Bars(self.of, self.describe(), labels, lengths=lengths, low=low, high=high)
        ]


def _margin_cells(margin: MarginShown) -> list[str]:
    factor = math.nan
    if margin.seen:
        factor = margin.known / margin.seen
    return [
        margin.margin,
        margin.value,
        f"{margin.seen:.4f}",
        f"{margin.known:.4f}",
        f"{factor:.3f}",
        "-" if margin.responded is None else f"{margin.responded:.1%}",
    ]
