"""Turns: one piece of work at a time on what threads, signal handlers and forks share.

Rules
- A thread waits for its turn. A piece of work that begins within another one of the same thread (a
  signal handler or a finalizer that came in between) is refused: it would take part in a change
  that it knows nothing of, and see half of it.
- Whatever a handler raises, and wherever it does, the turn ends. That is why work is a function:
  between acquiring a lock in `__enter__` and the body of a `with` statement there would be a moment
  in which an exception leaves it held. With the lock's own `with`, which is not written in Python,
  there is none.
- A fork waits for the turn of another thread, which would never end in the child.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TypeVar, TypeVarTuple

from ldp.errors import StateError

Result = TypeVar("Result")
Given = TypeVarTuple("Given")

PATIENCE_AT_FORKS = 5.0
"""Seconds that a fork waits for a turn; then the child does without what it would have shared."""


class Turns:
    """Who may work now."""

    __slots__ = ("__weakref__", "_busy", "_lock")

    def __init__(self) -> None:
        self._busy = False
        self.renew()

    def renew(self) -> None:
        """Begin with a lock of our own: in a forked child."""
        # Reentrant, so that what interrupts a turn of its own thread is refused, and does not wait
        # for ever.
        self._lock = RLock()

    def take(self, work: Callable[[*Given], Result], *given: *Given) -> Result:
        """What some work gives, called with what is given and done alone.

        Raises `StateError` within a turn of the same thread.
        """
        with self._lock:
            if self._busy:
                raise StateError(
                    "expected to begin when nothing else was under way in this thread, "
                    "got a call from within another one, by a signal handler or a finalizer: "
                    "let it set a flag, and record once it has returned"
                )
            try:
                self._busy = True
                return work(*given)
            finally:
                self._busy = False

    def hold(self) -> bool:
        """Let no work begin, before a fork. Whether that could be had, and is to be let go of."""
        return self._lock.acquire(timeout=PATIENCE_AT_FORKS)

    def let_go(self) -> None:
        """Go on after the fork, in the parent."""
        self._lock.release()

    @property
    def busy(self) -> bool:
        """Whether there is a turn under way."""
        return self._busy
