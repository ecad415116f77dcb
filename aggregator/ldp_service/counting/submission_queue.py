"""Queue of the writer: light submissions as they came, heavy ones by pieces.

Rules
- So many submissions, and bytes of them, wait at most; more are told to come again.
- A turn takes light ones up to its limits, and one piece of a heavy one (`pieces`),
  which comes last.
"""

from __future__ import annotations

from collections.abc import Iterable
from queue import Empty, SimpleQueue
from threading import Lock

from ldp.wire.wire import read_frames
from ldp_service.counting.pieces import WAKE, Cutter, Piece, is_large
from ldp_service.counting.submissions import OverloadError, Submission

MOST_IN_TURN = 4096
MOST_BYTES_IN_TURN = 8 << 20
MOST_WAITING = 1 << 15
MOST_BYTES_WAITING = 96 << 20
MOST_MIXED = 128 << 10
"""Bytes in a turn of light bodies that are more than one frame: each may hold many
batches.
"""
_IDLE = 1.0


class SubmissionQueue:
    """Submissions that were handed over and have no answer yet."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Submission | Piece | None] = SimpleQueue()
        self._cutter = Cutter(self._queue)
        self._lock = Lock()
        self._bytes = 0
        self._closed = self._ended = False
        self.waiting = 0
        self.drop = self._cutter.drop
        self.note = self._cutter.note

    def put(self, submission: Submission) -> None:
        """Let one wait. Raises `OverloadError` if there is no room for it."""
        size = len(submission.body)
        with self._lock:
            full = (
                self.waiting >= MOST_WAITING or self._bytes + size > MOST_BYTES_WAITING
            )
            if full or self._closed:
                raise OverloadError
            self.waiting += 1
            self._bytes += size
            # Under the lock, so that nothing comes behind the end that `close` puts
            # there.
            if is_large(submission):
                self._cutter.cut(submission)
            else:
                self._queue.put(submission)

    def wake(self) -> None:
        """Let a writer that waits look at what it is asked besides."""
        self._queue.put(WAKE)

    def leave(self, submissions: Iterable[Submission]) -> None:
        """Note that some have their answer."""
        with self._lock:
            for submission in submissions:
                self.waiting -= 1
                self._bytes -= len(submission.body)

    def close(self) -> None:
        """Take no more; what is light is still handed out."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._cutter.close()
                self._queue.put(None)

    def next(self) -> list[Piece] | None:
        """Return waiting pieces, up to the limits of a turn; empty if nothing came for
        a while.

        None at the end.
        """
        heavy = self._cutter.next()
        pieces = self._light(wait=0.0 if heavy or self._ended else _IDLE)
        heavy = heavy or self._cutter.next()
        if heavy is not None:
            pieces.append(heavy)
        if self._ended and not pieces:
            return None
        return pieces

    def _light(self, wait: float) -> list[Piece]:
        """Return light submissions, which are taken whole."""
        light: list[Piece] = []
        size = mixed = 0
        take = self._queue.get_nowait
        try:
            item = self._queue.get(timeout=wait) if wait else take()
            while item is not None:
                if item is not WAKE:
                    piece = item if isinstance(item, Piece) else _whole(item)
                    light.append(piece)
                    more = len(piece.submission.body)
                    size += more
                    mixed += more if len(piece.payloads) != 1 else 0
                is_full = len(light) >= MOST_IN_TURN or size >= MOST_BYTES_IN_TURN
                if is_full or mixed >= MOST_MIXED:
                    return light
                item = take()
        except Empty:
            return light
        self._ended = True
        return light


def _whole(submission: Submission) -> Piece:
    return Piece(submission, read_frames(submission.body))
