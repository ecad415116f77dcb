"""When a queue is sent: the next upload, the last attempt, and the pause after it, in
the store.

Rules
- The next upload is due after a time that is drawn once from the operating system's
  randomness, when a client is opened or another upload was due, and kept: restarts do
  not draw it anew. It depends on no answer, nor on when one was given. What has become
  due while no app ran goes at the next start.
- An attempt is noted before it is made, with the pause that follows should nothing more
  be heard of it: a collector that swallows bytes, or a process that ends in the middle,
  slows no later start. Others that share the file do not try at the same time, either.
- After a failure the next attempt follows the pause, due or not.
- All of it is measured by two clocks, and void if they make it absurd
  (`keeping.clocks`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, cast

from ldp_client.answering.ledger import DAY
from ldp_client.delivery.outcomes import WAITING, Outcome
from ldp_client.keeping.clocks import Clock, ClockSpan, now
from ldp_client.keeping.store import DeviceStore

ATTEMPT, DUE = "attempt", "due"
BEGUN = "begun"
"""The verdict on an attempt of which nothing more was heard."""

LONGEST_PAUSE = DAY
"""Seconds; whatever a server or a changed clock says."""

Backoff = Callable[[int], float]
"""The seconds to wait, by the failures in a row."""


class Attempt(NamedTuple):
    """The last one: the pause since, the failures in a row, and what became of it."""

    pause: ClockSpan
    failures: int
    verdict: str
    reason: str


class Schedule:
    """Schedule of a queue. Methods are called in transactions of the store."""

    __slots__ = ("_clock", "_queue", "_store")

    def __init__(self, store: DeviceStore, queue: bytes, *, clock: Clock = now) -> None:
        self._store = store
        self._clock = clock
        self._queue = queue

    def last(self) -> Attempt | None:
        """The last attempt."""
        record = self._store.get(ATTEMPT, self._queue)
        if record is None:
            return None
        *span, failures, verdict, reason = record
        return Attempt(
            ClockSpan(*cast("list[int]", span)),
            cast(int, failures),
            cast(str, verdict),
            reason=cast(str, reason),
        )

    def pause(self) -> float:
        """The seconds until something may be sent."""
        last = self.last()
        if last is None:
            return 0.0
        return min(last.pause.left(self._clock()), LONGEST_PAUSE)

    def begin(self, backoff: Backoff) -> None:
        """Note an attempt that is about to be made."""
        last = self.last()
        failures = 1
        if last is not None:
            failures = last.failures + 1
        self._keep(backoff(failures), failures, BEGUN)

    def end(self, outcome: Outcome, backoff: Backoff) -> None:
        """Note what became of it."""
        last = self.last()
        if outcome.verdict in WAITING:
            failures = 1
            if last is not None:
                failures = max(1, last.failures)
            wait = max(outcome.wait, backoff(failures))
            self._keep(wait, failures, outcome.verdict, reason=outcome.reason)
        else:
            self._keep(0.0, 0, outcome.verdict, reason=outcome.reason)

    def resume(self) -> None:
        """Let what was turned away be tried at once: someone may have mended the
        cause.
        """
        last = self.last()
        if last is not None and last.verdict == "held":
            self._keep(0.0, last.failures, last.verdict, reason=last.reason)

    def clear(self) -> None:
        """Nothing waits: what failed before is over."""
        last = self.last()
        if last is not None and last.failures:
            self._store.put(
                ATTEMPT, self._queue, (*last.pause, 0, last.verdict, last.reason)
            )

    def wait(self) -> ClockSpan | None:
        """Return the time until the queue is sent by itself; None if that was never
        drawn.
        """
        last = self.last()
        if last is not None and last.failures:
            return last.pause
        record = self._store.get(DUE, self._queue)
        if record is None:
            return None
        return ClockSpan(*cast("tuple[int, int, int]", record))

    def draw(self, seconds: Callable[[], float]) -> ClockSpan:
        """Draw the next time of sending, unless it is still to come."""
        wait = self.wait()
        if wait is None or not wait.left(self._clock()):
            wait = ClockSpan.of(seconds(), self._clock())
            self._store.put(DUE, self._queue, tuple(wait))
        return wait

    def _keep(
        self, wait: float, failures: int, verdict: str, *, reason: str = ""
    ) -> None:
        span = ClockSpan.of(min(wait, LONGEST_PAUSE), self._clock())
        self._store.put(ATTEMPT, self._queue, (*span, failures, verdict, reason))
