"""What is to be told, kept in a file until each receiver took it.

Rules
- A message is in the file before it is sent, and leaves it after it was taken: a process that ends
  in between sends it once more, under the same id. Within one process none is sent twice.
- Who does not take it is asked again after 5, 10, 20 ... seconds, an hour at most, for three days.
- The file has at most 1,000 messages; then the oldest goes. It is its owner's alone, written whole,
  and locked by the process that tells: of several one does.
- Where it cannot be written, the log says so, once, and messages are sent all the same.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from ldp_aggregator.files import FileError, opened_private, read_bytes, written_whole
from ldp_aggregator.service.alerts.messages import Message

FIRST_PAUSE = 5.0
LONGEST_PAUSE = 3600.0
PATIENCE = 3 * 86_400.0
MOST = 1000
_MOST_BYTES = 16 << 20

_log = logging.getLogger("ldp.alerts")


class DeliveryError(Exception):
    """A message that was not taken, and why."""


class Receiver(Protocol):
    """Where messages go."""

    name: str

    def send(self, message: Message, now: float) -> None:
        """Hand a message over. Raises `DeliveryError` unless it was taken."""


class Memory:
    """A file with what has to outlive a process, for the one that has taken it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._trouble = False
        self._lock = -1

    def take(self) -> bool:
        """Whether it is ours from now on; false while another process has it."""
        place = self._path.with_name(f"{self._path.name}-lock")
        try:
            self._lock = opened_private(place, os.O_RDWR)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            return False
        except OSError as error:  # better told twice than not at all
            _log.error("expected to lock %s, got %s", place, error.strerror)
        return True

    def read(self) -> dict[str, Any]:
        """What was kept; nothing where there is no such file, or no sound one."""
        with suppress(FileError, ValueError):
            if self._path.exists():
                known = json.loads(read_bytes(self._path, _MOST_BYTES))
                return known if isinstance(known, dict) else {}
        return {}

    def write(self, known: Mapping[str, Any]) -> None:
        """Keep this."""
        try:
            with written_whole(self._path, mode=0o600) as file:
                file.write(json.dumps(known).encode() + b"\n")
            self._trouble = False
        except FileError as error:
            if not self._trouble:
                _log.error("alerts that are not sent yet would not outlive a restart: %s", error)
            self._trouble = True

    def close(self) -> None:
        """Let another process tell."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


class Outbox:
    """Messages and who has not taken them yet; `waiting` is all there is to keep."""

    def __init__(self, receivers: Sequence[Receiver], waiting: Sequence[Any] = ()) -> None:
        self._receivers = {receiver.name: receiver for receiver in receivers}
        self.waiting: list[dict[str, Any]] = [
            dict(entry) for entry in waiting if entry["to"] in self._receivers
        ]

    def add(self, message: Message) -> None:
        """Let it be sent to all."""
        fields = list(message)
        self.waiting += [
            {"to": name, "message": fields, "tries": 0, "next": 0.0} for name in self._receivers
        ]
        del self.waiting[:-MOST]

    def send(self, now: float) -> int:
        """Send what is due; how many were taken."""
        taken = 0
        stuck: set[str] = set()
        for entry in [entry for entry in self.waiting if _due(entry, now)]:
            # Whoever did not take one is not asked for the next at once.
            if entry["to"] not in stuck:
                went = self._send(entry, now)
                taken += went
                stuck |= set() if went else {entry["to"]}
        return taken

    def _send(self, entry: dict[str, Any], now: float) -> bool:
        message = Message(*entry["message"])
        try:
            self._receivers[entry["to"]].send(message, now)
        except DeliveryError as error:
            entry["tries"] += 1
            entry["next"] = now + min(FIRST_PAUSE * 2 ** (entry["tries"] - 1), LONGEST_PAUSE)
            if entry["tries"] == 1:
                _log.warning("%s did not take %s: %s", entry["to"], message.id, error)
            if now - message.time > PATIENCE:
                _log.error("%s never took %s: %s", entry["to"], message.id, message.title)
                self.waiting.remove(entry)
            return False
        self.waiting.remove(entry)
        return True


def _due(entry: Mapping[str, Any], now: float) -> bool:
    # A clock that went back must not make anyone wait for longer than the longest pause.
    return bool(entry["next"] <= now or entry["next"] > now + LONGEST_PAUSE)
