"""Notes of the operator, by date: what happened, beside what was counted.

    [[note]]
    on = 2026-03-09                 a day, or a date and time; UTC
    text = "The buses are on strike"
    survey = "commute"              of this survey alone; of all, if it is left out
    question = "transport"          of this question alone

Raises `NoteError` for a file that says something else. It is read anew when it changes;
one that became wrong leaves the notes that it had before in force, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import NamedTuple

from ldp.errors import LDPError
from ldp_aggregator.output.files import read_bytes, toml_in

_MOST_BYTES = 1 << 18
_LONGEST = 300
_KEYS = {"on", "text", "survey", "question"}


class NoteError(LDPError):
    """A file of notes that is none."""


class Note(NamedTuple):
    """One note; without a survey or a question it is of all."""

    on: datetime
    text: str
    survey: str = ""
    question: str = ""

    def is_for(self, survey: str, question: str = "") -> bool:
        """Whether it is shown beside a question, or beside a survey as a whole."""
        if self.survey not in ("", survey):
            return False
        return self.question in ("", question) or not question

    @property
    def day(self) -> str:
        """Its date, with the time if it has one."""
        timed = self.on.hour or self.on.minute
        return self.on.strftime("%Y-%m-%d %H:%M" if timed else "%Y-%m-%d")


class NoteFile:
    """The notes of a file that may change at any time, in the order of time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = b""
        self._notes: tuple[Note, ...] = ()
        self.trouble = ""
        """What is wrong with the file as it is now; the notes are those that it had before."""
        self._read()

    def notes(self) -> tuple[Note, ...]:
        """Return the notes of the file as it is now, if it can be read."""
        try:
            self._read()
            self.trouble = ""
        except LDPError as error:
            self.trouble = str(error)
        return self._notes

    def _read(self) -> None:
        content = read_bytes(self._path, _MOST_BYTES)
        if content != self._content:
            self._notes = parse_notes(content, str(self._path))
            self._content = content


def parse_notes(content: bytes, name: str) -> tuple[Note, ...]:
    """The notes in the content of a file, sorted. Raises `NoteError`."""
    try:
        document = toml_in(content)
    except ValueError as error:
        raise NoteError(f"{name}: expected TOML in UTF-8, got: {error}") from None
    tables = document.get("note", [])
    if document.keys() - {"note"} or not isinstance(tables, list):
        raise NoteError(f"{name}: expected tables [[note]] and nothing else")
    return tuple(sorted(_notes(tables, name)))


def _notes(tables: Sequence[object], name: str) -> list[Note]:
    notes = []
    for number, table in enumerate(tables, 1):
        place = f"{name}: note {number}"
        if not isinstance(table, Mapping) or table.keys() - _KEYS:
            raise NoteError(
                f"{place}: expected {', '.join(sorted(_KEYS))} and nothing else"
            )
        texts = [table.get(key, "") for key in ("text", "survey", "question")]
        if (
            not all(isinstance(text, str) for text in texts)
            or not 0 < len(texts[0]) <= _LONGEST
        ):
            raise NoteError(f"{place}: expected a text of up to {_LONGEST} letters")
        notes.append(Note(_moment(table.get("on"), place), *texts))
    return notes


def _moment(value: object, place: str) -> datetime:
    if isinstance(value, datetime):
        if value.tzinfo:
            return value.astimezone(UTC)
        return value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    raise NoteError(
        f"{place}: expected on to be a date such as 2026-03-09, without quotes"
    )
