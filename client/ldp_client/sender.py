"""The thread that sends what waits.

Rules
- It wakes up at random times, whatever is recorded when: an upload says nothing about the time of
  an answer.
- After a failure it waits for a random time, up to a limit that doubles with each failure (full
  jitter), and never less than the collector asked for. The pause is kept with the queue, so that a
  restart does not shorten it.
- It is a daemon, started when it is needed first, and anew in a forked child. It stops within
  moments at exit.
- What a signal handler raises leaves no lock held: it is the lock that is entered, whose `with` is
  not written in Python, and not the condition.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ldp.errors import RandomnessError
from ldp.randomness import Random, randbelow
from ldp_client.counts import Counts
from ldp_client.forks import renew_in_children
from ldp_client.outbox import Outbox
from ldp_client.transport import ACCEPTED, REFUSED, Outcome, Transport, retry

FIRST_PAUSE = 2.0
MOST_DOUBLINGS = 12
_GRAIN = 1 << 32
_FAREWELL = 0.5
"""Seconds that an exit waits for a transport that is in the middle of something."""


class Sender:
    """Sends an outbox through a transport, on average once in `interval` seconds.

    None: when it is asked to.
    """

    def __init__(
        self,
        outbox: Outbox,
        transport: Transport,
        counts: Counts,
        *,
        allowed: Callable[[], bool],
        interval: float | None,
        random: Random,
    ) -> None:
        if interval is not None and interval <= 0:
            raise ValueError(f"expected an interval above 0 seconds, or None, got {interval}")
        self._outbox = outbox
        self._transport = transport
        self._counts = counts
        self._allowed = allowed
        self._interval = interval
        self._random = random
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Begin without a thread: a forked child has none of its parent's."""
        self._thread: threading.Thread | None = None
        self._lock = threading.RLock()
        self._news = threading.Condition(self._lock)
        self._asked = self._served = 0
        self._stopping = False

    def start(self) -> None:
        """Let the thread run, if it does not yet and has something to do by itself."""
        if self._interval is not None:
            self._start()

    def flush(self, timeout: float) -> bool:
        """Have everything sent now, as far as a pause allows.

        True if nothing waits any more, within the time-out.
        """
        self._start()
        with self._lock:
            self._asked = asked = self._asked + 1
            self._news.notify_all()
            self._news.wait_for(lambda: self._served >= asked or self._stopping, timeout)
        return self._outbox.waiting() == 0

    def stop(self) -> None:
        """Let the thread end, and do not wait long for it."""
        with self._lock:
            self._stopping = True
            self._news.notify_all()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_FAREWELL)

    def send_all(self) -> None:
        """Send batch after batch, until nothing waits or a pause is called for."""
        while not self._stopping and self._allowed() and not self._outbox.pause():
            payload = self._outbox.take()
            if payload is None:
                return
            outcome = self._sent(payload)
            self._counts.add(outcome.verdict)
            if outcome in (ACCEPTED, REFUSED):
                self._outbox.done(payload)
            else:
                self._outbox.postpone(outcome.wait, self._backoff)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._stopping:
                self._thread = threading.Thread(target=self._run, name="ldp_client", daemon=True)
                self._thread.start()

    def _sent(self, payload: bytes) -> Outcome:
        try:
            outcome = self._transport.send(payload)
            if not isinstance(outcome, Outcome):
                raise TypeError("expected a transport that returns an Outcome")
            return outcome
        except Exception as error:  # an app's own transport may raise, or return, whatever it likes
            self._counts.note(error, "transport")
            return retry()

    def _run(self) -> None:
        while not self._stopping:
            with self._lock:
                wait = self._interval and self._uniform(2 * self._interval)
                self._news.wait_for(self._urgent, wait)
                asked = self._asked
            try:
                self.send_all()
            except Exception as error:  # the thread has to go on, whatever happened to the state
                self._counts.note(error)
            with self._lock:
                self._served = asked
                self._news.notify_all()

    def _urgent(self) -> bool:
        return self._stopping or self._asked > self._served

    def _backoff(self, failures: int) -> float:
        return self._uniform(FIRST_PAUSE * 2.0 ** min(failures, MOST_DOUBLINGS))

    def _uniform(self, most: float) -> float:
        try:
            return randbelow(_GRAIN, self._random) / _GRAIN * most
        except RandomnessError:  # a delay need not be random to be safe
            return most
