"""The thread that looks every half minute, and tells.

    look ─> conditions, events ─> Alarms ─> messages ─> Outbox ─> webhooks, mail
                                     └────── kept in a file ───────┘

Whatever goes wrong here is logged, and stops no upload. Of several processes one tells; when it is
gone, another goes on from what it has kept.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from threading import Event as Signal
from threading import Thread
from typing import TYPE_CHECKING, Any

from ldp_aggregator.service.alerts.alarms import Alarms, Said
from ldp_aggregator.service.alerts.conditions import (
    NOT_READY,
    Condition,
    Observation,
    conditions,
    events,
)
from ldp_aggregator.service.alerts.messages import Message
from ldp_aggregator.service.alerts.observing import Observer
from ldp_aggregator.service.alerts.outbox import FIRST_PAUSE, Memory, Outbox, Receiver
from ldp_aggregator.service.alerts.usual import Hours
from ldp_aggregator.service.store.errors import StoreError

if TYPE_CHECKING:
    from ldp_aggregator.service.service import Service

EVERY = 30.0
_LAST = 2.0
"""Seconds that a message under way has when the service ends; else the next process sends it."""

_log = logging.getLogger("ldp.alerts")


class Teller:
    """Knows what is wrong with a service, and tells receivers of it.

    It goes on from what is in its memory.
    """

    def __init__(
        self, service: Service, receivers: Sequence[Receiver], memory: Memory, name: str = "ldp"
    ) -> None:
        known = memory.read()
        self._service, self._memory, self._name = service, memory, name
        self._observer = Observer(service, Hours(_numbers(known, "hours")))
        tokens = tuple(known.get("tokens", ()))
        self._before = Observation(0.0, closed=_numbers(known, "closed"), tokens=tokens)
        self._first = not known
        self.alarms = Alarms(known)
        self.outbox = Outbox(receivers, known.get("waiting", ()))

    def look(self) -> None:
        """Look once, and tell what there is to tell."""
        now = self._service.clock()
        said = list(self._said(now))
        for kind, state, subject, words in said:
            _log.warning("%s: %s %s: %s", state, kind, subject, words)
            message = Message.new(kind, state, words, time=now, service=self._name, subject=subject)
            self.outbox.add(message)
        self._keep()
        if self.outbox.send(now):
            self._keep()

    def _said(self, now: float) -> Iterator[Said]:
        try:
            seen = self._observer.look(now)
        except StoreError as error:
            wrong = [Condition(NOT_READY, "", f"the store cannot be read: {error}")]
            yield from self.alarms.look(wrong, now)
            return
        before, self._before = self._before, seen
        # To be told to stop is no alarm.
        if not self._service.leaving:
            yield from self.alarms.look(conditions(seen), now)
        if not self._first:
            yield from self.alarms.happened(events(before, seen), now)
        self._first = False

    def _keep(self) -> None:
        self._memory.write(
            {
                **self.alarms.known(),
                "hours": self._observer.hours.by_hour,
                "closed": dict(self._before.closed),
                "tokens": list(self._before.tokens),
                "waiting": self.outbox.waiting,
            }
        )


class Watch:
    """Has someone told what is wrong with a service, from `start` until it is closed."""

    def __init__(
        self, service: Service, receivers: Sequence[Receiver], memory: Memory, name: str = "ldp"
    ) -> None:
        self._asked = service, receivers, memory, name
        self._memory = memory
        self._stopping = Signal()
        self._thread = Thread(target=self._run, name="ldp-alerts", daemon=True)
        self.teller: Teller | None = None
        """Who tells, if this process does."""

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more, and let another process tell."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_LAST)
        self._memory.close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if self.teller is None and self._memory.take():
                    service, receivers, memory, name = self._asked
                    self.teller = Teller(service, receivers, memory, name=name)
                if self.teller is not None:
                    self.teller.look()
            except Exception:  # our own mistake: uploads go on, and the next look may do better
                _log.exception("alerts could not be looked at")
            waiting = self.teller is not None and self.teller.outbox.waiting
            self._stopping.wait(FIRST_PAUSE if waiting else EVERY)


def _numbers(known: Mapping[str, Any], name: str) -> dict[int, int]:
    """What is kept as JSON, whose keys are texts."""
    return {int(key): value for key, value in known.get(name, {}).items()}
