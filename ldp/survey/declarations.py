"""Surveys written in Python: the same keys as a survey file, read by the same reader.

    survey("trip", question("mode", ["car", "bus"], epsilon="1"))

    [survey]
    name = "trip"
    [[question]]
    name = "mode"
    type = "category"
    values = ["car", "bus"]
    mechanism = "auto"
    epsilon = "1"

Both give surveys of one fingerprint. What Python says more shortly: the type of a
question follows from its values where it is not given, and the mechanism is `auto`
where neither it nor a profile is. An argument that is None is a key that is not there.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from collections.abc import Set as AnySet
from decimal import Decimal
from fractions import Fraction

from ldp.errors import Problem, SurveyError
from ldp.survey.survey import Question, Survey, question_table
from ldp.survey.survey_file import survey_of

Number = str | int | float | Decimal | Fraction
"""A number as people write it: exact, a float at its shortest decimal text."""
Axis = tuple[Number, Number] | Mapping[str, object]
"""An axis of a place: its least and its greatest number, or all its keys."""


class QuestionTable(dict[str, object]):
    """A question that is sound by itself: its table, as a survey file has it."""

    @property
    def name(self) -> str:
        """The name, as reports, columns and estimates have it."""
        return str(self["name"])

    @property
    def type(self) -> str:
        """The type of the answers."""
        return str(self["type"])

    @property
    def text(self) -> str:
        """What people are asked."""
        return str(self.get("text", ""))

    @property
    def mechanism(self) -> str | None:
        """The mechanism that it names, or "auto"; None where its profile has one."""
        mechanism = self.get("mechanism")
        if mechanism is None:
            return None
        return str(mechanism)


def survey(
    name: str,
    *questions: Mapping[str, object] | Question,
    joint: Iterable[str | Iterable[str]] | None = None,
    draws: Iterable[Mapping[str, object]] | None = None,
    attributes: Iterable[Mapping[str, object]] | None = None,
    least_group: int | None = None,
    lifetime_epsilon: Number | None = None,
    epoch: str | None = None,
    grace: str | None = None,
) -> Survey:
    """A survey, of questions that `ldp.question` declares or that another survey asks.

    name              up to 64 letters, digits, dots, dashes or underscores
    questions         1 to 1,000 of them, in their order
    joint             names of two or three questions that are answered together, or
                      several such lists
    draws             groups of questions of which a device answers some, as `ldp.draw`
                      gives them
    attributes        what reports say openly of a device, as `ldp.attribute` gives it
    least_group       how many reports a group by attributes needs to be shown; 100
                      unless given
    lifetime_epsilon  what a device may spend on the survey, ever
    epoch, grace      lengths of time such as "12h" or "1d": of an epoch, and how long
                      after its end its batches are still taken

    Raises `SurveyError` with everything that is wrong, each by the name of its
    argument.

    >>> import ldp
    >>> trip = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> trip == ldp.parse_survey(trip.to_toml())
    True
    """
    head = {
        "name": name,
        "joint": joint,
        "lifetime_epsilon": lifetime_epsilon,
        "least_group": least_group,
        "epoch": epoch,
        "grace": grace,
    }
    tables = [_table(number, asked) for number, asked in enumerate(questions, 1)]
    table: dict[str, object] = {"survey": _present_keys(head), "question": tables}
    if draws is not None:
        table["draw"] = [_present_keys(group) for group in draws]
    if attributes is not None:
        table["attribute"] = [_present_keys(attribute) for attribute in attributes]
    return _survey_of(table, "survey")


def attribute(
    name: str, values: Iterable[str], *, questions: Iterable[str] | None = None
) -> dict[str, object]:
    """A public attribute of devices, for `ldp.survey`: told openly, with every report.

    name       as for a survey, such as "platform"
    values     what an app may say; it says one of them, or none
    questions  the questions whose reports carry it; all unless given

    >>> import ldp
    >>> ldp.attribute("platform", ["android", "ios"])
    {'name': 'platform', 'values': ['android', 'ios']}
    """
    return _present_keys({"name": name, "values": values, "questions": questions})


def draw(
    *questions: str, weights: Iterable[int] | None = None, answers: int | None = None
) -> dict[str, object]:
    """Questions of which a device answers one, or a few, for `ldp.survey`.

    questions  their names, two or more
    weights    whole numbers, in the same order: how likely each is drawn; equal unless
               given
    answers    how many of them a device answers, without weights; one unless given

    >>> import ldp
    >>> ldp.draw("age", "hours", weights=[2, 1])
    {'questions': ['age', 'hours'], 'weights': [2, 1]}
    """
    return _present_keys(
        {"questions": questions, "weights": weights, "answers": answers}
    )


def question(
    name: str,
    values: Iterable[str] | None = None,
    *,
    keys: Iterable[str] | None = None,
    type: str | None = None,  # noqa: A002 (what the survey file calls it)
    text: str | None = None,
    low: Number | None = None,
    high: Number | None = None,
    step: Number | None = None,
    bins: int | None = None,
    edges: Iterable[Number] | None = None,
    unit: str | None = None,
    outside: Number | None = None,
    missing: Iterable[str] | None = None,
    dimensions: int | None = None,
    radius: Number | None = None,
    most: int | None = None,
    per_device: str | None = None,
    circular: bool | None = None,
    candidates: str | None = None,
    parents: Mapping[str, str] | None = None,
    fields: Iterable[Mapping[str, object]] | None = None,
    x: Axis | None = None,
    y: Axis | None = None,
    cells: int | Iterable[str] | None = None,
    mechanism: str | None = None,
    epsilon: Number | None = None,
    profile: str | None = None,
    **parameters: object,
) -> QuestionTable:
    """A question for `ldp.survey`: its table, as a survey file has it.

    name        as for a survey; it names the question in reports, columns and estimates
    values      the texts to choose from, in their order
    keys        what a number may come with, such as apps with the minutes of each
    type        "boolean", "category", "multi", "integer", "number", "key-value",
                "vector", "text", "table" or "place"; by default "table" where `fields`
                are given, "place" for `x` and `y`, "key-value" where `keys` are,
                "multi" where `most` is and "category" where only `values` are, "number"
                for `step`, `bins`, `edges`, `unit` or a goal of mean or shape, "vector"
                for `dimensions` and `radius`, and "integer" for `low` and `high`
                without these, "text" for `candidates`
    text        what people are asked, of up to 1,000 characters
    low, high   the least and the greatest number of an integer question, or one of type
                number or key-value
    step        how far the points are apart that a number counts as one of
    bins        how many equal cells from `low` to `high` numbers are counted in
    edges       the ends of the cells, in place of `low` and `high`
    unit        what a number is counted in, such as "hours"
    outside     of a number: "refuse", "clip", or the number that stands in for those
                outside; of a vector "refuse" or "clip"
    missing     texts that stand for no answer in tables of answers, such as "NA"
    dimensions  how many numbers a vector has
    radius      how long a vector may be: the root of the sum of its squares
    most        how many of the values or keys a respondent may hold at once
    per_device  what is made of the records of a device that has many: their "mean" or
                "sum", the "last", or "one" that is drawn; an answer is then a sequence
                of records
    circular    whether the values of a distribution lie on a circle, as the hours of a
                day do
    candidates  the file of texts that an aggregator looks for, one a line
    parents     the node above each value, and above each node that has any, if the
                values are the leaves of a tree, such as counties in states
    fields      the parts of an answer that are told together, as `ldp.field` gives them
    x, y        the axes of a place: the least and the greatest number of each as a
                pair, or a mapping of what a survey file says of it (low, high, name,
                unit, outside, missing)
    cells       how many cells each axis of a place is divided into: a power of two up
                to 64; or, without axes, the names of the cells of a public geography,
                such as counties
    mechanism   a name in the table of mechanisms, or "auto": the one with the least
                total error, which is the default unless a profile names one
    epsilon     the privacy loss that one report may cause: a number such as "1", "0.5"
                or "1/3"
    profile     a name in `ldp.survey.profiles`, which gives the mechanism and its keys
    parameters  further keys of the mechanism, such as `epsilon_lifetime` or
                `report_bytes`

    Raises `SurveyError` with everything that is wrong with it.

    >>> import ldp
    >>> ldp.question("smoker", type="boolean", mechanism="warner", epsilon="1")
    {'name': 'smoker', 'type': 'boolean', 'mechanism': 'warner', 'epsilon': '1'}
    """
    if mechanism is None and profile is None:
        mechanism = "auto"
    named = {
        "name": name,
        "text": text,
        "values": values,
        "keys": keys,
        "low": low,
        "high": high,
        "step": step,
        "bins": bins,
        "edges": edges,
        "unit": unit,
        "outside": outside,
        "missing": missing,
        "dimensions": dimensions,
        "radius": radius,
        "most": most,
        "per_device": per_device,
        "circular": circular,
        "candidates": candidates,
        "parents": parents,
        "field": fields,
        "x": _axis(x),
        "y": _axis(y),
        "cells": cells,
        "mechanism": mechanism,
        "profile": profile,
        "epsilon": epsilon,
    }
    given = _present_keys(named | parameters)
    asked = _present_keys(
        {"name": name, "text": text, "type": type or _type_of(given)} | given
    )
    try:
        _survey_of({"survey": {"name": "alone"}, "question": [asked]}, "question")
    except SurveyError as error:
        raise SurveyError(tuple(map(_without_number, error.problems))) from None
    return QuestionTable(asked)


def _without_number(problem: Problem) -> Problem:
    """Return a problem of the only question there is."""
    place = problem.place.replace("question: question 1 ", "question ", 1)
    return problem._replace(place=place)


def _survey_of(table: Mapping[str, object], place: str) -> Survey:
    # Imported here, because devices read surveys and write none.
    from ldp.survey.survey_toml import toml_text

    return survey_of(table, place, len(toml_text(table)))


def field(
    name: str,
    values: Iterable[str] | None = None,
    *,
    type: str | None = None,  # noqa: A002 (what the survey file calls it)
    text: str | None = None,
    low: Number | None = None,
    high: Number | None = None,
    bins: int | None = None,
    edges: Iterable[Number] | None = None,
    unit: str | None = None,
    outside: Number | None = None,
    missing: Iterable[str] | None = None,
) -> dict[str, object]:
    """A part of an answer, for the `fields` of `ldp.question`.

    name        what it is called: in answers, columns and estimates
    outside     of a number: "refuse", "clip", or the number that stands in for those
                outside
    missing     texts that stand for no answer in tables of answers, such as "NA"

    The other arguments are as for a question. A field has values, is a boolean, a whole
    number from `low` to `high`, or a number in cells (`edges` or `bins`).

    >>> import ldp
    >>> ldp.field("smokes", type="boolean")
    {'name': 'smokes', 'type': 'boolean'}
    """
    keys = {
        "name": name,
        "text": text,
        "values": values,
        "low": low,
        "high": high,
        "bins": bins,
        "edges": edges,
        "unit": unit,
        "outside": outside,
        "missing": missing,
    }
    given = _present_keys(keys)
    return _present_keys(
        {"name": name, "text": text, "type": type or _type_of(given)} | given
    )


def _axis(axis: object) -> object:
    """A pair as a table of its ends; what is neither of both stays, to be reported."""
    if isinstance(axis, tuple | list) and len(axis) == 2:
        return _present_keys({"low": axis[0], "high": axis[1]})
    if isinstance(axis, Mapping):
        return _present_keys(axis)
    return axis


_TYPE_OF = {
    "field": "table",
    "x": "place",
    "keys": "key-value",
    "most": "multi",
    "values": "category",
    "step": "number",
    "bins": "number",
    "edges": "number",
    "unit": "number",
    "dimensions": "vector",
    "radius": "vector",
    "low": "integer",
    "high": "integer",
    "candidates": "text",
    "parents": "category",
    "cells": "place",
}
"""The type that a key leaves no doubt about; of several keys the first here counts."""


def _type_of(given: Mapping[str, object]) -> str | None:
    # The mean, or the shape, of numbers between two bounds is that of any, not of whole
    # ones alone.
    if (
        "keys" not in given
        and given.get("goal") in ("mean", "shape")
        and "low" in given
    ):
        return "number"
    return next((kind for key, kind in _TYPE_OF.items() if key in given), None)


def _table(number: int, asked: Mapping[str, object] | Question) -> dict[str, object]:
    if isinstance(asked, Question):
        return question_table(asked)
    if isinstance(asked, Mapping):
        return _present_keys(asked)
    raise TypeError(
        f"question {number}: expected what ldp.question(name, ...) gives, got "
        f"something of type {type(asked).__name__}"
    )


def _present_keys(keys: Mapping[str, object]) -> dict[str, object]:
    """The keys that are there, in the types that a survey file has."""
    return {key: _plain(value) for key, value in keys.items() if value is not None}


def _plain(value: object) -> object:
    """A value as a survey file would hold it; what it could not hold stays, to be
    reported.
    """
    if isinstance(value, bool | str | bytes | Mapping | AnySet):
        # The order of a set's values changes from run to run, and fingerprints with it.
        return value
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Fraction | Decimal):
        return str(value)
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    if hasattr(value, "__index__"):
        return operator.index(value)
    return value
