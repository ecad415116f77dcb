"""A survey design by its words: `design("warner p=.7").estimate({"yes": 13, "no":
17})`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.designs.estimation import check_identified, estimate_shares
from ldp_aggregator.analyses.designs.law import NO, YES, Arm, Law
from ldp_aggregator.analyses.designs.matrix_file import matrix_law
from ldp_aggregator.analyses.designs.result import DesignEstimates, DesignGroups
from ldp_aggregator.analyses.designs.rows import (
    DesignRows,
    answers_of,
    arms_of,
    table_of,
)
from ldp_aggregator.analyses.designs.sizes import (
    power_to_tell,
    shares_for,
    size_for_width,
    size_of_groups,
    size_to_tell,
    unit_variance,
)
from ldp_aggregator.analyses.designs.table import ROWS
from ldp_aggregator.analyses.designs.words import (
    counts_in_order,
    counts_of,
    parameters,
    split,
)
from ldp_aggregator.analyses.rows.columns import Table
from ldp_aggregator.numerics.arrays import Floats, Integers

MATRIX = "matrix"
_MOST_DESIGNS = 100

Counts = Mapping[str, int] | str | Iterable[str]


@dataclass(frozen=True)
class Design:
    """A law with its name, title and source."""

    words: str
    title: str
    source: str
    law: Law
    by_row: str = ""
    """Words with names of columns in braces, where the design of each row is in the
    table.
    """

    @property
    def epsilon(self) -> float:
        """Epsilon of one answer; infinite where an answer rules a type out."""
        ratio = self.law.ratio
        if ratio is None:
            return math.inf
        return math.log(ratio)

    @property
    def privacy(self) -> str:
        """Describe in a sentence what one answer reveals."""
        ratio = self.law.ratio
        if ratio is not None:
            shown = "rounded"
            if ratio.denominator < 10**6:
                shown = f"ln({ratio})"
            return (
                f"epsilon {self.epsilon:.4f} ({shown}) for one answer of each "
                "respondent"
            )
        if not self.law.epsilon:
            return "no local privacy guarantee: for analysis only"
        reasons = "; ".join(self.law.revelations())
        return f"no finite epsilon, for analysis only: {reasons}"

    def estimate(
        self, *counts: Counts, level: float = 0.95, estimand: str = "population"
    ) -> DesignEstimates:
        """Return shares from counts of answers, one for each arm in their order.

        Counts are `{"yes": 13, "no": 17}`, the text `yes=13,no=17`, or the answers
        themselves.

        Raises `EstimateError`, and `UnknownNameError` for answers that the design has
        not.
        """
        arms = self.law.arms
        if len(counts) != len(arms):
            names = " and ".join(arm.name or "all respondents" for arm in arms)
            raise EstimateError(
                f"expected counts of {len(arms)} samples, in this order: {names}; got "
                f"{len(counts)}"
            )
        table = [counts_in_order(_count(one), self.law.answers) for one in counts]
        return self._estimate(
            np.array(table, dtype=float), level=level, estimand=estimand
        )

    def estimate_rows(
        self,
        table: Table,
        answers: str | Sequence[str],
        *,
        codes: Mapping[str, Any] | None = None,
        arm: str | None = None,
        by: str | Sequence[str] = (),
        where: Mapping[str, str] | None = None,
        level: float = 0.95,
        estimand: str = "population",
    ) -> DesignGroups:
        """Return shares from a table with a row for each respondent, by groups if asked
        for.

        answers  the column of answers; of several questions, their columns in order
        codes    the cell that says each answer, such as {"yes": 1, "no": 2}
        arm      the column that says the sample, where there are several
        by       columns whose values make groups

        Raises `EstimateError`, and `UnknownNameError` for columns that the table has
        not.
        """
        rows = DesignRows.read(table)
        columns, by = _names(answers), _names(by)
        places, said = answers_of(rows, columns, self.law.answers, codes=codes)
        arms = self.arms_of(rows, arm)
        shape = len(self.law.arms), len(self.law.answers)
        groups = {}
        for label, some in rows.groups(by, where).items():
            counts = table_of(places, arms, shape, some=some)
            try:
                groups[label] = self._estimate(counts, level=level, estimand=estimand)
            except EstimateError as error:
                if not label:
                    raise
                said.append(f"group {', '.join(label)} is left out: {error}")
        return DesignGroups(by, groups, tuple(said))

    def arms_of(self, rows: DesignRows, arm: str | None) -> Integers:
        """Return each row's place among the samples, from a column or from the design
        of the row.

        It is -1 where a row says none. Raises `EstimateError` for samples that there
        are not.
        """
        arm_texts = None
        if arm is not None:
            arm_texts = rows.texts(arm)
        if self.by_row:
            arm_texts = rows.fill_template(self.by_row)
        return arms_of(arm_texts, self.law.arms, rows.people)

    def _estimate(self, counts: Floats, level: float, estimand: str) -> DesignEstimates:
        """Estimate from counts, (arms, answers)."""
        shares, tests, remarks = estimate_shares(
            self.law, counts, level, estimand=estimand
        )
        return DesignEstimates(
            self.words,
            f"{self.title} ({self.source})",
            self.privacy,
            respondents=int(counts.sum()),
            level=level,
            estimand=estimand,
            estimates=shares,
            tests=tests,
            remarks=remarks,
        )

    def to_toml(self, name: str, *, for_analysis: bool = False) -> str:
        """Return a survey file with one question that collects by this design, as a
        matrix.

        `ldp survey paper` prints it where a toss has its chances. Raises
        `EstimateError` for a design of several samples, or whose answers are no types,
        and unless it is for analysis for one without a finite epsilon.
        """
        law = self.law
        private = law.ratio is not None or for_analysis
        if not private or len(law.arms) > 1 or set(law.types) != set(law.answers):
            finite = "" if for_analysis else " with a finite epsilon"
            raise EstimateError(
                f"expected a design of one sample{finite} whose answers are those of "
                f"the question, got {self.words!r}"
            )
        # A boolean question has false first.
        order = None
        if YES in law.types:
            order = [law.types.index(one) for one in (NO, YES)]
        places = order or range(len(law.types))
        columns = [law.answers.index(law.types[place]) for place in places]
        rows = [
            [str(law.arms[0].rows[place][column]) for column in columns]
            for place in places
        ]
        lines = ["[survey]", f"name = {json.dumps(name)}", "", "[[question]]"]
        lines += [f"name = {json.dumps(name)}", 'mechanism = "matrix"']
        if order:
            lines.append('type = "boolean"')
        else:
            lines += ['type = "category"', f"values = {json.dumps(law.types)}"]
        return "\n".join([*lines, f"matrix = {json.dumps(rows)}", ""])

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
        """Return how many respondents it takes, over all arms, or in each of two
        groups.

        half_width  of the interval of the share
        other       a share to be told from it, with this power; of a second group if
                    `groups`
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
        return power_to_tell(
            null, own, share - other, respondents=respondents, level=level
        )

    def variance(self, share: float, types: Mapping[str, float] | None = None) -> float:
        """Return the variance of one respondent's part of the estimate, for the
        population.
        """
        return unit_variance(self.law, shares_for(self.law, share, dict(types or {})))

    def simulate(
        self,
        share: float,
        respondents: int,
        seed: int,
        types: Mapping[str, float] | None = None,
    ) -> list[dict[str, int]]:
        """Return counts of answers that a population with this share may give, for each
        arm.
        """
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


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    return tuple(names)


