"""The queue: randomized reports that wait to be sent, in the store of the device's memory.

Rules
- A survey has a queue of its own for each collector: none gets what was meant for another, nor
  waits for another's pause. What was recorded without a collector goes to the first that there is
  for its survey (`ldp_client.heirs`).
- A report is kept under its day and a random number: neither the hour nor the order of answers can
  be read off. What leaves together is put in the order of these numbers, whatever the days.
- A batch is made when it is taken for sending: its id is drawn once, and its bytes are kept until
  it is decided about, so that every retry sends the same bytes. There is one at a time. Reports
  that wait have no id yet, so that only what was about to be sent can come too late for its epoch.
- Nothing is handed to a transport before the charges behind it would outlive a loss of power.
- The queue is bounded by count, bytes and age. The oldest go first; the count and the bytes are
  looked at once in `SLACK` reports, and may be exceeded by that many.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from ldp.randomness import Random
from ldp.wire import pack_array
from ldp_client.database import Database
from ldp_client.ledger import DAY, today
from ldp_client.reports import Report, frames, marked, row_batches
from ldp_client.scope import OWNER_SIZE
from ldp_client.store import Record

REPORT, BATCH, PAUSE = "report", "batch", "pause"
SLACK = 64
LONGEST_PAUSE = DAY
"""Seconds; whatever a server or a changed clock says."""

_DAY_SIZE, _RANDOM_SIZE = 4, 8


class QueueLimits(NamedTuple):
    """How much may wait, for how many days, and how many reports travel together at most."""

    reports: int = 10_000
    bytes: int = 4 << 20
    days: int = 30
    batch: int = 1000


class Outbox:
    """A queue in a database. `count` is told about reports that are dropped, by reason.

    `queue` is what the keys of its records begin with, and `orphaned` those of a queue without a
    collector, which this one takes over if it `inherits`; that is asked in transactions.
    """

    def __init__(
        self,
        store: Database,
        queue: bytes,
        orphaned: bytes,
        limits: QueueLimits,
        random: Random,
        count: Callable[[str, int], object],
        *,
        inherits: Callable[[], bool],
    ) -> None:
        self._store = store
        self._queue = queue
        self._orphaned = orphaned
        self._inherits = inherits
        self._limits = limits
        self._random = random
        self._count = count
        self._until_trimmed = 0
        self._settled: bytes | None = None

    def put(self, report: Report) -> None:
        """Let a report wait. Called in a transaction, the one that charges for it."""
        key = self._queue + _day(today()) + self._random(_RANDOM_SIZE)
        self._store.put(REPORT, key, report.record())
        self._until_trimmed -= 1
        if self._until_trimmed < 0:
            self._until_trimmed = SLACK - 1
            self._trim()

    def take(self) -> bytes | None:
        """The bytes that are to be sent next, the same until `done`; None if nothing waits."""
        frame = self._store.transact(self._next)
        if frame is not None and frame != self._settled:
            self._store.settle()
            self._settled = frame
        return frame

    def done(self, frame: bytes) -> None:
        """Forget a batch that was taken: a collector has it, or none ever will."""
        self._store.transact(lambda: self._forget(frame))

    def postpone(self, least: float, backoff: Callable[[int], float]) -> None:
        """Let nothing be sent for at least this many seconds.

        Nor for those that `backoff` calls for, by the failures in a row.
        """
        self._store.transact(lambda: self._postpone(least, backoff))

    def pause(self) -> float:
        """The seconds until something may be sent."""
        until, _ = self._store.transact(self._pause)
        return min(max(0.0, until - time.time()), LONGEST_PAUSE)

    def waiting(self) -> int:
        """The number of reports that wait."""
        return self._store.transact(self._waiting)

    def erase(self) -> None:
        """Drop everything, in all queues. Called in a transaction."""
        for kind in (REPORT, BATCH):
            for key in [key for key, _ in self._store.records(kind)]:
                self._store.drop(kind, key)

    def _next(self) -> bytes | None:
        self._trim()
        return self._kept() or self._made()

    def _forget(self, frame: bytes) -> None:
        # Another process may have sent it too, and taken the next.
        if self._kept() == frame:
            self._store.drop(BATCH, self._queue)
        self._store.drop(PAUSE, self._queue)

    def _postpone(self, least: float, backoff: Callable[[int], float]) -> None:
        failures = self._pause()[1] + 1
        until = int(time.time() + min(max(least, backoff(failures)), LONGEST_PAUSE)) + 1
        self._store.put(PAUSE, self._queue, (until, failures))

    def _waiting(self) -> int:
        record = self._store.get(BATCH, self._queue)
        in_batch = 0 if record is None else cast(int, record[1])
        return self._size()[0] + in_batch

    def _size(self) -> tuple[int, int]:
        """How many reports wait that are in no batch yet, and their bytes."""
        sizes = [self._store.size(REPORT, queue) for queue in self._queues()]
        return sum(count for count, _ in sizes), sum(size for _, size in sizes)

    def _queues(self) -> tuple[bytes, ...]:
        """Those that this one sends."""
        if self._orphaned != self._queue and self._inherits():
            return self._queue, self._orphaned
        return (self._queue,)

    def _oldest_first(self) -> Iterator[tuple[bytes, Record]]:
        """The keys and records of the reports that wait.

        Those of a day in the order of their random numbers.
        """
        by_queue = (self._store.records(REPORT, queue) for queue in self._queues())
        return heapq.merge(*by_queue, key=lambda item: item[0][OWNER_SIZE:])

    def _kept(self) -> bytes | None:
        record = self._store.get(BATCH, self._queue)
        return None if record is None else cast(bytes, record[0])

    def _made(self) -> bytes | None:
        """A batch of reports to one question, whichever a random number puts first."""
        shuffled = sorted(self._oldest_first(), key=lambda item: item[0][-_RANDOM_SIZE:])
        if not shuffled:
            return None
        waiting = [(key, Report.of_record(record)) for key, record in shuffled]
        _, (fingerprint, row, epoch, mark) = waiting[0]
        alike = [item for item in waiting if item[1][::3] == (fingerprint, mark)]
        chosen = alike[: self._limits.batch]
        batches = row_batches(
            fingerprint,
            b"".join(report.row for _, report in chosen),
            len(row),
            epoch=epoch,
            size=len(chosen),
            random=self._random if mark is None else marked(mark, epoch, time.time),
            clock=time.time,
        )
        # One batch, unless the limits of the wire are reached: then the rest waits for the next.
        batch = next(batches)
        for key, _ in chosen[: batch.size]:
            self._store.drop(REPORT, key)
        frame = frames([batch])
        self._store.put(BATCH, self._queue, (frame, batch.size, today()))
        return frame

    def _pause(self) -> tuple[int, int]:
        record = self._store.get(PAUSE, self._queue)
        return (0, 0) if record is None else cast(tuple[int, int], record)

    def _trim(self) -> None:
        first_day = max(0, today() - self._limits.days)
        batch = self._store.get(BATCH, self._queue)
        if batch is not None and cast(int, batch[2]) < first_day:
            self._store.drop(BATCH, self._queue)
            self._count("too-old", cast(int, batch[1]))
        count, size = self._size()
        if not count:
            return
        for key, record in self._oldest_first():
            too_old = key[OWNER_SIZE:] < _day(first_day)
            if not too_old and count <= self._limits.reports and size <= self._limits.bytes:
                return
            self._store.drop(REPORT, key)
            self._count("too-old" if too_old else "queue-full", 1)
            count -= 1
            size -= len(pack_array([*record]))


def _day(number: int) -> bytes:
    return number.to_bytes(_DAY_SIZE, "big")
