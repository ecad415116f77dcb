"""The store that several processes share: a schema `ldp` in a PostgreSQL database.

Each process is one of its shards.

Rules
- A shard is a number that a session holds a lock on: the first free one when it opens.
  No two sessions write records of one shard, and the next holder of a number finds all
  that its last committed.
- A transaction holds a lock that is shared; one that closes epochs holds it alone, from
  its beginning, since two that both held it shared and both wanted it alone would wait
  for each other.
- What transactions of several processes want in common, epochs and ids, they take in
  ascending order: none waits for one that waits for it. A session that finds an id in
  another's open transaction waits for what becomes of it.
- An epoch is a row and a table of ids. To forget it is to delete the row; the table
  goes once no snapshot is open that may still read it.
- Only the session's locks say whose shard is whose, so there may be no proxy between
  that swaps sessions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus

from ldp.numbers.epochs import ID_SIZE
from ldp_service.store.errors import StoreDeniedError, StoreError, later_form
from ldp_service.store.postgres_connection import FILLING, connect
from ldp_service.store.postgres_snapshot import PostgresSnapshot, reading, table_of
from ldp_service.store.records import Epoch, Record

_VERSIONS = ("ldp store 1", "ldp store 2")
"""Of the form, the last one of today; what the second one has is said in `sqlite`."""
VERSION = _VERSIONS[-1]

_SCHEMA = f"""
CREATE TABLE ldp.epochs (length bigint, number bigint, PRIMARY KEY (length, number));
CREATE TABLE ldp.records
    (kind text, key bytea, content bytea NOT NULL, checksum bytea NOT NULL, PRIMARY KEY (kind, key))
    PARTITION BY LIST (kind);
