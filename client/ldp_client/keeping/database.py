"""A store in one SQLite file: what a device remembers, and the reports that wait to be
sent.

Rules
- A transaction outlives the process that commits it. `settle` makes it outlive a loss
  of power, and moves it out of the write-ahead log, whose damaged end SQLite would take
  for the log's end. Where the log grows, `is_long` says so, and whoever has the time
  settles.
- One connection for each process, closed before a fork: SQLite keeps account of the
  locks of a process, and a child that took over the account would wait for ever for a
  transaction of its parent. Other processes wait for a short while; then the error is a
  `BusyError`.
- What the file itself promises stands in `ldp_client.keeping.state_file`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress

from ldp.errors import StateError
from ldp.wire.wire import pack_array
from ldp_client.keeping.forks import rest_at_forks
from ldp_client.keeping.locks import BusyError, Given, Result, WorkLock
from ldp_client.keeping.state_file import DROP, StateFile, checksum
from ldp_client.keeping.store import Record

LONG = 1 << 20
"""Bytes of the log from which on it is worth moving, whichever process wrote them."""

_inherited: list[sqlite3.Connection] = []
"""Connections of a parent process. Closing them here could take its locks away."""


class Database(StateFile):
    """The store at `path`, made when there is none; without a path it lives in
    memory.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        super().__init__(path)
        self._work_lock = WorkLock()
        rest_at_forks(self)

    def hold(self) -> bool:
        """Come to rest before a fork: no turn under way, and no connection open.

        Unless the fork is within a turn.
        """
        at_rest = self._work_lock.hold()
        if at_rest and not self._work_lock.busy:
            self._let_go_of_file()
        return at_rest

    def let_go(self) -> None:
        """Go on after a fork."""
        self._work_lock.let_go()

    def renew(self) -> None:
        """Let go of what belongs to the parent process.

        Its memory is not shared, so one in memory is kept.
        """
        self._work_lock.renew()
        if self._connection is not None and self.path is not None:
            _inherited.append(self._connection)
            self._connection = None

    def transact(
        self,
        work: Callable[[*Given], Result],
        *given: *Given,
        patience: float | None = None,
    ) -> Result:
        """Run some work in a transaction; its changes last, or are taken back if it
        raises.

        With `patience` it is only tried for so many seconds. Raises `BusyError` where
        others write for longer.
        """
        return self._work_lock.take(
            self._whole, patience, work, *given, patience=patience
        )

    def prepare(self, work: Callable[[], Result]) -> Result:
        """Run some work, after which the next transaction costs no sync: something was
        written.

        Nothing is done where what comes first in a new file failed: it would fail once
        more.
        """

        def whole() -> Result:
            self._open()
            lacking, self._lacking = self._lacking, None
            if lacking is not None:
                raise lacking
            result = self._whole(None, work)
            # Where another process writes, that one sees to it.
            with suppress(BusyError):
                self._sync() if self.is_long else self._begin_log()
            return result

        return self._work_lock.take(whole)

    @property
    def is_long(self) -> bool:
        """Whether the log has grown so long that it should be moved, by `settle`."""
        try:
            return self.path is not None and os.path.getsize(f"{self.path}-wal") > LONG
        except OSError:
            return False

    def get(self, kind: str, key: bytes) -> Record | None:
        """The record under a key. Raises `StateError` if it is damaged."""
        query = "SELECT content, checksum FROM records WHERE kind = ? AND key = ?"
        rows = self._run(query, kind, key)
        if not rows:
            return None
        [(content, kept)] = rows
        return self._verify(kind, key, content, kept=kept)

    def put(self, kind: str, key: bytes, record: Record) -> None:
        """Keep a record."""
        content = pack_array([*record])
        insert = "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)"
        self._run(insert, kind, key, content, checksum(kind, key, content))

    def drop(self, kind: str, key: bytes) -> None:
        """Forget a record."""
        self._run(DROP, kind, key)

    def records(self, kind: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Record]]:
        """Keys that begin with the prefix, in order, and their records."""
        query = (
            "SELECT key, content, checksum FROM records WHERE kind = ? AND key >= ? "
            "ORDER BY key"
        )
        for key, content, kept in self._rows(query, kind, prefix):
            if not key.startswith(prefix):
                return
            yield key, self._verify(kind, key, content, kept=kept)

    def size(self, kind: str, prefix: bytes = b"") -> tuple[int, int]:
        """How many records of a kind have keys that begin with the prefix, and their
        bytes.
        """
        query = (
            "SELECT count(*), coalesce(sum(length(content)), 0) FROM records WHERE "
            "kind = ? AND substr(key, 1, ?) = ?"
        )
        [(count, size)] = self._run(query, kind, len(prefix), prefix)
        return count, size

    def settle(self) -> None:
        """Make all transactions so far last through a loss of power, or raise
        `StateError`.
        """
        self._work_lock.take(self._sync)

    def close(self) -> None:
        """Close the file; using the store opens it again.

        Within a transaction of the same thread it stays open.
        """
        with suppress(StateError):
            self._work_lock.take(self._let_go_of_file)

    def _whole(
        self, patience: float | None, work: Callable[[*Given], Result], *given: *Given
    ) -> Result:
        try:
            self._open()
            self._begin(patience)
            result = work(*given)
            self._run("COMMIT")
        except BaseException:
            self._take_back()
            raise
        return result
