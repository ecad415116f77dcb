"""The thread that sends what waits.

Rules
- It wakes up when the next upload is due (`delivery.schedule`), whatever is recorded
  when: an upload says nothing about the time of an answer. What was due before the app
  was started goes at the start.
- After a failure it waits for a random time, up to a limit that doubles with each
  failure (full jitter), and never less than the collector asked for. Without a network
  it tries every few seconds: that reaches no one, and some devices have a network for
  no longer than that.
- A batch that was turned away for something that can be mended is held for an hour or
  two.
- It is a daemon, started with the client, and anew in a forked child. It stops within
  moments at exit. While it rests it holds nothing that belongs to the client, so that
  one that an app forgot to close can be collected.
- What goes through a relay goes one message at a time, each at a time that is drawn for
  it, and is due the sooner the more waits: what left together could be told to belong
  together.
- A thread that waits is told by queues that are not written in Python: what a signal
  handler raises leaves no lock held. They are made when the thread starts, of what
  `queue` has by then: gevent replaces it, and a greenlet that waits for one of before
  holds up its whole process.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from queue import Empty
from weakref import ref

from ldp.errors import RandomnessError, WireError
from ldp.numbers.randomness import Random, randbelow
from ldp_client.delivery.counts import Counts
from ldp_client.delivery.outbox import Outbox
from ldp_client.delivery.outcomes import VERDICTS, Outcome
from ldp_client.delivery.schedule import LONGEST_PAUSE
from ldp_client.delivery.transport import Transport
from ldp_client.keeping.clocks import ClockSpan, now
from ldp_client.keeping.forks import renew_in_children

FIRST_PAUSE = 2.0
MOST_DOUBLINGS = 12
DOUBLINGS_OFFLINE = 2
"""Those without a network: eight seconds, so that ten seconds of a network have an
attempt.
"""

HELD_FOR = 3600.0
LONGEST_INTERVAL = 30.0 * 86_400
SLICE = 10.0
"""Seconds after which the thread looks at the clock again: while a device sleeps, no
wait ends.
"""

_UNREMARKABLE = ("accepted", "duplicate")
_GRAIN = 1 << 32
_FAREWELL = 0.5
"""Seconds that an exit waits for a transport that is in the middle of something."""

Done = Callable[[], object]
Bell = queue.SimpleQueue[Done | None]
"""What wakes the thread: whom to tell that a round is over, or None."""


class Sender:
    """Sends an outbox through a transport, on average once in `interval` seconds.

    None: when it is asked to. `look` is called before, with whether something is sent.
    `apart`: each batch at a time of its own.
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
        look: Callable[[bool], object] = lambda _: None,
        apart: bool = False,
    ) -> None:
        self._interval = None if interval is None else check_interval(interval)
        self._outbox = outbox
        self._transport = transport
        self._counts = counts
        self._allowed = allowed
        self._look = look
        self._apart = apart
        self._random = random
        self._stopping = False
        self._has_flushed = False
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Begin without a thread: a forked child has none of its parent's."""
        self._thread: threading.Thread | None = None
        self._bell: Bell = queue.SimpleQueue()
        self._lock = threading.RLock()

    def start(self) -> None:
        """Let the thread run, if it does not yet and has something to do by itself."""
        if self._interval is not None:
            self._start()

    def ask(self, done: Done) -> None:
        """Have everything sent now, as far as a pause allows; `done` is called in the
        thread.
        """
        with self._lock:
            self._start()
            self._bell.put(done)

    def flush(self, timeout: float) -> bool:
        """Send now. True if nothing waits any more, within the time-out, and nothing
        was lost.

        The first time what was turned away is tried in spite of its pause: an app that
        was opened anew may have another token, or the right address of a proxy.
        """
        dropped = self._counts.count_drops()
        if not self._has_flushed:
            self._outbox.resume()
        self._has_flushed = True
        over: queue.SimpleQueue[None] = queue.SimpleQueue()
        if not self._stopping:
            self.ask(lambda: over.put(None))
            with suppress(Empty):
                # What is no number is no time.
                over.get(timeout=min(max(0.0, timeout), LONGEST_PAUSE))
        return self.is_done(dropped)

    def is_done(self, dropped: int) -> bool:
        """Whether nothing waits, and no more than that was dropped."""
        return self._outbox.waiting() == 0 and self._counts.count_drops() == dropped

    def stop(self) -> None:
        """Let the thread end, and do not wait long for it."""
        self._stopping = True
        self._bell.put(None)
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_FAREWELL)

    def send_all(self, *, one: bool = False) -> None:
        """Send batch after batch, until nothing waits or a pause is called for; or
        `one`.
        """
        # At a relay not even a connection has two reports of one device.
        together = (
            None if self._apart else getattr(self._transport, "one_connection", None)
        )
        with nullcontext() if together is None else together():
            self._send_round(one=one)

    def _send_round(self, *, one: bool) -> None:
        has_looked = False
        while not self._stopping and self._allowed():
            payload = self._outbox.take(self._backoff)
            if payload is None:
                return
            if not has_looked:
                self._look_round(sends=True)
            has_looked = True
            outcome = self._send_payload(payload)
            self._counts.add(outcome.verdict)
            if outcome.verdict not in _UNREMARKABLE:
                self._counts.tell(
                    outcome.verdict, outcome.reason or "it did not say why"
                )
            self._outbox.decide(payload, outcome, self._backoff_after(outcome))
            if one:
                return

    def turn(self, asked: bool) -> ClockSpan | None:
        """Send if it is time to, or asked. Until when to rest; None if there is no time
        to come.
        """
        interval = self._interval
        try:
            if self._allowed():
                self._look_round(sends=False)
            if asked or self._is_time():
                self.send_all(one=self._apart and not asked)
            if interval is None or not self._allowed():
                return None
            # Before the state is asked for anything else: one thing at a time.
            longest = 2 * interval / self._shares()
            return self._outbox.wait_anew(lambda: self._uniform(longest))
        except (
            Exception
        ) as error:  # the thread has to go on, whatever happened to the state
            self._counts.note(error)
            if interval is None:
                return None
            return ClockSpan.of(self._uniform(2 * interval), now())

    def ends(self) -> bool:
        """Whether the thread may end: it was told to, or is to do nothing by itself."""
        with self._lock:
            if not self._stopping and not self._bell.empty():
                return False
            self._thread = None
            return True

    def _look_round(self, *, sends: bool) -> None:
        """See whether the collector has something to say, before something is sent or
        without.
        """
        try:
            self._look(sends)
        except (
            Exception
        ) as error:  # what cannot be had, or is not to be believed, changes nothing
            self._counts.add("stop-list")
            ours = isinstance(error, WireError)
            self._counts.tell("stop-list", str(error) if ours else type(error).__name__)

    def _shares(self) -> int:
        """Into how many parts the interval is cut."""
        if self._apart:
            return max(1, self._outbox.waiting())
        return 1

    def _is_time(self) -> bool:
        if self._interval is None or not self._allowed():
            return False
        wait = self._outbox.wait()
        return wait is not None and not wait.left(now())

    def _start(self) -> None:
        with self._lock:
            if self._thread is None and not self._stopping:
                bell = self._bell = queue.SimpleQueue()
                sender = ref(self, lambda _: bell.put(None))
                thread = threading.Thread(
                    target=_run, args=(sender, bell), name="ldp_client"
                )
                thread.daemon = True
                self._thread = thread
                thread.start()

    def _send_payload(self, payload: bytes) -> Outcome:
        try:
            outcome: object = self._transport.send(payload)
            if not isinstance(outcome, Outcome) or outcome.verdict not in VERDICTS:
                raise TypeError("expected a transport that returns an Outcome")
            return outcome
        except (
            Exception
        ) as error:  # an app's own transport may raise, or return, whatever it likes
            # Imported here, since most devices never need it.
            from ldp_client.delivery.verdicts import of_failure

            self._counts.add("transport")
            return of_failure(error)

    def _backoff(self, failures: int) -> float:
        return self._uniform(FIRST_PAUSE * 2.0 ** min(failures, MOST_DOUBLINGS))

    def _backoff_after(self, outcome: Outcome) -> Callable[[int], float]:
        if outcome.verdict == "offline":
            return lambda failures: self._backoff(min(failures, DOUBLINGS_OFFLINE))
        if outcome.verdict == "held":
            return lambda _: HELD_FOR + self._uniform(HELD_FOR)
        return self._backoff

    def _uniform(self, most: float) -> float:
        try:
            return randbelow(_GRAIN, self._random) / _GRAIN * most
        except RandomnessError:  # a delay need not be random to be safe
            return most


def check_interval(interval: float) -> float:
    """An interval as it may be. Raises `ValueError` for any other."""
    try:
        # What is no number compares as none that may be, or not at all.
        fits = not isinstance(interval, bool) and 0 < interval <= LONGEST_INTERVAL
    except TypeError:
        fits = False
    if not fits:
        raise ValueError(
            "expected an interval above 0 seconds and up to 30 days, or None to send "
            f"at flush only, got {interval!r}"
        )
    return float(interval)


def _run(reference: ref[Sender], bell: Bell) -> None:
    """Run the thread. It has a sender only while that works."""
    asked: list[Done] = []
    while (sender := reference()) is not None and not sender._stopping:
        rest = sender.turn(bool(asked))
        for done in asked:
            done()
        if rest is None and sender.ends():
            return
        del sender
        asked = _woken(bell, rest)


def _woken(bell: Bell, rest: ClockSpan | None) -> list[Done]:
    """Wait for a round; return the callbacks of all who asked for it."""
    while True:
        left = 0.0
        if rest is not None:
            left = rest.left(now())
        try:
            rung = bell.get(timeout=min(left, SLICE))
            if rung is None:
                return []
            return [rung]
        except Empty:
            if left <= SLICE:
                return []
