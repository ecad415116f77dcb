"""Alarms: each is told once when it begins and once when it is over, however often it flaps.

    quiet ──(wrong for AFTER of its kind)──> begun ──(right for as long as it needs)──> over

Rules
- What is wrong now and right in the next moment begins nothing: a kind may ask for a time.
- An alarm is over when nothing was wrong for five minutes; for twice as long each time that it has
  begun anew within a day, up to a day. So one that flaps for a day is told of six times at most.
- Of what only happens, six of a kind are told in an hour; the last of them says so.
- What is known is kept, so that a restart neither repeats nor forgets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ldp_aggregator.service.alerts.conditions import DISK, NOT_READY, Condition, Event
from ldp_aggregator.service.alerts.messages import BEGUN, HAPPENED, OVER
from ldp_aggregator.service.alerts.usual import HOUR

AFTER = {NOT_READY: 60.0, DISK: 60.0}
"""Seconds for which something has to be wrong; of other kinds none."""
CALM = 300.0
LONGEST_CALM = DAY = 86_400.0
MOST_EVENTS = 6


class Said(NamedTuple):
    """What there is to tell, before it is a message."""

    kind: str
    state: str
    subject: str
    words: str


class Alarms:
    """What is wrong, what was told of it, and when."""

    def __init__(self, known: dict[str, Any] | None = None) -> None:
        known = known or {}
        self._alarms: dict[str, dict[str, Any]] = known.get("alarms", {})
        self._events: dict[str, list[int]] = known.get("events", {})

    def known(self) -> dict[str, Any]:
        """Ready for JSON, and to begin from."""
        return {"alarms": self._alarms, "events": self._events}

    @property
    def begun(self) -> list[tuple[str, str]]:
        """Kind and subject of what was told and is not over."""
        return [(one["kind"], one["subject"]) for one in self._alarms.values() if one["begun"]]

    def look(self, wrong: Iterable[Condition], now: float) -> Iterator[Said]:
        """What to tell, with this being wrong now."""
        by_key = {f"{one.kind} {one.subject}": one for one in wrong}
        for key, one in by_key.items():
            yield from self._wrong(key, one, now)
        for key in [key for key in self._alarms if key not in by_key]:
            yield from self._right(key, now)

    def happened(self, events: Iterable[Event], now: float) -> Iterator[Said]:
        """What to tell of events."""
        hour = int(now // HOUR)
        for event in events:
            at, count = self._events.get(event.kind, [hour, 0])
            count = 1 if at != hour else count + 1
            self._events[event.kind] = [hour, count]
            more = "; more of these in this hour are not told" if count == MOST_EVENTS else ""
            if count <= MOST_EVENTS:
                yield Said(event.kind, HAPPENED, event.subject, words=event.words + more)

    def _wrong(self, key: str, one: Condition, now: float) -> Iterator[Said]:
        fresh = {
            "kind": one.kind,
            "subject": one.subject,
            "begun": False,
            "since": now,
            "times": [],
        }
        alarm = self._alarms.setdefault(key, fresh)
        # A clock that went back is no reason to wait for it to catch up.
        if alarm["since"] is None or alarm["since"] > now:
            alarm["since"] = now
        alarm["right"] = None
        if not alarm["begun"] and now - alarm["since"] >= AFTER.get(one.kind, 0.0):
            alarm["begun"] = True
            alarm["times"] = [*_of_a_day(alarm["times"], now), now]
            yield Said(one.kind, BEGUN, one.subject, words=one.words)

    def _right(self, key: str, now: float) -> Iterator[Said]:
        alarm = self._alarms[key]
        alarm["since"] = None
        if not alarm["begun"]:
            if not _of_a_day(alarm["times"], now):
                del self._alarms[key]
            return
        if alarm.get("right") is None or alarm["right"] > now:
            alarm["right"] = now
        times = len(_of_a_day(alarm["times"], now))
        calm = min(CALM * 2 ** max(0, times - 1), LONGEST_CALM)
        if now - alarm["right"] >= calm:
            alarm["begun"] = False
            words = f"nothing was wrong for {calm / 60:,.0f} minutes"
            yield Said(alarm["kind"], OVER, alarm["subject"], words=words)


def _of_a_day(times: Iterable[float], now: float) -> list[float]:
    return [time for time in times if abs(now - time) < DAY]
