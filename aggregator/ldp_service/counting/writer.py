"""The writer: one thread that counts what was submitted, and answers once it will last.

    turn    everything that waits, up to a limit, and a piece of what is heavy
            (`pieces`): cut, screen, claim ids, count, commit; then all answers at once

Rules
- While one turn is being committed the next one collects: the slower the disk, the more
  submissions share its syncs.
- The order within a turn does not reach the store. Of two batches with one id the first
  counts.
- If a turn cannot be committed, no one in it gets a receipt. After a full disk the next
  turn tries again; after a lost connection the books are opened anew; after any other
  trouble with the store nothing is taken any more.
- Whether it could write is known without uploads: while nothing is committed it looks
  for room every few seconds, and after a failure it commits a turn of nothing to see
  whether that is over. A balancer that sends nothing to a service that is not ready
  would else wait for ever.
- A submission that makes us fail otherwise is tried by itself, so that it takes no
  other down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread

from ldp.errors import LDPError
from ldp_service.counting.admission import Admission, Rules
from ldp_service.counting.books import Books
from ldp_service.counting.clock import check_confirmable, in_words
from ldp_service.counting.housekeeping import (
    BACK_EVERY,
    EVERY,
    define,
    jumps_of,
    look_around,
    name,
    promise,
    to_close,
)
from ldp_service.counting.persistent_errors import PersistentErrors
from ldp_service.counting.pieces import Piece, answer_to
from ldp_service.counting.publication import LIVE, Publication, Publisher
from ldp_service.counting.served import Catalogue
from ldp_service.counting.submission_queue import SubmissionQueue
from ldp_service.counting.submissions import (
    Answer,
    EarlyError,
    InternalError,
    OverloadError,
    Receipt,
    Submission,
    hand_out,
    to_futures,
)
from ldp_service.counting.turn import begin
from ldp_service.counting.writer_health import WriterHealth
from ldp_service.store.errors import StoreError, StoreFullError, StoreLostError
from ldp_service.store.proof import prove
from ldp_service.store.records import ended_in
from ldp_service.store.store import Store

_PAUSE = 2.0
ROOM_EVERY = 3.0
"""Seconds without a commit after which the writer looks whether it could make one."""


class Writer:
    """Writes to the store that `open_store` gives.

    Raises `StoreError` if its books are not in order.

    `on_failure` is called, from the writer's thread, when nothing can be taken any
    more.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        catalogue: Catalogue,
        rules: Rules = Rules(),  # noqa: B008  # a tuple
        *,
        publication: Publication = LIVE,
        clock: Callable[[], float] = time.time,
        confirm_clock: bool = False,
        on_failure: Callable[[StoreError], None] = lambda _: None,
    ) -> None:
        self._open_store = open_store
        self._catalogue = catalogue
        self._rules = rules
        self._clock = clock
        self._confirmed = confirm_clock
        self.clock_trouble: str | None = None
        """What is wrong with the clock, in words, as of the last look at it."""
        self._admission = Admission(catalogue, rules)
        self._publisher = Publisher(catalogue, publication)
        self._stopping = Event()
        self._looked = self._took_back = float("-inf")
        self._used: set[int] = set()
        self.lasting = PersistentErrors()
        self._condition = WriterHealth(self.lasting, on_failure, time.monotonic)
        self._unsound: StoreError | None = None
        self.turns = 0
        self.early = 0
        """Early batches of uploads that were told to come again."""
        self.busy_seconds = 0.0
        self._ending: SimpleQueue[tuple[tuple[bytes, ...], Future[None]]] = (
            SimpleQueue()
        )
        self._books: Books | None = self._open()
        self._line = SubmissionQueue()
        self._thread = Thread(target=self._run, name="ldp-writer", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """Why submissions are not taken, as far as is known; None if they are."""
        if self._condition.trouble is None and self._stopping.is_set():
            return "expected to write to the store, but the service stops"
        return self._condition.trouble

    @property
    def failure(self) -> StoreError | None:
        """Error of the store when nothing could be taken any more; None before that."""
        return self._condition.failure

    @property
    def waiting(self) -> int:
        """Submissions that have no answer yet."""
        return self._line.waiting

    @property
    def marks(self) -> dict[str, bytes]:
        """How far each source has been read."""
        if self._books is None:
            return {}
        return dict(self._books.marks)

    @property
    def closed_questions(self) -> frozenset[bytes]:
        """Questions and groups that take no more reports."""
        if self._books is None:
            return frozenset()
        return frozenset(self._books.ended)

    def submit(self, submission: Submission) -> None:
        """Hand it over.

        Raises `OverloadError` or `StoreError`; then nothing was taken, and there will
        be no answer.
        """
        if self.failure is not None:
            raise self.failure
        self._line.put(submission)

    def confirm_clock(self) -> None:
        """Take the clock for right at a look that is taken soon, whether or not it has
        jumped.
        """
        self._confirmed = True
        self._looked = float("-inf")

    def end(self, fingerprints: Iterable[bytes]) -> None:
        """Take no more reports to these questions and groups, and show all that came,
        once.

        Raises `StoreError` unless that lasts.
        """
        if self.trouble is not None:
            raise StoreError(self.trouble)
        ended: Future[None] = Future()
        self._ending.put((tuple(fingerprints), ended))
        self._line.wake()
        ended.result()

    def write(self, body: bytes, marks: dict[str, bytes] | None = None) -> Receipt:
        """Submit bytes and wait for what became of them.

        Raises `OverloadError`, `StoreError` or `InternalError`.
        """
        future: Future[Receipt] = Future()
        self.submit(Submission(body, future, to_futures, marks=marks or {}))
        return future.result()

    def close(self) -> None:
        """Finish what waits and is light, and close the store."""
        self._stopping.set()
        self._line.close()
        self._thread.join()

    def _run(self) -> None:
        try:
            while (pieces := self._line.next()) is not None:
                started = time.perf_counter()
                self._stop_if_unsound()
                if pieces:
                    self._take(pieces)
                self._end_surveys()
                self._publish()
                self._look_for_room()
                self._do_due_work()
                self.busy_seconds += time.perf_counter() - started
        finally:
            self._end_surveys()
            self._publish(at_once=True)
            if self._books is not None:
                self._books.store.close()

    def _end_surveys(self) -> None:
        """Do what `end` has asked for."""
        with suppress(Empty):
            while True:
                fingerprints, ended = self._ending.get_nowait()
                try:
                    books = self._books = self._books or self._open()
                    with begin(books, alone=True) as turn:
                        for fingerprint in fingerprints:
                            turn.write("ended", fingerprint, b"")
                    self._publish(at_once=True)
                    ended.set_result(None)
                except StoreError as error:
                    self._trouble(error)
                    ended.set_exception(error)

    def _take(self, pieces: Sequence[Piece]) -> None:
        answers: list[tuple[str, ...] | LDPError]
        try:
            # What was handed over before the store failed, with some turn of
            # housekeeping, is not taken either.
            failure = self.failure
            answers = [failure] * len(pieces) if failure else self._turn(pieces)
        except StoreError as error:
            answers = [self._trouble(error)] * len(pieces)
        except Exception as error:
            if len(pieces) > 1:
                for piece in pieces:
                    self._take([piece])
                return
            self.lasting.note(
                "internal", "a submission could not be counted", traceback=True
            )
            answers = [InternalError(error)]
        done = [
            (piece.submission, answer)
            for piece, outcome in zip(pieces, answers, strict=True)
            if (answer := self._answer(piece, outcome)) is not None
        ]
        self._line.leave([submission for submission, _ in done])
        self._hand_out(done)

    def _answer(
        self, piece: Piece, outcome: tuple[str, ...] | LDPError
    ) -> Answer | None:
        """Return the answer to a submission after one of its pieces; None before the
        last.
        """
        if not piece.submission.wanted:
            outcome = OverloadError()
        if isinstance(outcome, LDPError):
            self._line.drop(piece.submission)
            return outcome
        answer = answer_to(piece, outcome)
        if isinstance(answer, EarlyError):
            self.early += answer.batches
        return answer

    def _turn(self, pieces: Sequence[Piece]) -> list[tuple[str, ...] | LDPError]:
        books = self._books = self._books or self._open()
        with begin(books) as turn:
            started = time.perf_counter()
            answers = self._admission.take_pieces(turn, pieces, self._clock())
            self._line.note(pieces[-1], time.perf_counter() - started)
            for piece in pieces:
                for source, place in piece.submission.marks.items():
                    turn.mark(source, place)
        self._went_well()
        self.turns += 1
        return answers

    def _look_for_room(self) -> None:
        """See whether something could be written, if nothing was for a while."""
        condition = self._condition
        if (
            condition.failure is not None
            or time.monotonic() - condition.tried < ROOM_EVERY
        ):
            return
        condition.tried = time.monotonic()
        try:
            books = self._books = self._books or self._open()
            doubted = condition.obstacle is not None
            books.store.look_for_room(doubted=doubted)
            if doubted:
                with begin(books):
                    pass
                self._went_well()
        except StoreError as error:
            self._trouble(error)

    def _went_well(self) -> None:
        self._condition.went_well()

    def _publish(self, *, at_once: bool = False) -> None:
        """Let more be looked at, where enough has come."""
        if self._books is None or self.failure is not None:
            return
        try:
            self._publisher.look(self._books, at_once=at_once)
        except StoreError as error:
            self._trouble(error)
        except Exception:  # our own mistake: uploads go on
            self.lasting.note("due", "what is due could not be shown", traceback=True)

    def _do_due_work(self) -> None:
        """Do what is due by the clock."""
        now = self._clock()
        if self._books is None or self.failure is not None:
            return
        # What comes for the first time in epochs of some length says where the clock
        # should be.
        before, self._used = self._used, {epoch.length for epoch in self._books.ids}
        if 0 <= now - self._looked < EVERY and self._used <= before:
            return
        back = not 0 <= now - self._took_back < BACK_EVERY
        # Before the look, as it may be confirmed anew meanwhile.
        self._looked = now
        confirmed, self._confirmed = self._confirmed, False
        try:
            jumped = jumps_of(self._books, self._catalogue, now) and not confirmed
            closing = {}
            if not jumped:
                closing = to_close(
                    self._books, self._catalogue, now, confirmed=confirmed
                )
            # Another process may have closed a survey.
            self._books.ended = ended_in(self._books.store)
            if closing or self._books.ended:
                self._publisher.look(self._books, closing=closing, at_once=True)
            more = look_around(
                self._books,
                self._admission,
                self._catalogue,
                rules=self._rules,
                now=now,
                back=back,
                confirmed=confirmed,
            )
            jumps = jumps_of(self._books, self._catalogue, now)
            self.clock_trouble = in_words(jumps, self._books.closed, now)
            if self.clock_trouble is not None:
                self.lasting.note("clock", self.clock_trouble)
            if more:
                self._looked = float("-inf")
                return
        except StoreError as error:
            self._confirmed |= confirmed
            self._trouble(error)
        except (
            Exception
        ):  # our own mistake: uploads go on, and the next look may do better
            self.lasting.note("due", "what was due could not be done", traceback=True)
        self._took_back = now if back else self._took_back

    _hand_out = staticmethod(hand_out)

    def _open(self) -> Books:
        store = self._open_store()
        try:
            books = Books(store, self._catalogue.tally_parts)
            if self._confirmed:
                check_confirmable(books.closed, self._clock())
            define(books, self._catalogue)
            promise(books, self._catalogue)
            name(books)
            self._publisher.start(books)
            if books.unproven:
                Thread(
                    target=prove,
                    args=(store, self._hear_of_ids),
                    name="ldp-proof",
                    daemon=True,
                ).start()
            return books
        except BaseException:
            store.close()
            raise

    def _trouble(self, error: StoreError) -> LDPError:
        """React to an error of the store; return the error for those who wait."""
        books = self._books
        if not isinstance(error, StoreFullError) and books is not None:
            self._books = None
            books.store.close()
        answer = self._condition.note(error)
        if isinstance(error, StoreLostError):
            self._stopping.wait(_PAUSE)
        return answer

    def _hear_of_ids(self, error: StoreError) -> None:
        """Called from the thread that checks them; the writer's own takes it up."""
        self._unsound = error

    def _stop_if_unsound(self) -> None:
        """Write no more where the ids were not as they should be."""
        if self._unsound is not None and self.failure is None:
            self._trouble(self._unsound)
