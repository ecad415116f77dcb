"""Where a device keeps what it remembers: records by kind and key, changed in transactions.

A record is a tuple of bytes, integers and texts. There are two stores: `ProcessStore` here, which forgets when the
process ends, and `ldp_client.database.Database`, which is one file.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import RLock
from typing import Protocol

Record = tuple[bytes | int | str, ...]


class Store(Protocol):
    """`with store:` is a transaction: what is changed in it is kept as a whole or, if it raises, not at all.

    Everything else is called within one. A transaction within another is part of it. All methods raise `StateError`.
    """

    def __enter__(self) -> object:
        """Begin, and keep other threads (and other processes that write) waiting."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Keep the changes, unless something was raised."""

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

    __slots__ = ("_changes", "_depth", "_lock", "_records")

    def __init__(self) -> None:
        self._records: dict[tuple[str, bytes], Record] = {}
        self._changes: list[tuple[tuple[str, bytes], Record | None]] = []
        self._lock = RLock()
        self._depth = 0

    def __enter__(self) -> object:
        self._lock.acquire()
        self._depth += 1
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            if kind is not None:
                self._take_back()
            self._changes.clear()
        self._lock.release()

    def get(self, kind: str, key: bytes) -> Record | None:
        """The record under a key."""
        return self._records.get((kind, key))

    def put(self, kind: str, key: bytes, record: Record) -> None:
        """Keep a record."""
        records, place = self._records, (kind, key)
        self._changes.append((place, records.get(place)))
        records[place] = record

    def drop(self, kind: str, key: bytes) -> None:
        """Forget a record."""
        place = kind, key
        self._changes.append((place, self._records.pop(place, None)))

    def records(self, kind: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Record]]:
        """Keys that begin with the prefix, in order, and their records."""
        found = sorted(key for of, key in self._records if of == kind and key.startswith(prefix))
        return ((key, self._records[kind, key]) for key in found)

    def settle(self) -> None:
        """Nothing here lasts."""

    def _take_back(self) -> None:
        for place, before in reversed(self._changes):
            if before is None:
                self._records.pop(place, None)
            else:
                self._records[place] = before