def _count(counts: Counts) -> Mapping[str, int]:
    if isinstance(counts, str):
        return counts_of(counts)
    if isinstance(counts, Mapping):
        return counts
    return Counter(counts)


def design(words: str, table: Table = None) -> Design:
    """Return the design of words such as `warner p=.7`.

    With semicolons between them, designs of several samples about one question are one.
    So are those of the rows of a table, for words with its columns in braces: `warner
    p={p}`.

    Raises `UnknownNameError` and `EstimateError` for words that are none.

    >>> import ldp_aggregator
    >>> warner = ldp_aggregator.design("warner p=.7")
    >>> print(warner.estimate({"yes": 450, "no": 550}).respondents)
    1000
    """
    texts, by_row = words.split(";"), ""
    if "{" in words:
        if table is None:
            raise EstimateError(f"expected a table whose columns complete {words!r}")
        by_row = words
        texts = sorted(set(DesignRows.read(table).fill_template(words)) - {""})
        if not 0 < len(texts) <= _MOST_DESIGNS:
            raise EstimateError(
                f"expected 1 to {_MOST_DESIGNS} designs of rows, got {len(texts)}"
            )
    parts = [_design(text.strip()) for text in texts]
    whole_design = parts[0] if len(parts) == 1 and not by_row else _join(words, parts)
    check_identified(whole_design.law)
    return replace(whole_design, by_row=by_row)


def _design(words: str) -> Design:
    name, rest = split(words, (*ROWS, MATRIX))
    if name == MATRIX:
        if len(rest) != 1:
            raise EstimateError("expected a file after matrix, as in 'matrix laws.csv'")
        path = Path(rest[0])
        return Design(words, "a table of chances", path.name, law=matrix_law(path))
    row = ROWS[name]
    given = parameters(name, row.parameters, rest, labels=row.labels)
    return Design(words, row.title, row.source, law=row.law(**given))


def _join(words: str, parts: Sequence[Design]) -> Design:
    """Several designs as the arms of one. Raises `EstimateError` unless their types
    agree.
    """
    first = parts[0].law
    arms = []
    for part in parts:
        law = part.law
        if (law.types, law.answers) != (first.types, first.answers) or law.held:
            raise EstimateError(
                f"expected designs of the same answers, got {parts[0].words!r} and "
                f"{part.words!r}"
            )
        for arm in law.arms:
            name = part.words
            if len(law.arms) != 1:
                name = f"{part.words}, {arm.name}"
            arms.append(Arm(name, arm.rows))
    law = first._replace(arms=tuple(arms), numbers=())
    return Design(words, "several designs", "one likelihood", law=law)
