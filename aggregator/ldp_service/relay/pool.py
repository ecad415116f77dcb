"""The pool: sealed reports that wait to be mixed, in one SQLite file that tells no
order.

For someone new to it: whoever takes the relay's disk must not learn who came first. A
database writes new rows behind old ones, within a page as well, and its log has every
change in the order of time. So a report does not become a new row: it takes the place
of an empty one.

    slots_N     as many rows of one size as there is room; a report overwrites an empty
                one, drawn uniformly from all that are empty, where it stands in the
                file
    pools       which of these tables is whose: question or group, epoch, size, room
    seen_L_E    marks of what came, by epoch: what comes again is known by them
                (`relay.seen_ids`)
    parts       parts of batches that are to be forwarded, under their ids, as they will
                be sent
    counts      how many of what; numbers that only grow
    epochs      by length: the last one that is closed, and the last that the clock was
                in

Rules
- All arrangements of what waits are equally likely, whatever the order in which it
  came. Where room runs out, all that waits moves to a table of twice the size, into
  slots drawn anew.
- There is no log that is kept: SQLite's rollback journal is cut to nothing at each
  commit, which returns when everything would outlive a loss of power. What is deleted
  is overwritten with zeros.
- What is known by a mark is that something came; none lies with a report.
- One process writes; a lock on the witness keeps others out. A file with anything but
  these tables is refused: a trigger could note when each report came.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ldp.numbers.randomness import randbelow, shuffle, system
from ldp_aggregator.output.files import opened_private, sync_folder
from ldp_service.relay import seen_ids
from ldp_service.store.errors import StoreError
from ldp_service.store.records import Epoch
from ldp_service.store.sqlite import connect, strangers, translate_errors
from ldp_service.store.unordered import COLUMNS
from ldp_service.store.witness import Witness

VERSION = 2
_ROOM = 64
"""Slots of a pool at its beginning."""
_SETTINGS = (
    "journal_mode = TRUNCATE",
    "synchronous = FULL",
    "secure_delete = ON",
    "temp_store = MEMORY",
    f"user_version = {VERSION}",
)
_TABLES = (
    "pools (fingerprint BLOB, length INTEGER, number INTEGER, slots INTEGER, size "
    "INTEGER, room INTEGER, PRIMARY KEY (fingerprint, length, number))",
    "parts (id BLOB PRIMARY KEY, frame BLOB)",
    "counts (name TEXT PRIMARY KEY, number INTEGER)",
    "epochs (length INTEGER PRIMARY KEY, closed INTEGER, seen INTEGER)",
    seen_ids.TABLE,
)
_SLOTS = "(slot INTEGER PRIMARY KEY, content BLOB)"
_KNOWN = re.compile(
    rf"CREATE TABLE (({'|'.join(map(re.escape, _TABLES))}) WITHOUT ROWID"
    rf"|slots_\d+ {re.escape(_SLOTS)}|seen_\d+_\d+ {re.escape(COLUMNS)})"
)

Place = Callable[[int], int]
"""Which of so many empty slots a report takes."""


class Crowd(NamedTuple):
    """Group that is mixed together: a question or group by its fingerprint, and an
    epoch.
    """

    fingerprint: bytes
    epoch: Epoch


class _Slots:
    """One table of slots: its number, the size of a report, and which slots are
    empty.
    """

    def __init__(self, number: int, size: int, room: int, empty: list[int]) -> None:
        self.number, self.size, self.room, self.empty = number, size, room, empty

    @property
    def occupancy(self) -> int:
        return self.room - len(self.empty)


def uniform(number: int) -> int:
    """One of so many, by the operating system's randomness, exactly."""
    return randbelow(number, system)


