"""The tables of all pairs of fields: unbiased as they are estimated, and made
consistent.

Noise puts cells below zero, and (where different reports tell different pairs) gives
one field different shares in different tables. A joint table has neither, so before one
is looked for:

    shares of a field    the mean of what its tables say, the nearest without negative
                         shares
    table of a pair      the shares of rows and columns taken over: the difference is
                         spread evenly over the cells of its row or column; then the
                         nearest table without negative cells, by turns

which is biased, as whatever cuts noise at zero is.

Source: Zhang et al. 2018, CALM, section 4.3 (consistency, then non-negativity, by
turns); Wang et al. 2020 (norm-sub).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ldp.errors import EstimateError
from ldp_aggregator.analyses.association.crosstab import Crosstab
from ldp_aggregator.analyses.association.crosstabs import Crosstabs
from ldp_aggregator.numerics.arrays import Floats
from ldp_aggregator.numerics.postprocessing import norm_sub

Pair = tuple[int, int]
"""The places of two fields, the first one first."""

_ROUNDS = 50
_NEAR = 1e-9


class Pairs(NamedTuple):
    """The tables of all pairs of some fields, by their places."""

    sizes: tuple[int, ...]
    """How many values each field has."""
    tables: Mapping[Pair, Floats]
    """Unbiased shares, of shape (values of the first, values of the second)."""
    errors: Mapping[Pair, Floats]
    """Their standard errors."""


def pairs_of(crosstab: Crosstab | Crosstabs, names: tuple[str, ...]) -> Pairs:
    """Pairs of these fields of a question. Raises `EstimateError` for fewer than
    two.
    """
    if len(names) < 2:
        raise EstimateError(
            f"expected two fields or more, got {', '.join(names) or 'none'}"
        )
    sizes = {field.name: field.size for field in crosstab.fields}
    tables, errors = {}, {}
    for pair in combinations(range(len(names)), 2):
        first, second = (names[place] for place in pair)
        shares = crosstab.margin(first, second)
        shape = sizes[first], sizes[second]
        tables[pair] = np.array([share.frequency for share in shares]).reshape(shape)
        errors[pair] = np.array([share.standard_error for share in shares]).reshape(
            shape
        )
    return Pairs(tuple(sizes[name] for name in names), tables, errors)


def consistent(pairs: Pairs) -> dict[Pair, Floats]:
    """The tables without negative cells, in which each field has the same shares
    everywhere.
    """
    tables = dict(pairs.tables)
    for _ in range(_ROUNDS):
        margins = margins_of(pairs.sizes, tables)
        moved = 0.0
        for (first, second), table in tables.items():
            fitting = _with_margins(table, margins[first], margins[second])
            nearest = norm_sub(fitting.ravel()).reshape(fitting.shape)
            moved = max(moved, float(np.abs(nearest - table).max()))
            tables[first, second] = nearest
        if moved < _NEAR:
            break
    return tables


def margins_of(sizes: tuple[int, ...], tables: Mapping[Pair, Floats]) -> list[Floats]:
    """The shares of each field's values: the mean of what its tables say, none of them
    negative.
    """
    sums = [np.zeros(size) for size in sizes]
    for (first, second), table in tables.items():
        sums[first] += table.sum(axis=1)
        sums[second] += table.sum(axis=0)
    return [norm_sub(total / (len(sizes) - 1)) for total in sums]


def _with_margins(table: Floats, rows: Floats, columns: Floats) -> Floats:
    """The nearest table that has these shares of rows and columns."""
    by_row = (rows - table.sum(axis=1)) / table.shape[1]
    by_column = (columns - table.sum(axis=0)) / table.shape[0]
    twice = (rows.sum() - table.sum()) / table.size
    return np.asarray(table + by_row[:, None] + by_column - twice)
