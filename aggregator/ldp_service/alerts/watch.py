"""The thread that looks every half minute, and tells.

    look ─> conditions, events ─> Alarms ─> messages, which wait ─> webhook

Rules
- Whatever goes wrong here is logged, and stops no upload.
- A message that is not taken is sent again after 5, 10, 20 ... seconds, an hour at
  most, for three days, under the same id. At most 1,000 messages wait; then the oldest
  goes.
- Nothing is kept on disk: whatever is wrong after a restart begins anew, and is told
  again.
- Of several workers the one tells that holds a lock; when it is gone, another does.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event as Signal
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from ldp_aggregator.output.files import opened_private
from ldp_service.alerts.alarms import Alarms, Said
from ldp_service.alerts.conditions import (
    NOT_READY,
    Condition,
    Observation,
    conditions,
    events,
)
from ldp_service.alerts.observing import Observer
from ldp_service.alerts.webhook import DeliveryError, Message, Webhook, new_id
from ldp_service.store.errors import StoreError

if TYPE_CHECKING:
    from ldp_service.service import Service

EVERY = 30.0
FIRST_PAUSE = 5.0
LONGEST_PAUSE = 3600.0
PATIENCE = 3 * 86_400.0
MOST = 1000
_LAST = 2.0
"""Seconds that a message under way has when the service ends."""

_log = logging.getLogger("ldp.alerts")


@dataclass
class _Waiting:
    """A message that was not taken yet, and when to try next."""

    message: Message
    tries: int = 0
    due: float = 0.0


class AlertQueue:
    """Messages that a webhook has not taken yet."""

    def __init__(self, webhook: Webhook) -> None:
        self._webhook = webhook
        self.waiting: list[_Waiting] = []

    def add(self, message: Message) -> None:
        """Let it be sent."""
        self.waiting.append(_Waiting(message))
        del self.waiting[:-MOST]

    def send(self, now: float, moment: float) -> None:
        """Send what is due: `now` is the time, `moment` that of a clock that only goes
        on.
        """
        for entry in [entry for entry in self.waiting if entry.due <= moment]:
            try:
                self._webhook.send(entry.message, now)
            except DeliveryError as error:
                self._put_off(entry, error, now, moment=moment)
                # Whoever did not take one is not asked for the next at once.
                return
            self.waiting.remove(entry)

    def _put_off(
        self, entry: _Waiting, error: DeliveryError, now: float, *, moment: float
    ) -> None:
        name, message = self._webhook.name, entry.message
        if entry.tries == 0:
            _log.warning("%s did not take %s: %s", name, message.id, error)
        entry.due = moment + min(FIRST_PAUSE * 2**entry.tries, LONGEST_PAUSE)
        entry.tries += 1
        if now - message.time > PATIENCE:
            _log.error("%s never took %s: %s", name, message.id, message.kind)
            self.waiting.remove(entry)


class Watch:
    """Tells a webhook what is wrong with a service, from `start` until it is closed."""

    def __init__(
        self,
        service: Service,
        webhook: Webhook,
        name: str = "ldp",
        lock: Path | None = None,
    ) -> None:
        self._service, self._name, self._lock = service, name, lock
        self._descriptor = -1
        self._observer = Observer(service)
        self._before: Observation | None = None
        self._alarms = Alarms()
        self._outbox = AlertQueue(webhook)
        self._stopping = Signal()
        self._thread = Thread(target=self._run, name="ldp-alerts", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more, and let another process tell."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_LAST)
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def look(self) -> None:
        """Look once, and tell what there is to tell."""
        now, moment = self._service.clock(), monotonic()
        for state, (kind, subject, words) in self._notices(now, moment):
            _log.warning("%s: %s %s: %s", state, kind, subject, words)
            message = Message(
                new_id(),
                kind,
                state,
                time=now,
                service=self._name,
                subject=subject,
                summary=words,
            )
            self._outbox.add(message)
        self._outbox.send(now, moment)

    def tells(self) -> bool:
        """Whether this process tells: no other one holds the lock, if there is one."""
        if self._lock is None or self._descriptor >= 0:
            return True
        descriptor = opened_private(self._lock, os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def _notices(self, now: float, moment: float) -> Iterator[Said]:
        try:
            seen = self._observer.look(now, moment)
        except StoreError as error:
            wrong = [Condition(NOT_READY, "", f"the store cannot be read: {error}")]
            yield from self._alarms.look(wrong, moment)
            return
        before, self._before = self._before, seen
        # To be told to stop is no alarm.
        if not self._service.leaving:
            yield from self._alarms.look(conditions(seen), moment)
        if before is not None:
            yield from self._alarms.notices(events(before, seen), moment)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if self.tells():
                    self.look()
            except (
                Exception
            ):  # our own mistake: uploads go on, and the next look may do better
                _log.exception("alerts could not be looked at")
            self._stopping.wait(FIRST_PAUSE if self._outbox.waiting else EVERY)
