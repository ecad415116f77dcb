"""Randomizing a table of answers: the reports that its respondents' devices would send.

By the column where a mechanism has a draw in bulk (`reports.bulk`), else one by one, of
the same law as a client's first report and from the same source. Reports leave in a
random order, rows as well as batches, so that it tells nothing of the order of
respondents.
"""

from __future__ import annotations

import random as standard_random
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ldp.answers.contributions import ONE
from ldp.numbers.randomness import Random, shuffle, system
from ldp.survey.draws import Draw
from ldp.survey.survey import Envelope, Question, Survey, check_survey
from ldp.wire.wire import Batch
from ldp_aggregator.numerics.arrays import Integers, Rows
from ldp_client import Client, Report, frames, row_batches
from ldp_simulations.reports.bulk import as_array, bulk_draw, draw_rows
from ldp_simulations.reports.words import words
from ldp_simulations.tables import NO_ANSWER, CodedAnswers, Table, columns_of

_AT_ONCE = 1 << 14
"""Reports that are drawn together."""


class Reports(bytes):
    """The bytes of a report file, which a notebook shows by how many reports are in
    them.
    """

    number = 0

    def __repr__(self) -> str:
        return f"<{self.number:,} reports, {len(self):,} bytes>"


def randomize(
    survey: Survey, table: Table, *, skip_invalid: bool = False, seed: int | None = None
) -> Reports:
    """The reports of a table of answers, as the bytes of a report file.

    table         a data frame of pandas or polars, or a dict of arrays or lists, with a
                  column for each question, and perhaps for attributes; an iterable of
                  dicts, one for each respondent; or the path of a CSV file. None, NaN
                  and empty texts are no answer, and of an attribute unknown
    skip_invalid  take cells that do not fit their question for no answer
    seed          make the reports repeatable, which gives away the answers: for tests
                  alone

    All reports are held in memory. Raises `AnswersError` if the table does not fit the
    survey, and `TypeError` for what is no table.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus", None]})
    >>> ldp_aggregator.estimate(survey, reports)["mode"].reports
    2
    """
    check_survey(survey, "randomize(survey, table)")
    # A predictable source, which no device ever uses.
    random = system if seed is None else standard_random.Random(seed).randbytes  # noqa: S311
    columns = columns_of(survey, table, skip_invalid=skip_invalid, with_attributes=True)
    for draw in survey.draws:
        _drop_undrawn(draw, columns, random)
    batches: list[Batch] = []
    for envelope in survey.envelopes:
        said = _combinations(envelope, columns)
        for combination in np.unique(said).tolist():
            those = said == combination
            drawn = _draw(envelope, columns, those=those, random=random)
            rows = np.concatenate([*drawn])
            # Sorted by words that no two rows share, but for a chance of 2^-64 each: in
            # any order.
            rows = rows[np.argsort(words(len(rows), random))]
            batches += row_batches(
                envelope.fingerprint,
                rows.tobytes(),
                envelope.width,
                epoch=envelope.epoch,
                combination=combination,
                random=random,
            )
    reports = Reports(frames(shuffle(batches, random)))
    reports.number = sum(batch.size for batch in batches)
    return reports


def _combinations(envelope: Envelope, columns: Mapping[str, CodedAnswers]) -> Integers:
    """Return each respondent's public attributes as a combination, (respondents,)."""
    numbers = np.zeros(len(columns[envelope.members[0].name].codes), dtype=np.int64)
    for attribute in envelope.attributes:
        # No value is -1 as a code, and 0 as a digit.
        numbers = numbers * len(attribute.labels) + columns[attribute.name].codes + 1
    return numbers


def _draw(
    envelope: Envelope,
    columns: Mapping[str, CodedAnswers],
    *,
    those: NDArray[np.bool_],
    random: Random,
) -> Iterator[Rows]:
    """The reports to a question or group, of shape (reports, width), some at a time.

    Of the respondents who are among `those`, (respondents,).
    """
    parts = [columns[question.name] for question in envelope.members]
    # (questions, reports): of those who answered; of a group, all of it.
    codes = np.stack([part.codes for part in parts])
    codes = codes[:, (codes != NO_ANSWER).all(axis=0) & those]
    yield np.empty((0, envelope.width), dtype=np.uint8)
    for start in range(0, codes.shape[1], _AT_ONCE):
        rows = [
            _rows(question, part, places, random)
            for question, part, places in zip(
                envelope.members, parts, codes[:, start : start + _AT_ONCE], strict=True
            )
        ]
        yield np.concatenate(rows, axis=1)


def _drop_undrawn(
    draw: Draw, columns: Mapping[str, CodedAnswers], random: Random
) -> None:
    """Leave each respondent the answers to the questions of a draw that are drawn for
    it alone.
    """
    respondents = len(columns[draw.names[0]].codes)
    drawn = [draw.draw_questions(random) for _ in range(respondents)]
    # (respondents, answers): the places of the questions.
    places = np.array([[draw.names.index(name) for name in names] for names in drawn])
    for place, name in enumerate(draw.names):
        columns[name].codes[(places.reshape(respondents, -1) != place).all(axis=1)] = (
            NO_ANSWER
        )


def _rows(
    question: Question, part: CodedAnswers, codes: Integers, random: Random
) -> Rows:
    """The reports to a question of the answers with these codes, (reports, width)."""
    draw = bulk_draw(question.randomizer)
    if draw is not None:
        return draw(_round(question, part, codes, random=random), random)
    values = [question.value(part.answers[code], random) for code in codes.tolist()]
    return draw_rows(question, values, random)


def _round(
    question: Question, part: CodedAnswers, codes: Integers, random: Random
) -> Integers:
    """The values of the answers with these codes; numbers between two points go to
    either.
    """
    if question.domain.per_device == ONE:
        # A record of its own for each respondent.
        drawn = [question.value(part.answers[code], random) for code in codes.tolist()]
        return as_array(question, drawn)
    pairs = [question.place(answer) for answer in part.answers]
    values: Integers = as_array(question, [value for value, _ in pairs])[codes]
    if not any(rest for _, rest in pairs):
        return values
    rests = np.array([rest for _, rest in pairs], dtype=np.uint64)[codes]
    return values + (words(len(codes), random) < rests)


def record(
    survey: Survey, envelope: Envelope, answers: Mapping[str, object], random: Random
) -> Report:
    """The report of a client of its own to a question or group; one that draws it, of
    several.
    """
    names = [question.name for question in envelope.members]
    client = Client(survey, random=random)
    while not client.is_drawn(names[0]):
        client = Client(survey, random=random)
    if len(names) > 1:
        return client.record_together({name: answers[name] for name in names})
    return client.record(names[0], answers[names[0]])
