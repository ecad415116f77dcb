"""Tallies of rows: whole, in groups by columns, or one for each value of a column.

A column by which groups are told apart becomes a public attribute, with the values that
are there. So whatever is made of tallies by attribute (estimates, queries, comparisons,
trends by group) is made of rows by column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy

import numpy as np

from ldp.errors import EstimateError
from ldp.survey.attributes import UNKNOWN, Attribute, Attributes, combination_of
from ldp.survey.survey import Envelope, Group, Question, Survey
from ldp_aggregator.analyses.rows.reading import SurveyRows
from ldp_aggregator.numerics import arrays
from ldp_aggregator.tallies.tally import ACCEPTED, Tally

_ANY_SIZE = 1
"""The least group: who has the rows may look at any of them."""


def tally_of_rows(
    rows: SurveyRows, by: Sequence[str] = (), *, together: Sequence[str] = ()
) -> Tally:
    """The tally of rows.

    by        columns by which groups are told apart
    together  questions whose answers are counted together: of rows that have all of
              them

    Raises `UnknownNameError` for columns that are not there.

    >>> import ldp, ldp_aggregator
    >>> copied = ldp.question("copied", type="boolean", mechanism="warner", truth="0.8")
    >>> survey = ldp.survey("exam", copied)
    >>> rows = ldp_aggregator.read_rows(survey, {"z": [1, 0, 1, None]}, "z")
    >>> ldp_aggregator.tally_of_rows(rows).counts["copied"].sum().item()
    3
    """
    [tally] = tallies_of_rows([rows], by, together=together)
    return tally


def tallies_of_rows(
    tables: Sequence[SurveyRows],
    by: Sequence[str] = (),
    *,
    together: Sequence[str] = (),
) -> list[Tally]:
    """A tally for each of several tables, whose groups have the same names."""
    columns = {name: [table.texts(name) for table in tables] for name in by}
    attributes = tuple(_attribute(name, texts) for name, texts in columns.items())
    return [
        _tally(
            table,
            attributes,
            {name: texts[place] for name, texts in columns.items()},
            together=together,
        )
        for place, table in enumerate(tables)
    ]


def by_epoch(rows: SurveyRows, column: str) -> dict[str, SurveyRows]:
    """The rows of each value of a column, in the order of numbers, else of words."""
    texts = np.array(rows.texts(column))
    return {
        text: rows.taken(texts == text)
        for text in _in_order(set(texts.tolist()) - {""})
    }


def _attribute(name: str, tables: Sequence[Sequence[str]]) -> Attribute:
    values = _in_order({text for texts in tables for text in texts} - {"", UNKNOWN})
    if not values:
        raise EstimateError(f"expected values in column {name!r}, got none")
    return Attribute(name, values)


def _in_order(values: set[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(values, key=float))
    except ValueError:
        return tuple(sorted(values))


def _tally(
    table: SurveyRows,
    attributes: Attributes,
    columns: Mapping[str, Sequence[str]],
    together: Sequence[str],
) -> Tally:
    survey = survey_of(table.survey, table.answers, attributes, together=together)
    tally = Tally.empty(survey)
    combinations = _combinations(attributes, columns, table.people)
    for envelope in survey.envelopes:
        reports, rows = _reports(table, envelope)
        own = combinations[rows]
        for combination in np.unique(own).tolist():
            tally.add(envelope, reports[own == combination], combination)
        tally.intake.outcomes[ACCEPTED] += len(rows)
    for name, answered in table.answers.items():
        for epoch, many in Counter(answered.epochs.tolist()).items():
            tally.add_epoch(survey[name], epoch, many)
    return tally


def survey_of(
    survey: Survey,
    names: Iterable[str],
    attributes: Attributes = (),
    *,
    together: Sequence[str] = (),
) -> Survey:
    """The survey of the questions that were read, as if reports had said their
    groups.
    """
    questions = {name: _with(survey[name], attributes) for name in names}
    groups: tuple[Group, ...] = ()
    if len(together) > 1:
        groups = (Group(tuple(questions[name] for name in together)),)
    read = Survey(
        survey.name,
        tuple(questions.values()),
        groups,
        attributes=attributes,
        least_group=_ANY_SIZE,
    )
    read.fingerprint = survey.fingerprint
    return read


def _with(question: Question, attributes: Attributes) -> Question:
    own = copy(question)
    own.attributes = attributes
    return own


def _combinations(
    attributes: Attributes, columns: Mapping[str, Sequence[str]], people: int
) -> arrays.Integers:
    """The number of the combination of each row's values, (people,)."""
    if not attributes:
        return np.zeros(people, dtype=np.int64)
    numbers: dict[tuple[str, ...], int] = {}
    own = []
    for texts in zip(*columns.values(), strict=True):
        if texts not in numbers:
            given = {
                name: text for name, text in zip(columns, texts, strict=True) if text
            }
            numbers[texts] = combination_of(attributes, given)
        own.append(numbers[texts])
    return np.array(own, dtype=np.int64)


def _reports(
    table: SurveyRows, envelope: Envelope
) -> tuple[arrays.Rows, arrays.Integers]:
    """Reports side by side of the rows that have all of them, and which these are."""
    answered = [table[question.name] for question in envelope.members]
    rows = answered[0].rows
    for other in answered[1:]:
        rows = np.intersect1d(rows, other.rows)
    parts = [one.reports[np.isin(one.rows, rows)] for one in answered]
    return np.concatenate(parts, axis=1), rows
