"""The collector's disk, and a store on it that keeps the promises of
`ldp_service.store.store`.

For someone new to it: a million lives on SQLite's files would take weeks, since most of
their time goes to opening, syncing and checking files. So most lives have this store,
in which a transaction is a list of what to take back; and a share of them has the real
one (`files`), so that what is said here of SQLite is not only said. (A file system of
our own below SQLite would be the third way: but Python's `sqlite3` takes none, and
`apsw`, which does, is another SQLite than the shipped one.)

    disk      what outlives a process: records, ids, the witness, and how much is wrong
              with it
    store     what a process does with it; each of its calls is a step at which the
              process may die

What a commit may come to
    lasts                   and is answered
    lasts, but the process died before it could say so
    torn                    the process died while the log was written: the log's end
                            does not fit its checksum, so that nothing of it is there
    full                    nothing is changed, `StoreFullError`
    lost connection         `StoreLostError`, lasting or not: as PostgreSQL's commits
                            may end

Rules
- The disk keeps a journal of its own of all ids that were ever claimed in a transaction
  that lasts. The service does not see it; the oracle counts by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from lab.world.machines.faults import Faults
from lab.world.machines.fibers import KilledError, Process
from ldp_service.store.errors import StoreFullError, StoreLostError
from ldp_service.store.records import Epoch, Record
from ldp_service.store.store import Snapshot, Store

_SYNC = 0.004
"""Seconds that a sync takes on a good day."""

Undo = Callable[[], object]


class Disk:
    """What outlives a process."""

    def __init__(self, faults: Faults, *, shared: bool = False) -> None:
        self.faults = faults
        self.shared = shared
        """Whether it is a database over a connection, and not a file."""
        self.records: dict[str, dict[bytes, Record]] = {}
        self.ids: dict[Epoch, set[bytes]] = {}
        self.acknowledged: int | None = None
        self.journal: list[tuple[Epoch, bytes]] = []
        self.full = self._was_found = False
        self.slow = 0.0
        """Seconds that the next sync takes more."""
        self.fuse: int | None = None
        """Steps after which the process dies."""
        self.lose: str | None = None
        """Whether the next commit loses its connection, `before` it lasts or `after`."""
        self.undo: list[Undo] = []
        self.is_torn = False

    def fill(self) -> None:
        """Let there be no room."""
        self.full, self._was_found = True, False

    def find_full(self) -> None:
        """Count it once, however often it is tried."""
        if not self._was_found:
            self._was_found = True
            self.faults.happened("full disk")

    def next_sync(self) -> float:
        """How long it takes."""
        seconds, self.slow = _SYNC + self.slow, 0.0
        if seconds > 1:
            self.faults.happened("slow sync")
        return seconds

    def step(self, process: Process) -> None:
        """A moment at which a process may die."""
        if process.dead:
            raise KilledError
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse < 0:
                self.fuse = None
                self.faults.happened("service crash")
                process.die()

    def recover(self) -> None:
        """What opening it again does: take back what did not last."""
        self.take_back()
        if self.is_torn:
            self.faults.happened("torn write")
            self.is_torn = False

    def take_back(self) -> None:
        """Undo what was done since the transaction began."""
        while self.undo:
            self.undo.pop()()

    def open(self, process: Process) -> Store:
        """A store, for a process."""
        self.recover()
        return MemoryStore(self, process)

    def noted(self) -> int | None:
        """What the witness says."""
        return self.acknowledged

    def close(self) -> None:
        """There is nothing to remove."""

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """What is there, to be read while no transaction is under way."""
        yield Committed(self)


class Committed:
    """What is there: what was committed, where no transaction is under way
    (`Disk.undo`).
    """

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        """Records in the order of their keys."""
        of_kind = self._disk.records.get(kind)
        if not of_kind:
            return iter(())
        return iter([of_kind[key] for key in sorted(of_kind) if key.startswith(prefix)])

    def epochs(self) -> list[Epoch]:
        """Those whose ids are kept."""
        return sorted(self._disk.ids)

    def ids(self, epoch: Epoch) -> Iterator[list[bytes]]:
        """All ids of an epoch."""
        yield sorted(self._disk.ids.get(epoch, ()))

    def complaints(self) -> list[str]:
        """None: there is no database."""
        return []


class MemoryStore(Committed):
    """A store that a process writes to."""

    shard = 0

    def __init__(self, disk: Disk, process: Process) -> None:
        self._disk = disk
        self._process = process
        self.shared = disk.shared
        self._claimed: list[tuple[Epoch, bytes]] = []
        self._closed = False

    def begin(self, *, alone: bool = False) -> None:  # noqa: ARG002  # there are no others
        """Begin a transaction."""
        self._disk.step(self._process)
        self._claimed = []

    def commit(self) -> None:
        """Make it last, or not."""
        disk = self._disk
        self._disk.step(self._process)
        if disk.full and disk.undo:
            disk.find_full()
            raise StoreFullError("expected room on the simulated disk, found none")
        seconds = disk.next_sync()
        # From here on a part of it may be on the disk.
        disk.is_torn = bool(disk.undo)
        self._process.hub.sleep(seconds)
        self._disk.step(self._process)
        disk.is_torn = False
        lost, disk.lose = disk.lose, None
        if lost is not None:
            disk.faults.happened("lost store connection")
        if lost == "before":
            raise StoreLostError(
                "expected a connection to the simulated store, lost it"
            )
        disk.undo.clear()
        disk.journal += self._claimed
        self._claimed = []
        if lost == "after":
            raise StoreLostError(
                "expected a connection to the simulated store, lost it"
            )
        self._disk.step(self._process)

    def roll_back(self) -> None:
        """Take it back; what a dead process leaves is taken back when the disk is
        opened.
        """
        if not self._process.dead:
            self._disk.take_back()

    def put(self, records: Iterable[Record]) -> None:
        """Keep records."""
        self._disk.step(self._process)
        for record in records:
            of_kind = self._disk.records.setdefault(record.kind, {})
            self._disk.undo.append(_undo(of_kind, record.key))
            of_kind[record.key] = record

    def drop(self, kind: str, keys: Iterable[bytes]) -> None:
        """Forget records."""
        self._disk.step(self._process)
        of_kind = self._disk.records.setdefault(kind, {})
        for key in keys:
            self._disk.undo.append(_undo(of_kind, key))
            of_kind.pop(key, None)

    def claim(self, epoch: Epoch, ids: Sequence[bytes]) -> set[bytes]:
        """Keep ids; those that had not been there."""
        self._disk.step(self._process)
        disk = self._disk
        known = disk.ids.setdefault(epoch, set())
        fresh = set(ids) - known
        known |= fresh
        disk.undo.append(lambda: known.difference_update(fresh))
        self._claimed += [(epoch, id_) for id_ in ids if id_ in fresh]
        return fresh

    def forget(self, epoch: Epoch) -> None:
        """Drop all ids of an epoch."""
        self._disk.step(self._process)
        known = self._disk.ids.pop(epoch, None)
        if known is not None:
            self._disk.undo.append(lambda: self._disk.ids.update({epoch: known}))

    @contextmanager
    def standing_in(self, shard: int) -> Iterator[bool]:
        """There is one shard."""
        yield shard == self.shard

    def look_for_room(self, *, doubted: bool = False) -> None:  # noqa: ARG002
        """Raise `StoreFullError` if there is none."""
        self._disk.step(self._process)
        if self._disk.full:
            raise StoreFullError("expected room on the simulated disk, found none")

    @contextmanager
    def snapshot(self) -> Iterator[Committed]:
        """As it is now."""
        yield Committed(self._disk)

    def acknowledged_commits(self) -> int | None:
        """Commits that are known to have been acknowledged."""
        return self._disk.acknowledged

    def acknowledge(self, commits: int) -> None:
        """Note them."""
        self._disk.step(self._process)
        self._disk.acknowledged = commits

    def close(self) -> None:
        """Let go of it."""
        self.roll_back()


def _undo(of_kind: dict[bytes, Record], key: bytes) -> Undo:
    before = of_kind.get(key)
    if before is None:
        return lambda: of_kind.pop(key, None)
    return lambda: of_kind.update({key: before})
