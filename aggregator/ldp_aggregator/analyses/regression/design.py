"""Columns of numbers for the terms of a formula, in each combination and cell.

A number is a column as it is. Of categories every value but the first has a column of
its own, 1 where it is held: coefficients say how far a value is from the first one, the
*reference*. Products of terms are products of their columns. Numbers that are counted
in cells stand for the middles of these: what is said of them is said of the middles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp_aggregator.analyses.regression.formula import Factor, Formula, Term, text_of
from ldp_aggregator.analyses.rows.codes import text_of as text_of_cell
from ldp_aggregator.analyses.weighting.answers import AnswerColumn, ReportAnswers
from ldp_aggregator.numerics.arrays import Floats

INTERCEPT = "(intercept)"
MOST_COLUMNS = 200
_SINGULAR = 1e-9


class DesignMatrix(NamedTuple):
    """The columns of a formula."""

    names: tuple[str, ...]
    terms: tuple[tuple[str, tuple[int, ...]], ...]
    """Each term of the formula, and the places of its columns."""
    table: Floats
    """X, (combinations, cells or 1, k): of one cell where all of it is in the clear."""
    public: bool
    references: tuple[str, ...]
    """What coefficients of categories are in comparison to."""


def design_of(answers: ReportAnswers, formula: Formula) -> DesignMatrix:
    """The columns of a formula for answers.

    Raises `UnknownNameError` for names that are none, and `EstimateError` for too many
    columns and for what is the same in all respondents.
    """
    for name in formula.names:
        if name not in answers.names:
            raise UnknownNameError(name, answers.names, "an attribute or a field")
    columns = {name: answers.column(name) for name in formula.names}
    public = all(column.public for column in columns.values())
    shape = (len(answers.combinations), 1 if public else answers.cells)
    names, tables = [INTERCEPT], [np.ones(shape)]
    terms: list[tuple[str, tuple[int, ...]]] = []
    for term in formula.terms:
        labels, parts = _of_term(term, columns, shape)
        terms.append(
            (text_of(term), tuple(range(len(names), len(names) + len(labels))))
        )
        names += labels
        tables += parts
        if len(names) > MOST_COLUMNS:
            raise EstimateError(
                f"expected at most {MOST_COLUMNS} coefficients, got more"
            )
    table = np.stack(tables, axis=2)
    _check_rank(answers, table, names)
    return DesignMatrix(
        tuple(names),
        tuple(terms),
        table,
        public=public,
        references=_references(formula, columns),
    )


def row_of(
    answers: ReportAnswers, formula: Formula, given: Mapping[str, Any]
) -> Floats:
    """The columns of someone with these values, (k,).

    Raises `UnknownNameError` for names and values that are none, and `EstimateError`
    for a predictor without a value.
    """
    for name in given:
        if name not in formula.names:
            raise UnknownNameError(name, formula.names, "a predictor of the formula")
    columns = {}
    for name in formula.names:
        if name not in given:
            raise EstimateError(f"expected a value of {name!r} to predict for, too")
        columns[name] = _holding(answers.column(name), text_of_cell(given[name]))
    parts = [_of_term(term, columns, (1, 1))[1] for term in formula.terms]
    return np.array([1.0, *(part[0, 0] for parts_of in parts for part in parts_of)])


def _holding(column: AnswerColumn, text: str) -> AnswerColumn:
    """The column of someone with this value; a number may be a new one."""
    if text in column.values:
        code = column.values.index(text)
        return column._replace(codes=np.array([[code]]))
    if column.numbers is None:
        raise UnknownNameError(text, column.values, f"a value of {column.name!r}")
    try:
        number = float(text)
    except ValueError:
        raise EstimateError(
            f"expected a number for {column.name!r}, got {text!r}"
        ) from None
    return column._replace(codes=np.array([[0]]), numbers=np.array([number]))


def is_categories(factor: Factor, column: AnswerColumn) -> bool:
    """Whether a factor has a column for each value."""
    return factor.categories or column.numbers is None


def _of_term(
    term: Term, columns: dict[str, AnswerColumn], shape: tuple[int, int]
) -> tuple[list[str], list[Floats]]:
    labels, tables = [""], [np.ones(shape)]
    for factor in term:
        column = columns[factor.name]
        own = _of_factor(factor, column, shape)
        labels = [f"{label}:{name}".lstrip(":") for label in labels for name, _ in own]
        tables = [table * part for table in tables for _, part in own]
    return labels, tables


def _of_factor(
    factor: Factor, column: AnswerColumn, shape: tuple[int, int]
) -> list[tuple[str, Floats]]:
    codes = np.broadcast_to(column.codes, shape)
    if not is_categories(factor, column) and column.numbers is not None:
        return [(factor.text, column.numbers[codes] ** factor.power)]
    if factor.power > 1:
        raise EstimateError(
            f"{factor.text}: {factor.name!r} has categories, which have no powers"
        )
    if len(column.values) < 2:
        raise EstimateError(
            f"expected {factor.name!r} to have two values or more, got "
            f"{len(column.values)}"
        )
    return [
        (f"{factor.name}={value}", (codes == place).astype(np.float64))
        for place, value in enumerate(column.values)
        if place
    ]


def _references(formula: Formula, columns: dict[str, AnswerColumn]) -> tuple[str, ...]:
    factors = dict.fromkeys(factor for term in formula.terms for factor in term)
    return tuple(
        f"{factor.name}={columns[factor.name].values[0]}"
        for factor in factors
        if is_categories(factor, columns[factor.name])
    )


def _check_rank(answers: ReportAnswers, table: Floats, names: list[str]) -> None:
    """Raise `EstimateError` for columns that follow from the others, whoever the
    respondents are.

    Of randomized cells all that there are may be held; of combinations those that are
    there.
    """
    rows = table.reshape(-1, table.shape[2])
    if table.shape[1] == 1:
        rows = rows[answers.clear_shares > 0]
    scale = np.abs(rows).max(axis=0)
    _, triangle = np.linalg.qr(rows / np.where(scale > 0, scale, 1))
    pivots = np.abs(np.diag(triangle))
    if len(pivots) < len(names) or pivots.min() <= _SINGULAR * len(rows) ** 0.5:
        place = len(pivots) if len(pivots) < len(names) else int(np.argmin(pivots))
        raise EstimateError(
            f"expected columns that differ among the respondents, but {names[place]!r} "
            "follows from the others; leave it out"
        )
