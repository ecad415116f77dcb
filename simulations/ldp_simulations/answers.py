"""Tables of answers: CSV, one respondent a row, one column a question.

An empty cell is no answer, and so is one of the texts that a question says are `missing`.

The table holds true answers, so problems are named by row and column and never quote a cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from ldp.errors import AnswerError, LDPError
from ldp.survey import Survey
from ldp_aggregator.files import opened_text

MOST_SHOWN = 10

Answers = dict[str, object]
"""One respondent's answers by question name; questions without an answer are absent."""


class AnswersError(LDPError, ValueError):
    """A table of answers that does not fit the survey."""


def read_answers(path: Path, survey: Survey, *, skip_invalid: bool = False) -> Iterator[Answers]:
    """The rows of a table, one by one.

    Raises `AnswersError` if a question has no column, if cells do not fit their questions, or if
    only some questions of a group are answered (all rows are read, the first ten places are named);
    with `skip_invalid` such cells are taken for no answer.
    """
    try:
        with opened_text(path) as file:
            yield from _rows(csv.reader(file, strict=True), path, survey, skip_invalid)
    except OSError as error:
        raise AnswersError(f"expected to read {path}, got {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise AnswersError(
            f"expected UTF-8 text in {path}, got a stray byte at position {error.start}"
        ) from None
    except csv.Error as error:
        raise AnswersError(f"expected CSV in {path}, got {error}") from None


def _rows(
    table: Iterator[list[str]], path: Path, survey: Survey, skip_invalid: bool
) -> Iterator[Answers]:
    header = [name.strip() for name in next(table, [])]
    missing = [question.name for question in survey if question.name not in header]
    if missing or len(set(header)) < len(header):
        wrong = f"none for {', '.join(missing)}" if missing else "a column name twice"
        raise AnswersError(
            f"expected one column for each question in the first row of {path}, got {wrong}"
        )
    columns = [(header.index(question.name), question) for question in survey]
    problems: list[str] = []
    for number, cells in enumerate(table, 2):
        if not cells:
            continue
        if len(cells) != len(header):
            problems.append(f"row {number}: expected {len(header)} cells, got {len(cells)}")
            continue
        answers: Answers = {}
        for place, question in columns:
            cell = cells[place].strip()
            if question.domain.is_missing(cell):
                continue
            answer = question.domain.parse(cell)
            try:
                question.places(answer)
            except AnswerError as error:
                problems.append(f"row {number}: {error}")
            else:
                answers[question.name] = answer
        for group in survey.groups:
            answered = [question.name for question in group.members if question.name in answers]
            if 0 < len(answered) < len(group.members):
                problems.append(
                    f"row {number}: expected answers to all of {group.name} or to none, got "
                    f"{len(answered)}"
                )
                answers = {name: answer for name, answer in answers.items() if name not in answered}
        # Once the table is known to be refused, reading on only serves to name further problems.
        if skip_invalid or not problems:
            yield answers
    if problems and not skip_invalid:
        raise refusal(problems, path)


def refusal(problems: Sequence[str], place: object) -> AnswersError:
    """The error for a table with problems; the first ten are listed."""
    hidden = len(problems) - MOST_SHOWN
    more = f"\n  and {hidden:,} more" if hidden > 0 else ""
    shown = "\n  ".join(problems[:MOST_SHOWN])
    return AnswersError(
        f"expected answers that fit the survey in {place}, got {len(problems):,} that do "
        f"not:\n  {shown}{more}\n"
        "correct the table, or pass --skip-invalid (in Python, skip_invalid=True) to take such "
        "cells for no answer"
    )
