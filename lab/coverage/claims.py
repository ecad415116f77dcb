"""What is claimed of intervals and findings, and when a measurement breaks a claim.

A claim is an upper bound of a mean: of how often intervals miss, or of the share of
findings that is wrong. Surveys are independent, and what each of n of them shows lies
between 0 and 1; so by chance alone their mean reaches m although the bound b holds with
a probability of at most

    exp(-n [m ln(m / b) + (1-m) ln((1-m) / (1-b))])

whatever the law is. A claim counts as broken where that is less than `FALSE_ALARM`,
shared out among all that is compared: every claim of every cell, and every value of a
cell. So the whole command complains without a cause with a probability of at most
`FALSE_ALARM`. What it notices depends on n: `least_noticed` says from where on.

Score intervals are approximate, hence the tolerances: a single value may miss more
often than all do on average. Findings have none.

Source: Hoeffding 1963, Theorem 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lab.coverage.cells import Cell
from lab.coverage.measuring import Finding

FALSE_ALARM = 1e-6
MISS = 0.05
ON_AVERAGE, OF_ONE, OVERALL = 0.01, 0.03, 0.005
"""How much more often than stated intervals may miss: in one cell, at one value, and
over groups of cells.
"""

_BOUNDS = {
    "each": MISS + ON_AVERAGE,
    "given": MISS + ON_AVERAGE,
    "all": MISS + ON_AVERAGE,
    "difference": MISS + ON_AVERAGE,
    "sum": MISS + ON_AVERAGE,
    "mean": MISS + ON_AVERAGE,
    "variance": MISS + ON_AVERAGE,
    "below": MISS + ON_AVERAGE,
    "range": MISS + ON_AVERAGE,
    "quantile": MISS + ON_AVERAGE,
    "band": MISS + ON_AVERAGE,
    "wrong": MISS,
    "alarm": MISS,
}
_BOUND_OF_ONE = MISS + OF_ONE
_BOUNDS_OVERALL = {what: min(bound, MISS + OVERALL) for what, bound in _BOUNDS.items()}

Outcome = tuple[Cell, Mapping[str, Finding]]


class Claim(NamedTuple):
    """One comparison."""

    cell: str
    what: str
    measured: float
    bound: float
    surveys: int
    compared: int = 1
    """Values of which the worst was picked."""

    def holds(self, comparisons: int) -> bool:
        """Whether chance may have done it, among n comparisons."""
        return evidence(self.measured, self.bound, self.surveys) < math.log(
            comparisons / FALSE_ALARM
        )

    def __str__(self) -> str:
        measured = f"{self.measured:.3f} of {self.surveys:,} surveys"
        return f"{self.cell}: {self.what} {measured}, {self.bound:.3f} at most"


def broken(outcomes: Sequence[Outcome], others: int = 0) -> list[Claim]:
    """The claims that the measurements break, among so many other comparisons."""
    claims = claims_of(outcomes)
    comparisons = compared(claims) + others
    return [claim for claim in claims if not claim.holds(comparisons)]


def claims_of(outcomes: Sequence[Outcome]) -> list[Claim]:
    """All that is claimed of the measurements."""
    return [claim for outcome in outcomes for claim in _of_cell(*outcome)] + list(
        _overall(outcomes)
    )


def compared(claims: Sequence[Claim]) -> int:
    """How many comparisons they are."""
    return sum(claim.compared for claim in claims)


def evidence(measured: float, bound: float, surveys: int) -> float:
    """Minus the logarithm of the chance above; 0 for what does not exceed its bound."""
    if measured <= bound:
        return 0.0
    rest = (
        (1 - measured) * math.log((1 - measured) / (1 - bound)) if measured < 1 else 0.0
    )
    return surveys * (measured * math.log(measured / bound) + rest)


def least_noticed(bound: float, surveys: int, comparisons: int) -> float:
    """The smallest mean, in thousandths, that counts as a broken claim."""
    shares = (thousandth / 1_000 for thousandth in range(1_001))
    needed = math.log(comparisons / FALSE_ALARM)
    return next(
        (share for share in shares if evidence(share, bound, surveys) >= needed), 1.0
    )


def _of_cell(cell: Cell, findings: Mapping[str, Finding]) -> Iterator[Claim]:
    for what, finding in findings.items():
        kind = what.partition(",")[0]
        # Given the hash functions nothing is promised of single values, nor of so few
        # together: see the page.
        if kind not in _BOUNDS or cell.kind == "hashes":
            continue
        yield Claim(
            cell.name, what, finding.mean, bound=_BOUNDS[kind], surveys=finding.surveys
        )
        if finding.values > 1:
            yield Claim(
                cell.name,
                f"{what}, worst value",
                finding.worst,
                bound=_BOUND_OF_ONE,
                surveys=finding.surveys,
                compared=finding.values,
            )


def _overall(outcomes: Sequence[Outcome]) -> Iterator[Claim]:
    """The same of all cells that have something in common, as surveys of cells are
    independent.
    """
    together: dict[tuple[str, str], list[Finding]] = {}
    for cell, findings in outcomes:
        for what, finding in findings.items():
            if what.partition(",")[0] in _BOUNDS_OVERALL and cell.kind != "hashes":
                for name in _groups(cell):
                    together.setdefault((f"{cell.kind}: {name}", what), []).append(
                        finding
                    )
    for (name, what), group in together.items():
        if len(group) == 1:
            continue
        surveys = sum(finding.surveys for finding in group)
        mean = sum(finding.mean * finding.surveys for finding in group) / surveys
        yield Claim(
            name,
            what,
            mean,
            bound=_BOUNDS_OVERALL[what.partition(",")[0]],
            surveys=surveys,
        )


def _groups(cell: Cell) -> tuple[str, ...]:
    """What a cell has in common with others of its kind."""
    return (
        "all cells",
        f"all of {cell.mechanism}",
        f"all of epsilon {cell.epsilon} and n = {cell.respondents}",
        f"all of epsilon {cell.epsilon} and {cell.size} values",
    )
