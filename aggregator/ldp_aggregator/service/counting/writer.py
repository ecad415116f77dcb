"""The writer: one thread that counts what was submitted, and answers once it will last.

    turn    everything that waits, up to a limit: cut, screen, claim ids, count, commit; then all
            answers at once

Rules
- While one turn is being committed the next one collects: the slower the disk, the more submissions
  share its syncs.
- The order within a turn does not reach the store. Of two batches with one id the first counts.
- If a turn cannot be committed, no one in it gets a receipt. After a full disk the next turn tries
  again; after a lost connection the books are opened anew; after any other trouble with the store
  nothing is taken any more.
- Whether it could write is known without uploads: while nothing is committed it looks for room
  every few seconds, and after a failure it commits a turn of nothing to see whether that is over.
  A balancer that sends nothing to a service that is not ready would else wait for ever.
- A submission that makes us fail otherwise is tried by itself, so that it takes no other down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

from ldp.errors import LDPError
from ldp_aggregator.service.counting.admission import Admission, Rules
from ldp_aggregator.service.counting.books import Books
from ldp_aggregator.service.counting.housekeeping import BACK_EVERY, EVERY, define, look_around
from ldp_aggregator.service.counting.lasting import Lasting
from ldp_aggregator.service.counting.served import Catalogue
from ldp_aggregator.service.counting.submissions import (
    Answer,
    Answers,
    BusyError,
    InternalError,
    Receipt,
    Submission,
    to_futures,
)
from ldp_aggregator.service.counting.turn import begin
from ldp_aggregator.service.store.errors import StoreError, StoreFullError, StoreLostError
from ldp_aggregator.service.store.store import Store

MOST_IN_TURN = 4096
MOST_BYTES_IN_TURN = 8 << 20
MOST_WAITING = 1 << 15
MOST_BYTES_WAITING = 96 << 20
_IDLE = 1.0
_PAUSE = 2.0
ROOM_EVERY = 3.0
"""Seconds without a commit after which the writer looks whether it could make one."""


class Writer:
    """Writes to the store that `open_store` gives.

    Raises `StoreError` if its books are not in order.

    `on_failure` is called, from the writer's thread, when nothing can be taken any more.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        catalogue: Catalogue,
        rules: Rules = Rules(),  # noqa: B008  # a tuple
        *,
        clock: Callable[[], float] = time.time,
        on_failure: Callable[[StoreError], None] = lambda _: None,
    ) -> None:
        self._open_store = open_store
        self._catalogue = catalogue
        self._rules = rules
        self._clock = clock
        self._on_failure = on_failure
        self._admission = Admission(catalogue, rules)
        self._queue: SimpleQueue[Submission | None] = SimpleQueue()
        self._lock = Lock()
        self._waiting = self._waiting_bytes = 0
        self._stopping = Event()
        self._looked = self._took_back = float("-inf")
        self._tried = time.monotonic()
        self._obstacle: StoreError | None = None
        self.failure: StoreError | None = None
        self.lasting = Lasting()
        self.turns = 0
        self.busy_seconds = 0.0
        self._books: Books | None = self._opened()
        self._thread = Thread(target=self._run, name="ldp-writer", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Why submissions are not taken, as far as is known; None if they are."""
        trouble = self.failure or self._obstacle
        if trouble is not None:
            return str(trouble)
        if self._stopping.is_set():
            return "expected to write to the store, but the service stops"
        return None

    @property
    def waiting(self) -> int:
        """Submissions that have no answer yet."""
        return self._waiting

    @property
    def marks(self) -> dict[str, bytes]:
        """How far each source has been read."""
        return {} if self._books is None else dict(self._books.marks)

    def submit(self, submission: Submission) -> None:
        """Hand it over.

        Raises `BusyError` or `StoreError`; then nothing was taken, and there will be no answer.
        """
        if self.failure is not None:
            raise self.failure
        with self._lock:
            full = (
                self._waiting >= MOST_WAITING
                or self._waiting_bytes + len(submission.body) > MOST_BYTES_WAITING
            )
            if full or self._stopping.is_set():
                raise BusyError
            self._waiting += 1
            self._waiting_bytes += len(submission.body)
            # Under the lock, so that nothing comes behind the end that `close` puts there.
            self._queue.put(submission)

    def write(self, body: bytes, marks: dict[str, bytes] | None = None) -> Receipt:
        """Submit bytes and wait for what became of them.

        Raises `BusyError`, `StoreError` or `InternalError`.
        """
        future: Future[Receipt] = Future()
        self.submit(Submission(body, future, to_futures, marks=marks or {}))
        return future.result()

    def close(self) -> None:
        """Finish what waits, and close the store."""
        with self._lock:
            if not self._stopping.is_set():
                self._stopping.set()
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        try:
            while (submissions := self._next()) is not None:
                started = time.perf_counter()
                if submissions:
                    self._take(submissions)
                self._look_for_room()
                self._look_around()
                self.busy_seconds += time.perf_counter() - started
        finally:
            if self._books is not None:
                self._books.store.close()

    def _next(self) -> list[Submission] | None:
        """What waits, up to the limits of a turn; nothing if nothing came for a while.

        None at the end.
        """
        batch: list[Submission] = []
        size = 0
        try:
            first = self._queue.get(timeout=_IDLE)
            while first is not None:
                batch.append(first)
                size += len(first.body)
                if len(batch) >= MOST_IN_TURN or size >= MOST_BYTES_IN_TURN:
                    return batch
                first = self._queue.get_nowait()
        except Empty:
            return batch
        if batch:
            self._queue.put(None)
            return batch
        return None

    def _take(self, submissions: Sequence[Submission]) -> None:
        answers: list[Answer]
        try:
            # What was handed over before the store failed, with some turn of housekeeping, is not
            # taken either.
            failure = self.failure
            answers = [failure] * len(submissions) if failure else [*self._turn(submissions)]
        except StoreError as error:
            answers = [self._trouble(error)] * len(submissions)
        except Exception as error:
            if len(submissions) > 1:
                for submission in submissions:
                    self._take([submission])
                return
            self.lasting.note("internal", "a submission could not be counted", traceback=True)
            answers = [InternalError(error)]
        with self._lock:
            self._waiting -= len(submissions)
            self._waiting_bytes -= sum(len(submission.body) for submission in submissions)
        self._hand_out(submissions, answers)

    def _turn(self, submissions: Sequence[Submission]) -> list[Receipt]:
        books = self._books = self._books or self._opened()
        with begin(books) as turn:
            bodies = [submission.body for submission in submissions]
            outcomes = self._admission.take(turn, bodies, self._clock())
            for submission in submissions:
                for source, place in submission.marks.items():
                    turn.mark(source, place)
        self._went_well()
        self.turns += 1
        return [Receipt(of_submission) for of_submission in outcomes]

    def _look_for_room(self) -> None:
        """See whether something could be written, if nothing was for a while."""
        if self.failure is not None or time.monotonic() - self._tried < ROOM_EVERY:
            return
        self._tried = time.monotonic()
        try:
            books = self._books = self._books or self._opened()
            books.store.look_for_room()
            if self._obstacle is not None:
                with begin(books):
                    pass
                self._went_well()
        except StoreError as error:
            self._trouble(error)

    def _went_well(self) -> None:
        self._tried = time.monotonic()
        if self._obstacle is not None:
            self._obstacle = None
            self.lasting.over("the store can be written to again")

    def _look_around(self) -> None:
        """Do what is due by the clock."""
        now = self._clock()
        if self._books is None or self.failure is not None or 0 <= now - self._looked < EVERY:
            return
        back = not 0 <= now - self._took_back < BACK_EVERY
        try:
            more = look_around(
                self._books, self._admission, self._catalogue, rules=self._rules, now=now, back=back
            )
            if more:
                return
        except StoreError as error:
            self._trouble(error)
        except Exception:  # our own mistake: uploads go on, and the next look may do better
            self.lasting.note("due", "what was due could not be done", traceback=True)
        self._looked = now
        self._took_back = now if back else self._took_back

    def _opened(self) -> Books:
        store = self._open_store()
        try:
            books = Books(store, self._catalogue.tallied)
            define(books, self._catalogue)
            return books
        except BaseException:
            store.close()
            raise

    def _trouble(self, error: StoreError) -> LDPError:
        """What to do after an error of the store, and what to tell those who wait."""
        self._tried = time.monotonic()
        if isinstance(error, StoreFullError):
            self._obstacle = error
            self.lasting.note("full", error)
            return BusyError(wait=30)
        books, self._books = self._books, None
        if books is not None:
            books.store.close()
        if isinstance(error, StoreLostError):
            self._obstacle = error
            self.lasting.note("lost", error)
            self._stopping.wait(_PAUSE)
            return BusyError(wait=5)
        self.lasting.note("failed", error)
        self.failure = error
        self._on_failure(error)
        return error

    @staticmethod
    def _hand_out(submissions: Sequence[Submission], answers: Sequence[Answer]) -> None:
        by_place: dict[Callable[[Answers], None], list[tuple[Any, Answer]]] = {}
        for submission, answer in zip(submissions, answers, strict=True):
            by_place.setdefault(submission.answer, []).append((submission.ticket, answer))
        for place, those in by_place.items():
            place(those)
