"""The SQLite file of a store: how it is made, opened, checked and synced.

Rules
- Every record carries the XXH64 of its kind, key and content. All of them are checked
  when the file is opened, and each again when it is read: SQLite itself does not notice
  changed bits.
- A damaged file is an error and is left as it is: a fresh one would spend the budget
  twice. Only damaged reports that wait to be sent, and when that is, are dropped by
  themselves; nothing else hangs on them.
- What writes does not sync: neither a transaction nor the first one after the log was
  emptied, for whose header a sync sees to it. Nor does SQLite move the log by itself.
- What is deleted is overwritten.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from xxhash import xxh64_digest

from ldp.errors import StateError
from ldp.wire.wire import MOST_PAYLOAD, unpack_array
from ldp_client.keeping.locks import BusyError
from ldp_client.keeping.new_file import make, sweep
from ldp_client.keeping.store import Record

FORMAT = 2
PATIENCE = 0.5
"""Seconds that a transaction waits for those of other processes."""

_REPORTS = ("report", "batch")
DISPENSABLE = (*_REPORTS, "attempt", "due", "days", "loss")
"""Kinds of which a damaged record is dropped by itself: what waits, and when to send
it.
"""

# Whoever makes a file syncs it once, as a whole. There is no log yet: to close a file
# with one copies its content, and does not say whether there was room.
_SCHEMA = f"""
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = OFF;
PRAGMA user_version = {FORMAT};
CREATE TABLE records (kind TEXT, key BLOB, content BLOB, checksum BLOB, PRIMARY KEY (kind, key))
    WITHOUT ROWID;
