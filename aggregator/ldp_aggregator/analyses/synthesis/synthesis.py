"""Synthetic people from a tally: rows with the dependence that the tables of pairs say.

What is drawn is made from private estimates alone, so that it costs no privacy, however
often it is done. It is biased, as every view without negative shares is, and has no
intervals; what is read off rows is the tally's answer with more steps between.

    pairs     the joint table of greatest entropy with the tables of all pairs
    weights   the same by multiplicative weights
    tree      the pairs that say most, as a tree: for more fields than a joint table can
              have

Sources: `entropy`, `tree`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ldp.answers.fields import names_of
from ldp.errors import EstimateError
from ldp_aggregator.analyses.association.crosstabs import crosstab
from ldp_aggregator.analyses.synthesis.entropy import multiplicative, proportional
from ldp_aggregator.analyses.synthesis.fit import PairFit, fit_of
from ldp_aggregator.analyses.synthesis.pairs import Pair, consistent, pairs_of
from ldp_aggregator.analyses.synthesis.rows import along, from_joint
from ldp_aggregator.analyses.synthesis.tree import branches
from ldp_aggregator.numerics.arrays import Floats, Integers
from ldp_aggregator.output.formats.formats import Framed
from ldp_aggregator.output.sheet import Sheet, TextTable
from ldp_aggregator.tallies.tally import Tally

PAIRS, WEIGHTS, TREE = METHODS = ("pairs", "weights", "tree")
MOST_JOINT = 1 << 20
"""Cells of a joint table that is written out."""
MOST_ROWS = 10_000_000
ROWS = 10_000

_BIASED = (
    "rows are biased, without intervals: dependence of three fields or more is only "
    "what follows from pairs, and shares that noise puts below zero are none; "
    "estimates are in the tables"
)


@dataclass(frozen=True, eq=False)
class Synthetic(Framed):
    """Synthetic people, and how far their tables are from the unbiased ones.

    `synthesize` has an example.
    """

    question: str
    names: tuple[str, ...]
    """The fields."""
    values: tuple[tuple[str, ...], ...]
    """Of each field, as texts."""
    people: Integers
    """The place of each person's value in each field, of shape (rows, fields)."""
    fits: tuple[PairFit, ...]
    method: str
    reports: int

    def __len__(self) -> int:
        return len(self.people)

    def __iter__(self) -> Iterator[dict[str, str]]:
        return (dict(zip(self.names, row, strict=True)) for row in self._rows())

    def sheet(self) -> Sheet:
        """The rows for spreadsheets; for people and as a record, how well they fit."""
        return Sheet(
            f"{self.question}: {len(self):,} synthetic people",
            tables=self._tables,
            record=self._record,
            columns=self.names,
            rows=self._rows,
            warnings=[self._summary(), _BIASED],
        )

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for row in self.people.tolist():
            yield tuple(
                texts[value] for texts, value in zip(self.values, row, strict=True)
            )

    def _summary(self) -> str:
        difference, noise = (
            math.sqrt(math.fsum(square) / len(self.fits))
            for square in (
                [fit.difference**2 for fit in self.fits],
                [fit.noise**2 for fit in self.fits],
            )
        )
        return (
            f"question {self.question!r}: tables of two fields differ by "
            f"{difference:.2g} (root mean square over cells) from the unbiased ones, "
            f"whose standard error is {noise:.2g}"
        )

    def _tables(self) -> Iterator[TextTable]:
        yield TextTable(
            "",
            f"{len(self):,} rows by {self.method}, from {self.reports:,} reports",
            (
                "pair",
                "standard\nerror",
                "rows\ndiffer by",
                "Cramér's V",
                "in the\nrows",
            ),
            rows=[
                (
                    f"{fit.first} & {fit.second}",
                    *(f"{number:.4f}" for number in fit[2:]),
                )
                for fit in self.fits
            ],
            remarks=[
                (
                    "standard error, difference: of the cells of the unbiased table, "
                    "root mean squares"
                ),
                _BIASED,
            ],
        )

    def _record(self) -> dict[str, Any]:
        return {
            "format": 1,
            "question": self.question,
            "fields": list(self.names),
            "rows": len(self),
            "method": self.method,
            "reports": self.reports,
            "biased": True,
            "pairs": [fit._asdict() for fit in self.fits],
        }


def synthesize(
    tally: Tally,
    name: str,
    *,
    rows: int = ROWS,
    fields: Sequence[str] = (),
    method: str | None = None,
    seed: int | None = None,
) -> Synthetic:
    """People whose fields go together as a tally says of the question called `name`.

    fields  those that they have; all, if there are none
    method  one of `METHODS`; without it pairs, or a tree if the joint table has too
            many cells
    seed    makes the rows repeatable; they are as private without

    Raises `EstimateError` for a question without fields or reports, fewer than two
    fields, too many cells for a method, or no rows, and `UnknownNameError` for what is
    no field.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> fields = [ldp.field("smokes", type="boolean"), ldp.field("sex", ["f", "m"])]
    >>> habits = ldp.question("habits", type="table", fields=fields, epsilon="2")
    >>> survey = ldp.survey("health", habits)
    >>> people = {"smokes": [True, False] * 500, "sex": ["f", "m", "m", "f"] * 250}
    >>> tally = ldp_aggregator.aggregate(survey, ldp_simulations.randomize(survey, people))
    >>> people = ldp_aggregator.synthesize(tally, "habits", rows=100, seed=1)
    >>> people.names
    ('smokes', 'sex')
    """
    if not 1 <= rows <= MOST_ROWS:
        raise EstimateError(f"expected 1 to {MOST_ROWS:,} rows, got {rows:,}")
    table = crosstab(tally, name)
    names = tuple(fields) or names_of(table.fields)
    pairs = pairs_of(table, names)
    chosen = _method(pairs.sizes, method)
    tables = consistent(pairs)
    generator = np.random.default_rng(seed)
    people = people_of(chosen, pairs.sizes, tables, rows=rows, generator=generator)
    texts = {field.name: field.domain.values or () for field in table.fields}
    return Synthetic(
        name,
        names,
        tuple(texts[field] for field in names),
        people=people,
        fits=tuple(fit_of(names, pairs, tables, people=people)),
        method=chosen,
        reports=table.reports,
    )


def _method(sizes: tuple[int, ...], method: str | None) -> str:
    if method not in (None, *METHODS):
        raise EstimateError(
            f"expected method to be one of {', '.join(METHODS)}, got {method!r}"
        )
    cells = math.prod(sizes)
    if method is None:
        if cells <= MOST_JOINT:
            return PAIRS
        return TREE
    if method != TREE and cells > MOST_JOINT:
        raise EstimateError(
            f"expected a joint table of at most {MOST_JOINT:,} cells for {method}, got "
            f"{cells:,}; take fewer fields, or a tree"
        )
    return method


def people_of(
    method: str,
    sizes: tuple[int, ...],
    tables: dict[Pair, Floats],
    rows: int,
    generator: Generator,
) -> Integers:
    """People drawn as consistent tables of pairs say, of shape (rows, fields)."""
    if method == TREE:
        return along(branches(len(sizes), tables), tables, rows, generator=generator)
    find = proportional if method == PAIRS else multiplicative
    return from_joint(find(sizes, tables), rows, generator)
