"""The embedded store: one SQLite file, in WAL mode, synced at every commit.

Rules
- One process writes, over one connection; a lock on the witness keeps others out. Only
  this connection copies the log into the file, and does so itself, before a
  transaction: SQLite would keep to itself that a sync failed.
- Each commit that was acknowledged is noted in the witness.
- What one-time tokens leave tells no order (`unordered`), and a commit of theirs leaves
  no log.
- A file may come from elsewhere, as a backup does: one that has anything but the tables
  of a store is refused. A trigger could note when each batch came.
- What SQLite says of its disk decides what may be done next: a full one leaves
  everything as it was; after any other error no one knows what the disk holds, so the
  process has to stop and another one to recover.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ldp.numbers.epochs import ID_SIZE
from ldp_aggregator.output.files import opened_private, sync_folder
from ldp_service.store.errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    later_form,
)
from ldp_service.store.records import TOKENS, Epoch, Record
from ldp_service.store.unordered import COLUMNS, claim, parts
from ldp_service.store.witness import Witness

VERSION = 2
"""Of the form: 2 has records of kinds `least` and `ended`, without which groups and
surveys that are closed would show more. Whatever is of an earlier form is of this one
as well.
"""

_RECORDS = (
    "(kind TEXT, key BLOB, content BLOB, checksum BLOB, PRIMARY KEY (kind, key)) "
    "WITHOUT ROWID"
)
_IDS = "(id BLOB PRIMARY KEY) WITHOUT ROWID"
_TABLE = re.compile(
    rf"CREATE TABLE (records {re.escape(_RECORDS)}"
    rf"|ids_\d+_\d+ ({re.escape(_IDS)}|{re.escape(COLUMNS)}))"
)
"""A table of a store, as SQLite keeps it but for white space."""
_SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA user_version = {VERSION};
CREATE TABLE IF NOT EXISTS records {_RECORDS};
"""
_CACHE = 16 << 10
"""KiB of pages in memory; the system keeps more of them, and gives them back when it
has to.
"""
_SETTINGS = ("synchronous = FULL", f"cache_size = -{_CACHE}", "wal_autocheckpoint = 0")
_LOG = 4000
"""Pages of the log after which it is copied into the file.

As they are counted here, a row is at least one.
"""
PAGE = 4096
_ENOUGH = 16 * PAGE
"""Bytes that a small upload may take, with all that its commit changes."""
_PATIENCE = 10.0
_MANY = 256
ROWS = 10_000
_MOST_COMPLAINTS = 5


