"""Where a device keeps what it remembers: records by kind and key, changed in transactions.

A record is a tuple of bytes, integers and texts. There are two stores: `ProcessStore` here, which forgets when the
process ends, and `ldp_client.database.Database`, which is one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from ldp_client.forks import rest_at_forks
from ldp_client.turns import Result, Turns

Record = tuple[bytes | int | str, ...]


class Store(Protocol):
    """What `transact` is given is a transaction: what it changes is kept as a whole or, if it raises, not at all.

    `get`, `put`, `drop` and `records` are called within one. All methods raise `StateError`.
    """

    def transact(self, work: Callable[[], Result]) -> Result:
        """What some work gives, done while other threads (and other processes that write) wait.

        Raises what the work raises, and `StateError` within a transaction of the same thread.
        """

    def get(self, kind: str, key: bytes) -> Record | None:
        """The record under a key; None if there is none."""

    def put(self, kind: str, key: bytes, record: Record) -> None:
        """Keep a record under a key, in place of the one before."""

    def drop(self, kind: str, key: bytes) -> None:
        """Forget the record under a key."""

    def records(self, kind: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Record]]:
        """Keys that begin with the prefix, in order, and their records."""

    def settle(self) -> None:
        """Make everything that was kept so far last through a loss of power. Called between transactions."""


class ProcessStore:
    """Dictionaries, with what is needed to take changes back."""

    __slots__ = ("__weakref__", "_changes", "_records", "_turns")

    def __init__(self) -> None:
        self._records: dict[tuple[str, bytes], Record] = {}
        self._changes: list[tuple[tuple[str, bytes], Record | None]] = []
        self._turns = Turns()
        rest_at_forks(self._turns)

    def transact(self, work: Callable[[], Result]) -> Result:
        """What some work gives; what it changed is taken back if it raises."""
        return self._turns.take(lambda: self._whole(work))

    def get(self, kind: str, key: bytes) -> Record | None:
        """The record under a key."""
        return self._records.get((kind, key))

    def put(self, kind: str, key: bytes, record: Record) -> None:
        """Keep a record."""
        records, place = self._records, (kind, key)
        # Noted before it is done: taking back what was not done yet does no harm.
        self._changes.append((place, records.get(place)))
        records[place] = record

    def drop(self, kind: str, key: bytes) -> None:
        """Forget a record."""
        place = kind, key
        self._changes.append((place, self._records.get(place)))
        self._records.pop(place, None)

    def records(self, kind: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Record]]:
        """Keys that begin with the prefix, in order, and their records."""
        found = sorted(key for of, key in self._records if of == kind and key.startswith(prefix))
        return ((key, self._records[kind, key]) for key in found)

    def settle(self) -> None:
        """Nothing here lasts."""

    def _whole(self, work: Callable[[], Result]) -> Result:
        try:
            result = work()
            self._changes.clear()
        except BaseException:
            self._take_back()
            raise
        return result

    def _take_back(self) -> None:
        while self._changes:
            place, before = self._changes[-1]
            if before is None:
                self._records.pop(place, None)
            else:
                self._records[place] = before
            self._changes.pop()
