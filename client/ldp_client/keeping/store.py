"""Where a device keeps what it remembers: records by kind and key, changed in
transactions.

A record is a tuple of bytes, integers and texts. There are two stores: `ProcessStore`
here, which forgets when the process ends, and `ldp_client.keeping.database.Database`,
which is one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from ldp.wire.wire import pack_array
from ldp_client.keeping.forks import rest_at_forks
from ldp_client.keeping.locks import Given, Result, WorkLock

Record = tuple[bytes | int | str, ...]


class DeviceStore(Protocol):
    """Records that are changed in transactions.

    What `transact` is given is one: what it changes is kept as a whole or, if it
    raises, not at all.

    `get`, `put`, `drop` and `records` are called within one. All methods raise
    `StateError`.
    """

    def transact(self, work: Callable[[*Given], Result], *given: *Given) -> Result:
        """Run some work while other threads (and other processes that write) wait.

        It is called with what is given. Raises what it raises, and `StateError` within
        a transaction of the same thread.
        """

    def get(self, kind: str, key: bytes) -> Record | None:
        """The record under a key; None if there is none."""

    def put(self, kind: str, key: bytes, record: Record) -> None:
        """Keep a record under a key, in place of the one before."""

    def drop(self, kind: str, key: bytes) -> None:
        """Forget the record under a key."""

    def records(self, kind: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Record]]:
        """Keys that begin with the prefix, in order, and their records."""

    def size(self, kind: str, prefix: bytes = b"") -> tuple[int, int]:
        """How many records of a kind have keys that begin with the prefix, and their
        bytes.
        """

    def settle(self) -> None:
        """Make everything that was kept so far last through a loss of power.

        Called between transactions.
        """


class ProcessStore:
    """Dictionaries, with what is needed to take changes back."""

    __slots__ = ("__weakref__", "_changes", "_records", "_work_lock")

    def __init__(self) -> None:
        self._records: dict[str, dict[bytes, Record]] = {}
        self._changes: list[tuple[dict[bytes, Record], bytes, Record | None]] = []
        self._work_lock = WorkLock()
        rest_at_forks(self._work_lock)

    def transact(self, work: Callable[[*Given], Result], *given: *Given) -> Result:
        """Run some work; its changes are taken back if it raises."""
        return self._work_lock.take(self._whole, work, *given)

    def get(self, kind: str, key: bytes) -> Record | None:
        """The record under a key."""
        of_kind = self._records.get(kind)
        if of_kind is None:
            return None
        return of_kind.get(key)

    def put(self, kind: str, key: bytes, record: Record) -> None:
        """Keep a record."""
        of_kind = self._records.setdefault(kind, {})
        # Noted before it is done: taking back what was not done yet does no harm.
        self._changes.append((of_kind, key, of_kind.get(key)))
        of_kind[key] = record

    def drop(self, kind: str, key: bytes) -> None:
        """Forget a record."""
        of_kind = self._records.setdefault(kind, {})
        self._changes.append((of_kind, key, of_kind.get(key)))
        of_kind.pop(key, None)

    def records(self, kind: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Record]]:
        """Keys that begin with the prefix, in order, and their records."""
        # No two keys are alike: records are never compared.
        records = sorted(self._records.get(kind, {}).items())
        if prefix:
            records = [item for item in records if item[0].startswith(prefix)]
        return iter(records)

    def size(self, kind: str, prefix: bytes = b"") -> tuple[int, int]:
        """How many there are, and the bytes of what they hold."""
        records = [record for _, record in self.records(kind, prefix)]
        return len(records), sum(len(pack_array([*record])) for record in records)

    def settle(self) -> None:
        """Nothing here lasts."""

    def _whole(self, work: Callable[[*Given], Result], *given: *Given) -> Result:
        if self._changes:
            # A turn was interrupted even while it took back, or a fork cut it off.
            self._take_back()
        try:
            result = work(*given)
            self._changes.clear()
        except BaseException:
            self._take_back()
            raise
        return result

    def _take_back(self) -> None:
        while self._changes:
            of_kind, key, before = self._changes[-1]
            if before is None:
                of_kind.pop(key, None)
            else:
                of_kind[key] = before
            self._changes.pop()
