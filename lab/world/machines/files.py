"""The shipped store on real files, for a share of the worlds: what a crash leaves of
them.

For someone new to it: SQLite appends what a commit changes to its log, and syncs the
log. A process that dies leaves the files as they are; one that dies while the log is
written leaves some of its last sectors, and the next one to open the store has to see
that they are no commit.

    dies between steps    its files go on as they are
    dies in a commit      of what this commit had appended to the log any sectors may be
                          missing

The files are in memory (`/dev/shm`, where there is such a place). What the store
promises is what `disk` says; the faults are the same.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.world.machines.disk import Disk
from lab.world.machines.faults import Faults
from lab.world.machines.fibers import Process
from ldp_service.store.errors import StoreFullError
from ldp_service.store.records import Epoch, Record
from ldp_service.store.sqlite import SQLiteStore, reading
from ldp_service.store.store import Snapshot, Store
from ldp_service.store.witness import WITNESS, noted_commits

_SECTOR = 512
_IN_MEMORY = Path("/dev/shm")  # noqa: S108  # a place, and no file of a fixed name
_LOG = "-wal"


class Files(Disk):
    """A disk with a store of SQLite's on it."""

    def __init__(self, faults: Faults, draw: random.Random) -> None:
        super().__init__(faults)
        place = _IN_MEMORY if _IN_MEMORY.is_dir() else None
        self._folder = tempfile.TemporaryDirectory(prefix="ldp-world-", dir=place)
        self._draw = draw
        self._lives = 0
        self._last: _FileStore | None = None
        self.path = Path(self._folder.name) / "0"
        self.torn: tuple[int, int] | None = None
        """Where what a commit appended to the log begins and ends, if the process died in it."""

    def open(self, process: Process) -> Store:
        """The shipped store, for a process."""
        self.recover()
        self._last = _FileStore(self, process)
        return self._last

    def recover(self) -> None:
        """Go on from the files as a process that died has left them."""
        if self._last is None or self._last.is_closed:
            return
        self._lives += 1
        left = self.path
        self.path = left.with_name(str(self._lives))
        for ending in ("", _LOG, WITNESS):
            part = Path(f"{left}{ending}")
            if part.exists():
                content = part.read_bytes()
                content = (
                    self._torn(content) if ending == _LOG and self.torn else content
                )
                Path(f"{self.path}{ending}").write_bytes(content)
        if self.torn is not None:
            self.faults.happened("torn write")
            self.torn = None
        self._last.let_go()
        self._last = None

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """What is committed."""
        with reading(self.path) as snapshot:
            yield snapshot

    def noted(self) -> int | None:
        """What the witness says."""
        return noted_commits(self.path)

    def close(self) -> None:
        """Remove the files."""
        if self._last is not None:
            self._last.let_go()
        self._folder.cleanup()

    def _torn(self, log: bytes) -> bytes:
        """The log without some of the sectors that were appended last; the last is one
        of them.
        """
        begin, end = self.torn or (0, 0)
        sectors = [
            log[at : min(at + _SECTOR, end)]
            for at in range(begin, end, _SECTOR)
            if at < end
        ]
        kept = [
            sector if self._draw.random() < 0.5 else bytes(len(sector))
            for sector in sectors[:-1]
        ]
        return log[:begin] + b"".join(kept[: self._draw.randint(0, len(kept))])


class _FileStore(SQLiteStore):
    """The shipped store, each of whose calls is a step at which its process may die."""

    def __init__(self, disk: Files, process: Process) -> None:
        self._disk = disk
        self._process = process
        self._claimed: list[tuple[Epoch, bytes]] = []
        self.is_closed = False
        super().__init__(disk.path)

    def begin(self, *, alone: bool = False) -> None:
        """Begin a transaction."""
        self._disk.step(self._process)
        self._claimed = []
        super().begin(alone=alone)

    def commit(self) -> None:
        """Make it last, or not."""
        disk = self._disk
        disk.step(self._process)
        if disk.full:
            disk.find_full()
            raise StoreFullError("expected room on the simulated disk, found none")
        self._process.hub.sleep(disk.next_sync())
        begin = self._log_size()
        super().commit()
        disk.torn = begin, self._log_size()
        disk.step(self._process)
        disk.torn = None
        disk.journal += self._claimed
        disk.step(self._process)

    def put(self, records: Iterable[Record]) -> None:
        """Keep records."""
        self._disk.step(self._process)
        super().put(records)

    def drop(self, kind: str, keys: Iterable[bytes]) -> None:
        """Forget records."""
        self._disk.step(self._process)
        super().drop(kind, keys)

    def forget(self, epoch: Epoch) -> None:
        """Drop all ids of an epoch."""
        self._disk.step(self._process)
        super().forget(epoch)

    def roll_back(self) -> None:
        """Take it back; what a dead process leaves is for the next one to see."""
        if not self._process.dead:
            super().roll_back()

    def claim(self, epoch: Epoch, ids: Sequence[bytes]) -> set[bytes]:
        """Keep ids; those that had not been there."""
        self._disk.step(self._process)
        fresh = super().claim(epoch, ids)
        self._claimed += [(epoch, id_) for id_ in ids if id_ in fresh]
        return fresh

    def acknowledge(self, commits: int) -> None:
        """Note them."""
        self._disk.step(self._process)
        super().acknowledge(commits)

    def look_for_room(self, *, doubted: bool = False) -> None:  # noqa: ARG002
        """Raise `StoreFullError` if there is none."""
        self._disk.step(self._process)
        if self._disk.full:
            raise StoreFullError("expected room on the simulated disk, found none")

    def close(self) -> None:
        """Let go of it, as who is alive does."""
        if not self._process.dead:
            self.let_go()

    def let_go(self) -> None:
        """Let go of the files."""
        self.is_closed = True
        super().close()

    def _log_size(self) -> int:
        log = Path(f"{self._disk.path}{_LOG}")
        return log.stat().st_size if log.exists() else 0
