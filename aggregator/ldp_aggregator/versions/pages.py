"""Page file beside a survey, before and after: words, translations, ways to refuse.

A page file (docs/respondents.md) changes no fingerprint, as nothing of it changes what
a report means. What people read is in it all the same: in the survey's language, in
place of the survey's own words, and in every other. A text that changed, in whichever
language, counts as one of the survey does: as worse, since no program can tell what the
words mean. Keys that this table does not know count as worse as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from ldp.errors import LDPError
from ldp_aggregator.output.files import read_bytes, toml_in
from ldp_aggregator.versions.change import (
    NOTHING,
    PARAMETERS,
    SAME,
    WORDS,
    WORSE,
    Change,
    shorten,
)

Page = Mapping[str, Any]
"""A page file as TOML has it; empty where there is none."""

LARGEST_PAGE = 1 << 20
ENDING = ".page.toml"

_SHOWN_ALIKE = ("one_by_one", "widget", "language")
"""How a page looks, and the name of its own language."""
_REFUSALS = ("skip", "refusal")
_FILE = "file"
"""What stands for all of a page file where only its hash is known."""
_TEXTS = (_FILE, "title", "asked_by", "purpose", "contact", "thanks", "text", "help")
_LABELS = "labels"
_WORDS_CHANGED = "what people read has changed, and no program can tell what words mean"


class PageFileError(LDPError):
    """A page file that cannot be read."""


def page_beside(survey_path: Path) -> Page:
    """The page file beside a survey; empty if there is none. Raises `PageFileError`."""
    path = survey_path.with_name(page_name(survey_path.name))
    if path.exists():
        return parse_page(read_bytes(path, LARGEST_PAGE), str(path))
    return {}


def hash_beside(survey_path: Path) -> str:
    """The hash of the page file beside a survey, as registers keep it; empty if there
    is none.
    """
    path = survey_path.with_name(page_name(survey_path.name))
    if path.exists():
        return sha256(read_bytes(path, LARGEST_PAGE)).hexdigest()
    return ""


def page_of_hash(page_hash: str) -> Page:
    """A page file of which no more is known than its hash; empty if there is none."""
    if page_hash:
        return {_FILE: page_hash}
    return {}


def page_name(survey_name: str) -> str:
    """Return the name of the page file beside a survey file of this name, or path."""
    return survey_name.removesuffix(".toml") + ENDING


def parse_page(content: bytes, place: str) -> Page:
    """The tables of a page file. Raises `PageFileError`."""
    try:
        return toml_in(content)
    except ValueError as error:
        raise PageFileError(f"{place}: expected TOML in UTF-8, got {error}") from None


def page_changes(new: Page, old: Page) -> list[Change]:
    """Return the changes in a page's words beside the questions, key by key."""
    before, after = dict(_flat(old)), dict(_flat(new))
    return [
        _change(key, before.get(key), after.get(key))
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    ]


def _flat(
    table: Page, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every key with its value as a text, under the names of the tables it is in."""
    for name, value in table.items():
        key = (*above, name)
        if isinstance(value, Mapping):
            yield from _flat(value, key)
        elif isinstance(value, list):
            yield key, ", ".join(map(str, value))
        else:
            yield key, str(value)


def _change(key: tuple[str, ...], before: str | None, after: str | None) -> Change:
    aspect, verdict, says = _judge(key)
    old, new = (NOTHING if text is None else shorten(text) for text in (before, after))
    place = f"page {shorten('.'.join(key))}"
    return Change(place, aspect, old, after=new, verdict=verdict, says=says)


def _judge(key: tuple[str, ...]) -> tuple[str, str, str]:
    """The aspect of a key, what its change is for respondents, and why."""
    name = key[-1]
    if _LABELS in key[:-1] or name in _TEXTS:
        return WORDS, WORSE, _WORDS_CHANGED
    if name in _SHOWN_ALIKE:
        return PARAMETERS, SAME, "the page looks otherwise, and says and sends the same"
    if name in _REFUSALS:
        return (
            "ways to refuse",
            WORSE,
            "who would rather not answer has another way to say so",
        )
    if name == "parents":
        return (
            "who may frame the page",
            WORSE,
            "the page may stand within pages of other sites",
        )
    return PARAMETERS, WORSE, "a key whose meaning is not known here"
