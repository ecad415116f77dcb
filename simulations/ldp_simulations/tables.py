"""Tables of answers as people have them: each question's answers as places in a list.

Those that differ are listed once, so that millions of rows are checked and randomized
by the column.

    data frames     of pandas or polars, tables of pyarrow: a column for each question,
                    or for each field of one
    dict            of arrays or lists, by question
    iterable        of dicts, one for each respondent
    path            of a CSV or Parquet file (`ldp_simulations.answers`)

None, NaN and empty texts are no answer. Texts are read as in a CSV file; whole numbers,
also where a library made floats of them, stand for the texts or booleans that are
written so. The table holds true answers: problems are named by row (the first is 1) and
question, and never quote a cell.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ldp.answers.domain import Domain, Field
from ldp.errors import AnswerError
from ldp.survey.attributes import UNKNOWN, Attribute
from ldp.survey.survey import Group, Question, Survey
from ldp_aggregator.numerics.arrays import Integers
from ldp_simulations.answers import (
    AnswersError,
    columns_for,
    missing_columns,
    read_answers,
    refusal,
    refuse_halves,
    unknown_value,
)

Table = Any
"""One of the above; the libraries are not needed here, so their types have no names."""

NO_ANSWER = -1
_MISSING_TYPES = ("NAType", "NaTType")
"""What pandas has for missing values, besides NaN."""


class CodedAnswers(NamedTuple):
    """The answers to one question: respondent i gave `answers[codes[i]]`, or none if
    that is -1.
    """

    codes: Integers
    """Of shape (respondents,)."""
    answers: list[object]
    """Those that differ, as `Question.value` takes them."""


def columns_of(
    survey: Survey,
    table: Table,
    *,
    skip_invalid: bool = False,
    with_attributes: bool = False,
) -> dict[str, CodedAnswers]:
    """The column of each question, and perhaps of each attribute, which may have none.

    Raises `AnswersError` if a question has no column, if cells do not fit their
    questions, or if only some questions of a group are answered; with `skip_invalid`
    such cells are taken for no answer. Raises `TypeError` for what is no table.
    """
    coders: list[_Coder | _Said] = [_Coder(question) for question in survey]
    if with_attributes:
        coders += [_Said(attribute) for attribute in survey.attributes]
    problems: list[str] = []
    if isinstance(table, str | os.PathLike):
        _take_rows(
            coders,
            read_answers(Path(table), survey, skip_invalid=skip_invalid),
            problems,
        )
    elif isinstance(table, Mapping) or hasattr(table, "columns"):
        _take_columns(coders, table, problems)
    elif isinstance(table, Iterable):
        _take_rows(coders, table, problems)
    else:
        raise TypeError(
            "expected a data frame, a dict of columns, an iterable of dicts, or the "
            "path of a CSV or Parquet file; got something of type "
            f"{type(table).__name__}"
        )
    columns = {
        coder.name: CodedAnswers(np.array(coder.codes, dtype=np.int64), coder.answers)
        for coder in coders
    }
    for group in survey.groups:
        problems += _drop_halves(group, columns)
    if problems and not skip_invalid:
        raise refusal(problems, "the table")
    return columns


class _Coder:
    """Makes a column, cell by cell; each cell that was met before costs a look-up."""

    def __init__(self, question: Question) -> None:
        self.name = question.name
        self.columns = columns_for(question)
        self.codes = array("q")
        self.answers: list[object] = []
        self._question = question
        self._fields = question.domain.fields
        self._known: dict[Hashable, int | str] = {}

    def columns_among(self, names: Set[Any]) -> tuple[str, ...]:
        """The columns to look for: those of its fields, unless one has their answers
        together.
        """
        if self._fields and self.name in names:
            return (self.name,)
        return self.columns

    def take_row(
        self, row: int, cells: Mapping[Any, object], problems: list[str]
    ) -> None:
        """Add what a row says: an answer under the question's name, or one for each
        field.
        """
        if self._fields and self.name not in cells:
            self.take(row, {name: cells.get(name) for name in self.columns}, problems)
        else:
            self.take(row, cells.get(self.name), problems)

    def take(self, row: int, cell: object, problems: list[str]) -> None:
        """Add the cell of a row; what is wrong with it is a problem, and it no answer.

        Of a question with fields, a dict of their cells.
        """
        code = NO_ANSWER if self._is_no_answer(cell) else self._known_code(cell)
        if isinstance(code, str):
            problems.append(f"row {row}: {code}")
            code = NO_ANSWER
        self.codes.append(code)

    def _is_no_answer(self, cell: object) -> bool:
        if self._fields and isinstance(cell, Mapping):
            return all(self._is_missing_in(field, cell) for field in self._fields)
        return _is_missing(cell) or self._question.domain.is_missing(cell)

    @staticmethod
    def _is_missing_in(field: Field, cells: Mapping[Any, object]) -> bool:
        cell = cells.get(field.name)
        return _is_missing(cell) or field.domain.is_missing(cell)

    def _known_code(self, cell: object) -> int | str:
        """The place of a cell's answer, or what is wrong with it: looked up, if it came
        before.
        """
        # True and 1 are equal, and not the same answer.
        key: Hashable = (type(cell), cell)
        if self._fields and isinstance(cell, Mapping):
            key = tuple((name, type(part), part) for name, part in cell.items())
        try:
            code = self._known.get(key)
        except TypeError:  # a list, or a set, cannot be looked up
            return self._code(cell)
        if code is None:
            code = self._known[key] = self._code(cell)
        return code

    def _code(self, cell: object) -> int | str:
        """The place of a new cell's answer, or what is wrong with it."""
        try:
            answer = self._answer(cell)
            self._question.places(answer)
        except AnswerError as error:
            return str(error)
        self.answers.append(answer)
        return len(self.answers) - 1

    def _answer(self, cell: object) -> object:
        if not self._fields or not isinstance(cell, Mapping):
            return _answer(self._question.domain, cell)
        refuse_halves(
            self._question,
            [not self._is_missing_in(field, cell) for field in self._fields],
        )
        known = {field.name: field.domain for field in self._fields}
        return {
            name: _answer(known[name], part) if name in known else part
            for name, part in cell.items()
        }


