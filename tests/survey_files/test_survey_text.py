"""The text of a survey file, before it is read: its length, contents and refusals."""

import pytest

from ldp.errors import SurveyError
from ldp.survey.survey_text import (
    DEEPEST,
    LONGEST_WORD,
    MEBIBYTE,
    MOST_TABLES,
    read_toml,
)


def refusal(source, largest=4 * MEBIBYTE):
    """What was expected of a text that is refused, and what came."""
    with pytest.raises(SurveyError) as caught:
        read_toml(source, "office.toml", largest)
    (problem,) = caught.value.problems
    assert problem.place == "office.toml"
    return problem.expected, problem.came


@pytest.mark.parametrize(
    ("source", "came"),
    [(b"a = 1000", "8 bytes"), ("a = 1000", "8 characters")],
    ids=type,
)
def test_a_file_that_is_too_long(source, came):
    """Its length is told in what it was counted in; the longest is read."""
    assert read_toml(source, "office.toml", 8) == {"a": 1000}
    expected, got = refusal(source, 7)
    assert expected.startswith("a file of at most 7 bytes ")
    assert got == came


@pytest.mark.parametrize(
    ("length", "came"), [(18, "." + "b" * 18 + "."), (19, "." + "b" * 19 + "...")]
)
def test_the_start_of_what_is_refused_is_told(length, came):
    """Twenty characters of it."""
    expected, got = refusal(f"a.{'b' * length}.c = 1")
    assert expected == "a TOML file with one dot at most in a key, a header or a number"
    assert got == repr(came)


def test_the_longest_word():
    """A thousand characters, and not one more."""
    assert read_toml("a" * LONGEST_WORD + " = 1", "office.toml", MEBIBYTE)
    expected, got = refusal("a" * (LONGEST_WORD + 1) + " = 1")
    assert expected == "a TOML file with names and numbers of at most 1,000 characters"
    assert got == repr("a" * 20 + "...")


def test_the_deepest_list():
    """Lists and tables count alike."""
    deepest = "[" * (DEEPEST - 1) + "{}" + "]" * (DEEPEST - 1)
    assert read_toml(f"a = {deepest}", "office.toml", MEBIBYTE)
    expected, _ = refusal(f"a = [{deepest}]")
    assert expected == f"a TOML file with lists and tables at most {DEEPEST} deep"


def test_the_limits_are_those_that_are_documented():
    """Lists within each other, and inline tables in each mebibyte; not one fewer, nor
    more.
    """
    assert (DEEPEST, MOST_TABLES) == (8, 2048)


@pytest.mark.parametrize("mebibytes", [1, 2])
def test_what_a_text_may_hold_grows_with_its_length(mebibytes):
    """As much for each mebibyte that was begun, and not one more."""
    most = mebibytes * MOST_TABLES
    padding = "\n#" + "x" * ((mebibytes - 1) * MEBIBYTE)
    assert read_toml(f"a = [{'{},' * most}]{padding}", "office.toml", 4 * MEBIBYTE)
    expected, got = refusal(f"a = [{'{},' * (most + 1)}]{padding}")
    assert expected == (
        f"a TOML file with at most {most:,} inline tables in a survey file of this "
        "length"
    )
    assert got == f"{most + 1:,} of them"
