"""Follower of a source: a thread that reads on, and marks how far it has read.

What it read is counted together with its mark.

Rules
- A mark is written in the transaction that counts what it stands for: after any kill a
  source is read from there.
- One delivery is under way at a time, so no mark lasts before all that was read ahead
  of it.
- While the writer cannot take a delivery it is tried again: nothing is skipped. After a
  lost connection no one knows whether the last commit lasted; if it did, the batches of
  that delivery are duplicates the second time.
- A piece that makes us fail otherwise must not stop the rest: it is skipped, and told
  in the log and in `skipped`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Event, Thread
from typing import NamedTuple

from ldp_aggregator.output.safe_cells import printable
from ldp_service.counting.submissions import InternalError, OverloadError
from ldp_service.counting.writer import Writer
from ldp_service.store.errors import StoreError

MOST_BYTES = 1 << 20
"""Bytes of a delivery, about; the writer takes many times that."""
_PAUSE = 2.0

_log = logging.getLogger("ldp.service")


class SourceFrames(NamedTuple):
    """Frames, and how far their source has been read at the end of them."""

    frames: bytes
    source: str
    place: bytes


class Stopped(Exception):  # noqa: N818  # not an error
    """The follower has been told to stop."""


class Follower:
    """Follows one source; `_follow` says how."""

    def __init__(self, name: str, writer: Writer) -> None:
        self.name = name
        self.failure: str | None = None
        """Why it stands still, in words, if it does."""
        self.skipped = 0
        """Pieces that could not be counted, and were passed over, since it began."""
        self._writer = writer
        self._stopping = Event()
        self._thread = Thread(target=self._run, name=f"ldp-{name}", daemon=True)

    def start(self) -> None:
        """Begin to read, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what was begun. Harmless for one that never was started."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _follow(self) -> None:
        """Read on, and deliver, until stopped; after an error it is called again."""
        raise NotImplementedError

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._follow()
            except Stopped:
                return
            # Whatever it is: the next attempt may do better, and the log says so.
            except Exception as error:
                self._fail(error)
                self._stopping.wait(_PAUSE)

    def _fail(self, error: object) -> None:
        """Say, once, why it stands still."""
        if self.failure != str(error):
            self.failure = str(error)
            _log.error("%s: %s", printable(self.name), printable(str(error)))

    def _deliver(self, pieces: Sequence[SourceFrames]) -> None:
        """Return when all pieces are counted, and their marks last.

        Raises `Stopped`; then no one knows of either.
        """
        marks = {piece.source: piece.place for piece in pieces}
        try:
            self._write(b"".join([piece.frames for piece in pieces]), marks)
        except InternalError as error:
            if len(pieces) > 1:
                for piece in pieces:
                    self._deliver([piece])
                return
            [piece] = pieces
            _log.error(
                "%s: skipped what leads to %s in %s: %s",
                self.name,
                piece.place.hex(),
                printable(piece.source),
                error,
            )
            self.skipped += 1
            self._write(b"", marks)

    def _write(self, body: bytes, marks: dict[str, bytes]) -> None:
        while not self._stopping.is_set():
            try:
                self._writer.write(body, marks)
                return
            except OverloadError as error:
                wait = float(error.wait)
            except StoreError as error:
                self._fail(error)
                wait = _PAUSE
            self._stopping.wait(wait)
        raise Stopped
