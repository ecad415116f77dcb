"""Uploads of developers: shown on the page as they come, and never counted.

An upload with the header `LDP-Debug-Tag: NAME` comes from an app under development.
Where the service was started for such uploads, it keeps the last of them in memory, in
plain words (`wire.decoded`), and nothing of them reaches a store. Where it was not,
they are refused: to count them would be wrong, and to drop them unseen as well.

The memory that this takes is bounded, whatever comes.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from threading import Lock
from typing import NamedTuple

from ldp.survey.survey import Survey
from ldp.wire.decoded import decoded_file
from ldp.wire.wire import read_frames
from ldp_service.counting.submissions import DEBUG, Receipt

HEADER = b"ldp-debug-tag"
TAG = re.compile(rb"[A-Za-z0-9._-]{1,40}")
MOST_UPLOADS = 50
MOST_BODY = 64 << 10
_MOST_LINES = 40
_LONGEST_LINE = 300


class DebugUpload(NamedTuple):
    """An upload under a tag: when it came, in seconds, and what it says."""

    tag: str
    seconds: float
    size: int
    lines: tuple[str, ...]


class DebugBoard:
    """The last uploads of developers; `number` is of all that came."""

    def __init__(self, surveys: Iterable[Survey], clock: Callable[[], float]) -> None:
        self._surveys = tuple(surveys)
        self._clock = clock
        self._lock = Lock()
        self._uploads: deque[DebugUpload] = deque(maxlen=MOST_UPLOADS)
        self.number = 0

    def show(self, tag: str, body: bytes) -> Receipt:
        """Keep an upload for all to see; what became of its batches."""
        lines = islice(decoded_file(body, self._surveys), _MOST_LINES)
        shown = tuple(line[:_LONGEST_LINE] for line in lines)
        upload = DebugUpload(tag, self._clock(), len(body), lines=shown)
        with self._lock:
            self._uploads.appendleft(upload)
            self.number += 1
        return Receipt((DEBUG,) * len(read_frames(body)))

    def uploads(self) -> tuple[DebugUpload, ...]:
        """Return the kept uploads, the last one first."""
        with self._lock:
            return tuple(self._uploads)
