"""A device's state file that keeps the promises of `ldp_client.keeping.state_file`, in
memory.

For someone new to it: the shipped one is SQLite's write-ahead log, whose transactions
outlive the process at once and a loss of power only once they were settled. Here the
file is dictionaries, and a list of what was changed since it was settled last.

    process ends      what was committed is there
    power is lost     so is a beginning of what was committed since it was settled, of
                      any length
    backup, restore   all of it as it was at some moment

Rules
- Each call is a step at which the process may die; one that died changes nothing more.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from lab.world.machines.faults import Faults
from lab.world.machines.fibers import KilledError, Process
from ldp_client.keeping.database import Database
from ldp_client.keeping.locks import Given, Result
from ldp_client.keeping.state_file import NoRoomError
from ldp_client.keeping.store import ProcessStore, Record

Records = dict[str, dict[bytes, Record]]
Change = tuple[str, bytes, Record | None]


class StateFile:
    """What outlives a device's process."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.records: Records = {}
        self.settled: Records = {}
        self.since: list[list[Change]] = []
        """The transactions that were committed since it was settled."""
        self.backup: Records | None = None
        self.fuse: int | None = None
        """Steps after which the process dies."""
        self.full = self._was_found = False

    def fill(self) -> None:
        """Let there be no room."""
        self.full, self._was_found = True, False

    def find_full(self) -> None:
        """Count it once, however often it is tried."""
        if not self._was_found:
            self._was_found = True
            self.faults.happened("device full")

    def settle(self) -> None:
        """Make everything so far outlive a loss of power."""
        if self.since:
            self.settled = copied(self.records)
            self.since = []

    def lose_power(self, draw: random.Random) -> None:
        """Go on from what lasted."""
        kept = self.since[: draw.randint(0, len(self.since))]
        self.records = copied(self.settled)
        for transaction in kept:
            for kind, key, record in transaction:
                if record is None:
                    self.records.setdefault(kind, {}).pop(key, None)
                else:
                    self.records.setdefault(kind, {})[key] = record
        self.settled, self.since = copied(self.records), []

    def back_up(self) -> None:
        """Copy it as it is."""
        self.backup = copied(self.records)

    def restore(self) -> None:
        """Go on from the copy."""
        if self.backup is not None:
            self.records, self.settled, self.since = (
                copied(self.backup),
                copied(self.backup),
                [],
            )


class StateStore(ProcessStore):
    """The store of one process; it stands for a `Database`."""

    __slots__ = ("_file", "_log", "_process", "damaged", "first", "is_long", "path")

    def __init__(self, file: StateFile, process: Process) -> None:
        super().__init__()
        self._file = file
        self._process = process
        self._records = file.records
        self._log: list[Change] = []
        self.path = "state"
        self.first: Callable[[], object] | None = None
        self.damaged = 0
        self.is_long = False

    def transact(
        self,
        work: Callable[[*Given], Result],
        *given: *Given,
        patience: float | None = None,  # noqa: ARG002  # there is no other process
    ) -> Result:
        """What some work gives; what it changed is taken back if it raises, or the
        process dies.
        """
        return super().transact(work, *given)

    def prepare(self, work: Callable[[], Result]) -> Result:
        """The same; what is first in a new file is settled before anyone else sees the
        file.
        """
        if not self._file.records and self.first is not None:
            self.transact(self.first)
            self._file.settle()
        return self.transact(work)

    def put(self, kind: str, key: bytes, record: Record) -> None:
        """Keep a record."""
        self._step()
        if self._file.full:
            self._file.find_full()
            raise NoRoomError("expected room for the simulated state file, found none")
        super().put(kind, key, record)
        self._log.append((kind, key, record))

    def drop(self, kind: str, key: bytes) -> None:
        """Forget a record."""
        super().drop(kind, key)
        self._log.append((kind, key, None))

    def settle(self) -> None:
        """Make everything so far outlive a loss of power."""
        self._step()
        self._file.settle()

    def close(self) -> None:
        """Let go of it."""

    def _whole(self, work: Callable[[*Given], Result], *given: *Given) -> Result:
        self._log = []

        def committed() -> Result:
            self._step()
            result = work(*given)
            self._step()
            return result

        result = super()._whole(committed)
        if self._log:
            self._file.since.append(self._log)
        # From here on it is committed, whether or not anyone hears of it.
        self._step()
        return result

    def _step(self) -> None:
        if self._process.dead:
            raise KilledError
        file = self._file
        if file.fuse is not None:
            file.fuse -= 1
            if file.fuse < 0:
                file.fuse = None
                file.faults.happened("device crash")
                self._process.die()


def copied(records: Records) -> Records:
    """The same in dictionaries of its own; records themselves do not change."""
    return {kind: dict(those) for kind, those in records.items()}


def as_database(store: StateStore) -> Database:
    """A store, for who asks for a database: all that clients use of one is there."""
    stands_for: object = store
    return stands_for  # type: ignore[return-value]