class SQLiteStore:
    """The store in the file at `path`, made when there is none. Raises `StoreError`."""

    shard = 0
    shared = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).absolute()
        self._logged = 0
        self._tells = False
        self._witness = Witness(self._path)
        try:
            with translate_errors(self._path):
                # Made before SQLite does, which gives its log the permissions of the
                # file.
                os.close(opened_private(self._path, os.O_RDWR))
            self._connection = connect(self._path, "rwc")
            with translate_errors(self._path):
                [(version,)] = self._connection.execute("PRAGMA user_version")
                if not 0 <= version <= VERSION:
                    raise later_form(str(self._path), version, VERSION)
                _refuse_strangers(self._connection, self._path)
                self._connection.executescript(_SCHEMA)
                for setting in _SETTINGS:
                    self._connection.execute(f"PRAGMA {setting}")
                # SQLite has done so, but would keep it to itself if it failed.
                sync_folder(self._path.parent)
        except BaseException:
            self.close()
            raise
        self._snapshot = _Snapshot(self._connection, self._path)

    def begin(self, *, alone: bool = False) -> None:  # noqa: ARG002  # there are no others
        if self._logged >= _LOG:
            self._run("PRAGMA wal_checkpoint(PASSIVE)")
            self._logged = 0
        self._run("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._run("COMMIT")
        if self._tells:
            self._empty_log()

    def roll_back(self) -> None:
        if self._connection.in_transaction:
            self._run("ROLLBACK")

    def put(self, records: Iterable[Record]) -> None:
        rows = [
            (
                record.kind,
                record.key,
                record.content,
                record.checksum.to_bytes(8, "big"),
            )
            for record in records
        ]
        self._run_many("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", rows)
        self._logged += sum(1 + len(content) // PAGE for _, _, content, _ in rows)

    def drop(self, kind: str, keys: Iterable[bytes]) -> None:
        self._run_many(
            "DELETE FROM records WHERE kind = ? AND key = ?",
            [(kind, key) for key in keys],
        )

    def claim(self, epoch: Epoch, ids: Sequence[bytes]) -> set[bytes]:
        table = _table(epoch)
        if epoch == TOKENS:
            self._tells = True
            fresh = claim(self._run, table, ids)
            self._logged += len(fresh)
            return fresh
        self._run(f"CREATE TABLE IF NOT EXISTS {table} {_IDS}")
        claimed: set[bytes] = set()
        for start in range(0, len(ids), _MANY):
            some = ids[start : start + _MANY]
            # Always as many places, so that the statement is prepared once: the last id
            # fills up.
            filling = (some[-1],) * (_MANY - len(some)) if len(some) > 1 else ()
            parameters = (*some, *filling)
            places = ", ".join("?" * len(parameters))
            select = f"SELECT id FROM {table} WHERE id IN ({places})"  # noqa: S608
            claimed.update(row[0] for row in self._run(select, *parameters))
        fresh = set(ids) - claimed
        # In the order of the table: neighbours share pages, and the order of arrival is
        # lost.
        insert = f"INSERT INTO {table} VALUES (?)"  # noqa: S608
        self._run_many(insert, [(id_,) for id_ in sorted(fresh)])
        self._logged += len(fresh)
        return fresh

    def forget(self, epoch: Epoch) -> None:
        self._run(f"DROP TABLE IF EXISTS {_table(epoch)}")

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        return self._snapshot.scan(kind, prefix)

    def epochs(self) -> list[Epoch]:
        return self._snapshot.epochs()

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        return self._snapshot.ids(epoch)

    @contextmanager
    def standing_in(self, shard: int) -> Iterator[bool]:
        yield shard == self.shard

    def complaints(self) -> list[str]:
        return self._snapshot.complaints()

    def look_for_room(self, *, doubted: bool = False) -> None:
        if doubted:
            # The log may be what fills the disk.
            self._empty_log()
        if not has_room(self._path, _ENOUGH if doubted else PAGE):
            raise _no_room(self._path)

    @contextmanager
    def snapshot(self) -> Iterator[_Snapshot]:
        with reading(self._path) as snapshot:
            yield snapshot

    def acknowledged_commits(self) -> int | None:
        return self._witness.read()

    def acknowledge(self, commits: int) -> None:
        self._witness.write(commits)

    def close(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None:
            # What is not in the file yet stays in the log; damaged text of a message is
            # a ValueError.
            with suppress(sqlite3.Error, ValueError):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
        self._witness.close()

    def _empty_log(self) -> None:
        """Leave nothing of what was in the log, whose changes lie in the order of time.

        Whoever reads meanwhile is not waited for, and a full disk is none of the
        commit's, which lasts: then it is tried again after the next one.
        """
        self._run("PRAGMA busy_timeout = 0")
        with suppress(StoreFullError):
            [(is_busy, _, _)] = self._run("PRAGMA wal_checkpoint(TRUNCATE)")
            self._tells = bool(is_busy)
            self._logged = 0
        self._run(f"PRAGMA busy_timeout = {1000 * _PATIENCE:.0f}")

    def _run(self, statement: str, *values: object) -> list[Any]:
        with translate_errors(self._path):
            return self._connection.execute(statement, values).fetchall()

    def _run_many(self, statement: str, rows: list[Any]) -> None:
        with translate_errors(self._path):
            self._connection.executemany(statement, rows)


class _Snapshot:
    """Snapshot as one connection sees it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        # The kind as it is stored: SQLite believes the order of rows, and returns other
        # kinds that stand among these.
        query = (
            "SELECT kind, key, content, checksum FROM records WHERE kind = ? AND key "
            ">= ? ORDER BY key"
        )
        for stored, key, content, checksum in self._rows(query, kind, prefix):
            if not (
                type(stored) is str
                and type(key) is type(content) is type(checksum) is bytes
            ):
                raise StoreDamagedError(
                    f"expected text and bytes in the records of {self._path}, got "
                    "something else"
                )
            if not key.startswith(prefix):
                return
            yield Record(stored, key, content, checksum=int.from_bytes(checksum, "big"))

    def epochs(self) -> list[Epoch]:
        tables = self._rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE "
            "'ids!_%' ESCAPE '!'"
        )
        return sorted(Epoch(*map(int, name.split("_")[1:])) for (name,) in tables)

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        with translate_errors(self._path):
            cursor = self._connection.execute(f"SELECT id FROM {_table(epoch)}")  # noqa: S608
            while rows := cursor.fetchmany(ROWS):
                cells = [row[0] for row in rows]
                if not all(
                    type(cell) is bytes and len(cell) % ID_SIZE == 0 for cell in cells
                ):
                    raise StoreDamagedError(
                        f"expected ids of {ID_SIZE} bytes in {self._path}, got "
                        "something else"
                    )
                yield [id_ for cell in cells for id_ in parts(cell)]

    def complaints(self) -> list[str]:
        with translate_errors(self._path):
            return complaints(self._connection)

    def _rows(self, query: str, *values: object) -> Iterator[Any]:
        with translate_errors(self._path):
            yield from self._connection.execute(query, values)


@contextmanager
def reading(path: Path) -> Iterator[_Snapshot]:
    """The store in a file as it is now; others may go on writing to it."""
    with closing(connect(path.absolute(), "ro")) as connection:
        with translate_errors(path):
            connection.execute("BEGIN")
            # The first look fixes the moment.
            _refuse_strangers(connection, path)
        yield _Snapshot(connection, path)


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to a file, in a mode of SQLite's: ro, or rwc. Raises
    `StoreError`.
    """
    with translate_errors(path):
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode={mode}",
            uri=True,
            timeout=_PATIENCE,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
        )
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection


def complaints(connection: sqlite3.Connection) -> list[str]:
    """Return the defects in the structure of the database, as SQLite and we see it."""
    rows = connection.execute(f"PRAGMA quick_check({_MOST_COMPLAINTS})")
    lines = [
        line for (text,) in rows for line in str(text).splitlines() if line != "ok"
    ]
    return strangers(connection) + lines


def strangers(
    connection: sqlite3.Connection, known: re.Pattern[str] = _TABLE
) -> list[str]:
    """Return the unknown parts of the database: triggers, views, other tables."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema")
    return [
        f"{kind} {name}, which no store has"
        for kind, name, sql in rows
        if not known.fullmatch(" ".join(str(sql).split()))
    ]


def _refuse_strangers(connection: sqlite3.Connection, path: Path) -> None:
    if unknown := strangers(connection):
        raise StoreDamagedError(
            f"expected the tables of a store in {path}, got as well: "
            f"{'; '.join(unknown)}; run ldp doctor on it"
        )


def has_room(path: Path, size: int) -> bool:
    """Whether so many bytes have room beside a store, on its disk and within any
    quota.
    """
    # A new file: what is there already, the log among it, may have room within itself.
    place = path.with_name(f"{path.name}-room")
    try:
        place.write_bytes(bytes(size))
    except OSError as error:
        # Whatever else keeps us from making files need not concern those that are
        # there.
        return error.errno not in (errno.ENOSPC, errno.EDQUOT)
    finally:
        with suppress(OSError):
            place.unlink(missing_ok=True)
    return True


def _no_room(path: Path) -> StoreFullError:
    return StoreFullError(
        f"expected room on the disk of {path}, found none; nothing was changed"
    )


def _table(epoch: Epoch) -> str:
    return f"ids_{epoch.length}_{epoch.number}"


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turns what SQLite says into what it means for the store."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"expected to use the store at {path}, got: {error.strerror}"
        ) from None
    # Damaged text, even of a message, is a ValueError.
    except (sqlite3.Error, ValueError, OverflowError) as error:
        in_full = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        code = in_full & 0xFF
        # To SQLite a quota is an error of the disk.
        is_quota = in_full == sqlite3.SQLITE_IOERR_WRITE and not has_room(path, _ENOUGH)
        if code == sqlite3.SQLITE_FULL or is_quota:
            raise _no_room(path) from None
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise StoreDamagedError(
                f"expected a sound store at {path}, got: {error}; ldp store doctor "
                "says more"
            ) from None
        raise StoreError(f"expected to use the store at {path}, got: {error}") from None
