"""Answers: what a question takes, what a cell stands for, and errors that repeat
none.
"""

from fractions import Fraction

import pytest
from specimens import question

import ldp
from ldp.answers.domain import Domain
from ldp.answers.texts import LONGEST_TEXT
from ldp.errors import AnswerError

DOMAINS = {
    "boolean": 'type = "boolean"\nmechanism = "grr"',
    "category": 'type = "category"\nvalues = ["a", "b"]\nmechanism = "grr"',
    "integer": 'type = "integer"\nlow = 0\nhigh = 9\nmechanism = "grr"',
    "multi": (
        'type = "multi"\nvalues = ["a", "b", "c"]\nmost = 2\nmechanism = "pad-grr"'
    ),
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
    """It is refused, and no part of the error, nor of whatever it came from, has the
    answer.
    """
    with pytest.raises(AnswerError) as caught:
        domain_of(kind).value(answer)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    assert not any(
        part in str(caught.value) for part in ("Zanzibar", "7654321", "ud800")
    )


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
        ("boolean", "1", True),
        ("boolean", "no", False),
        ("boolean", "perhaps", "perhaps"),
        ("multi", "a|b", ("a", "b")),
        ("multi", "|", ()),
        ("category", "a", "a"),
    ],
)
def test_cells_of_tables(kind, cell, answer):
    """What cannot be read stays as it is, for `value` to refuse."""
    assert domain_of(kind).parse(cell) == answer


@pytest.mark.parametrize(
    ("cell", "answer"), [("[1, 2]", 1), ("1.5", Fraction(3, 2)), ("[1, 3]", "[1, 3]")]
)
def test_cells_of_numbers(cell, answer):
    """A cell is known by its name; a text that is no name of one stays as it is."""
    asked = question("grr", 'type = "number"\nedges = [0, 1, 2]\nepsilon = 1')
    assert asked.domain.parse(cell) == answer


def test_points_have_no_names_to_be_known_by():
    """What reads like a point is a number."""
    assert ldp.question("x", low=0, high=2, step=1, epsilon=1)
    asked = question(
        "dithered", 'type = "number"\nlow = 0\nhigh = 2\nstep = 1\nepsilon = 1'
    )
    assert asked.domain.values == ("0", "1", "2")
    assert [asked.domain.parse(cell) for cell in ("1", "one")] == [1, "one"]


def test_ends_and_units():
    """Of whole numbers, of numbers on a scale, and of neither."""
    number = (
        'type = "number"\nlow = 0\nhigh = 9.5\nstep = 0.5\nunit = "hours"\nepsilon = 1'
    )
    of_numbers = question("dithered", number).domain
    assert (of_numbers.ends, of_numbers.unit) == ((0, Fraction(19, 2)), "hours")
    assert (domain_of("integer").ends, domain_of("integer").unit) == ((0, 9), "")
    assert domain_of("category").ends is None


@pytest.mark.parametrize(
    ("size", "shown"),
    [(2, "v0, v1"), (5, "v0, v1, v2, v3, v4"), (6, "v0, v1, v2, v3, v4 and 1 more")],
)
def test_domains_show_a_few_values(size, shown):
    """Five of them, and how many there are besides."""
    domain = Domain("category", tuple(f"v{number}" for number in range(size)))
    assert repr(domain) == f"<Domain category of {size} values: {shown}>"


def test_the_place_of_records_is_that_of_the_first():
    """Where one of several records is drawn; the others have theirs."""
    asked = ldp.question(
        "x", low=0, high=9, per_device="one", mechanism="grr", epsilon=1
    )
    domain = ldp.survey("s", asked)["x"].domain
    assert domain.place([3, 1, 7]) == (3, 0)
    assert domain.places([3, 1, 7]) == ((3, 0), (1, 0), (7, 0))


def test_who_holds_no_key_has_a_place_like_any_other():
    """That of the first point, with nothing left over, of which no one is told."""
    asked = ldp.question("x", keys=["a", "b"], most=1, low=0, high=1, epsilon=1)
    domain = ldp.survey("s", asked)["x"].domain
    assert domain.places({}) == ()
    assert domain.place({}) == (0, 0)
