"""Backlog in memory: changes that wait while another process writes to the state file.

An app's thread that records does not wait long for others to write. Where they do, the
answer is randomized all the same, under what was last read of the file, and forgotten.
What is left of it waits here to be charged for: a draft, of which nothing is sent
before it is on disk.

Rules
- It is written by a thread of its own, by `flush` or by `close`, in the order in which
  it came. What came after something that waits here waits as well.
- What cannot be charged for is dropped then, and counted: a draft costs nothing.
- What is left when the process ends was neither charged for nor sent.
- There is little room: what would be more than `MOST` is refused at once.
- A forked child begins without: what waits is its parent's to write.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from ldp_client.keeping.forks import renew_in_children
from ldp_client.keeping.locks import BusyError

Work = Callable[[], str | None]
"""What is to be done in a transaction; what came of it is counted under what it
returns, if any.
"""

MOST = 10_000
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 5.0


class Backlog:
    """Pieces of work that wait for `transact`, which raises `BusyError` as long as it
    cannot.

    `count` is told what came of each, and `failed` what was raised instead. `tidy` is
    called by the thread now and then, and says whether there is more to tidy.
    """

    def __init__(
        self,
        transact: Callable[[Callable[[], None]], None],
        count: Callable[[str], object],
        failed: Callable[[Exception], object],
        *,
        tidy: Callable[[], bool],
    ) -> None:
        self._transact = transact
        self._count = count
        self._failed = failed
        self._tidy = tidy
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Begin with nothing that waits, and no thread."""
        self._waiting: deque[_Item] = deque()
        self._lock = threading.RLock()
        self._writing = (
            threading.RLock()
        )  # apart, so that who adds something waits for no disk
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    def pending(self) -> int:
        """How many wait that are not written; what is written stays here a little
        longer.

        Nothing changes that within a transaction.
        """
        return sum(not item.written for item in list(self._waiting))

    def names(self) -> set[str]:
        """Names of the questions that the backlog is about."""
        return {name for item in list(self._waiting) for name in item.names}

    def add(self, work: Work, names: tuple[str, ...] = ()) -> None:
        """Let a piece of work wait. Raises `BusyError` where there is no room."""
        if len(self._waiting) >= MOST:
            raise BusyError(
                f"expected at most {MOST} answers that wait to be charged for"
            )
        self._waiting.append(_Item(work, names))
        self.start()

    def start(self) -> None:
        """Let the thread run until there is nothing left to do."""
        with self._lock:
            alive = self._thread is not None and self._thread.is_alive()
            if not alive and not self._closed.is_set():
                self._thread = threading.Thread(
                    target=self._run, name="ldp_client backlog", daemon=True
                )
                self._thread.start()

    def drain(self) -> bool:
        """Have everything written. Whether it could be."""
        with self._writing:
            while self._waiting:
                # All at once: who writes for long leaves little room in between. By
                # themselves only if one of them fails, which takes back the others.
                items = list(self._waiting)
                if not self._write(items) and not all(
                    self._write([item]) for item in items
                ):
                    return False
                # A signal handler that drained in between may have been quicker.
                for item in items:
                    with suppress(ValueError):
                        self._waiting.remove(item)
        return True

    def close(self) -> None:
        """Write what can be written, and let the thread end. What is left is lost, and
        told.
        """
        self._closed.set()
        if self.drain():
            return
        for _ in range(len(self._waiting)):
            self._waiting.popleft()
            self._failed(
                BusyError("expected to write the state file before it was closed")
            )

    def _write(self, items: list[_Item]) -> bool:
        """Whether pieces of work are decided about."""
        items = [item for item in items if not item.written]
        outcomes: list[str | None] = []

        def work() -> None:
            outcomes.extend(item.work() for item in items)
            # Last, so that whatever interrupts what follows finds it written or taken
            # back.
            _mark(items, written=True)

        try:
            self._transact(work)
        except Exception as error:
            failed = len(items) == 1 and not isinstance(error, BusyError)
            _mark(items, written=failed)
            if failed:
                self._failed(error)
            return failed
        except BaseException:
            _mark(items, written=False)
            raise
        for outcome in outcomes:
            if outcome is not None:
                self._count(outcome)
        return True

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._closed.wait(pause):
            pause = min(2 * pause, _LONGEST_PAUSE)
            # Whatever happens to the state, the app's other threads go on.
            with suppress(Exception):
                if self.drain() and not self._tidy() and self._at_end():
                    return

    def _at_end(self) -> bool:
        with self._lock:
            if self._waiting:
                return False
            self._thread = None
            return True


class _Item:
    """A piece of work, the questions that it is about, and whether it is decided
    about.
    """

    __slots__ = ("names", "work", "written")

    def __init__(self, work: Work, names: tuple[str, ...]) -> None:
        self.work = work
        self.names = names
        self.written = False


def _mark(items: list[_Item], *, written: bool) -> None:
    for item in items:
        item.written = written
