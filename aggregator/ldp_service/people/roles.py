"""Roles of people: a file beside that of the tokens.

    [[grant]]
    person = "ada@example.org"      or  group = "night-shift"
    role = "viewer"                 viewer: estimates; operator: metrics as well, and
                                    to close surveys
    surveys = ["notes-2026"]        optional: the surveys that it is for, by name; else all

Rules
- The verdicts are those of tokens, so that a page and an API answer people as they
  answer tokens.
- Whoever has several grants, by name or by group, has all of them.
- A file that changes is read anew, as that of tokens is: who is taken out of it is out
  within a second or two. One that cannot be used leaves in force what was.
- A name is compared as it is, letter by letter: what a proxy calls someone is its
  business.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ldp.answers.keys import Keys
from ldp.errors import LDPError, Problem
from ldp_aggregator.output.files import read_bytes, toml_in
from ldp_service.uploads.followed_file import FollowedFile
from ldp_service.uploads.tokens import (
    ANALYST,
    GRANTED,
    METRICS,
    MISSING,
    OPERATOR,
    UNKNOWN,
    WRONG_SCOPE,
    WRONG_SURVEY,
)

VIEWER = "viewer"
ROLES = (VIEWER, OPERATOR)
_GOOD_FOR = {VIEWER: (ANALYST,), OPERATOR: (OPERATOR, ANALYST, METRICS)}
_MOST_SURVEYS = 1000
_MOST_BYTES = 1 << 20


class PeopleError(LDPError):
    """A file of people, or a proxy, that cannot be used."""


class Person(NamedTuple):
    """Someone, as whoever vouches calls them."""

    name: str
    groups: frozenset[str] = frozenset()


class Grant(NamedTuple):
    """Permission of a person, or of everyone in a group."""

    person: str
    group: str
    role: str
    surveys: tuple[str, ...] = ()

    def is_of(self, person: Person) -> bool:
        """Whether it is theirs."""
        if self.person:
            return self.person == person.name
        return self.group in person.groups

    def verdict(self, scope: str, survey: str | None) -> str:
        """Return the verdict for a scope and a survey."""
        if scope not in _GOOD_FOR[self.role]:
            return WRONG_SCOPE
        fits = survey == "" or not self.surveys or survey in self.surveys
        if fits:
            return GRANTED
        return WRONG_SURVEY


class People:
    """The grants of a file that may change at any time. Raises `PeopleError` and
    `FileError`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._place = str(path)
        self._file = FollowedFile(
            lambda: read_bytes(Path(path), _MOST_BYTES), self._use, kept="people"
        )
        self._use(self._file.content)

    def check(
        self, person: Person | None, scope: str, now: float, *, survey: str | None = ""
    ) -> str:
        """Return the verdict of a person's grants, in the words of `tokens`.

        `survey` is the one that is asked for; None stands for all at once, nothing for
        whichever.
        """
        if person is None:
            return MISSING
        self._file.is_current(now)
        verdicts = {
            grant.verdict(scope, survey)
            for grant in self._grants
            if grant.is_of(person)
        }
        return next(
            (one for one in (GRANTED, WRONG_SURVEY, WRONG_SCOPE) if one in verdicts),
            UNKNOWN,
        )

    def is_current(self, now: float) -> bool:
        """Whether the file can be used as it is: if not, who is taken out of it stays
        in.
        """
        return self._file.is_current(now)

    def _use(self, content: bytes) -> None:
        self._grants = parse(content, self._place)


def parse(source: bytes, place: str) -> tuple[Grant, ...]:
    """The grants of a file. Raises `PeopleError`, which names it as `place`."""
    try:
        top = Keys("file", toml_in(source))
    except ValueError as error:
        raise _problem_error(
            place, [Problem("file", "TOML in UTF-8", str(error))]
        ) from None
    grants = []
    for number, table in enumerate(top.tables("grant"), 1):
        keys = Keys(f"grant {number}", table)
        grants.append(_grant(keys))
        top.problems += keys.problems
    top.finish()
    if top.problems:
        raise _problem_error(place, top.problems)
    return tuple(grants)


def _grant(keys: Keys) -> Grant:
    person = keys.text("person") if "person" in keys else ""
    group = keys.text("group") if "group" in keys else ""
    if bool(person) == bool(group):
        keys.problem(
            "person",
            "a person or a group, one of both",
            "both" if person else "neither",
        )
    role = keys.choice("role", ROLES) or VIEWER
    surveys = keys.texts("surveys", 1, _MOST_SURVEYS) if "surveys" in keys else ()
    keys.finish()
    return Grant(person, group, role, surveys=surveys)


def _problem_error(place: str, problems: Iterable[Problem]) -> PeopleError:
    return PeopleError("\n".join(_lines(place, list(problems))))


def _lines(place: str, problems: list[Problem]) -> Iterator[str]:
    count = "1 problem"
    if len(problems) != 1:
        count = f"{len(problems)} problems"
    yield f"{count} in the file of people {place}:"
    yield from (f"  {problem}" for problem in problems)
