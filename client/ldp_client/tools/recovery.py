"""The way out of a damaged state file: it is set aside, and what can be read begins a
new one.

A client never does this by itself: what cannot be read any more may be spent a second
time. Who calls `recover` knows that, and the ledger says it from then on.

Rules
- Every record whose checksum fits is carried over: charges, limits, consent, the
  secret, responses. With the secret, what was answered once gives the same report
  again, which counts once, even where its charge is lost.
- The new file is there before the old one leaves its name, so that no client meets none
  in between and begins afresh. No client may have the old one open.
- The damaged file is kept, under another name: it is for the app to delete.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import NamedTuple

from ldp.errors import StateError
from ldp_client.answering.ledger import EVENT, today
from ldp_client.keeping.database import Database
from ldp_client.keeping.locks import BusyError
from ldp_client.keeping.new_file import make
from ldp_client.keeping.state_file import (
    DISPENSABLE,
    NoRoomError,
    checksum,
    create_tables,
)

_Row = tuple[str, bytes, bytes, bytes]
_BESIDE = "-wal", "-shm"
_BOTH_WAYS = (
    "SELECT * FROM records ORDER BY kind, key",
    "SELECT * FROM records ORDER BY kind DESC, key DESC",
)


class Recovered(NamedTuple):
    """Where the damaged file is now, how many records were read of it, and whether all
    were.

    `recover` has an example.
    """

    aside: str
    records: int
    complete: bool

    def __str__(self) -> str:
        missing = "others may be missing, charges among them"
        if self.complete:
            missing = "all of them"
        return (
            f"The damaged file is {self.aside} now. {self.records:,} records were "
            f"carried over: {missing}."
        )


def recover(path: str | os.PathLike[str]) -> Recovered:
    """Set a damaged state file aside, and begin a new one with what can be read of it.

    What cannot be read may be spent again. Raises `StateError` for a file that is not
    damaged, or is in use, and `OSError` where files cannot be made or renamed.

    >>> import ldp_client
    >>> ldp_client.recover("app.state")  # doctest: +SKIP
    Recovered(aside='app.state.damaged', records=12, complete=True)
    """
    place = os.path.expanduser(os.fspath(path))
    _refuse_sound(place)
    rows, complete = _readable(place)
    fresh, aside = f"{place}.recovered", _free(f"{place}.damaged")
    for name in _with_beside(fresh):
        if os.path.exists(name):
            os.unlink(name)
    try:
        make(fresh, lambda name: _write(name, rows))
    except sqlite3.Error as error:
        raise NoRoomError(
            f"expected to write what can be read of {place} beside it, got: {error}; "
            "the file is as it was"
        ) from None
    _note(fresh, complete)
    # The log first: beside the new file it would be taken for that one's.
    for ending in _BESIDE:
        if os.path.exists(place + ending):
            os.replace(place + ending, aside + ending)
    try:
        os.link(place, aside)
        os.replace(fresh, place)
    except OSError:  # no hard links here
        os.replace(place, aside)
        os.replace(fresh, place)
    return Recovered(aside, len(rows), complete)


def _refuse_sound(place: str) -> None:
    if not os.path.exists(place):
        raise StateError(f"expected a damaged state file at {place}, got none")
    with open(place, "rb"):
        pass  # what may not be read is not damaged
    database = Database(place)
    try:
        database.transact(lambda: None)
    except (BusyError, NoRoomError):
        raise
    except StateError:
        return
    finally:
        database.close()
    raise StateError(
        f"expected a damaged state file at {place}, got one that can be used"
    )


def _readable(place: str) -> tuple[list[_Row], bool]:
    """The records that are as they were written, and whether there are no others.

    They are read from both ends: what cannot be read may lie in between.
    """
    rows: dict[tuple[str, bytes], _Row] = {}
    complete = True
    for query in _BOTH_WAYS:
        try:
            with closing(sqlite3.connect(place)) as connection:
                for kind, key, content, kept in connection.execute(query):
                    if (
                        isinstance(kind, str)
                        and isinstance(key, bytes)
                        and (checksum(kind, key, content) == kept)
                    ):
                        rows[kind, key] = kind, key, content, kept
                    elif kind not in DISPENSABLE:
                        complete = False
        except (sqlite3.Error, ValueError, OverflowError):
            complete = False
    return list(rows.values()), complete


def _write(name: str, rows: list[_Row]) -> None:
    with closing(create_tables(name)) as connection:
        connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", rows)


def _note(fresh: str, complete: bool) -> None:
    rest = "what could not be read is missing here"
    if complete:
        rest = "all that was charged is here"
    database = Database(fresh)

    def note() -> None:
        number = sum(1 for _ in database.records(EVENT))
        reason = f"a damaged state file was set aside, and {rest}"
        database.put(EVENT, number.to_bytes(4, "big"), (reason, today()))

    database.transact(note)
    database.settle()
    database.close()


def _free(name: str) -> str:
    number = 1
    free = name
    while os.path.exists(free):
        number += 1
        free = f"{name}-{number}"
    return free


def _with_beside(name: str) -> tuple[str, ...]:
    return (name, *(name + ending for ending in _BESIDE))
