"""Alarms: each is told once when it begins and once when it is over, however often it
flaps.

    quiet ──(wrong for AFTER of its kind)──> begun ──(right for as long as it needs)──> over

Rules
- What is wrong now and right in the next moment begins nothing: a kind may ask for a
  time.
- An alarm is over when nothing was wrong for five minutes; for twice as long each time
  that it has begun anew within a day, up to a day. So one that flaps for a day is told
  of six times at most.
- Of what only happens, six of a kind are told in an hour; the last of them says so.

Times are seconds of a clock that only goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ldp_service.alerts.conditions import DISK, NOT_READY, Condition

BEGUN, OVER, HAPPENED = "begun", "over", "happened"
AFTER = {NOT_READY: 60.0, DISK: 60.0}
"""Seconds for which something has to be wrong; of other kinds none."""
CALM = 300.0
LONGEST_CALM = DAY = 86_400.0
HOUR = 3600.0
MOST_EVENTS = 6

Said = tuple[str, Condition]
"""A state, and what is told."""


@dataclass
class _Alarm:
    """Alarm: since when it is so, or right again, and when it began today."""

    condition: Condition
    wrong: float | None = None
    right: float | None = None
    begun: bool = False
    times: list[float] = field(default_factory=list)

    def is_over(self, now: float) -> bool:
        """Whether nothing was wrong for as long as it needs."""
        return self.right is not None and now - self.right >= self.calm

    @property
    def calm(self) -> float:
        """Seconds without trouble after which it is over."""
        return min(CALM * 2.0 ** max(0, len(self.times) - 1), LONGEST_CALM)


class Alarms:
    """Alarms and their messages, with their times."""

    def __init__(self) -> None:
        self._alarms: dict[tuple[str, str], _Alarm] = {}
        self._hour = 0
        self._events: Counter[str] = Counter()

    def look(self, wrong: Iterable[Condition], now: float) -> Iterator[Said]:
        """Yield the messages at this moment, by the conditions of now."""
        conditions = {(one.kind, one.subject): one for one in wrong}
        for key, condition in conditions.items():
            alarm = self._alarms.setdefault(key, _Alarm(condition))
            yield from _note_wrong(alarm, condition, now)
        for key in [key for key in self._alarms if key not in conditions]:
            alarm = self._alarms[key]
            yield from _note_right(alarm, now)
            if not alarm.begun and not alarm.times:
                del self._alarms[key]

    def notices(self, events: Iterable[Condition], now: float) -> Iterator[Said]:
        """Yield the messages of events."""
        hour = int(now // HOUR)
        if hour != self._hour:
            self._hour = hour
            self._events.clear()
        for event in events:
            self._events[event.kind] += 1
            count = self._events[event.kind]
            if count == MOST_EVENTS:
                words = f"{event.words}; more of these in this hour are not told"
                event = event._replace(words=words)
            if count <= MOST_EVENTS:
                yield HAPPENED, event


def _note_wrong(alarm: _Alarm, condition: Condition, now: float) -> Iterator[Said]:
    alarm.right = None
    if alarm.wrong is None:
        alarm.wrong = now
    if not alarm.begun and now - alarm.wrong >= AFTER.get(condition.kind, 0.0):
        alarm.begun = True
        alarm.times.append(now)
        yield BEGUN, condition


def _note_right(alarm: _Alarm, now: float) -> Iterator[Said]:
    alarm.wrong = None
    alarm.times = [time for time in alarm.times if now - time < DAY]
    if not alarm.begun:
        return
    if alarm.right is None:
        alarm.right = now
    if alarm.is_over(now):
        alarm.begun = False
        words = f"nothing was wrong for {alarm.calm / 60:,.0f} minutes"
        yield OVER, alarm.condition._replace(words=words)
