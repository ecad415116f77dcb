"""Uploads in pieces, so that none keeps the others waiting for long.

For someone new to it: one thread counts everything, and a body of 16 MiB may be a
quarter of a million batches, or nothing but damage that has to be searched for the next
frame. Counted as a whole, it would stand in everyone's way for seconds.

    light   a few KiB, or a single frame that is sound: taken whole, as many in a turn
            as fit
    heavy   anything else: taken piece by piece

What has more than a few KiB is cut into frames by a thread beside the writer, which
finds out what it is: what looks like one large frame may be damage around thousands of
sound ones. What can be no batch is damage there, and one stretch of it is rejected as
one.

Rules
- A turn takes one piece of one heavy submission, by turns. A connection has one upload
  at a time, so whoever sends heavy ones shares one piece a turn with all others who do.
- A piece is as large as can be counted in a moment, by how long the last one took: many
  small ones would wait for the disk, one after the other.
- A heavy submission is answered once its last piece lasts. If a piece cannot be
  counted, no one knows of the rest: sent again, what was counted is a duplicate.
- A heavy submission is not counted to its end once its sender has gone, or the service
  stops: it was not acknowledged, and will come again.
- What comes from a source is taken whole, in one transaction with its mark; and what
  comes from a relay, with what is kept of its batch.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple

from ldp.wire.wire import Damage, read_frames
from ldp_service.counting.submissions import EARLY, EarlyError, Receipt, Submission

LIGHT = 8 << 10
"""Bytes of a body that is light, whatever it holds."""
MOMENT = 0.03
"""Seconds in which a piece should be counted."""
LEAST_FRAMES, MOST_FRAMES = 256, 1 << 14
MOST_BYTES = 256 << 10
"""Bound the frames of a piece, and the bytes of them unless it is one frame that is
larger.
"""
SHORTEST = 36
"""Bytes of a payload below which it is no batch: it has a fingerprint and an id."""

Payload = bytes | Damage


class Piece(NamedTuple):
    """A part of a submission, or all of it; the last one brings its answer."""

    submission: Submission
    payloads: list[Payload]
    is_last: bool = True


@dataclass(slots=True)
class _Heavy:
    submission: Submission
    payloads: list[Payload]
    taken: int = 0

    def piece(self, frames: int) -> Piece:
        """Take the next piece, of at most this many frames."""
        end = start = self.taken
        size = 0
        for payload in self.payloads[start : start + frames]:
            size += len(payload) if isinstance(payload, bytes) else 0
            if size > MOST_BYTES and end > start:
                break
            end += 1
        self.taken = end
        is_last = end == len(self.payloads)
        return Piece(self.submission, self.payloads[start:end], is_last=is_last)


def answer_to(piece: Piece, outcome: tuple[str, ...]) -> Receipt | EarlyError | None:
    """Return the answer to a submission after one of its pieces; None before the
    last.
    """
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
    if early:
        return EarlyError(early)
    return receipt


def is_large(submission: Submission) -> bool:
    """Whether it has to be looked at before it is known how it is taken."""
    return (
        len(submission.body) > LIGHT
        and not submission.marks
        and submission.mixed is None
    )


class Cutter:
    """The thread that cuts large submissions.

    What is light is handed on to `ready`; when there is a piece of something heavy,
    `WAKE` is.
    """

    def __init__(self, ready: SimpleQueue[Submission | Piece | None]) -> None:
        self._ready = ready
        self._coming: SimpleQueue[Submission | None] = SimpleQueue()
        self._lock = Lock()
        self._waiting: deque[_Heavy] = deque()
        self._frames = LEAST_FRAMES
        self._stopping = False
        self._thread = Thread(target=self._run, name="ldp-cutter", daemon=True)
        self._thread.start()

    def cut(self, submission: Submission) -> None:
        """Take a submission in; its pieces will come."""
        self._coming.put(submission)

    def close(self) -> None:
        """Let go of what is heavy, and end."""
        self._stopping = True
        self._coming.put(None)
        self._thread.join()

    def next(self) -> Piece | None:
        """A piece of whose turn it is, if there is any."""
        with self._lock:
            if not self._waiting:
                return None
            heavy = self._waiting.popleft()
            heavy.submission.wanted &= not self._stopping
            piece = heavy.piece(self._frames if heavy.submission.wanted else 0)
            if not piece.is_last:
                self._waiting.append(heavy)
            return piece

    def note(self, piece: Piece, seconds: float) -> None:
        """Learn from how long a piece took to be counted how large one may be."""
        frames = int(len(piece.payloads) * MOMENT / max(seconds, 1e-9))
        if len(piece.payloads) >= LEAST_FRAMES:
            self._frames = min(max(frames, LEAST_FRAMES), MOST_FRAMES)

    def drop(self, submission: Submission) -> None:
        """Forget what is left of a submission."""
        with self._lock:
            left = [
                heavy for heavy in self._waiting if heavy.submission is not submission
            ]
            self._waiting = deque(left)

    def _run(self) -> None:
        while (submission := self._coming.get()) is not None:
            submission.wanted &= not self._stopping
            payloads = []
            if submission.wanted:
                payloads = _by_stretch(read_frames(submission.body))
            if len(payloads) == 1:
                self._ready.put(Piece(submission, payloads))
                continue
            with self._lock:
                self._waiting.append(_Heavy(submission, payloads))
            self._ready.put(WAKE)


def _by_stretch(payloads: list[Payload]) -> list[Payload]:
    """Take what is too short for a batch for damage, and damage beside damage for one
    stretch.
    """
    joined: list[Payload] = []
    for payload in payloads:
        if isinstance(payload, bytes) and len(payload) >= SHORTEST:
            joined.append(payload)
        elif not joined or isinstance(joined[-1], bytes):
            joined.append(Damage(0, 0))
    return joined


WAKE = Submission(b"", None, lambda _: None)
"""What wakes a writer that waits: there is a piece."""
