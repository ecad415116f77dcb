"""The queue: randomized reports that wait to be sent, in the store of the device's
memory.

Rules
- A survey has a queue of its own for each collector: none gets what was meant for
  another, nor waits for another's pause. What was recorded without a collector goes to
  the first that there is for its survey (`ldp_client.embedding.adoption`).
- What goes through a relay goes alone, and is sealed when its batch is made
  (`delivery.sealing`).
- A report is kept under its day and a random number: neither the hour nor the order of
  answers can be read off. What leaves together is put in the order of these numbers,
  whatever the days.
- A batch is made when it is taken for sending: its id is drawn once, and its bytes are
  kept until it is decided about, so that every retry sends the same bytes. There is one
  at a time. Reports that wait have no id yet, so that only what was about to be sent
  can come too late for its epoch.
- Nothing is handed to a transport before the charges behind it would outlive a loss of
  power.
- The queue is bounded by count, bytes and age, which is counted in days that were seen
  (`delivery.days`, `delivery.limits`). The count and the bytes are looked at once a
  day, and once in `SLACK` reports or in that part of the limit; they may be exceeded by
  that many.
- A survey with epochs is not sent by a clock that was never set: its batches would be
  of 1970, for good.
- How many reports were lost, of which questions and why, is kept for as long as the
  file (`ldp_client.delivery.loss_counters`).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, cast

from ldp.numbers.randomness import Random
from ldp.wire.wire import FORMAT_SEALED, decode_batch, read_frames
from ldp_client.answering.reports import Report, batch_random, frames, row_batches
from ldp_client.delivery.days import DAYS, Days, age, this_day
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.loss_counters import LASTING, LossCounters
from ldp_client.delivery.outcomes import WAITING, Outcome
from ldp_client.delivery.schedule import Backoff, Schedule
from ldp_client.keeping.clocks import Clock, ClockSpan, now
from ldp_client.keeping.scope import OWNER_SIZE
from ldp_client.keeping.store import DeviceStore, Record

if TYPE_CHECKING:
    from ldp_client.delivery.sealing import Seal

REPORT, BATCH = "report", "batch"
SLACK = 64
CLOCK_WAS_SET = 1_704_067_200.0
"""The beginning of 2024. No clock that was ever set says less."""

_DAY_SIZE, _RANDOM_SIZE = 4, 8


class Outbox:
    """A queue in a store. `count` is told about reports that are dropped, by reason.

    `repeatable` are the fingerprints of what may be reported again at no cost.

    `queue` is what the keys of its records begin with, and `orphaned` those of a queue
    without a collector, which this one takes over if it `inherits`; that is asked in
    transactions.
    """

    def __init__(
        self,
        store: DeviceStore,
        queue: bytes,
        orphaned: bytes,
        limits: QueueLimits,
        random: Random,
        count: Callable[[str, int], object],
        *,
        inherits: Callable[[], bool],
        repeatable: Collection[bytes] = (),
        clock: Clock = now,
        seal: Seal | None = None,
    ) -> None:
        self._store = store
        self._queue = queue
        self._orphaned = orphaned
        self._inherits = inherits
        self._limits = limits
        self._random = random
        self._count = count
        self._repeatable = frozenset(repeatable)
        self._clock = clock
        self._seal = seal
        self._days = Days(store, queue, limits.days, clock=clock)
        self._shuffled: list[tuple[bytes, object]] = []
        """What waited when all of it was read last: keys in random order, and what is alike."""
        self._until_trimmed = 0
        self._trimmed_on: int | None = None
        self._settled: bytes | None = None
        self.losses = LossCounters(store, queue)
        self.schedule = Schedule(store, queue, clock=clock)

    def put(self, report: Report) -> None:
        """Let a report wait. Called in a transaction, the one that charges for it."""
        day = self._days.recent_days()[-1]
        key = self._queue + _bytes_of(day) + self._random(_RANDOM_SIZE)
        self._store.put(REPORT, key, report.record())
        self._shuffled.clear()
        self._until_trimmed -= 1
        self._keep_to_limits(day)

    def take(self, backoff: Backoff = lambda _: 0.0) -> bytes | None:
        """The bytes that are to be sent next, the same until they are decided about.

        None if nothing waits, or nothing may be sent yet. `backoff` says for how long
        that is so after this attempt, unless more is heard of it.
        """
        frame = self._store.transact(lambda: self._next(backoff))
        if frame is not None and frame != self._settled:
            self._store.settle()
            self._settled = frame
        return frame

    def decide(self, frame: bytes, outcome: Outcome, backoff: Backoff) -> None:
        """Note what became of a batch that was taken; forget it, unless it is sent
        again.
        """
        self._store.transact(lambda: self._decide(frame, outcome, backoff))

    def resume(self) -> None:
        """Let what was turned away for something that can be mended be tried at
        once.
        """
        self._store.transact(self.schedule.resume)

    def count_elsewhere(self) -> int:
        """The number of reports that wait for other surveys or collectors. In a
        transaction.
        """
        batches = self._store.records(BATCH)
        tried = sum(
            cast(int, record[1]) for queue, record in batches if queue != self._queue
        )
        return self._store.size(REPORT, b"")[0] - self._size()[0] + tried

    def waiting(self) -> int:
        """The number of reports that wait."""
        return self._store.transact(self.count_waiting)

    def pause(self) -> float:
        """The seconds until something may be sent."""
        return self._store.transact(self.schedule.pause)

    def wait(self) -> ClockSpan | None:
        """Return the time until the next sending; None if that was never drawn."""
        return self._store.transact(self.schedule.wait)

    def wait_anew(self, seconds: Callable[[], float]) -> ClockSpan:
        """Return the time until the next sending after this one, drawn if need be."""
        return self._store.transact(lambda: self.schedule.draw(seconds))

    def count_waiting(self) -> int:
        """Count waiting reports within a transaction."""
        return self._size()[0] + self._in_batch()

    def erase(self) -> None:
        """Drop everything, in all queues, and count all of it here. Called in a
        transaction.
        """
        forgotten: Counter[bytes] = Counter()
        for _, record in self._store.records(REPORT):
            forgotten[cast(bytes, record[0])] += 1
        for _, record in self._store.records(BATCH):
            forgotten[_fingerprint_of(record)] += cast(int, record[1])
        for fingerprint, number in forgotten.items():
            self._lose("forgotten", number, fingerprint)
        for kind in (REPORT, BATCH, DAYS):
            for key in [key for key, _ in self._store.records(kind)]:
                self._store.drop(kind, key)

    def _next(self, backoff: Backoff) -> bytes | None:
        if self.schedule.pause():
            return None
        if not self._shuffled:
            self._until_trimmed = -1  # all of it is read anyway
        self._keep_to_limits(self._days.recent_days()[-1])
        frame = self._load_batch() or self._make_batch()
        if frame is None:
            self.schedule.clear()
        else:
            self.schedule.begin(backoff)
        return frame

    def _decide(self, frame: bytes, outcome: Outcome, backoff: Backoff) -> None:
        self.schedule.end(outcome, backoff)
        # Another process may have sent it too, and taken the next.
        if outcome.verdict in WAITING or self._load_batch() != frame:
            return
        batch = self._store.get(BATCH, self._queue)
        if outcome.verdict in LASTING and batch is not None:
            self.losses.note(
                outcome.verdict, cast(int, batch[1]), _fingerprint_of(batch)
            )
        self._store.drop(BATCH, self._queue)

    def _in_batch(self) -> int:
        record = self._store.get(BATCH, self._queue)
        if record is None:
            return 0
        return cast(int, record[1])

    def _size(self) -> tuple[int, int]:
        """How many reports wait that are in no batch yet, and their bytes."""
        sizes = [self._store.size(REPORT, queue) for queue in self._queues()]
        return sum(count for count, _ in sizes), sum(size for _, size in sizes)

    def _queues(self) -> tuple[bytes, ...]:
        """Queues that this outbox sends."""
        if self._orphaned != self._queue and self._inherits():
            return self._queue, self._orphaned
        return (self._queue,)

    def _oldest_first(self) -> Iterator[tuple[bytes, Record]]:
        """The keys and records of the reports that wait.

        Those of a day in the order of their random numbers.
        """
        by_queue = (self._store.records(REPORT, queue) for queue in self._queues())
        return heapq.merge(*by_queue, key=lambda item: item[0][OWNER_SIZE:])

    def _load_batch(self) -> bytes | None:
        record = self._store.get(BATCH, self._queue)
        if record is None:
            return None
        return cast(bytes, record[0])

    def _make_batch(self) -> bytes | None:
        """A batch of reports to one question, whichever a random number puts first.

        Of devices that it says the same of.
        """
        waiting = self._next_alike()
        if not waiting:
            return None
        first = waiting[0][1]
        fingerprint, row, epoch, mark, combination = first
        if epoch is not None and self._clock().wall < CLOCK_WAS_SET:
            return None
        clock = lambda: self._clock().wall  # noqa: E731
        batches = row_batches(
            fingerprint,
            b"".join(report.row for _, report in waiting),
            len(row),
            epoch=epoch,
            combination=combination,
            size=len(waiting),
            random=self._random if mark is None else batch_random(mark, epoch, clock),
            clock=clock,
        )
        # One batch, unless the limits of the wire are reached: then the rest waits for
        # the next.
        batch = next(batches)
        for key, _ in waiting[: batch.size]:
            self._store.drop(REPORT, key)
        frame = frames([batch]) if self._seal is None else self._seal(batch, epoch)
        self._store.put(BATCH, self._queue, (frame, batch.size, this_day(self._clock)))
        return frame

    def _next_alike(self) -> list[tuple[bytes, Report]]:
        """The reports of the next batch, with their keys.

        All that waits is read once for many batches; what is gone by then is passed
        over.
        """
        waiting = self._pick_alike()
        if not waiting:
            read = sorted(
                self._oldest_first(), key=lambda item: item[0][-_RANDOM_SIZE:]
            )
            self._shuffled = [
                (key, Report.of_record(record).alike) for key, record in read
            ]
            waiting = self._pick_alike()
        return waiting

    def _pick_alike(self) -> list[tuple[bytes, Report]]:
        most = 1
        if self._seal is None:
            most = self._limits.batch
        waiting: list[tuple[bytes, Report]] = []
        left: list[tuple[bytes, object]] = []
        for key, alike in self._shuffled:
            if len(waiting) == most or (waiting and alike != waiting[0][1].alike):
                left.append((key, alike))
            elif (record := self._store.get(REPORT, key)) is not None:
                waiting.append((key, Report.of_record(record)))
        self._shuffled = left
        return waiting

    def _keep_to_limits(self, day: int) -> None:
        """Look at the limits if it is time to: once a day, and before much more could
        wait.
        """
        if self._until_trimmed < 0 or day != self._trimmed_on:
            self._trimmed_on = day
            self._trim()

    def _trim(self) -> None:
        batch = self._store.get(BATCH, self._queue)
        count, size = self._size()
        room = min(
            self._limits.reports - count,
            (self._limits.bytes - size) * count // (size or 1),
        )
        self._until_trimmed = max(SLACK, self._limits.reports // SLACK, room // 2) - 1
        if batch is None and not count:
            self._days.forget()
            return
        days, most = self._days.recent_days(), self._limits.days
        if batch is not None and age(days, cast(int, batch[2])) > most:
            self._store.drop(BATCH, self._queue)
            self._lose("too-old", cast(int, batch[1]), _fingerprint_of(batch))
        dropped: Counter[tuple[str, bytes]] = Counter()
        is_too_old = lambda key: age(days, _day_of(key)) > most  # noqa: E731
        superfluous = self._limits.superfluous(
            count,
            size,
            self._oldest_first,
            is_too_old=is_too_old,
            repeatable=self._repeatable,
        )
        for reason, key, record in superfluous:
            self._store.drop(REPORT, key)
            dropped[reason, cast(bytes, record[0])] += 1
        for (reason, fingerprint), number in dropped.items():
            self._lose(reason, number, fingerprint)

    def _lose(self, reason: str, number: int, fingerprint: bytes) -> None:
        self._count(reason, number)
        self.losses.note(reason, number, fingerprint)


def _fingerprint_of(batch: Record) -> bytes:
    """Return the fingerprint of the question or group whose reports a batch has."""
    (payload,) = read_frames(cast(bytes, batch[0]))
    if cast(bytes, payload)[1] == FORMAT_SEALED:
        from ldp.wire.sealed import decode_sealed_report

        return decode_sealed_report(cast(bytes, payload)).fingerprint
    return decode_batch(cast(bytes, payload)).fingerprint


def _bytes_of(day: int) -> bytes:
    return day.to_bytes(_DAY_SIZE, "big")


def _day_of(key: bytes) -> int:
    return int.from_bytes(key[OWNER_SIZE : OWNER_SIZE + _DAY_SIZE], "big")
