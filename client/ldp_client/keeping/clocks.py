"""Two clocks: one that people set, and one that only goes on.

Rules
- The clock on the wall can say anything: 1970 until it is first set, a year too much,
  and less than it said a moment ago.
- The other counts the seconds since the machine was started, those asleep included
  where the system has such a clock, and begins anew with the machine. So what it
  advanced is at most what has passed; and so is what it shows, once it shows less than
  before.
- A span is over as soon as either clock says so. It is void once the wall clock shows
  less than when it began: by such a clock it might last for years.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

_SINCE_START = getattr(time, "CLOCK_BOOTTIME", None)


class Now(NamedTuple):
    """A moment by both clocks, in seconds: since 1970, and since the machine was
    started.
    """

    wall: float
    boot: float


Clock = Callable[[], Now]


def now() -> Now:
    """Both clocks, read."""
    return Now(time.time(), since_start())


def since_start() -> float:
    """The second one."""
    if _SINCE_START is None:
        return time.monotonic()
    return time.clock_gettime(_SINCE_START)


class ClockSpan(NamedTuple):
    """A time that begins at a moment by both clocks: milliseconds, whole, as records
    hold them.
    """

    length: int
    wall: int
    boot: int

    @classmethod
    def of(cls, seconds: float, begin: Now) -> ClockSpan:
        """So many seconds from a moment on."""
        return cls(
            _milliseconds(seconds), _milliseconds(begin.wall), _milliseconds(begin.boot)
        )

    def left(self, now: Now) -> float:
        """The seconds until it is over; 0 if it is."""
        by_wall = _milliseconds(now.wall) - self.wall
        if by_wall < 0:
            return 0.0
        by_boot = _milliseconds(now.boot)
        if by_boot >= self.boot:
            by_boot -= self.boot
        return max(0, self.length - max(by_wall, by_boot)) / 1000


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)
