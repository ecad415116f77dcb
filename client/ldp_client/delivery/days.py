"""The days that a queue has seen: what waits grows old by these, and not by what a
clock says now.

Rules
- A report is as old as the number of other days that the client has seen since it was
  made. A clock that jumps ahead, or shows 1970 until it is set, shows a day or two that
  there were not; it makes nothing a year older.
- A day that comes again is the newest again: that makes nothing older either.
- Days are kept while something waits, and only as many as it takes to call something
  too old.
"""

from __future__ import annotations

from typing import cast

from ldp_client.answering.ledger import DAY
from ldp_client.keeping.clocks import Clock, now
from ldp_client.keeping.store import DeviceStore

DAYS = "days"
MOST_DAYS = 400
"""Of a queue that may wait for longer nothing is ever too old."""

_LAST_DAY = (1 << 32) - 1


def this_day(clock: Clock = now) -> int:
    """The day, counted from the first of 1970, whatever the clock says."""
    return min(max(0, int(clock().wall) // DAY), _LAST_DAY)


class Days:
    """Days of a queue. Methods are called in transactions of the store."""

    __slots__ = ("_clock", "_most", "_queue", "_store")

    def __init__(
        self, store: DeviceStore, queue: bytes, limit: int, *, clock: Clock = now
    ) -> None:
        self._store = store
        self._clock = clock
        self._queue = queue
        self._most = min(limit + 1, MOST_DAYS)

    def recent_days(self) -> tuple[int, ...]:
        """Days in the order in which they were seen last, this one at the end."""
        record = self._store.get(DAYS, self._queue) or ()
        before = cast("tuple[int, ...]", record)
        day = this_day(self._clock)
        if before and before[-1] == day:
            return before
        days = (*(other for other in before if other != day), day)[-self._most :]
        self._store.put(DAYS, self._queue, days)
        return days

    def forget(self) -> None:
        """Forget them, as nothing waits."""
        if self._store.get(DAYS, self._queue) is not None:
            self._store.drop(DAYS, self._queue)


def age(days: tuple[int, ...], day: int) -> int:
    """How many of the days that were seen came after one; all, if it is not among
    them.
    """
    if day in days:
        return len(days) - 1 - days.index(day)
    return len(days)