class _Said:
    """Makes the column of an attribute: values, or none where it is unknown."""

    def __init__(self, attribute: Attribute) -> None:
        self.name = attribute.name
        self.columns = (attribute.name,)
        self.codes = array("q")
        self.answers: list[object] = list(attribute.values)
        self._attribute = attribute

    def columns_among(self, names: Set[Any]) -> tuple[str, ...]:
        """The column to look for; none where a table does not say it."""
        if self.name in names:
            return self.columns
        return ()

    def take_row(
        self, row: int, cells: Mapping[Any, object], problems: list[str]
    ) -> None:
        """Add what a row says."""
        self.take(row, cells.get(self.name), problems)

    def take(self, row: int, cell: object, problems: list[str]) -> None:
        """Add the cell of a row; what is wrong with it is a problem, and unknown."""
        code = NO_ANSWER
        label = cell
        if isinstance(cell, str):
            label = cell.strip()
        if label in self._attribute.values:
            code = self._attribute.values.index(str(label))
        elif label not in ("", UNKNOWN) and not _is_missing(label):
            problems.append(f"row {row}: {unknown_value(self._attribute)}")
        self.codes.append(code)


def _take_rows(
    coders: list[_Coder | _Said], rows: Iterable[object], problems: list[str]
) -> None:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            raise TypeError(
                f"row {number}: expected a dict of answers by question name, got "
                f"something of type {type(row).__name__}"
            )
        for coder in coders:
            coder.take_row(number, row, problems)


