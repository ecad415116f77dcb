"""The page's own words, by language: `words/TAG.json`, or a file of the same form.

name, direction   what the language is called in itself, and from which side it is read
words             what the page says
paper             what the sheet on paper says besides; a file may leave it out
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ldp.errors import Problem
from ldp_aggregator.output.files import read_bytes
from ldp_service.respondents.presentation import PageError

_FOLDER = Path(__file__).with_name("words")
_MOST_BYTES = 1 << 20
WORDS, PAPER = "words", "paper"
_PLACES = re.compile(r"\{(\w+)\}")
_DIRECTIONS = ("ltr", "rtl")


@cache
def shipped_languages() -> tuple[str, ...]:
    """The tags of the languages that come along."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))


def words_of(
    tag: str, files: Iterable[Path] = (), parts: Sequence[str] = (WORDS,)
) -> dict[str, Any]:
    """Name, direction and words of a language; a file named after it comes before what
    is included.

    Raises `PageError` and `FileError`.
    """
    own = [path for path in files if path.stem == tag]
    if not own and tag not in shipped_languages():
        known = ", ".join(shipped_languages())
        raise PageError(
            [Problem(f"language {tag}", f"one of {known}, or --words {tag}.json", tag)]
        )
    path = own[-1] if own else _FOLDER / f"{tag}.json"
    try:
        said = json.loads(read_bytes(path, _MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise PageError([Problem(str(path), "JSON in UTF-8", str(error))]) from None
    return _check(said, path, parts)


def fill(words: str, **values: object) -> str:
    """Words with what stands in braces filled in, as the page does it."""
    return _PLACES.sub(lambda place: str(values.get(place[1], "")), words)


def check_spoken(languages: Iterable[str], files: Iterable[Path]) -> None:
    """Raise `PageError` for a file of words in which no page is spoken."""
    known = [*languages]
    problems = [
        Problem(
            f"--words {path}",
            (
                f"words of one of {', '.join(known)}, or [language.{path.stem}] in a "
                "page file"
            ),
            "those of a language that no page has",
        )
        for path in files
        if path.stem not in known
    ]
    if problems:
        raise PageError(problems)


def _check(said: Any, path: Path, parts: Sequence[str]) -> dict[str, Any]:
    """A file of words, if it has all of them. Raises `PageError`."""
    problems = []
    needed = json.loads((_FOLDER / "en.json").read_text(encoding="utf-8"))
    for part in parts:
        words = None
        if isinstance(said, dict):
            words = said.get(part)
        if not isinstance(words, dict) or not all(
            isinstance(word, str) for word in words.values()
        ):
            expected = f"name, direction and {' and '.join(parts)}"
            raise PageError([Problem(str(path), expected, "something else")])
        lacking = sorted(needed[part].keys() - words.keys())
        if lacking:
            problems.append(Problem(f"{path}: {part}", f"{', '.join(lacking)}", "none"))
    if said.get("direction") not in _DIRECTIONS:
        problems.append(
            Problem(f"{path}: direction", "ltr or rtl", str(said.get("direction")))
        )
    if not isinstance(said.get("name"), str):
        problems.append(
            Problem(f"{path}: name", "what the language is called", "nothing")
        )
    if problems:
        raise PageError(problems)
    return {key: said[key] for key in ("name", "direction", *parts)}
