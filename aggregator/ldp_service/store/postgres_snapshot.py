"""Reading a store on PostgreSQL, all of one moment, in a transaction that reads.

Records come in pages, ids through a cursor.

A snapshot locks the list of epochs, so that no table of ids which it may still read is
dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg

from ldp_service.store.postgres_connection import connect, translate_errors
from ldp_service.store.records import Epoch, Record

_SCAN = """
SELECT kind, key, content, checksum FROM ldp.records
WHERE kind = %s AND key >= %b AND key < %b ORDER BY key LIMIT %s
"""
_PAGE = 100
_ROWS = 10_000
_LAST = b"\xff" * 64


class PostgresSnapshot:
    """Snapshot as one connection sees it."""

    def __init__(self, connection: psycopg.Connection[Any], place: str) -> None:
        self._connection = connection
        self._place = place

    def rows(self, statement: str, *values: object) -> list[Any]:
        """Return the rows of a statement."""
        with translate_errors(self._place):
            cursor = self._connection.execute(
                statement, values or None, binary=bool(values)
            )
            rows: list[Any] = []
            if cursor.description:
                rows = cursor.fetchall()
            return rows

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        # In pages, each of which begins where the last one ended, so that nothing is
        # open between them.
        first, end = prefix, _behind(prefix)
        more = True
        while more:
            page = self.rows(_SCAN, kind, first, end, _PAGE)
            # The kind is that of the row, which an index only claims to know.
            for row_kind, key, content, checksum in page:
                yield Record(
                    row_kind, key, content, checksum=int.from_bytes(checksum, "big")
                )
                first = key + b"\0"
            more = len(page) == _PAGE

    def epochs(self) -> list[Epoch]:
        return [
            Epoch(*row)
            for row in self.rows(
                "SELECT length, number FROM ldp.epochs ORDER BY length, number"
            )
        ]

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        with translate_errors(self._place), self._connection.cursor("ids") as cursor:
            # The name of a table, which is made of two numbers.
            cursor.execute(
                f"SELECT uuid_send(id) FROM {table_of(epoch)}",  # noqa: S608
                binary=True,
            )
            while rows := cursor.fetchmany(_ROWS):
                yield [row[0] for row in rows]

    def complaints(self) -> list[str]:
        """None that can be asked for: PostgreSQL has checksums of its own, by page."""
        return []


@contextmanager
def reading(url: str) -> Iterator[PostgresSnapshot]:
    """The store in a database as it is now; others may go on writing to it."""
    connection, place = connect(url, writes=False)
    with closing(connection):
        snapshot = PostgresSnapshot(connection, place)
        # The lock comes first and keeps tables of ids; the selection fixes the moment.
        snapshot.rows(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE ldp.epochs IN "
            "ACCESS SHARE MODE; SELECT 1"
        )
        yield snapshot


def table_of(epoch: Epoch) -> str:
    """Where the ids of an epoch are."""
    return f"ldp.ids_{epoch.length}_{epoch.number}"


def _behind(prefix: bytes) -> bytes:
    """A key behind all that begin with a prefix."""
    stem = prefix.rstrip(b"\xff")
    if stem:
        return stem[:-1] + bytes([stem[-1] + 1])
    return _LAST
