"""The network between devices and the collector, and a proxy on the way.

For someone new to it: a device posts the bytes of a batch and waits for an answer. On
the way the connection may end before or after the bytes have arrived; they may arrive
twice, late, in another order, or in part; and what stands between may buffer them and
try again by itself, long after the device was told that it failed.

Rules
- Troubles wait for a device's next requests, one each, in the order of the scenario.
- What an answer means is for the shipped client to say
  (`ldp_client.delivery.verdicts`).
"""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable
from queue import Empty
from typing import NamedTuple, Protocol

from lab.world.machines.faults import Faults
from lab.world.machines.fibers import Hub, Queue
from lab.world.scenario import luck
from ldp_client.delivery.outcomes import Outcome
from ldp_client.delivery.verdicts import of_answer, of_failure

TIMEOUT = 10.0
_OFFLINE = OSError(errno.ENETUNREACH, "Network is unreachable")
_PROXY_PATIENCE = 4.0
_JOINED = 7


class Answer(NamedTuple):
    """What comes back over a connection."""

    status: int
    retry_after: str | None
    body: bytes


Back = Callable[[Answer | None], object]
"""Takes an answer, or None where the connection ends without."""


class Collecting(Protocol):
    """Who takes requests."""

    def take(self, body: bytes, announced: int, back: Back) -> None:
        """Take the bytes of a body of an announced length, all there will be;
        answer.
        """


class Network:
    """All connections of a world."""

    def __init__(
        self, hub: Hub, seed: int, collector: Collecting, faults: Faults
    ) -> None:
        self._hub = hub
        self._luck = luck(seed, "network")
        self._collector = collector
        self._faults = faults
        self._troubles: dict[int, deque[tuple[str, float]]] = {}
        self._seen: deque[bytes] = deque(maxlen=_JOINED)
        """What a relay has buffered."""
        self._sent = 0
        self._last_arrived = 0

    def trouble(self, device: int, what: str, amount: float) -> None:
        """Let something happen to a device's next request."""
        self._troubles.setdefault(device, deque()).append((what, amount))

    def calm(self) -> None:
        """No more of it."""
        self._troubles.clear()

    def send(self, device: int, body: bytes) -> Outcome:
        """Post bytes, and wait for the answer: in the fiber of a device."""
        self._sent += 1
        self._seen.append(body)
        waiting = self._troubles.get(device)
        what, amount = waiting.popleft() if waiting else ("", 0.0)
        if what == "offline":
            self._faults.happened("offline")
            if amount >= 2:
                waiting = self._troubles.setdefault(device, deque())
                waiting.appendleft((what, amount - 1))
            return of_failure(_OFFLINE)
        answers: Queue[Answer | None] = Queue()
        self._begin(self._sent, body, answers.put, what=what, amount=amount)
        try:
            answer = answers.get(timeout=TIMEOUT)
        except Empty:
            return of_failure(TimeoutError())
        if answer is None:
            return of_failure(
                ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
            )
        return of_answer(*answer)

    def _begin(
        self, number: int, body: bytes, back: Back, *, what: str, amount: float
    ) -> None:
        way = self._luck.uniform(0.01, 0.4)
        arrive = self._arriving(number, body, back)
        if what == "lost before":
            self._faults.happened(what)
            self._hub.after(way, back, None)
            return
        if what == "lost after":
            arrive = self._arriving(number, body, lambda _: self._lost(what, back))
        elif what == "duplicate":
            self._hub.after(way + amount, self._again, what, number, body)
        elif what == "joined":
            self._hub.after(
                way + amount, self._again, what, number, b"".join(self._seen)
            )
        elif what == "reorder":
            way += amount
        elif what == "truncated":
            arrive = self._arriving(
                number, body[: int(amount * len(body))], back, of=len(body)
            )
            self._faults.happened(what)
        elif what == "proxy retry":
            arrive = self._retrying(number, body, back, tries=int(amount))
        elif what == "proxy gives up":
            self._hub.after(way + amount, self._again, what, number, body)
            self._hub.after(way + _PROXY_PATIENCE, back, Answer(504, None, b"proxy"))
            return
        self._hub.after(way, arrive)

    def _arriving(
        self, number: int, body: bytes, back: Back, *, of: int | None = None
    ) -> Callable[[], None]:
        announced = len(body) if of is None else of

        def arrive() -> None:
            if number < self._last_arrived:
                self._faults.happened("reorder")
            self._last_arrived = max(number, self._last_arrived)
            self._collector.take(body, announced, back=self._returning(back))

        return arrive

    def _returning(self, back: Back) -> Back:
        """An answer takes its time as well."""
        return lambda answer: self._hub.after(
            self._luck.uniform(0.01, 0.4), back, answer
        )

    def _lost(self, what: str, back: Back) -> None:
        self._faults.happened(what)
        back(None)

    def _again(self, what: str, number: int, body: bytes) -> None:
        """What arrived, or was held up, comes once more; no one waits for its
        answer.
        """
        self._faults.happened(what)
        self._arriving(number, body, lambda _: None)()

    def _retrying(
        self, number: int, body: bytes, back: Back, *, tries: int
    ) -> Callable[[], None]:
        """A proxy that sends a request again whatever became of it, and passes the last
        answer.
        """
        left = [tries]

        def heard(answer: Answer | None) -> None:
            left[0] -= 1
            if left[0] < 0:
                back(Answer(502, None, b"proxy") if answer is None else answer)
                return
            self._faults.happened("proxy retry")
            self._arriving(number, body, heard)()

        return self._arriving(number, body, heard)
