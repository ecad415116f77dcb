"""Stores: records and batch ids, and transactions that last.

Rules
- `commit` returns when everything since `begin` would outlive a loss of power; until
  then, and after an error, nothing of it may be acknowledged.
- One process writes what is of its shard. Snapshots have a connection of their own, and
  wait for no one.
- An error is a `StoreError`, and its type says what may be done next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from ldp_service.store.records import Epoch, Record, Scanned


class Snapshot(Scanned, Protocol):
    """A store as it was at one moment."""

    def epochs(self) -> list[Epoch]:
        """Return the epochs whose ids are kept."""

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        """All ids of an epoch, in lists of some thousands."""

    def complaints(self) -> list[str]:
        """Return the complaints of the database about itself, if it can be asked."""


class Store(Snapshot, Protocol):
    """A store that this process writes to, as one of its shards."""

    shard: int
    shared: bool
    """Whether there may be other shards."""

    def begin(self, *, alone: bool = False) -> None:
        """Begin a transaction.

        Those of other processes go on, unless it is `alone`: only such a one closes
        epochs.
        """

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

    def look_for_room(self, *, doubted: bool = False) -> None:
        """Raise `StoreFullError` if there is none on the disk, as far as can be seen
        from here.

        Where there was none a while ago (`doubted`), only room for a small upload is
        room.
        """

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """The store as it is now, on a connection of its own; may be called from any
        thread.
        """

    def acknowledged_commits(self) -> int | None:
        """Commits that are known, from outside the store, to have been acknowledged."""

    def acknowledge(self, commits: int) -> None:
        """Note the number of commits, after one."""

    def close(self) -> None:
        """Let go of it."""
