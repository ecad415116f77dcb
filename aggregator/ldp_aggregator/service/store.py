"""What every store can do: keep records and batch ids, and change both in transactions that last.

Rules
- `commit` returns when everything since `begin` would outlive a loss of power; until then, and after an error, nothing
  of it may be acknowledged.
- One process writes what is of its shard. Snapshots have a connection of their own, and wait for nobody.
- An error is a `StoreError`, and its type says what may be done next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from ldp.errors import LDPError
from ldp_aggregator.service.records import Epoch, Record, Scanned


class StoreError(LDPError):
    """A store that cannot go on: nothing more is acknowledged until a new process has opened it and found it sound."""


class StoreFullError(StoreError):
    """There is no room. Nothing was changed; it may be tried again."""


class StoreLostError(StoreError):
    """The connection broke, and nobody knows whether the last transaction lasted: open the store again."""


class StoreDamagedError(StoreError):
    """The store does not hold what was written to it. `ldp doctor` says more."""


class Snapshot(Scanned, Protocol):
    """A store as it was at one moment."""

    def epochs(self) -> list[Epoch]:
        """Those whose ids are kept."""

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        """All ids of an epoch, in lists of some thousands."""

    def complaints(self) -> list[str]:
        """What the database finds wrong with itself, if it can be asked."""


class Store(Snapshot, Protocol):
    """A store that this process writes to, as one of its shards."""

    shard: int
    shared: bool
    """Whether there may be other shards."""

    def begin(self, *, alone: bool = False) -> None:
        """Begin a transaction. Those of other processes go on, unless it is `alone`: only such a one closes epochs."""

    def commit(self) -> None:
        """Make it last."""

    def roll_back(self) -> None:
        """Take it back; harmless where there is none."""

    def put(self, records: Iterable[Record]) -> None:
        """Keep records, in place of those of their keys."""

    def drop(self, kind: str, keys: Iterable[bytes]) -> None:
        """Forget records."""

    def claim(self, epoch: Epoch, ids: Sequence[bytes]) -> set[bytes]:
        """Keep ids, all different; those that had not been there."""

    def forget(self, epoch: Epoch) -> None:
        """Drop all ids of an epoch, in a transaction that is alone."""

    def standing_in(self, shard: int) -> AbstractContextManager[bool]:
        """Be another shard for a while; False if a process has it."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """The store as it is now, on a connection of its own; may be called from any thread."""

    def acknowledged(self) -> int | None:
        """Commits that are known, from outside the store, to have been acknowledged."""

    def acknowledge(self, commits: int) -> None:
        """Note so many, after a commit."""

    def close(self) -> None:
        """Let go of it."""


def open_store(url: str) -> Store:
    """The store at `sqlite:///PATH` or `postgresql://...`, to write to; made when there is none. Or a `StoreError`."""
    path = file_of(url)
    if path is not None:
        from ldp_aggregator.service.sqlite_store import SQLiteStore

        return SQLiteStore(path)
    with _psycopg():
        from ldp_aggregator.service.postgres_store import PostgresStore

    return PostgresStore(url)


def open_snapshot(url: str) -> AbstractContextManager[Snapshot]:
    """The store there as it is now, to read, whoever writes to it. Raises `StoreError`."""
    path = file_of(url)
    if path is not None:
        from ldp_aggregator.service.sqlite_store import reading

        return reading(Path(path))
    with _psycopg():
        from ldp_aggregator.service.postgres_snapshot import reading as reading_there

    return reading_there(url)


@contextmanager
def _psycopg() -> Iterator[None]:
    """For imports that need it."""
    try:
        yield
    except ImportError as error:
        raise StoreError(
            f"expected psycopg for a store on PostgreSQL, got: {error}; "
            'install it with pip install "ldpkit-aggregator[postgres]"'
        ) from None


def file_of(url: str) -> str | None:
    """The file of a store in SQLite; None for one in PostgreSQL."""
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return rest[1:]
    if scheme in ("postgresql", "postgres") and rest:
        return None
    raise StoreError(
        "expected a store such as sqlite:///ldp.db (a file here), sqlite:////var/lib/ldp.db or "
        f"postgresql://user@host/database, got {scheme + '://...' if rest else url!r}"
    )
