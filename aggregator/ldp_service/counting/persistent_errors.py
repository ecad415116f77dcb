"""Persistent errors: logged once, counted each time.

A disk that is full makes every turn fail. A line for each would fill whatever room is
left, and hide the first one.

Rules
- What lasts is said when it begins, with its reason, and at most every `PAUSE` seconds
  after that, with how often it has happened since.
- Every time is counted, by kind; metrics show these counts.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable

PAUSE = 600.0
TROUBLES = ("full", "lost", "failed", "internal", "due", "clock")
"""No room; a connection that broke; a store that cannot go on; defects of our own, over
a submission and over what is due by the clock; and a clock that has jumped.
"""

_log = logging.getLogger("ldp.service")


class PersistentErrors:
    """The troubles of one process, by kind."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._said: dict[str, tuple[float, int]] = {}
        """When each kind was said last, and how often it had happened then."""

    def note(self, kind: str, reason: object, *, traceback: bool = False) -> None:
        """Count it, and say it unless that was done a short while ago."""
        self.counts[kind] += 1
        now = self._clock()
        said, before = self._said.get(kind, (float("-inf"), 0))
        if now - said < PAUSE:
            return
        self._said[kind] = now, self.counts[kind]
        silent = self.counts[kind] - before - 1
        since = ""
        if silent:
            since = f" (and {silent:,} times since this was last said)"
        _log.error("%s%s", reason, since, exc_info=traceback)

    def over(self, message: str) -> None:
        """Say that something which lasted is over; where that is so time and again,
        seldom.
        """
        now = self._clock()
        said, _ = self._said.get(message, (float("-inf"), 0))
        if now - said >= PAUSE:
            self._said[message] = now, 0
            _log.warning(message)
