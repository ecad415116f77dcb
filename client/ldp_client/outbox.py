"""The queue: randomized reports that wait to be sent, in the store of the device's memory.

Rules
- A report is kept under its day and a random number: neither the hour nor the order of answers can be read off.
- A batch is made when it is taken for sending: its id is drawn once, and its bytes are kept until somebody has decided
  about them, so that every retry sends the same bytes. There is one at a time. Reports that wait have no id yet, so
  that only what somebody was about to send can come too late for its epoch.
- Nothing is handed to a transport before the charges behind it would outlive a loss of power.
- The queue is bounded by count, bytes and age. The oldest go first; the count and the bytes are looked at once in
  `SLACK` reports, and may be exceeded by that many.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, cast

from ldp.randomness import Random
from ldp.wire import pack_array
from ldp_client.database import Database
from ldp_client.ledger import DAY
from ldp_client.memory import today
from ldp_client.reports import Report, frames, row_batches

REPORT, BATCH, PAUSE = "report", "batch", "pause"
SLACK = 64
LONGEST_PAUSE = DAY
"""Seconds; whatever a server or a changed clock says."""

_NOTHING = b""


class Limits(NamedTuple):
    """How much may wait, for how many days, and how many reports travel together at most."""

    reports: int = 10_000
    bytes: int = 4 << 20
    days: int = 30
    batch: int = 1000


class Outbox:
    """The queue in a database. `count` is told about reports that are dropped, by reason."""

    def __init__(self, store: Database, limits: Limits, random: Random, count: Callable[[str, int], object]) -> None:
        self._store = store
        self._limits = limits
        self._random = random
        self._count = count
        self._until_trimmed = 0
        self._settled: bytes | None = None

    def put(self, report: Report) -> None:
        """Let a report wait. Called in a transaction, the one that charges for it."""
        key = today().to_bytes(4, "big") + self._random(8)
        self._store.put(REPORT, key, tuple(part for part in report if part is not None))
        self._until_trimmed -= 1
        if self._until_trimmed < 0:
            self._until_trimmed = SLACK - 1
            self._trim()

    def take(self) -> bytes | None:
        """The bytes that are to be sent next, the same until `done`; None if nothing waits."""
        with self._store:
            self._trim()
            frame = self._kept() or self._made()
        if frame is not None and frame != self._settled:
            self._store.settle()
            self._settled = frame
        return frame

    def done(self, frame: bytes) -> None:
        """Forget a batch that was taken: somebody has it, or nobody ever will."""
        with self._store:
            # Another process may have sent it too, and taken the next.
            if self._kept() == frame:
                self._store.drop(BATCH, _NOTHING)
            self._store.drop(PAUSE, _NOTHING)

    def postpone(self, least: float, backoff: Callable[[int], float]) -> None:
        """Let nothing be sent for at least so many seconds, nor for those that the failures in a row call for."""
        with self._store:
            failures = self._pause()[1] + 1
            until = int(time.time() + min(max(least, backoff(failures)), LONGEST_PAUSE)) + 1
            self._store.put(PAUSE, _NOTHING, (until, failures))

    def pause(self) -> float:
        """The seconds until something may be sent."""
        with self._store:
            return min(max(0.0, self._pause()[0] - time.time()), LONGEST_PAUSE)

    def waiting(self) -> int:
        """The number of reports that wait."""
        with self._store:
            kept = self._store.get(BATCH, _NOTHING)
            return self._store.size(REPORT)[0] + (0 if kept is None else cast(int, kept[1]))

    def erase(self) -> None:
        """Drop everything. Called in a transaction."""
        for kind in (REPORT, BATCH):
            for key in [key for key, _ in self._store.records(kind)]:
                self._store.drop(kind, key)

    def _kept(self) -> bytes | None:
        kept = self._store.get(BATCH, _NOTHING)
        return None if kept is None else cast(bytes, kept[0])

    def _made(self) -> bytes | None:
        """A batch of reports to one question, whichever a random number puts first among the oldest."""
        chosen: dict[bytes, Report] = {}
        fingerprint = None
        for key, record in self._store.records(REPORT):
            report = Report(*cast("tuple[bytes, bytes, int]", record))  # or two parts: a survey without epochs
            fingerprint = fingerprint or report.fingerprint
            if report.fingerprint == fingerprint:
                chosen[key] = report
            if len(chosen) == self._limits.batch:
                break
        if not chosen:
            return None
        fingerprint, row, epoch = next(iter(chosen.values()))
        rows = b"".join(report.row for report in chosen.values())
        made = row_batches(fingerprint, rows, len(row), epoch, size=len(chosen), random=self._random, clock=time.time)
        # One batch, unless the limits of the wire are reached: then the rest waits for the next.
        batch = next(made)
        for key in list(chosen)[: batch.size]:
            self._store.drop(REPORT, key)
        frame = frames([batch])
        self._store.put(BATCH, _NOTHING, (frame, batch.size, today()))
        return frame

    def _pause(self) -> tuple[int, int]:
        kept = self._store.get(PAUSE, _NOTHING)
        return (0, 0) if kept is None else cast(tuple[int, int], kept)

    def _trim(self) -> None:
        first_day = max(0, today() - self._limits.days)
        kept = self._store.get(BATCH, _NOTHING)
        if kept is not None and cast(int, kept[2]) < first_day:
            self._store.drop(BATCH, _NOTHING)
            self._count("too-old", cast(int, kept[1]))
        count, size = self._store.size(REPORT)
        if not count:
            return
        for key, report in self._store.records(REPORT):
            too_old = key < first_day.to_bytes(4, "big")
            if not too_old and count <= self._limits.reports and size <= self._limits.bytes:
                return
            self._store.drop(REPORT, key)
            self._count("too-old" if too_old else "queue-full", 1)
            count, size = count - 1, size - len(pack_array([*report]))
