"""Answers: what a question takes, what a cell stands for, and errors that repeat none."""

import pytest
from specimens import question

from ldp.errors import AnswerError
from ldp.texts import LONGEST_TEXT

DOMAINS = {
    "boolean": 'type = "boolean"\nmechanism = "grr"',
    "category": 'type = "category"\nvalues = ["a", "b"]\nmechanism = "grr"',
    "integer": 'type = "integer"\nlow = 0\nhigh = 9\nmechanism = "grr"',
    "multi": 'type = "multi"\nvalues = ["a", "b", "c"]\nmost = 2\nmechanism = "pad-grr"',
    "text": (
        'type = "text"\nmechanism = "rappor"\nbloom_bits = 16\n'
        'hashes = 2\np = "0.2"\nq = "0.8"\nf = "0"'
    ),
}


def domain_of(kind):
    keys, _, rest = DOMAINS[kind].partition('mechanism = "')
    mechanism, _, others = rest.partition('"')
    epsilon = "" if kind == "text" else '\nepsilon = "1"'
    return question(mechanism, f"{keys}{others}{epsilon}").domain


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("boolean", "Zanzibar"),
        ("category", "Zanzibar"),
        ("category", 7_654_321),
        ("integer", 7_654_321),
        ("integer", "7654321"),
        ("integer", True),
        ("integer", 3.0),
        ("multi", ["a", "Zanzibar"]),
        ("multi", "Zanzibar"),
        ("multi", ["a", "a"]),
        ("multi", ["a", "b", "c"]),
        ("text", "Zanzibar\ud800"),
        ("text", "Zanzibar" * LONGEST_TEXT),
        ("text", ""),
        ("text", 7_654_321),
    ],
)
def test_what_no_question_takes(kind, answer):
    """It is refused, and no part of the error, nor of whatever it came from, has the answer."""
    with pytest.raises(AnswerError) as caught:
        domain_of(kind).value(answer)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert not any(part in str(caught.value) for part in ("Zanzibar", "7654321", "ud800"))


@pytest.mark.parametrize("text", ["a", "x" * LONGEST_TEXT])
def test_shortest_and_longest_texts(text):
    """Their bytes."""
    assert domain_of("text").value(text) == text.encode()


@pytest.mark.parametrize(
    ("kind", "cell", "answer"),
    [
        ("integer", "7", 7),
        ("integer", " -3 ", -3),
        ("integer", "seven", "seven"),
        ("boolean", " Yes", True),
        ("boolean", "0", False),
        ("boolean", "perhaps", "perhaps"),
        ("multi", "a|b", ("a", "b")),
        ("multi", "|", ()),
        ("category", "a", "a"),
    ],
)
def test_cells_of_tables(kind, cell, answer):
    """What cannot be read stays as it is, for `value` to refuse."""
    assert domain_of(kind).parse(cell) == answer
