"""Salvage of a damaged SQLite file, row by row, without changing it.

Each table is read from its beginning to the first page that cannot be read, and from
its end back to the last one; what lies between is lost. Nothing is believed here:
records come as they are, and checksums are for others to compare.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ldp.numbers.epochs import ID_SIZE
from ldp_service.store.errors import StoreDamagedError
from ldp_service.store.records import Epoch, Record
from ldp_service.store.sqlite import ROWS, complaints, connect
from ldp_service.store.unordered import parts


class Salvage:
    """A connection to a file that may be damaged."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        # Names of kinds may be no text any more; this maps any bytes to some text.
        connection.text_factory = lambda text: text.decode("latin-1")
        try:
            schema = connection.execute(
                "SELECT name, type, sql FROM sqlite_schema"
            ).fetchall()
            if any(_computes(sql) for _, _, sql in schema):
                raise StoreDamagedError(
                    f"expected a store at {path}, got a database with views, whose "
                    "rows are computed and may never end; use a copy from before"
                )
            connection.execute("SELECT count(*) FROM records WHERE kind = ''")
        except sqlite3.Error as error:
            raise StoreDamagedError(
                f"expected a store at {path}, but nothing of it can be read ({error}); "
                "if it is the file of one, use a copy from before, or start with a new "
                "file"
            ) from None
        names = [name for name, kind, _ in schema if kind == "table"]
        self._tables = {
            epoch: name for name in names if (epoch := _epoch(name)) is not None
        }

    def complaints(self) -> list[str]:
        """Return the defects in the structure of the database."""
        try:
            return complaints(self._connection)
        except sqlite3.Error as error:
            return [str(error)]

    def records(self, kind: str | None = None) -> Iterator[Record]:
        """All that can be read, whatever their kinds; or those of one."""
        for row in self._rows(
            "kind, key, content, checksum", "records", "kind, key", width=2
        ):
            types = [type(cell) for cell in row]
            if types == [str, bytes, bytes, bytes] and len(row[3]) == 8:
                record = Record(
                    row[0], row[1], row[2], checksum=int.from_bytes(row[3], "big")
                )
                if kind in (None, record.kind):
                    yield record

    def epochs(self) -> list[Epoch]:
        """Return the epochs that have a table of ids."""
        return sorted(self._tables)

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        """All ids of an epoch that can be read, in lists of some thousands."""
        some: list[bytes] = []
        for (cell,) in self._rows("id", self._tables[epoch], "id", width=1):
            if type(cell) is bytes and len(cell) % ID_SIZE == 0:
                some += parts(cell)
            if len(some) >= ROWS:
                yield some
                some = []
        yield some

    def _rows(self, columns: str, table: str, order: str, width: int) -> Iterator[Any]:
        """Rows whose first `width` columns are the key, from both ends."""
        # None of these comes from outside.
        query = f"SELECT {columns} FROM {table} ORDER BY "  # noqa: S608
        last = None
        try:
            for row in self._connection.execute(query + order):
                last = row[:width]
                yield row
            return
        except (sqlite3.Error, ValueError, OverflowError):
            pass
        with suppress(sqlite3.Error, ValueError, OverflowError):
            for row in self._connection.execute(
                query + order.replace(",", " DESC,") + " DESC"
            ):
                if row[:width] == last:
                    return
                yield row


@contextmanager
def salvaging(path: Path) -> Iterator[Salvage]:
    """Open a file for salvage, without changing it.

    Raises `StoreDamagedError` if nothing of it can be read.
    """
    with closing(connect(path, "ro")) as connection:
        yield Salvage(connection, path)


def _computes(sql: str | None) -> bool:
    """Whether what is made by it may be read like a table, and is none."""
    words = (sql or "create index").lower().split()[:2]
    return words not in (
        ["create", kind] for kind in ("table", "index", "unique", "trigger")
    )


def _epoch(table: str) -> Epoch | None:
    head, *numbers = table.split("_")
    if head != "ids" or len(numbers) != 2:
        return None
    if not all(number.isascii() and number.isdigit() for number in numbers):
        return None
    return Epoch(*map(int, numbers))
