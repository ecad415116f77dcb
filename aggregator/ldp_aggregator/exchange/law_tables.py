"""Laws of questions as numbers of a SQL view: rows of literals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ldp.errors import EstimateError
from ldp.survey.survey import Question
from ldp_aggregator.decoders.count_law import CountLaw
from ldp_aggregator.decoders.table import decoder_of
from ldp_aggregator.numerics.arrays import Floats


def law_of(question: Question) -> tuple[CountLaw, tuple[str, ...]]:
    """How the question's counts are decoded, and its values. Raises `EstimateError`."""
    values, law = (
        question.domain.values,
        decoder_of(question.randomizer).shares.count_law,
    )
    known = None
    if values is not None:
        known = law(question.randomizer)
    if values is None or known is None:
        raise EstimateError(
            f"question {question.name!r}: expected a mechanism whose estimates are "
            "sums of counts, such as grr, oue, sue, ss, forced or matrix, for a view; "
            f"got {question.mechanism} (ldp estimate --counts reads counts of any)"
        )
    return known, values


def values_rows(law: CountLaw, values: Sequence[str]) -> list[str]:
    """(place, value, variances and thirds of a score, what a count is worth)."""
    nothing = np.zeros(len(values))
    if_not = nothing if law.by_pairs else law.variance_if_not
    third_if_not = nothing if law.by_pairs else law.third_if_not
    signal = nothing if law.signal is None else law.signal
    numbers = zip(
        law.variance_if_held,
        if_not,
        law.third_if_held,
        third_if_not,
        signal,
        strict=True,
    )
    return [
        _row(str(place), text(value), *map(number, own))
        for place, (value, own) in enumerate(zip(values, numbers, strict=True))
    ]


def worth_rows(law: CountLaw) -> list[str]:
    """(place, cell, what a count of the cell is worth to the value)."""
    places, cells = np.nonzero(law.worth)
    return [
        _row(str(place), str(cell), number(law.worth[place, cell]))
        for place, cell in zip(places.tolist(), cells.tolist(), strict=True)
    ]


def pair_rows(law: CountLaw) -> list[str]:
    """(place, held, variance, third), of other values that are held."""
    return [
        _row(str(place), str(held), *map(number, _of_pair(law, held, place)))
        for place in range(len(law.worth))
        for held in range(len(law.worth))
        if held != place
    ]


def number(value: float) -> str:
    """A literal that all dialects take for the same double: with an exponent, it is no
    decimal.
    """
    literal = repr(float(value))
    if "e" in literal:
        return literal
    return f"{literal}e0"


def text(value: str) -> str:
    """A literal of text."""
    return "'" + value.replace("'", "''") + "'"


def name(identifier: str) -> str:
    """A name, of a table or a column, that may be any text."""
    return '"' + identifier.replace('"', '""') + '"'


def list_rows(rows: Iterable[str], margin: str) -> str:
    """Rows one below another."""
    return f",\n{margin}".join(rows)


def _of_pair(law: CountLaw, held: int, place: int) -> Floats:
    return np.array([law.variance_if_not[held, place], law.third_if_not[held, place]])


def _row(*cells: str) -> str:
    return f"({', '.join(cells)})"