class Pool:
    """The pool in the file at `path`, made when there is none. Raises `StoreError`.

    Everything but `close` is called between `begin` and `commit`, by one thread.
    """

    def __init__(self, path: str | os.PathLike[str], place: Place = uniform) -> None:
        self._path = Path(path).absolute()
        self._place = place
        self._witness = Witness(self._path)
        try:
            with translate_errors(self._path):
                os.close(opened_private(self._path, os.O_RDWR))
            self._connection = connect(self._path, "rwc")
            [(version,)] = self._run("PRAGMA user_version")
            if version not in (0, VERSION):
                raise StoreError(
                    f"expected a relay's store of version {VERSION} at {self._path}, "
                    f"got version {version}; let the release that made it forward what "
                    "waits, then begin anew"
                )
            with translate_errors(self._path):
                unknown = strangers(self._connection, _KNOWN)
            if unknown:
                raise StoreError(
                    f"expected the tables of a relay in {self._path}, got as well: "
                    f"{'; '.join(unknown)}; someone else changed this file: begin with "
                    "a new one"
                )
            for setting in _SETTINGS:
                self._run(f"PRAGMA {setting}")
            for table in _TABLES:
                self._run(f"CREATE TABLE IF NOT EXISTS {table} WITHOUT ROWID")
            with translate_errors(self._path):
                sync_folder(self._path.parent)
            self._seen = seen_ids.SeenIds(self._run)
            self._load()
        except BaseException:
            self.close()
            raise
        expected, there = self._witness.read(), self.counts()["commits"]
        if expected is not None and expected > there:
            self.close()
            raise StoreError(
                f"expected {expected:,} commits in {self._path}, which were "
                f"acknowledged, found {there:,}: reports are lost, as by an old copy "
                f"of the file; remove {self._path}-acknowledged to go on with what is "
                "there"
            )

    def begin(self) -> None:
        """Begin a transaction."""
        self._run("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make it last."""
        self.count("commits", 1)
        commits = self.counts()["commits"]
        self._run("COMMIT")
        self._witness.write(commits)

    def roll_back(self) -> None:
        """Take it back; harmless where there is none."""
        if self._connection.in_transaction:
            self._run("ROLLBACK")
        self._load()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A transaction, committed at the end unless something is raised."""
        self.begin()
        try:
            yield
            self.commit()
        except BaseException:
            self.roll_back()
            raise

    def look_for_room(self) -> None:
        """Raise `StoreFullError` if nothing can be written."""
        with self.changing():
            pass

    def claim(self, epoch: Epoch, names: Sequence[tuple[bytes, ...]]) -> list[bool]:
        """Note what came, each under its names; whether nothing had come under any of
        them.
        """
        return self._seen.claim(epoch, names)

    def forget(self, epoch: Epoch) -> None:
        """Forget what came in an epoch."""
        self._seen.forget(epoch)

    def epochs(self) -> list[Epoch]:
        """Return the epochs with known ids."""
        return self._seen.epochs()

    def add(self, crowd: Crowd, envelopes: Sequence[bytes]) -> None:
        """Let reports wait, all of one size."""
        size = len(envelopes[0])
        slots = self._slots.get(crowd)
        if slots is None:
            slots = self._make_slots(crowd, size, _room_for(len(envelopes)), waiting=[])
        if len(slots.empty) < len(envelopes):
            waiting = self._waiting_in(slots)
            self._run(f"DROP TABLE slots_{slots.number}")
            room = _room_for(len(waiting) + len(envelopes))
            slots = self._make_slots(crowd, size, room, waiting=waiting)
        rows = []
        for envelope in envelopes:
            chosen = self._place(len(slots.empty))
            slots.empty[chosen], slots.empty[-1] = slots.empty[-1], slots.empty[chosen]
            rows.append((b"\1" + envelope, slots.empty.pop()))
        # Rows of one size are overwritten where they stand.
        self._run_many(
            f"UPDATE slots_{slots.number} SET content = ? WHERE slot = ?",  # noqa: S608
            rows,
        )

    def waiting(self) -> dict[Crowd, int]:
        """How many reports wait, by what they are mixed with."""
        return {
            crowd: slots.occupancy
            for crowd, slots in self._slots.items()
            if slots.occupancy
        }

    def take_out(self, crowd: Crowd) -> list[bytes]:
        """All that waits, which does so no more."""
        slots = self._slots.pop(crowd)
        waiting = self._waiting_in(slots)
        self._run(f"DROP TABLE slots_{slots.number}")
        self._run(
            "DELETE FROM pools WHERE fingerprint = ? AND length = ? AND number = ?",
            crowd.fingerprint,
            *crowd.epoch,
        )
        return waiting

    def keep_part(self, id_: bytes, frame: bytes) -> None:
        """Keep a part of a batch, as it will be sent."""
        self._run("INSERT INTO parts VALUES (?, ?)", id_, frame)

    def parts(self) -> list[bytes]:
        """The ids of the parts that are to be forwarded."""
        return [row[0] for row in self._run("SELECT id FROM parts")]

    def parts_waiting(self) -> int:
        """How many there are."""
        [(number,)] = self._run("SELECT count(*) FROM parts")
        return int(number)

    def part(self, id_: bytes) -> bytes:
        """The bytes of one."""
        [(frame,)] = self._run("SELECT frame FROM parts WHERE id = ?", id_)
        return bytes(frame)

    def drop_part(self, id_: bytes) -> None:
        """Forget one that was taken."""
        self._run("DELETE FROM parts WHERE id = ?", id_)

    def count(self, name: str, number: int) -> None:
        """Count something."""
        self._run(
            "INSERT INTO counts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET number "
            "= number + excluded.number",
            name,
            number,
        )

    def counts(self) -> Counter[str]:
        """All that was counted, by name."""
        return Counter(dict(self._run("SELECT name, number FROM counts")))

    def closed_epochs(self) -> dict[int, int]:
        """The last epoch of each length that is closed; -1 where none is."""
        return dict(self._run("SELECT length, closed FROM epochs"))

    def latest_epochs(self) -> dict[int, int]:
        """The last epoch of each length that the clock was in."""
        return dict(self._run("SELECT length, seen FROM epochs"))

    def note_epochs(self, length: int, closed: int, seen: int) -> None:
        """Note both."""
        self._run(
            "INSERT OR REPLACE INTO epochs VALUES (?, ?, ?)", length, closed, seen
        )

    def close(self) -> None:
        """Let go of it."""
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()
        self._witness.close()

    def _load(self) -> None:
        """Read which slots are empty."""
        self._slots: dict[Crowd, _Slots] = {}
        for fingerprint, length, number, slots, size, room in self._run(
            "SELECT * FROM pools"
        ):
            query = (
                f"SELECT slot FROM slots_{slots} WHERE substr(content, 1, 1) = x'00'"  # noqa: S608
            )
            empty = [row[0] for row in self._run(query)]
            crowd = Crowd(bytes(fingerprint), Epoch(length, number))
            self._slots[crowd] = _Slots(slots, size, room, empty=empty)

    def _waiting_in(self, slots: _Slots) -> list[bytes]:
        rows = self._run(f"SELECT content FROM slots_{slots.number}")  # noqa: S608
        return [content[1:] for (content,) in rows if content[0]]

    def _make_slots(
        self, crowd: Crowd, size: int, room: int, waiting: Sequence[bytes]
    ) -> _Slots:
        """A table with what waits in slots that are drawn, and the others empty."""
        [(last,)] = self._run("SELECT coalesce(max(slots), 0) FROM pools")
        order = shuffle(range(room), system) if waiting else list(range(room))
        contents = [bytes(size + 1)] * room
        for envelope, slot in zip(waiting, order, strict=False):
            contents[slot] = b"\1" + envelope
        slots = _Slots(last + 1, size, room, empty=order[len(waiting) :])
        self._run(f"CREATE TABLE slots_{slots.number} {_SLOTS}")
        insert = f"INSERT INTO slots_{slots.number} VALUES (?, ?)"  # noqa: S608
        self._run_many(insert, enumerate(contents))
        values = (crowd.fingerprint, *crowd.epoch, slots.number, size, room)
        self._run("INSERT OR REPLACE INTO pools VALUES (?, ?, ?, ?, ?, ?)", *values)
        self._slots[crowd] = slots
        return slots

    def _run(self, statement: str, *values: object) -> list[Any]:
        with translate_errors(self._path):
            return self._connection.execute(statement, values).fetchall()

    def _run_many(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        with translate_errors(self._path):
            self._connection.executemany(statement, rows)


def _room_for(number: int) -> int:
    """The least room, doubled from `_ROOM`, in which so many leave as many slots
    empty.
    """
    room = _ROOM
    while room < 2 * number:
        room *= 2
    return room
