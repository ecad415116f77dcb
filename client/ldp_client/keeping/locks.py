"""Locks: one piece of work at a time on what threads, signal handlers and forks share.

Rules
- A thread waits for its turn. A piece of work that begins within another one of the
  same thread (a signal handler or a finalizer that came in between) is refused: it
  would take part in a change that it knows nothing of, and see half of it.
- Whatever a handler raises, and wherever it does, the turn ends. That is why work is a
  function: between acquiring a lock in `__enter__` and the body of a `with` statement
  there would be a moment in which an exception leaves it held. With the lock's own
  `with`, which is not written in Python, there is none.
- A fork waits for the turn of another thread, which would never end in the child.
- Who has no time to wait says how long at most. The lock itself cannot be asked for a
  while: that would leave the moment above. So the end of the turn is waited for, and
  then the lock is entered, which another may have been quicker to do: its turn is
  waited for as well.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock, get_ident
from time import monotonic, sleep
from typing import TypeVar, TypeVarTuple

from ldp.errors import StateError

Result = TypeVar("Result")
Given = TypeVarTuple("Given")

PATIENCE_AT_FORKS = 5.0
"""Seconds that a fork waits for a turn; then the child does without what it would have
shared.
"""


_GLANCE = 0.001
"""Seconds between looks at whether a turn has ended."""


class ClosedError(StateError):
    """Something that is to be done by what was closed."""


class BusyError(StateError):
    """A turn that could not be had in time, of this process or another: nothing is
    wrong.
    """


class WorkLock:
    """Queue of those who wait for the lock."""

    __slots__ = ("__weakref__", "_lock", "_thread")

    def __init__(self) -> None:
        self._thread = 0  # whose turn it is
        self.renew()

    def renew(self) -> None:
        """Begin with a lock of our own: in a forked child."""
        if self._thread != get_ident():
            self._thread = 0
        # Reentrant, so that what interrupts a turn of its own thread is refused, and
        # does not wait for ever.
        self._lock = RLock()

    def take(
        self,
        work: Callable[[*Given], Result],
        *given: *Given,
        patience: float | None = None,
    ) -> Result:
        """Run some work alone, called with what is given.

        Raises `StateError` within a turn of the same thread, and `BusyError` where that
        of another lasts longer than `patience`.
        """
        if patience is not None:
            self._wait_for_end(patience)
        with self._lock:
            if self._thread:
                raise StateError(
                    "expected to begin when nothing else was under way in this thread, "
                    "got a call from within another one, by a signal handler or a "
                    "finalizer: let it set a flag, and record once it has returned"
                )
            try:
                self._thread = get_ident()
                return work(*given)
            finally:
                self._thread = 0

    def hold(self) -> bool:
        """Let no work begin, before a fork. Whether that could be had, and is to be let
        go of.
        """
        return self._lock.acquire(timeout=PATIENCE_AT_FORKS)

    def let_go(self) -> None:
        """Go on after the fork, in the parent."""
        self._lock.release()

    @property
    def busy(self) -> bool:
        """Whether there is a turn under way."""
        return self._thread != 0

    def _wait_for_end(self, patience: float) -> None:
        end = monotonic() + patience
        while self._thread not in (0, get_ident()):
            if monotonic() > end:
                raise BusyError(f"expected a turn within {patience} seconds, got none")
            sleep(_GLANCE)
