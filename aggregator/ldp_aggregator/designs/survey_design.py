"""A survey design by its words: `design("warner p=.7").estimate({"yes": 13, "no": 17})`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.designs.estimation import check_identified, estimated
from ldp_aggregator.designs.law import Law
from ldp_aggregator.designs.matrix_file import matrix_law
from ldp_aggregator.designs.result import DesignEstimates
from ldp_aggregator.designs.sizes import (
    power_to_tell,
    shares_for,
    size_for_width,
    size_of_groups,
    size_to_tell,
    unit_variance,
)
from ldp_aggregator.designs.table import ROWS
from ldp_aggregator.designs.words import counts_of, parameters, placed, split

MATRIX = "matrix"

Counts = Mapping[str, int] | str | Iterable[str]


@dataclass(frozen=True)
class Design:
    """A law with its name, title and source."""

    words: str
    title: str
    source: str
    law: Law

    @property
    def epsilon(self) -> float:
        """What one answer may reveal; infinite where an answer rules a type out."""
        ratio = self.law.ratio
        return math.inf if ratio is None else math.log(ratio)

    @property
    def privacy(self) -> str:
        """What one answer reveals, in a sentence."""
        ratio = self.law.ratio
        if ratio is not None:
            shown = f"ln({ratio})" if ratio.denominator < 10**6 else "rounded"
            return f"epsilon {self.epsilon:.4f} ({shown}) for one answer of each respondent"
        if not self.law.epsilon:
            return "no local privacy guarantee: for analysis only"
        reasons = "; ".join(self.law.revelations())
        return f"no finite epsilon, for analysis only: {reasons}"

    def estimate(
        self, *counts: Counts, level: float = 0.95, estimand: str = "population"
    ) -> DesignEstimates:
        """Return shares from counts of answers, one for each arm in their order.

        Counts are `{"yes": 13, "no": 17}`, the text `yes=13,no=17`, or the answers themselves.

        Raises `EstimateError`, and `UnknownNameError` for answers that the design has not.
        """
        table = self._table(counts)
        shares, tests, remarks = estimated(self.law, table, level, estimand=estimand)
        return DesignEstimates(
            self.words,
            f"{self.title} ({self.source})",
            self.privacy,
            respondents=int(table.sum()),
            level=level,
            estimand=estimand,
            estimates=shares,
            tests=tests,
            remarks=remarks,
        )

    def _table(self, counts: Sequence[Counts]) -> Any:
        arms = self.law.arms
        if len(counts) != len(arms):
            names = " and ".join(arm.name or "all respondents" for arm in arms)
            raise EstimateError(
                f"expected counts of {len(arms)} samples, in this order: {names}; got {len(counts)}"
            )
        return np.array([placed(_counted(one), self.law.answers) for one in counts], dtype=float)

    def sample_size(
        self,
        share: float,
        *,
        half_width: float | None = None,
        other: float | None = None,
        groups: bool = False,
        level: float = 0.95,
        power: float = 0.8,
        types: Mapping[str, float] | None = None,
    ) -> int:
        """Return how many respondents it takes, over all arms, or in each of two groups.

        half_width  of the interval of the share
        other       a share to be told from it, with this power; of a second group if `groups`
        types       shares of those who do not follow, by their names

        Raises `EstimateError` unless one of `half_width` and `other` is given.
        """
        if (half_width is None) == (other is None):
            raise EstimateError("expected half_width or other, one of them")
        variance = self.variance(share, types)
        if half_width is not None:
            return size_for_width(variance, half_width, level)
        gap = share - (other or 0.0)
        if gap == 0:
            raise EstimateError("expected two shares that differ")
        null = self.variance(other or 0.0, types)
        if groups:
            return size_of_groups(variance + null, gap, level=level, power=power)
        return size_to_tell(null, variance, gap, level=level, power=power)

    def power(
        self,
        share: float,
        respondents: int,
        *,
        other: float = 0.0,
        level: float = 0.95,
        types: Mapping[str, float] | None = None,
    ) -> float:
        """Return the chance that so many respondents tell a share from another."""
        null, own = self.variance(other, types), self.variance(share, types)
        return power_to_tell(null, own, share - other, respondents=respondents, level=level)

    def variance(self, share: float, types: Mapping[str, float] | None = None) -> float:
        """Return the variance of one respondent's part of the estimate, for the population."""
        return unit_variance(self.law, shares_for(self.law, share, dict(types or {})))

    def simulate(
        self,
        share: float,
        respondents: int,
        seed: int,
        types: Mapping[str, float] | None = None,
    ) -> list[dict[str, int]]:
        """Return counts of answers that a population with this share may give, for each arm."""
        random = np.random.default_rng(seed)
        shares = shares_for(self.law, share, dict(types or {}))
        arms = len(self.law.arms)
        counts = []
        for place, arm in enumerate(self.law.arms):
            people = (respondents + place) // arms
            chances = shares @ np.array(arm.rows, dtype=float)
            drawn = random.multinomial(people, chances / chances.sum())
            counts.append(dict(zip(self.law.answers, drawn.tolist(), strict=True)))
        return counts


def _counted(counts: Counts) -> Mapping[str, int]:
    if isinstance(counts, str):
        return counts_of(counts)
    return counts if isinstance(counts, Mapping) else Counter(counts)


def design(words: str) -> Design:
    """Return the design of words such as `warner p=.7`.

    Raises `UnknownNameError` and `EstimateError` for words that are none.
    """
    name, rest = split(words, (*ROWS, MATRIX))
    if name == MATRIX:
        if len(rest) != 1:
            raise EstimateError("expected a file after matrix, as in 'matrix laws.csv'")
        made = Design(words, "a table of chances", Path(rest[0]).name, matrix_law(Path(rest[0])))
    else:
        row = ROWS[name]
        given = parameters(name, row.parameters, rest, labels=row.labels)
        made = Design(words, row.title, row.source, row.law(**given))
    check_identified(made.law)
    return made
