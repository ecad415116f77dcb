"""The text of a survey file: TOML, whose cost is known before it is read.

A TOML reader may take quadratic time, or a kilobyte of memory for a byte of text, on
files that no one writes: dotted keys of thousands of parts, lists within lists, tables
by the ten thousand. So what such files are made of is counted first, in a few linear
passes over the text with its strings and comments taken out:

    words       names, numbers, dates, true and false: runs of letters, digits and signs
                outside strings
    keys        equals signs
    lists       opening brackets, those of [headers] among them
    tables      opening braces

A file may have a number of each for every mebibyte that it is long, so that what it
costs to read grows with its length at most. Surveys come nowhere near these limits: a
thousand questions of sixteen keys are as many as there may be.
"""

from __future__ import annotations

import re
from itertools import accumulate

from ldp.errors import Problem, SurveyError

MEBIBYTE = 1 << 20
LARGEST = 16 * MEBIBYTE
"""Bytes of a survey file, unless a caller sets another limit: a million values, and
some room.
"""

MOST_WORDS = 1 << 15
MOST_KEYS = 1 << 14
MOST_LISTS = 1 << 14
MOST_TABLES = 1 << 11
LONGEST_WORD = 1000
DEEPEST = 8
"""Lists and tables within each other: surveys have use for four."""

# Nothing here is looked at twice: what opens a string that does not end takes in all
# that is left.
_STRINGS_AND_COMMENTS = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}+)?'
    r"|'''(?:[^']|'(?!''))*+(?:'{3,5}+)?"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|#[^\n]*+"
    r"|[\"'].*+",
    re.DOTALL,
)
_STRING = '"'
_WORD = r"[\w+.:-]"
_WORDS = re.compile(rf"(?<!{_WORD}){_WORD}")
_LONG_WORD = re.compile(rf"(?<!{_WORD}){_WORD}{{{LONGEST_WORD + 1}}}")
_TWO_DOTS = re.compile(r"\.[^.=,\n\[\]{}]*+\.")
_REFUSED = (
    (_TWO_DOTS, "one dot at most in a key, a header or a number"),
    (_LONG_WORD, f"names and numbers of at most {LONGEST_WORD:,} characters"),
)
_NO_BRACKETS = re.compile(r"[^][{}]++")
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def read_toml(source: str | bytes, place: str, largest: int) -> dict[str, object]:
    """The tables of a TOML text of at most `largest` bytes.

    Raises `SurveyError`; `place` names the file.
    """
    # Imported here, because most of what a client does never reads a survey again.
    import tomllib

    text = _text(source, place, largest)
    refused = _beyond(text)
    if refused is not None:
        expected, came = refused
        raise SurveyError((Problem(place, f"a TOML file with {expected}", came),))
    try:
        return tomllib.loads(text)
    # tomllib's own error is a ValueError, Python's for long integers too.
    except (ValueError, RecursionError) as error:
        raise SurveyError((Problem(place, "a TOML file", str(error)),)) from None


def _text(source: str | bytes, place: str, largest: int) -> str:
    if len(source) > largest:
        unit = "bytes" if isinstance(source, bytes) else "characters"
        expected = (
            f"a file of at most {largest:,} bytes (a larger one has to be allowed by "
            "the caller: `largest`)"
        )
        raise SurveyError((Problem(place, expected, f"{len(source):,} {unit}"),))
    if isinstance(source, str):
        return source
    try:
        # Editors may put a byte order mark first, which TOML has no place for.
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SurveyError(
            (Problem(place, "UTF-8 text", f"a stray byte at position {error.start}"),)
        ) from None


def _beyond(text: str) -> tuple[str, str] | None:
    """Return (expected, got) for a text that is made to be costly.

    None for all others.
    """
    bare = _STRINGS_AND_COMMENTS.sub(_STRING, text)
    for pattern, expected in _REFUSED:
        if match := pattern.search(bare):
            return expected, repr(_start(match[0]))
    depths = accumulate(map(_STEPS.__getitem__, _NO_BRACKETS.sub("", bare)))
    if max(depths, default=0) > DEEPEST:
        return f"lists and tables at most {DEEPEST} deep", "deeper ones"
    allowance = -(-len(text) // MEBIBYTE)
    numbers = (
        (MOST_WORDS, "names and numbers outside texts", _WORDS.subn("", bare)[1]),
        (MOST_KEYS, "keys", bare.count("=")),
        (MOST_LISTS, "opening brackets", bare.count("[")),
        (MOST_TABLES, "inline tables", bare.count("{")),
    )
    for most, what, came in numbers:
        if came > most * allowance:
            return (
                f"at most {most * allowance:,} {what} in a survey file of this length",
                f"{came:,} of them",
            )
    return None


def _start(text: str) -> str:
    if len(text) <= 20:
        return text
    return f"{text[:20]}..."
