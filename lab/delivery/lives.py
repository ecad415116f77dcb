"""One device: sessions of an app, a network that comes and goes, and one report to
give.

The queue, its schedule and the sender are those of the client; the clock is virtual, so
that a month takes a moment. A session is a process: what is not in the store is gone
when it ends, and a process that ends in the middle of an attempt hears nothing of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from ldp.survey.survey import FINGERPRINT_SIZE
from ldp_client.answering.reports import Report
from ldp_client.delivery.counts import Counts
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.outbox import Outbox
from ldp_client.delivery.outcomes import ACCEPTED, OFFLINE, Outcome
from ldp_client.delivery.schedule import ATTEMPT, DUE
from ldp_client.delivery.sender import Sender
from ldp_client.keeping.clocks import Now
from ldp_client.keeping.store import ProcessStore

DAY = 86_400.0
BEGINNING = 20_000 * DAY
INTERVAL = 3600.0
UPLOAD = 0.5
"""Seconds that an upload takes, or that it takes to see that there is no network."""

_QUEUE = b"a queue."
_COUNTS = Counts()
"""Of all devices, so that no log has a line for each."""


class Life(NamedTuple):
    """What a device's life is like.

    minutes   of use a day, in one session at any time of the day
    offline   days without a network, at the beginning
    days      of use in all
    window    seconds of network in each later session, at any time of it; None from
              some time of its first half to its end
    """

    minutes: float
    offline: int
    days: int
    window: float | None = None


class Session(NamedTuple):
    """From when to when an app is open, and there is a network, in seconds."""

    begin: float
    end: float
    online: float
    until: float

    @property
    def seconds_online(self) -> float:
        """How long there is one."""
        return max(0.0, self.until - self.online)


class _KilledError(BaseException):
    """The end of a process."""


class Device:
    """A device that answers at some time of its first session."""

    def __init__(self, life: Life, draw: random.Random, *, keeps: bool = True) -> None:
        self._life = life
        self._draw = draw
        self._keeps = keeps
        self._now = BEGINNING
        self._session = Session(0.0, 0.0, online=0.0, until=0.0)
        self._store = ProcessStore()
        self.arrived_on: int | None = None
        self.seconds_online = 0.0

    def live(self) -> None:
        """All its days, or those until the report has arrived."""
        for day, session in enumerate(self._sessions()):
            self._session = session
            self._now = session.begin
            recorded = session.begin
            if not day:
                recorded += self._draw.random() * (session.end - session.begin)
            online_since = max(session.online, recorded)
            self.seconds_online += max(0.0, session.until - online_since)
            self._open(recorded if day == 0 else None)
            if self.arrived_on is not None:
                self.arrived_on = day
                return

    def send(self, _payload: bytes) -> Outcome:
        """The network: it takes the report, if there is one for as long as that
        takes.
        """
        session = self._session
        online = session.online <= self._now and self._now + UPLOAD <= session.until
        self._now += UPLOAD
        if self._now > session.end:
            raise _KilledError
        if not online:
            return OFFLINE
        self.arrived_on = 0
        return ACCEPTED

    def _sessions(self) -> Iterator[Session]:
        life, draw = self._life, self._draw
        length = 60 * life.minutes
        for day in range(life.days):
            begin = BEGINNING + day * DAY + draw.random() * (DAY - length)
            end = begin + length
            if day < life.offline:
                yield Session(begin, end, online=end, until=end)
            elif life.window is None:
                yield Session(
                    begin, end, online=begin + draw.random() * length / 2, until=end
                )
            else:
                online = begin + draw.random() * (length - life.window)
                yield Session(begin, end, online=online, until=online + life.window)

    def _open(self, recorded: float | None) -> None:
        """A process, for as long as the session lasts."""
        outbox = Outbox(
            self._store,
            _QUEUE,
            _QUEUE,
            limits=QueueLimits(),
            random=self._draw.randbytes,
            count=lambda *_: None,
            inherits=lambda: False,
            clock=self._clock,
        )
        sender = Sender(
            outbox,
            self,
            _COUNTS,
            allowed=lambda: True,
            interval=INTERVAL,
            random=self._draw.randbytes,
        )
        if not self._keeps:
            self._store.transact(self._forget)
        try:
            rest = self._wait(sender, 0.0, recorded or self._session.end)
            if recorded is not None:
                report = Report(bytes(FINGERPRINT_SIZE), b"\0")
                self._store.transact(lambda: outbox.put(report))
                self._wait(sender, rest, self._session.end)
        except _KilledError:
            pass

    def _forget(self) -> None:
        for kind in (DUE, ATTEMPT):
            self._store.drop(kind, _QUEUE)

    def _wait(self, sender: Sender, rest: float, until: float) -> float:
        """Let the thread do what it does until a time; the seconds that it would rest
        beyond.
        """
        while self._now + rest <= until and self.arrived_on is None:
            self._now += rest
            span = sender.turn(asked=False)
            rest = INTERVAL if span is None else span.left(self._clock())
        rest -= until - self._now
        self._now = until
        return rest

    def _clock(self) -> Now:
        return Now(self._now, self._now - BEGINNING)