"""
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
DROP = "DELETE FROM records WHERE kind = ? AND key = ?"
_FAILURES = sqlite3.Error, ValueError, OverflowError
"""What a statement raises. Damaged text, even of a message, is a `ValueError`."""
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_NO_SHARING = (
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMLOCK,
    sqlite3.SQLITE_IOERR_SHMMAP,
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
)
_MOST_CONTENT = 2 * MOST_PAYLOAD


class NoRoomError(StateError):
    """A state file that cannot be written to, or read, where it is: nothing is wrong
    with it.
    """


class StateFile:
    """An SQLite file at `path`, made when there is none; without a path, memory.

    `damaged` counts reports and batches that were dropped. `first` is what is written
    into a new file before it has its name, so that no loss of power takes it back;
    without it if that fails.
    """

    first: Callable[[], object] | None = None
    _connection: sqlite3.Connection | None = None

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        if path == ":memory:":
            raise ValueError(
                "expected a file, or None to keep the state in memory; got ':memory:'"
            )
        self.path = None if path is None else os.path.expanduser(os.fspath(path))
        self.damaged = 0
        self._file: tuple[int, int] | None = None
        """What is open, whatever has its name by now."""
        self._lacking: StateError | None = None
        """Why a new file is without what comes first."""

    def __del__(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _open(self) -> None:
        self._take_back()  # what a turn left open that was interrupted even while it took back
        if self._connection is not None:
            self._check_same_file()
            return
        try:
            if self.path is None:
                self._connection = create_tables(None)
                return
            make(self.path, self._fill)
            sweep(self.path)
            self._keep_private()
            self._connection = _connect(self.path)
            self._file = _file_at(self.path)
            self._check()
            for setting in (
                "journal_mode = WAL",
                "synchronous = NORMAL",
                "secure_delete = ON",
            ):
                self._run(f"PRAGMA {setting}")
            self._run("PRAGMA wal_autocheckpoint = 0")
            self._run(
                "PRAGMA fullfsync = ON"
            )  # of macOS: see `ldp_client.keeping.syncing`
        except BaseException as error:
            self._let_go_of_file()
            if isinstance(error, sqlite3.Error | OSError):
                raise self._unusable(error) from None
            raise

    def _keep_private(self) -> None:
        """Take from others what a restored file lets them read; the log gets the same
        mode.
        """
        if self.path is not None and os.name == "posix":
            mode = os.stat(self.path).st_mode
            with suppress(PermissionError):  # another user's
                if mode & 0o077:
                    os.chmod(self.path, mode & 0o700)

    def _check_same_file(self) -> None:
        """Raise `NoRoomError` where what is open lies no longer under its name, to be
        found again.

        What is spent by then would be forgotten with the process.
        """
        if self.path is None or _file_at(self.path) == self._file:
            return
        raise NoRoomError(
            f"expected the state file {self.path} that was opened, found it removed, "
            "replaced or made read-only; nothing is reported until it is back, or the "
            "app starts again"
        )

    def _fill(self, fresh: str) -> None:
        """Fill a new file, which has another name yet."""
        self._connection = create_tables(fresh)
        try:
            self._run("BEGIN")
            try:
                if self.first is not None:
                    self.first()
            except StateError as error:
                self._lacking = error
            self._run("COMMIT")
            self._run("PRAGMA journal_mode = WAL")
        finally:
            self._let_go_of_file()

    def _check(self) -> None:
        """Read everything once. Raises `StateError` if something is damaged that must
        not be.
        """
        [(version,)] = self._run("PRAGMA user_version")
        if version != FORMAT:
            raise StateError(
                f"expected a state of format {FORMAT} at {self.path}, got format "
                f"{version}"
            )
        [(sound,)] = self._run("PRAGMA quick_check(1)")
        if sound != "ok":
            raise self._unusable("damage")
        spoilt = []
        query = "SELECT kind, key, content, checksum FROM records"
        for kind, key, content, kept in self._rows(query):
            if (
                type(kind) is str
                and type(key) is bytes
                and checksum(kind, key, content) == kept
            ):
                continue
            if kind not in DISPENSABLE:
                raise self._unusable("damage")
            spoilt.append((kind, key))
        for kind, key in spoilt:
            self._run(DROP, kind, key)
        self.damaged += sum(kind in _REPORTS for kind, _ in spoilt)

    def _verify(self, kind: str, key: bytes, content: bytes, kept: bytes) -> Record:
        if checksum(kind, key, content) != kept:
            raise self._unusable("damage")
        return tuple(unpack_array(content, _MOST_CONTENT, "state-damaged"))

    def _begin(self, patience: float | None) -> None:
        if patience is None:
            self._run("BEGIN IMMEDIATE")
            return
        self._run(f"PRAGMA busy_timeout = {round(1000 * patience)}")
        try:
            self._run("BEGIN IMMEDIATE")
        finally:
            self._run(f"PRAGMA busy_timeout = {round(1000 * PATIENCE)}")

    def _begin_log(self) -> None:
        """Write something to an empty log, so that its header is synced here and
        now.
        """
        self._run(f"PRAGMA user_version = {FORMAT}")

    def _take_back(self) -> None:
        if self._connection is None or not self._connection.in_transaction:
            return
        try:
            self._run("ROLLBACK")
        except StateError:
            self._let_go_of_file()  # which takes back what a failing disk may have left open
            raise

    def _sync(self) -> None:
        self._open()
        # With everything that the log holds synced and copied, nothing is left in it.
        [(busy, _, _)] = self._run("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy and self.path is not None:
            raise BusyError(
                f"expected to sync {self.path}, got another process in the way"
            )
        if self.path is not None:
            # Where another process writes, it has done so.
            with suppress(BusyError):
                self._begin_log()

    def _let_go_of_file(self) -> None:
        if self._connection is not None and self.path is not None:
            self._connection.close()
            self._connection = None

    def _run(self, statement: str, *values: object) -> list[Any]:
        if self._connection is None:
            raise StateError(f"expected {self.path} to be open")
        try:
            return self._connection.execute(statement, values).fetchall()
        except _FAILURES as error:
            raise self._unusable(error) from None

    def _rows(self, statement: str, *values: object) -> Iterator[Any]:
        """The rows of a query one by one: there may be very many."""
        if self._connection is None:
            raise StateError(f"expected {self.path} to be open")
        try:
            yield from self._connection.execute(statement, values)
        except _FAILURES as error:
            raise self._unusable(error) from None

    def _unusable(self, cause: object) -> StateError:
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _BUSY:
            return BusyError(
                f"expected a turn at the state file {self.path} in time, got another "
                "process that writes for longer, or a file system without locks"
            )
        if getattr(cause, "sqlite_errorcode", 0) in _NO_SHARING:
            return NoRoomError(
                "expected a file system with locks and shared memory for the state "
                f"file {self.path}, got: {cause}; no report was made. Keep it on a "
                "disk of this device"
            )
        beginning = (
            f"expected to use the state file {self.path}, got: {cause}; no report was "
            "made. "
        )
        if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _NO_ROOM or isinstance(
            cause, OSError
        ):
            return NoRoomError(
                f"{beginning}Nothing is damaged: the folder has to be one that can be "
                "written to, on a disk that has room"
            )
        return StateError(
            f"{beginning}A damaged file is not replaced by itself, since forgetting "
            "what was answered would spend the budget twice: `ldp_client.recover` is "
            "the way out"
        )


def checksum(kind: str, key: bytes, content: Any) -> bytes:
    """Return the checksum of a record; empty for a content that is no record's."""
    if type(content) is not bytes:
        return b""
    return xxh64_digest(b"%b:%d:%b%b" % (kind.encode(), len(key), key, content))


def _connect(path: str | None) -> sqlite3.Connection:
    place = ":memory:" if path is None else path
    return sqlite3.connect(
        place, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )


def _file_at(path: str) -> tuple[int, int] | None:
    """Which file has a path, if it can be written to."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if os.access(path, os.W_OK):
        return (status.st_dev, status.st_ino)
    return None


def create_tables(path: str | None) -> sqlite3.Connection:
    """A connection to a new file, or memory, without records."""
    connection = _connect(path)
    try:
        connection.executescript(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