CREATE TABLE ldp.batches PARTITION OF ldp.records FOR VALUES IN ('kept', 'aside');
CREATE TABLE ldp.sums PARTITION OF ldp.records DEFAULT WITH (fillfactor = 30);
ALTER TABLE ldp.sums ALTER content SET STORAGE MAIN;
COMMENT ON TABLE ldp.records IS '{VERSION}';
"""
"""Sums are written again and again: beside them there is room for their next versions,
so that their pages never grow in number and no index is touched.
"""
_PUT = """
INSERT INTO ldp.records SELECT * FROM unnest(%s::text[], %b::bytea[], %b::bytea[], %b::bytea[])
ON CONFLICT (kind, key) DO UPDATE SET content = excluded.content, checksum = excluded.checksum
"""
_CLAIM = """
WITH fresh AS (
    INSERT INTO {} SELECT encode(id, 'hex')::uuid FROM unnest(%b::bytea[]) AS id
    ON CONFLICT DO NOTHING RETURNING id
) SELECT coalesce(string_agg(uuid_send(id), ''), '') FROM fresh
"""
_SHARDS = 1 << 16
_UNDER_WAY = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class PostgresStore:
    """The store in the database at a URL, made when there is none. Raises
    `StoreError`.
    """

    shared = True

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection, self._place = connect(url, writes=True)
        self._snapshot = PostgresSnapshot(self._connection, self._place)
        self._known: set[Epoch] = set()
        self._forgot = False
        try:
            self._make_tables()
            self.shard = self._take_free_shard()
            self._sweep()
        except BaseException:
            self.close()
            raise

    def begin(self, *, alone: bool = False) -> None:
        self.roll_back()
        how = "" if alone else "_shared"
        # What is read from the next statement on includes all that was waited for.
        self._run(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT "
            f"pg_advisory_xact_lock{how}({_key('turn')})"
        )

    def commit(self) -> None:
        self._run("COMMIT")
        if self._forgot:
            self._forgot = False
            # What was committed lasts; the next statement meets the same trouble.
            with suppress(StoreError):
                self._sweep()

    def roll_back(self) -> None:
        if self._connection.info.transaction_status in _UNDER_WAY:
            self._known.clear()
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
        if rows:
            self._run(_PUT, *([*column] for column in zip(*rows, strict=True)))

    def drop(self, kind: str, keys: Iterable[bytes]) -> None:
        self._run(
            "DELETE FROM ldp.records WHERE kind = %s AND key = ANY(%b::bytea[])",
            kind,
            list(keys),
        )

    def claim(self, epoch: Epoch, ids: Sequence[bytes]) -> set[bytes]:
        if epoch not in self._known:
            self._make_epoch(epoch)
        [(fresh,)] = self._run(_CLAIM.format(table_of(epoch)), sorted(ids))
        return {fresh[at : at + ID_SIZE] for at in range(0, len(fresh), ID_SIZE)}

    def forget(self, epoch: Epoch) -> None:
        self._run("DELETE FROM ldp.epochs WHERE length = %s AND number = %s", *epoch)
        self._known.discard(epoch)
        self._forgot = True

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        return self._snapshot.scan(kind, prefix)

    def epochs(self) -> list[Epoch]:
        return self._snapshot.epochs()

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        return self._snapshot.ids(epoch)

    def complaints(self) -> list[str]:
        return self._snapshot.complaints()

    @contextmanager
    def standing_in(self, shard: int) -> Iterator[bool]:
        if not self._take_shard(shard):
            yield False
            return
        own, self.shard = self.shard, shard
        try:
            yield True
        finally:
            self.shard = own
            self._run(f"SELECT pg_advisory_unlock({_key(f'shard {shard}')})")

    def look_for_room(self, *, doubted: bool = False) -> None:
        """See that the server is there; its disk shows when something is committed.

        A turn of nothing needs no room that the server has not. So while the disk is in
        doubt a new table is filled, and taken back.
        """
        if not doubted:
            self._run("SELECT 1")
            return
        try:
            self._run(FILLING)
        finally:
            self.roll_back()

    @contextmanager
    def snapshot(self) -> Iterator[PostgresSnapshot]:
        with reading(self._url) as snapshot:
            yield snapshot

    def acknowledged_commits(self) -> int | None:
        """Not known here: PostgreSQL checks its own log.

        It has checksums, and an end that is damaged keeps the server from starting.
        """
        return None

    def acknowledge(self, commits: int) -> None:
        """Nothing outside the store says so."""

    def close(self) -> None:
        self._connection.close()

    def _run(self, statement: str, *values: object) -> list[Any]:
        return self._snapshot.rows(statement, *values)

    def _make_tables(self) -> None:
        self.begin(alone=True)
        [(version,)] = self._run(
            "SELECT obj_description(to_regclass('ldp.records'), 'pg_class')"
        )
        if version is None:
            if not self._run("SELECT 1 FROM pg_namespace WHERE nspname = 'ldp'"):
                self._make_schema()
            self._run(_SCHEMA)
        elif version not in _VERSIONS:
            raise later_form(self._place, repr(version), repr(VERSION))
        elif version != VERSION:
            self._run(f"COMMENT ON TABLE ldp.records IS '{VERSION}'")
        self.commit()

    def _make_schema(self) -> None:
        try:
            self._run("CREATE SCHEMA ldp")
        except StoreDeniedError as error:
            raise StoreError(
                f"{error}; expected a role that may make a schema, or one that has its "
                "own: let an administrator run CREATE SCHEMA ldp AUTHORIZATION and the "
                "role's name there"
            ) from None

    def _take_shard(self, shard: int) -> bool:
        return bool(
            self._run(f"SELECT 1 WHERE pg_try_advisory_lock({_key(f'shard {shard}')})")
        )

    def _take_free_shard(self) -> int:
        for shard in range(_SHARDS):
            if self._take_shard(shard):
                return shard
        raise StoreError(
            f"expected less than {_SHARDS:,} processes at {self._place}, found as many"
        )

    def _make_epoch(self, epoch: Epoch) -> None:
        # Waits for another process that is about to make it.
        is_new = self._run(
            (
                "INSERT INTO ldp.epochs VALUES (%s, %s) ON CONFLICT DO NOTHING "
                "RETURNING true"
            ),
            *epoch,
        )
        if is_new:
            self._run(f"CREATE TABLE {table_of(epoch)} (id uuid PRIMARY KEY)")
        self._known.add(epoch)

    def _sweep(self) -> None:
        """Drop the tables of forgotten epochs, unless a snapshot is open.

        Then it is done another time.
        """
        try:
            self._connection.execute(
                "BEGIN; LOCK TABLE ldp.epochs IN ACCESS EXCLUSIVE MODE NOWAIT"
            )
            there = self._run(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'ldp' AND "
                "tablename LIKE 'ids%'"
            )
            for table in {f"ldp.{name}" for (name,) in there} - set(
                map(table_of, self.epochs())
            ):
                self._run(f"DROP TABLE {table}")
            self._run("COMMIT")
        except psycopg.Error:
            self.roll_back()


def _key(name: str) -> str:
    """The number of an advisory lock."""
    return f"hashtextextended('ldp {name}', 0)"
