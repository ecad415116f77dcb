"""The relay's writer: one thread that lets reports wait, makes batches, and answers
after a commit.

    turn    everything that waits for it: read, what is known put aside, the rest into
            empty slots, commit; then all answers at once
    look    now and then, at times that are drawn: what is ripe becomes batches, epochs
            close

Rules
- A report is in the pool or in one part of one batch, and never in both: that changes
  in one transaction.
- A report is known by its id, which a retry has again, and by its envelope, which
  somebody else may send again under other ids: neither is mixed twice.
- A device is answered after the commit. If that fails, no one in the turn gets a
  receipt.
- What is not known here is neither taken nor refused: the device is told to come again,
  since a survey may be missing.
- Looks do not follow on any report: a batch is not sent because one came.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import compress
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, TypeVar

from ldp.errors import WireError
from ldp.numbers.epochs import epoch_at, epoch_of
from ldp.numbers.randomness import randbelow, system
from ldp.wire.sealed import Sealed, decode_sealed_report, envelope_size
from ldp.wire.wire import Damage, read_frames
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE
from ldp_service.counting.admission import AHEAD
from ldp_service.counting.clock import graces_of, in_words, jumps, presume_epochs
from ldp_service.counting.persistent_errors import PersistentErrors
from ldp_service.counting.served import Catalogue
from ldp_service.counting.submissions import (
    EARLY,
    Answer,
    EarlyError,
    InternalError,
    OverloadError,
    Receipt,
    Submission,
    hand_out,
)
from ldp_service.counting.writer_health import WriterHealth
from ldp_service.relay.batching import KEEP, Terms, closing, is_over, is_ripe, mix
from ldp_service.relay.pool import Crowd, Pool
from ldp_service.store.errors import StoreError
from ldp_service.store.records import EVER, Epoch

MOST_IN_TURN = 4096
MOST_WAITING = 1 << 15
MOST_BYTES_WAITING = 96 << 20
ROOM_EVERY = 3.0
_IDLE = 0.5
_GRAIN = 1 << 32

Made = TypeVar("Made")
_Task = tuple[Callable[[Pool], Any], Future[Any]]

_log = logging.getLogger("ldp.relay")


class UnknownSurveyError(OverloadError):
    """Reports to a question that this relay does not know: it may be told of it."""

    def __init__(self) -> None:
        super().__init__(wait=600)
        self.args = (
            "expected sealed reports to questions that this relay mixes, got others",
        )


class RelayWriter:
    """Writes to the pool that `open_pool` gives. Raises `StoreError`.

    `every` is how many seconds pass between two looks, on average. `on_failure` is
    called, from the writer's thread, when nothing can be taken any more.
    """

    def __init__(
        self,
        open_pool: Callable[[], Pool],
        catalogue: Catalogue,
        terms: Terms,
        *,
        every: float = 60.0,
        clock: Callable[[], float] = time.time,
        confirm_clock: bool = False,
        on_failure: Callable[[StoreError], None] = lambda _: None,
    ) -> None:
        self._catalogue = catalogue
        self._surveys = [served.survey for served in catalogue.all]
        self._terms = terms
        self._every = every
        self._clock = clock
        self._confirmed = confirm_clock
        self._sizes = {
            fingerprint: envelope_size(envelope.width)
            for fingerprint, envelope in catalogue.envelopes.items()
        }
        self.lasting = PersistentErrors()
        self.clock_trouble: str | None = None
        """What is wrong with the clock, in words, as of the last look at it."""
        self._condition = WriterHealth(self.lasting, on_failure, time.monotonic)
        self._pool = open_pool()
        self.counts: Counter[str] = self._pool.counts()
        self.waiting: dict[Crowd, int] = self._pool.waiting()
        self.parts = self._pool.parts_waiting()
        self._closed, self._seen = (
            self._pool.closed_epochs(),
            self._pool.latest_epochs(),
        )
        self._queue: SimpleQueue[Submission | _Task | None] = SimpleQueue()
        self._lock = Lock()
        self._queued = self._bytes = 0
        self._stopping = Event()
        self._next_look = time.monotonic() + self._pause()
        self._thread = Thread(target=self._run, name="ldp-relay-writer", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Why reports are not taken, as far as is known; None if they are."""
        if self._condition.trouble is None and self._stopping.is_set():
            return "expected to write to the store, but the relay stops"
        return self._condition.trouble

    def submit(self, submission: Submission) -> None:
        """Hand reports over. Raises `OverloadError` or `StoreError`; then nothing was
        taken.
        """
        failure = self._condition.failure
        if failure is not None:
            raise failure
        size = len(submission.body)
        with self._lock:
            full = (
                self._queued >= MOST_WAITING or self._bytes + size > MOST_BYTES_WAITING
            )
            if full or self._stopping.is_set():
                raise OverloadError
            self._queued += 1
            self._bytes += size
            self._queue.put(submission)

    def ask(self, task: Callable[[Pool], Made]) -> Made:
        """Have the writer's thread do something with the pool, in a transaction, and
        wait for it.

        Raises what it raises, and `StoreError` once the writer has ended.
        """
        future: Future[Made] = Future()
        with self._lock:
            if self._stopping.is_set():
                raise StoreError("expected a relay that goes on, but it stops")
            self._queue.put((task, future))
        return future.result()

    def close(self) -> None:
        """Finish what waits for an answer, and let go of the pool."""
        with self._lock:
            if not self._stopping.is_set():
                self._stopping.set()
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while (items := self._next()) is not None:
                submissions = [item for item in items if isinstance(item, Submission)]
                if submissions:
                    self._take(submissions)
                for item in items:
                    if not isinstance(item, Submission):
                        self._do(*item)
                self._look_for_room()
                if time.monotonic() >= self._next_look:
                    self._next_look = time.monotonic() + self._pause()
                    self._look()
        finally:
            self._pool.close()

    def _next(self) -> list[Submission | _Task] | None:
        """Return waiting work, up to the limits of a turn; None at the end."""
        items: list[Submission | _Task] = []
        try:
            # A look comes when it is due, and not with the next report.
            until_look = max(0.0, self._next_look - time.monotonic())
            item = self._queue.get(timeout=min(_IDLE, until_look))
            while item is not None:
                items.append(item)
                if len(items) == MOST_IN_TURN:
                    return items
                item = self._queue.get_nowait()
        except Empty:
            return items
        # The end stands behind everything else.
        self._queue.put(None)
        return items or None

    def _take(self, submissions: Sequence[Submission]) -> None:
        failure = self._condition.failure
        answers: list[Answer] = []
        try:
            answers = (
                [failure] * len(submissions) if failure else self._turn(submissions)
            )
        except StoreError as error:
            answers = [self._condition.note(error)] * len(submissions)
        except Exception as error:
            if len(submissions) > 1:
                for submission in submissions:
                    self._take([submission])
                return
            self.lasting.note("internal", "a report could not be taken", traceback=True)
            answers = [InternalError(error)]
        with self._lock:
            self._queued -= len(submissions)
            self._bytes -= sum(len(submission.body) for submission in submissions)
        hand_out([*zip(submissions, answers, strict=True)])

    def _turn(self, submissions: Sequence[Submission]) -> list[Answer]:
        """Let reports wait. Answers, submission by submission."""
        now = self._clock()
        coming: dict[Epoch, list[tuple[int, int, Sealed]]] = {}
        outcomes: list[list[str] | None] = []
        for submission in submissions:
            items = [
                self._screen(payload, now) for payload in read_frames(submission.body)
            ]
            if None in items:
                # Nothing of a body is taken of which something is not known.
                outcomes.append(None)
                continue
            own: list[str] = []
            for item in items:
                if isinstance(item, Sealed):
                    entry = len(outcomes), len(own), item
                    coming.setdefault(self._epoch(item), []).append(entry)
                own.append(item if isinstance(item, str) else DUPLICATE)
            outcomes.append(own)
        totals = Counter(
            outcome for own in outcomes for outcome in own or () if outcome != EARLY
        )
        with self._changing():
            for epoch, messages in coming.items():
                is_fresh = self._pool.claim(
                    epoch, [_names(sealed) for *_, sealed in messages]
                )
                crowds: dict[Crowd, list[bytes]] = {}
                for number, place, sealed in compress(messages, is_fresh):
                    (outcomes[number] or [])[place] = ACCEPTED
                    crowds.setdefault(Crowd(sealed.fingerprint, epoch), []).append(
                        sealed.envelope
                    )
                for crowd, envelopes in crowds.items():
                    self._pool.add(crowd, envelopes)
                totals[ACCEPTED] += sum(is_fresh)
                totals[DUPLICATE] -= sum(is_fresh)
            for name, count in totals.items():
                if count:
                    self._pool.count(name, count)
        return [self._answer(own) for own in outcomes]

    def _answer(self, own: list[str] | None) -> Answer:
        if own is None:
            return UnknownSurveyError()
        if EARLY in own:
            return EarlyError(own.count(EARLY))
        return Receipt(tuple(own))

    def _screen(self, payload: bytes | Damage, now: float) -> Sealed | str | None:
        """A report that may wait, or why it is rejected; None if its question is not
        known.
        """
        if isinstance(payload, Damage):
            return "frame-damaged"
        try:
            sealed = decode_sealed_report(payload)
        except WireError as error:
            return error.reason
        size = self._sizes.get(sealed.fingerprint)
        if size is None:
            return None
        if len(sealed.envelope) != size:
            return "report-width"
        epoch = self._epoch(sealed)
        if not epoch.length:
            return sealed
        crowd = Crowd(sealed.fingerprint, epoch)
        keeps_on = self._terms.unripe == KEEP and crowd in self.waiting
        if is_over(crowd, self._closed) and not keeps_on:
            # A clock that went back may have closed the epoch by mistake: that can be
            # mended.
            is_back = self._seen.get(epoch.length, -1) > epoch_at(now, epoch.length)
            if is_back:
                return EARLY
            return "late"
        if epoch.number <= epoch_at(now + AHEAD, epoch.length):
            return sealed
        return EARLY

    def _epoch(self, sealed: Sealed) -> Epoch:
        length = self._catalogue.envelopes[sealed.fingerprint].epoch
        if length is None:
            return EVER
        return Epoch(length, epoch_of(sealed.id))

    def _look(self) -> None:
        """Make batches of what is ripe, and close epochs."""
        now = self._clock()
        if self._condition.failure is not None:
            return
        try:
            with self._changing():
                self._close_epochs(now)
                for crowd, number in self._pool.waiting().items():
                    self._look_at(crowd, number)
                # Epochs of which something still waits are not over.
                waiting = {crowd.epoch for crowd in self._pool.waiting()}
                for epoch in self._pool.epochs():
                    is_closed = epoch.number <= self._pool.closed_epochs().get(
                        epoch.length, -1
                    )
                    if epoch.length and is_closed and epoch not in waiting:
                        self._pool.forget(epoch)
        except StoreError as error:
            self._condition.note(error)
        except Exception:  # our own mistake: reports are taken all the same
            self.lasting.note("due", "what was due could not be done", traceback=True)

    def _close_epochs(self, now: float) -> None:
        """Close the epochs that are over, unless the clock has jumped."""
        pool = self._pool
        lengths = self._catalogue.lengths
        closed, seen = pool.closed_epochs(), pool.latest_epochs()
        known = presume_epochs(seen, pool.epochs(), graces_of(self._surveys), now=now)
        jumped = {} if self._confirmed else jumps(known, lengths, now)
        begun = lengths if self._confirmed else known
        self._confirmed = False
        self.clock_trouble = in_words(jumped, {}, now)
        if self.clock_trouble is not None:
            self.lasting.note("clock", self.clock_trouble)
            return
        for length, number in closing(self._surveys, now).items():
            if length not in begun:
                continue
            # What a clock closed that was ahead is open again once the right one is
            # confirmed, but for what has begun: its ids are forgotten.
            present = max(0, epoch_at(now, length))
            last = max(number, min(closed.get(length, -1), present))
            pool.note_epochs(length, last, present)

    def _look_at(self, crowd: Crowd, number: int) -> None:
        pool, terms = self._pool, self._terms
        closed = pool.closed_epochs()
        if is_ripe(crowd, number, terms, closed=closed):
            parts = mix(crowd, pool.take_out(crowd), terms)
            for part in parts:
                pool.keep_part(part.id, part.frame)
            pool.count("mixed", number)
            pool.count("batches", 1)
            _log.info("a batch of %s reports was mixed", f"{number:,}")
        elif crowd.epoch.length and is_over(crowd, closed) and terms.unripe != KEEP:
            pool.take_out(crowd)
            pool.count("discarded", number)
            _log.warning(
                (
                    "an epoch closed with fewer than %s reports to one question: they "
                    "were discarded"
                ),
                f"{terms.least:,}",
            )

    def _do(self, task: Callable[[Pool], Any], future: Future[Any]) -> None:
        try:
            if self._condition.failure is not None:
                raise self._condition.failure
            with self._changing():
                result = task(self._pool)
            future.set_result(result)
        except StoreError as error:
            self._condition.note(error)
            future.set_exception(error)
        except Exception as error:  # whose task it was hears of it
            future.set_exception(error)

    def _look_for_room(self) -> None:
        """See whether something could be written, if nothing was for a while."""
        condition = self._condition
        if (
            condition.failure is None
            and time.monotonic() - condition.tried >= ROOM_EVERY
        ):
            condition.tried = time.monotonic()
            try:
                if condition.obstacle is not None:
                    self._pool.look_for_room()
                    condition.went_well()
            except StoreError as error:
                condition.note(error)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction; what the pool says is taken over after the commit."""
        pool = self._pool
        with pool.changing():
            yield
        self.counts, self.waiting = pool.counts(), pool.waiting()
        self.parts = pool.parts_waiting()
        self._closed, self._seen = pool.closed_epochs(), pool.latest_epochs()
        self._condition.went_well()

    def _pause(self) -> float:
        """Seconds until the next look, uniformly up to twice the average."""
        return 2 * self._every * randbelow(_GRAIN, system) / _GRAIN


def _names(sealed: Sealed) -> tuple[bytes, ...]:
    """Return the ids of an envelope, which opens for nothing but its own question and
    epoch.
    """
    return sealed.id, sealed.fingerprint + sealed.envelope