def _take_columns(
    coders: list[_Coder | _Said], table: Any, problems: list[str]
) -> None:
    # A table of pyarrow has its columns under `columns`, and their names here.
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    there = set(table if names is None else names)
    columns = [coder.columns_among(there) for coder in coders]
    wanted = [name for names in columns for name in names]
    missing = [name for name in wanted if name not in there]
    if missing:
        raise AnswersError(
            "expected one column for each question or field, got none for "
            f"{missing_columns(missing, there)}"
        )
    for coder, names in zip(coders, columns, strict=True):
        if not names:
            coder.codes.extend([NO_ANSWER] * len(coders[0].codes))
            continue
        _take_cells(
            coder, [list(_cells(name, table[name])) for name in names], problems
        )
    lengths = {coder.name: len(coder.codes) for coder in coders}
    if len(set(lengths.values())) > 1:
        raise AnswersError(
            "expected columns of one length, got "
            + ", ".join(
                f"{length:,} rows of {name}" for name, length in lengths.items()
            )
        )


def _take_cells(
    coder: _Coder | _Said, columns: list[list[object]], problems: list[str]
) -> None:
    """The cells of a question's columns: one, or one for each field."""
    if len(columns) == 1:
        for number, cell in enumerate(columns[0], 1):
            coder.take(number, cell, problems)
        return
    lengths = set(map(len, columns))
    if len(lengths) > 1:
        raise AnswersError(
            "expected columns of one length, got "
            + ", ".join(
                f"{len(column):,} rows of {name}"
                for name, column in zip(coder.columns, columns, strict=True)
            )
        )
    for number, cells in enumerate(zip(*columns, strict=True), 1):
        coder.take(number, dict(zip(coder.columns, cells, strict=True)), problems)


def _cells(name: str, column: Any) -> Iterable[object]:
    """The cells of a column, as Python's own objects where its library gives these."""
    if isinstance(column, str | bytes) or not isinstance(column, Iterable):
        raise TypeError(
            f"column {name!r}: expected an array or a list of answers, got something "
            f"of type {type(column).__name__}"
        )
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, way):
            cells: list[object] = getattr(column, way)()
            return cells
    return column


def _is_missing(cell: object) -> bool:
    if isinstance(cell, float):
        return math.isnan(cell)
    return cell is None or type(cell).__name__ in _MISSING_TYPES


def _answer(domain: Domain, cell: Any) -> object:
    """Read a cell, ready to be checked."""
    if isinstance(cell, str):
        return domain.parse(cell.strip())
    if hasattr(cell, "tolist"):  # an array, or a scalar, of numpy
        cell = cell.tolist()
    if domain.per_device:
        return _records(domain, cell)
    if isinstance(cell, bool) or domain.most is not None:
        return cell
    if isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer()):
        return domain.parse(str(int(cell)))
    return cell


def _records(domain: Domain, cell: Any) -> object:
    """The records of a device, each as a cell would say it; anything else is one
    record.
    """
    records = cell if isinstance(cell, Sequence) else (cell,)
    return tuple(_record(domain, record) for record in records)


def _record(domain: Domain, record: Any) -> object:
    whole = isinstance(record, int) and not isinstance(record, bool)
    if whole or (isinstance(record, float) and record.is_integer()):
        return domain.parse_record(str(int(record)))
    return record


def _drop_halves(group: Group, columns: dict[str, CodedAnswers]) -> list[str]:
    """Take those who answered some of a group's questions for no respondents of it.

    What is wrong with them is returned.
    """
    codes = [columns[question.name].codes for question in group.members]
    answered = np.sum([column != NO_ANSWER for column in codes], axis=0)
    half = np.flatnonzero((answered > 0) & (answered < len(codes)))
    for column in codes:
        column[half] = NO_ANSWER
    return [
        (
            f"row {row + 1}: expected answers to all of {group.name} or to none, got "
            f"{answered[row]}"
        )
        for row in half.tolist()
    ]
