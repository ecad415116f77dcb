"""Codes: which answer a cell says, whatever people call it.

    values   those of the question, as the survey names them; where no two differ by
             case alone, in any case
    yes, no  of questions whose values are these, or true and false: also y, n, t, f, 1
             and 0
    codes    what an analyst says: yes=1,no=2 or often=oft,never=nie; then nothing else
             counts
    numbers  where reports are no values, the number of a report, from 0

A column of 1 and 2 says nothing of which is yes, so that it is refused without codes: a
yes for 1 would be a guess, and the rows of 2 would be lost. What fits no code is
counted, with its rows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ldp.errors import EstimateError, UnknownNameError
from ldp.survey.survey import Question
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Integers

NO_ANSWER = "no answer"
_MISSING = frozenset({"", "na", "nan", "."})
"""Cells in which R, Stata, SAS and pandas write that there is nothing."""
_PAIRS = (("no", "yes"), ("false", "true"))
_NO, _YES = ("no", "n", "false", "f", "0"), ("yes", "y", "true", "t", "1")
_WHOLE = re.compile(r"([+-]?\d+)\.0*")
_MOST_SHOWN = 10


class LeftOut(NamedTuple):
    """Rows that do not count, and why."""

    reason: str
    rows: tuple[int, ...]
    """Their numbers; the first row is 1, a header not counted."""

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.rows[:_MOST_SHOWN]))
        more = ", ..." if len(self.rows) > _MOST_SHOWN else ""
        word = "row" if len(self.rows) == 1 else "rows"
        return f"{len(self.rows):,} {self.reason} ({word} {shown}{more})"


def with_left_out(said: str, left_out: Sequence[LeftOut]) -> str:
    """How cells were read, and which rows do not count."""
    if not left_out:
        return said
    return f"{said}; left out: {'; '.join(map(str, left_out))}"


class Coded(NamedTuple):
    """A column of cells as answers."""

    places: Integers
    """Of each row the place of its answer, -1 where it has none, (rows,)."""
    said: str
    """How cells were read, and how many of each there are."""
    left_out: tuple[LeftOut, ...]


def labels_of(question: Question) -> tuple[str, ...]:
    """What reports are called, where they are called by values; else nothing."""
    values = question.domain.values
    if values is None:
        return ()
    law = decoder_of(question.randomizer).shares.count_law(question.randomizer)
    if law is not None and law.labels:
        return tuple(values)
    return ()


def codes_of(text: str) -> dict[str, str]:
    """The cell that says each answer, from text such as yes=1,no=2. Raises
    `EstimateError`.
    """
    pairs = [part.rpartition("=") for part in text.split(",")]
    codes = {answer.strip(): cell.strip() for answer, _, cell in pairs}
    if len(codes) < len(pairs) or not all(
        answer and cell for answer, cell in codes.items()
    ):
        raise EstimateError(
            "expected answers that differ, with their codes, such as yes=1,no=2; got "
            f"{text!r}"
        )
    return codes


def code_column(
    column: str,
    cells: Sequence[Any],
    labels: Sequence[str],
    *,
    codes: Mapping[str, Any] | None = None,
) -> Coded:
    """The answers in the cells of a column.

    labels  what answers are called, in order of their places
    codes   the cell that says each answer, in place of what is known of labels

    Raises `EstimateError` for codes that say too little, and where no cell is an
    answer.
    """
    try:
        return _code(cells, labels, codes)
    except EstimateError as error:
        raise EstimateError(f"column {column!r}: {error}") from None


def _code(
    cells: Sequence[Any], labels: Sequence[str], codes: Mapping[str, Any] | None
) -> Coded:
    texts = [text_of(cell) for cell in cells]
    known = _places_by_text(labels, set(texts), codes)
    places = np.full(len(texts), -1, dtype=np.int64)
    rows: dict[str, list[int]] = {}
    counts: Counter[tuple[int, str]] = Counter()
    for row, text in enumerate(texts):
        place = known.get(text, known.get(text.casefold(), -1))
        places[row] = place
        if place >= 0:
            counts[place, text] += 1
            continue
        missing = text.casefold() in _MISSING
        reason = NO_ANSWER if missing else f"unknown code {text[:40]!r}"
        rows.setdefault(reason, []).append(row + 1)
    if not counts and set(rows) - {NO_ANSWER}:
        raise EstimateError(_nothing_read(labels, rows))
    said = ", ".join(
        f"{_reading_text(text, labels[place])} {count:,}"
        for (place, text), count in sorted(counts.items())
    )
    return Coded(
        places, said, tuple(LeftOut(*pair) for pair in _with_row_numbers(rows))
    )


def text_of(cell: object) -> str:
    """Return a cell's text; empty where it is missing. Whole numbers have no
    decimals.
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    text = str(cell).strip()
    # Tables write 1.0 where a column of whole numbers has gaps.
    whole = _WHOLE.fullmatch(text)
    if whole is None:
        return text
    return whole[1]


def place_of(answer: str, labels: Sequence[str]) -> int | None:
    """The place of an answer by its name, in any case where that tells it; None for
    others.
    """
    if answer in labels:
        return labels.index(answer)
    return _by_name(labels).get(answer.casefold())


def _places_by_text(
    labels: Sequence[str], texts: set[str], codes: Mapping[str, Any] | None
) -> dict[str, int]:
    """The place of the answer that a cell says."""
    if codes is not None:
        known = {}
        for answer, cell in codes.items():
            place = place_of(answer, labels)
            if place is None:
                raise UnknownNameError(answer, labels, "one of the question's answers")
            known[text_of(cell)] = place
        if len(known) < len(codes):
            raise EstimateError(
                "expected a code of its own for each answer, got one for several"
            )
        return known
    if _is_yes_no(labels) and "2" in texts and "1" in texts:
        raise EstimateError(
            "expected to know which of 1 and 2 is yes; say it by codes, such as "
            "--codes yes=1,no=2"
        )
    return _by_name(labels) | {label: place for place, label in enumerate(labels)}


def _by_name(labels: Sequence[str]) -> dict[str, int]:
    """The places of answers by their names in lower case, as far as these differ."""
    folded = [label.casefold() for label in labels]
    if _is_yes_no(labels):
        return dict.fromkeys(_NO, 0) | dict.fromkeys(_YES, 1)
    return {name: place for place, name in enumerate(folded) if folded.count(name) == 1}


def _is_yes_no(labels: Sequence[str]) -> bool:
    return tuple(label.casefold() for label in labels) in _PAIRS


def _reading_text(text: str, label: str) -> str:
    if text == label:
        return label
    return f"{label} ({text})"


def _nothing_read(labels: Sequence[str], rows: Mapping[str, Sequence[int]]) -> str:
    seen = ", ".join(reason.removeprefix("unknown code ") for reason in list(rows)[:5])
    return (
        f"expected answers such as {', '.join(labels[:5])}, got {seen}; say which is "
        "which by codes, such as --codes "
        f"{','.join(f'{label}=...' for label in labels[:3])}"
    )


def _with_row_numbers(
    rows: Mapping[str, Sequence[int]],
) -> list[tuple[str, tuple[int, ...]]]:
    return [(reason, tuple(numbers)) for reason, numbers in sorted(rows.items())]
