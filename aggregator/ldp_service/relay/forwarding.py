"""Forwarding: parts of batches to the collector, each until it is taken.

Rules
- The bytes of a part, and its id, are fixed before the first attempt. Every attempt
  sends the same: the collector knows by the id what it has counted.
- A part is forgotten once the collector has said 202, with JSON as a collector says it,
  and never before. Whatever else comes (no answer, a page of something in between, a
  refusal) it is tried again: one by one, in an order that is drawn, after pauses that
  grow to minutes and are drawn too.
- One that is refused keeps no other waiting.
- What is said of it, in the log and in numbers, is how many.
"""

from __future__ import annotations

import json
import logging
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from threading import Event, Thread
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from ldp.errors import LDPError
from ldp.numbers.randomness import randbelow, shuffle, system
from ldp_service.relay.pool import Pool
from ldp_service.relay.writer import RelayWriter
from ldp_service.store.errors import StoreError
from ldp_service.uploads.mixed import MIXED_PATH

PATIENCE = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 600.0
_MOST_ANSWER = 1 << 16
_LONGEST_WAIT = 3600.0
_GRAIN = 1 << 32
_OWN = ("127.0.0.1", "localhost", "::1")

_log = logging.getLogger("ldp.relay")


class CollectorError(LDPError):
    """An address of a collector that cannot be used."""


class ForwardingResult(NamedTuple):
    """Answer of a collector to a part: taken or not, why, and when to come again."""

    taken: bool
    reason: str = ""
    wait: float = 0.0
    outcomes: dict[str, int] | None = None


class Carrier(Protocol):
    """Carrier of frames to a collector."""

    def send(self, frame: bytes) -> ForwardingResult:
        """Send it once. Raises `OSError` and `HTTPException` where there is no
        answer.
        """


class CollectorClient:
    """A collector by its address and the relay's token. Raises `CollectorError`."""

    def __init__(
        self, address: str, token: str | None, patience: float = PATIENCE
    ) -> None:
        parts = urlsplit(address)
        is_own = parts.scheme == "http" and parts.hostname in _OWN
        if not parts.hostname or not (parts.scheme == "https" or is_own) or parts.query:
            raise CollectorError(
                "--collector: expected https://HOST, or http:// on this machine, got "
                f"{address[:80]!r}"
            )
        self._host, self._port = parts.hostname, parts.port
        self._path = parts.path.rstrip("/") + MIXED_PATH
        self._headers = {
            "Content-Type": "application/octet-stream",
            "User-Agent": "ldpkit-relay",
        }
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._patience = patience
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None

    def send(self, frame: bytes) -> ForwardingResult:
        """Send a frame as a `Carrier`."""
        connection = self._connection()
        try:
            connection.request("POST", self._path, frame, self._headers)
            answer = connection.getresponse()
            body = answer.read(_MOST_ANSWER)
            return interpret(answer.status, answer.getheader("Retry-After"), body)
        finally:
            connection.close()

    def _connection(self) -> HTTPConnection:
        if self._tls is None:
            return HTTPConnection(self._host, self._port, timeout=self._patience)
        return HTTPSConnection(
            self._host, self._port, timeout=self._patience, context=self._tls
        )


def interpret(status: int, retry_after: str | None, body: bytes) -> ForwardingResult:
    """Return the meaning of an answer."""
    content: Any = None
    with suppress(ValueError, RecursionError):
        content = json.loads(body)
    if (
        status == 202
        and isinstance(content, dict)
        and isinstance(content.get("rejected"), dict)
    ):
        numbers = {**content, **content["rejected"]}
        outcomes = {
            name: count for name, count in numbers.items() if type(count) is int
        }
        return ForwardingResult(True, outcomes=outcomes)
    reason = f"status {status}"
    if isinstance(content, dict) and isinstance(content.get("error"), str):
        reason += f": {content['error'][:200]}"
    wait = 0.0
    if retry_after is not None and retry_after.isdigit():
        wait = float(retry_after)
    return ForwardingResult(False, reason, min(wait, _LONGEST_WAIT))


class _Attempts(NamedTuple):
    """Failures in a row of one part, and when it may be tried again."""

    failures: int = 0
    due: float = 0.0


class Forwarder:
    """Hands on what a writer has mixed, in a thread of its own."""

    def __init__(
        self,
        writer: RelayWriter,
        collector: Carrier,
        *,
        every: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer = writer
        self._collector = collector
        self._every = every
        self._clock = clock
        self._stopping = Event()
        self._attempts: dict[bytes, _Attempts] = {}
        self.trouble: str | None = None
        """Why the last attempt failed; None if it did not."""
        self._thread = Thread(target=self._run, name="ldp-relay-forwarder", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End; what is being sent is sent again by the next process, unless it is
        answered soon.
        """
        self._stopping.set()
        self._thread.join(5.0)

    def _run(self) -> None:
        while not self._stopping.wait(self._every):
            if not self._writer.parts:
                continue
            try:
                self._round()
            except StoreError:  # the writer says what is wrong with the store
                continue
            except Exception:  # our own mistake: what there is stays where it is
                self._writer.lasting.note(
                    "internal", "forwarding failed", traceback=True
                )

    def _round(self) -> None:
        """Try everything that is due."""
        ids = self._writer.ask(Pool.parts)
        self._attempts = {id_: self._attempts.get(id_, _Attempts()) for id_ in ids}
        due = [
            id_
            for id_, attempts in self._attempts.items()
            if attempts.due <= self._clock()
        ]
        for id_ in shuffle(due, system):
            if self._stopping.is_set():
                return
            self._try(id_)

    def _try(self, id_: bytes) -> None:
        frame = self._writer.ask(lambda pool: pool.part(id_))
        try:
            answer = self._collector.send(frame)
        except (OSError, HTTPException) as error:
            answer = ForwardingResult(False, f"no answer ({type(error).__name__})")
        if answer.taken:
            self._writer.ask(lambda pool: _forget(pool, id_, answer.outcomes or {}))
            if self.trouble is not None:
                _log.warning("the collector takes batches again")
            self.trouble = None
            return
        if self.trouble != answer.reason:
            _log.error(
                "the collector did not take a part of a batch, which waits: %s",
                answer.reason,
            )
        self.trouble = answer.reason
        failures = self._attempts[id_].failures + 1
        longest = min(FIRST_PAUSE * 2.0 ** min(failures, 20), LONGEST_PAUSE)
        pause = answer.wait + longest * randbelow(_GRAIN, system) / _GRAIN
        self._attempts[id_] = _Attempts(failures, self._clock() + pause)


def _forget(pool: Pool, id_: bytes, outcomes: dict[str, int]) -> None:
    """Forget a part that was taken, and count what the collector said of it."""
    pool.drop_part(id_)
    pool.count("forwarded", 1)
    for name, number in outcomes.items():
        if number and name.replace("-", "").isalnum():
            pool.count(f"collector-{name[:40]}", number)
