"""Tables of answers: a respondent a row, one column a question, or a field of one.

Files are CSV or Parquet (`ldp_simulations.table_files`). An empty cell is no answer,
and so is one of the texts that a question says are `missing`.

The table holds true answers, so problems are named by row and column and never quote a
cell.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from ldp.answers.fields import names_of
from ldp.errors import AnswerError, LDPError
from ldp.survey.attributes import UNKNOWN, Attribute
from ldp.survey.survey import Question, Survey
from ldp_aggregator.output.files import unreadable
from ldp_simulations.table_files import TableFileError, table_rows

MOST_SHOWN = 10
_MOST_KNOWN = 1 << 16
"""Answers of a question that are remembered."""

Answers = dict[str, object]
"""One respondent's answers by question name; questions without an answer are absent."""


class AnswersError(LDPError, ValueError):
    """A table of answers that does not fit the survey.

    `randomize` has an example.
    """


def read_answers(
    path: Path, survey: Survey, *, skip_invalid: bool = False
) -> Iterator[Answers]:
    """The rows of a table, one by one.

    Raises `AnswersError` if a question has no column, if cells do not fit their
    questions, or if only some questions of a group are answered (all rows are read, the
    first ten places are named); with `skip_invalid` such cells are taken for no answer.
    """
    try:
        with table_rows(path) as rows:
            yield from _rows(rows, path, survey, skip_invalid)
    except TableFileError as error:
        raise AnswersError(str(error)) from None
    except OSError as error:
        raise AnswersError(unreadable(path, error)) from None
    except UnicodeDecodeError as error:
        raise AnswersError(
            f"expected UTF-8 text in {path}, got a stray byte at position {error.start}"
        ) from None
    except csv.Error as error:
        raise AnswersError(f"expected CSV in {path}, got {error}") from None


def _reader(question: Question) -> Callable[..., object]:
    """Return a function from cells to the answer that they write; None for none.

    Cells that come again are not read again. Raises `AnswerError`.
    """

    @lru_cache(maxsize=_MOST_KNOWN)
    def read(*cells: str) -> object:
        answer = answer_of(question, list(cells))
        if answer is not None:
            question.places(answer)
        return answer

    return read


def missing_columns(missing: Sequence[str], there: Iterable[object]) -> str:
    """Return the names of missing columns, and which of those that are there to
    rename.
    """
    lowered = {name.lower() for name in missing}
    alike = [str(one) for one in there if str(one).lower() in lowered]
    hint = ""
    if alike:
        hint = f"; names differ by case, so rename the column {', '.join(alike)}"
    return f"{', '.join(missing)}{hint}"


def _rows(
    table: Iterator[list[str]], path: Path, survey: Survey, skip_invalid: bool
) -> Iterator[Answers]:
    header = [name.strip() for name in next(table, [])]
    wanted = [name for question in survey for name in columns_for(question)]
    missing = [name for name in wanted if name not in header]
    if missing or len(set(header)) < len(header):
        wrong = "a column name twice"
        if missing:
            wrong = f"none for {missing_columns(missing, header)}"
        raise AnswersError(
            "expected one column for each question or field in the first row of "
            f"{path}, got {wrong}"
        )
    columns = [
        (question.name, _reader(question), [*map(header.index, columns_for(question))])
        for question in survey
    ]
    said = [
        (attribute, header.index(attribute.name))
        for attribute in survey.attributes
        if attribute.name in header
    ]
    problems: list[str] = []
    for number, cells in enumerate(table, 2):
        if not cells:
            continue
        if len(cells) != len(header):
            problems.append(
                f"row {number}: expected {len(header)} cells, got {len(cells)}"
            )
            continue
        answers: Answers = {}
        for name, read, places in columns:
            try:
                answer = read(*[cells[place].strip() for place in places])
            except AnswerError as error:
                problems.append(f"row {number}: {error}")
            else:
                if answer is not None:
                    answers[name] = answer
        for attribute, place in said:
            label = cells[place].strip()
            if label in attribute.values:
                answers[attribute.name] = label
            elif label not in ("", UNKNOWN):
                problems.append(f"row {number}: {unknown_value(attribute)}")
        for group in survey.groups:
            answered = [
                question.name for question in group.members if question.name in answers
            ]
            if 0 < len(answered) < len(group.members):
                problems.append(
                    f"row {number}: expected answers to all of {group.name} or to "
                    f"none, got {len(answered)}"
                )
                answers = {
                    name: answer
                    for name, answer in answers.items()
                    if name not in answered
                }
        # Once the table is known to be refused, reading on only serves to name further
        # problems.
        if skip_invalid or not problems:
            yield answers
    if problems and not skip_invalid:
        raise refusal(problems, path)


def unknown_value(attribute: Attribute) -> str:
    """Return the error for a cell that has no value of an attribute."""
    return (
        f"attribute {attribute.name!r}: expected one of its values "
        f"({', '.join(attribute.values)}), {UNKNOWN} or nothing"
    )


def columns_for(question: Question) -> tuple[str, ...]:
    """The columns that have the answers to a question: one called so, or one for each
    field.
    """
    return names_of(question.domain.fields) or (question.name,)


def answer_of(question: Question, cells: Sequence[str]) -> object:
    """The answer that the cells of its columns hold; None where they hold none.

    Raises `AnswerError` where some fields have an answer and others do not.
    """
    domains = [field.domain for field in question.domain.fields] or [question.domain]
    there = [
        not domain.is_missing(cell) for domain, cell in zip(domains, cells, strict=True)
    ]
    if not any(there):
        return None
    parsed = [domain.parse(cell) for domain, cell in zip(domains, cells, strict=True)]
    if not question.domain.fields:
        return parsed[0]
    refuse_halves(question, there)
    return dict(zip(names_of(question.domain.fields), parsed, strict=True))


def refuse_halves(question: Question, there: Sequence[bool]) -> None:
    """Raise `AnswerError` where fields of a question are not all answered."""
    if not all(there):
        names = ", ".join(names_of(question.domain.fields))
        raise AnswerError(
            f"question {question.name!r}: expected answers to all of {names} or to "
            f"none, got {sum(there)}"
        )


def refusal(problems: Sequence[str], place: object) -> AnswersError:
    """The error for a table with problems; the first ten are listed."""
    hidden = len(problems) - MOST_SHOWN
    more = ""
    if hidden > 0:
        more = f"\n  and {hidden:,} more"
    shown = "\n  ".join(problems[:MOST_SHOWN])
    return AnswersError(
        f"expected answers that fit the survey in {place}, got {len(problems):,} that "
        "do "
        f"not:\n  {shown}{more}\n"
        "correct the table, or pass --skip-invalid (in Python, skip_invalid=True) to "
        "take such "
        "cells for no answer"
    )
