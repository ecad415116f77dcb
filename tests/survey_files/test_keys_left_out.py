"""Every type of question with every mechanism, and each of their keys left out or
wrong.

Either is a survey or is refused in words; nothing else is raised.
"""

import pytest
from specimens import DESIGNS

from ldp import SurveyError, parse_survey
from ldp.mechanisms import MECHANISMS
from ldp.survey.survey_file import TYPES

HEAD = '[survey]\nname = "s"\n[[question]]\nname = "x"\n'
_FIELDS = (
    '{ name = "a", type = "boolean" }, { name = "b", type = "integer", low = 0, '
    "high = 1 }"
)
LINES = {
    "boolean": ('type = "boolean"',),
    "category": ('type = "category"', 'values = ["a", "b", "c", "d"]'),
    "category in a tree": (
        'type = "category"',
        'parents = { a = "A", b = "A", c = "C", d = "C" }',
    ),
    "multi": ('type = "multi"', 'values = ["a", "b", "c", "d"]', "most = 2"),
    "integer": ('type = "integer"', "low = -1", "high = 2"),
    "number in cells": ('type = "number"', "low = 0", "high = 1", "bins = 4"),
    "number in steps": ('type = "number"', "low = 0", "high = 1", 'step = "1/4"'),
    "key-value": (
        'type = "key-value"',
        'keys = ["a", "b"]',
        "low = 0",
        "high = 5",
        "most = 2",
    ),
    "vector": ('type = "vector"', "dimensions = 2", "radius = 1", 'outside = "clip"'),
    "text": ('type = "text"',),
    "table": ('type = "table"', f"field = [{_FIELDS}]"),
    "table in subsets": (
        'type = "table"',
        f'field = [{_FIELDS}, {{ name = "c", type = "boolean" }}]',
        'collect = "subsets"',
    ),
    "place": (
        'type = "place"',
        "cells = 2",
        *("x.low = 0", "x.high = 1"),
        *("y.low = 0", "y.high = 1"),
    ),
    "place of named cells": ('type = "place"', 'cells = ["a", "b", "c"]'),
}
"""The required keys of each type, one a line."""

WRONG = ("[]", "0", '""', "[1]")


def key_of(line):
    return line.split("=")[0].strip()


def written(kind, mechanism):
    """The keys of a type, and those that a mechanism is tried with."""
    row = MECHANISMS[mechanism]
    own = [
        line
        for line in DESIGNS[mechanism][0].splitlines()
        if key_of(line) in row.keys or key_of(line).startswith("epsilon")
    ]
    lines = [*own, f'mechanism = "{mechanism}"', *LINES[kind]]
    return list({key_of(line): line for line in lines}.values())


def variants(lines):
    """All lines, all but one, and all with another value in one."""
    yield lines
    for place, line in enumerate(lines):
        others = [*lines[:place], *lines[place + 1 :]]
        yield others
        yield from ([*others, f"{key_of(line)} = {value}"] for value in WRONG)


def test_every_type_is_tried():
    """A new one as well."""
    types = {
        line.split('"')[1]
        for lines in LINES.values()
        for line in lines
        if "type =" in line
    }
    assert set(TYPES) <= types


@pytest.mark.parametrize("kind", LINES)
def test_what_is_left_out_or_wrong_is_refused_in_words(kind):
    """With every mechanism: no `IndexError`, or whatever else a message should have
    been.
    """
    for mechanism in MECHANISMS:
        for lines in variants(written(kind, mechanism)):
            text = HEAD + "\n".join(lines)
            try:
                parse_survey(text)
            except SurveyError:
                continue
            except Exception as error:
                raise AssertionError(text) from error
