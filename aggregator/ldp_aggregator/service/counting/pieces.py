"""Uploads in pieces, so that none keeps the others waiting for long.

For someone new to it: one thread counts everything, and a body of 16 MiB may be a quarter of a
million batches, or nothing but damage that has to be searched for the next frame. Counted as a
whole, it would stand in everyone's way for seconds.

    light   a few KiB, or a single frame that is sound: taken whole, as many in a turn as fit
    heavy   anything else: taken piece by piece

What has more than a few KiB is cut into frames by a thread beside the writer, which finds out what
it is: what looks like one large frame may be damage around thousands of sound ones.

Rules
- A turn takes one piece of one heavy submission, by turns. A connection has one upload at a time,
  so whoever sends heavy ones shares one piece a turn with all others who do.
- A heavy submission is answered once its last piece lasts. If a piece cannot be counted, no one
  knows of the rest: sent again, what was counted is a duplicate.
- What comes from a source is taken whole, in one transaction with its mark; and what comes from a
  relay, with what is kept of its batch.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple

from ldp.wire import Damage, read_frames
from ldp_aggregator.service.counting.submissions import EARLY, EarlyError, Receipt, Submission

LIGHT = 8 << 10
"""Bytes of a body that is light, whatever it holds."""
MOST_FRAMES = 256
MOST_BYTES = 256 << 10
"""Frames, and bytes of them, in a piece, unless it is one frame that is larger."""

Payload = bytes | Damage


class Piece(NamedTuple):
    """A part of a submission, or all of it; the last one brings its answer."""

    submission: Submission
    payloads: list[Payload]
    is_last: bool = True


@dataclass(slots=True)
class _Heavy:
    submission: Submission
    pieces: deque[list[Payload]] = field(default_factory=deque)


def answer_to(piece: Piece, outcome: tuple[str, ...]) -> Receipt | EarlyError | None:
    """What to tell a submission after one of its pieces; None before the last."""
    submission = piece.submission
    if piece.is_last and not submission.told:
        receipt = Receipt(outcome)
    else:
        submission.told += outcome
        submission.counted = (submission.counted or Counter()) + Counter(outcome)
        if not piece.is_last:
            return None
        receipt = Receipt(tuple(submission.told), submission.counted)
    if not submission.waits:
        return receipt
    counted = submission.counted
    early = outcome.count(EARLY) if counted is None else counted[EARLY]
    return EarlyError(early) if early else receipt


def is_large(submission: Submission) -> bool:
    """Whether it has to be looked at before it is known how it is taken."""
    return len(submission.body) > LIGHT and not submission.marks and submission.mixed is None


class Cutter:
    """The thread that cuts large submissions.

    What is light is handed on to `ready`; when there is a piece of something heavy, `WAKE` is.
    """

    def __init__(self, ready: SimpleQueue[Submission | Piece | None]) -> None:
        self._ready = ready
        self._coming: SimpleQueue[Submission | None] = SimpleQueue()
        self._lock = Lock()
        self._waiting: deque[_Heavy] = deque()
        self._thread = Thread(target=self._run, name="ldp-cutter", daemon=True)
        self._thread.start()

    def cut(self, submission: Submission) -> None:
        """Take a submission in; its pieces will come."""
        self._coming.put(submission)

    def close(self) -> None:
        """Cut what was taken in, and end."""
        self._coming.put(None)
        self._thread.join()

    def next(self) -> Piece | None:
        """A piece of whose turn it is, if there is any."""
        with self._lock:
            if not self._waiting:
                return None
            heavy = self._waiting.popleft()
            payloads = heavy.pieces.popleft()
            if heavy.pieces:
                self._waiting.append(heavy)
            return Piece(heavy.submission, payloads, is_last=not heavy.pieces)

    def drop(self, submission: Submission) -> None:
        """Forget what is left of a submission."""
        with self._lock:
            left = [heavy for heavy in self._waiting if heavy.submission is not submission]
            self._waiting = deque(left)

    def _run(self) -> None:
        while (submission := self._coming.get()) is not None:
            payloads = read_frames(submission.body)
            if len(payloads) == 1:
                self._ready.put(Piece(submission, payloads))
                continue
            heavy = _Heavy(submission, deque(_pieces(payloads)))
            with self._lock:
                self._waiting.append(heavy)
            self._ready.put(WAKE)


def _pieces(payloads: list[Payload]) -> Iterator[list[Payload]]:
    piece: list[Payload] = []
    size = 0
    for payload in payloads:
        more = len(payload) if isinstance(payload, bytes) else 0
        if piece and (len(piece) == MOST_FRAMES or size + more > MOST_BYTES):
            yield piece
            piece, size = [], 0
        piece.append(payload)
        size += more
    yield piece


WAKE = Submission(b"", None, lambda _: None)
"""What wakes a writer that waits: there is a piece."""
