"""Threads that take turns: what the service and the devices run on while they are
simulated.

For someone new to it: real threads run when the system lets them, so no run comes
again. A fiber runs until it waits for something (a queue, a moment, the end of another
one), and then the hub says who is next. The code under simulation is the shipped one,
and does not notice: `substitutes` puts `Fiber` where it says `Thread`, and `Queue`
where it says `SimpleQueue`.

    hub       virtual time, and what happens next: by time, then in the order in which
              it was asked
    fiber     a thread
    process   fibers that die together, with a wall clock and a start of their own

Rules
- Nothing here looks at a real clock, or waits for anything real.
- A process that is killed ends where it waits; what it still does on its way out
  (`finally`) may not wait, and what its stores are asked to do raises `KilledError`
  again.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from queue import Empty
from typing import Any, Generic, TypeVar

from greenlet import getcurrent, greenlet

Item = TypeVar("Item")


class KilledError(BaseException):
    """The end of a process."""


class Process:
    """What dies together."""

    def __init__(
        self, hub: Hub, name: str, *, ahead: float = 0.0, started: float = 0.0
    ) -> None:
        self.hub = hub
        self.name = name
        self.ahead = ahead
        """Seconds by which its wall clock is ahead."""
        self.started = started
        """When the machine was started."""
        self.fibers: list[Fiber] = []
        self.dead = False

    def wall(self) -> float:
        """What its wall clock says."""
        return self.hub.now + self.ahead

    def since_start(self) -> float:
        """What its other clock says."""
        return self.hub.now - self.started

    def run(self, work: Callable[[], object], name: str = "") -> Fiber:
        """Do some work in a fiber."""
        fiber = Fiber(target=work, name=name, process=self)
        fiber.start()
        return fiber

    def die(self) -> None:
        """End in the fiber that is running, and then everywhere else. Raises
        `KilledError`.
        """
        self.dead = True
        self.hub.soon(self.kill)
        raise KilledError

    def kill(self) -> None:
        """End all fibers, from outside of them."""
        self.dead = True
        fibers, self.fibers = self.fibers, []
        for fiber in fibers:
            fiber.end()


class Hub:
    """Virtual time."""

    def __init__(self, now: float) -> None:
        self.now = now
        self.main = getcurrent()
        self.process: Process | None = None
        """The one whose fiber is running."""
        self.failures: list[str] = []
        """Errors that no one caught."""
        self.steps = 0
        self._waiting: list[
            tuple[float, int, Callable[..., object], tuple[Any, ...]]
        ] = []
        self._asked = 0

    def at(self, when: float, call: Callable[..., object], *given: Any) -> None:
        """Have something called, from outside of all fibers."""
        self._asked += 1
        heapq.heappush(self._waiting, (max(when, self.now), self._asked, call, given))

    def soon(self, call: Callable[..., object], *given: Any) -> None:
        """The same, now."""
        self.at(self.now, call, *given)

    def after(self, seconds: float, call: Callable[..., object], *given: Any) -> None:
        """The same, after some seconds."""
        self.at(self.now + seconds, call, *given)

    def run(self, until: float, done: Callable[[], bool] = lambda: False) -> None:
        """Let time pass, until some moment or until something is done."""
        waiting = self._waiting
        while waiting and waiting[0][0] <= until and not done():
            when, _, call, given = heapq.heappop(waiting)
            self.now = when
            self.steps += 1
            call(*given)
        if not done():
            self.now = max(self.now, until)

    def sleep(self, seconds: float) -> None:
        """Let others go on, for so many seconds."""
        fiber = current(self)
        self.after(seconds, fiber.resume, fiber.waits)
        fiber.park()


class Fiber:
    """A thread, as far as the code under simulation asks for one."""

    def __init__(
        self,
        *,
        target: Callable[..., object],
        args: tuple[Any, ...] = (),
        name: str = "",
        daemon: bool = True,
        process: Process | None = None,
    ) -> None:
        self.name = name
        self.daemon = daemon
        self.over = self.has_begun = False
        self.waits = 0
        """Counts its waits, so that what was to end one of them does not end another."""
        self._target, self._given = target, args
        self.process = process or _running()
        self._joining: list[Fiber] = []
        self._greenlet = _Greenlet(self, self.process.hub.main)

    def start(self) -> None:
        """Let it run, soon."""
        if self.process.dead:
            raise KilledError
        self.process.fibers.append(self)
        self.process.hub.soon(self.resume, 0)

    def is_alive(self) -> bool:
        """Whether it has not come to its end."""
        return not self.over

    def join(self, timeout: float | None = None) -> None:
        """Wait for its end."""
        hub = self.process.hub
        if self.over:
            return
        waiting = current(hub)
        self._joining.append(waiting)
        if timeout is not None:
            hub.after(timeout, waiting.resume, waiting.waits)
        waiting.park()

    def park(self) -> None:
        """Wait, as the fiber that runs, until it is resumed."""
        if self.process.dead:
            raise KilledError
        self.process.hub.main.switch()

    def resume(self, waits: int) -> None:
        """Go on, if it still waits as it did."""
        if self.over or waits != self.waits:
            return
        self.waits += 1
        self._switch()

    def end(self) -> None:
        """Die where it waits."""
        if self.over:
            return
        self.waits += 1
        if self.has_begun:
            self._switch(KilledError)
        self.over = True

    def body(self) -> None:
        """What it does."""
        self.has_begun = True
        try:
            self._target(*self._given)
        except KilledError:
            pass
        except Exception as error:  # told as what it is: something that no one caught
            self.process.hub.failures.append(
                f"{self.name}: {type(error).__name__}: {error}"
            )
        self.over = True
        for waiting in self._joining:
            self.process.hub.soon(waiting.resume, waiting.waits)

    def _switch(self, *error: type[BaseException]) -> None:
        hub = self.process.hub
        before, hub.process = hub.process, self.process
        if error:
            self._greenlet.throw(*error)
        else:
            self._greenlet.switch()
        hub.process = before


class _Greenlet(greenlet):  # type: ignore[misc]  # a library without types
    """The stack of a fiber."""

    def __init__(self, fiber: Fiber, main: greenlet) -> None:
        super().__init__(parent=main)
        self.fiber = fiber

    def run(self) -> None:
        """What it does."""
        self.fiber.body()


class Queue(Generic[Item]):
    """A queue, as `SimpleQueue`."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self._waiting: deque[tuple[Fiber, int]] = deque()

    def put(self, item: Item) -> None:
        """Add one, and wake one that waits."""
        self._items.append(item)
        while self._waiting:
            fiber, waits = self._waiting.popleft()
            # Those whose time was up wait no more.
            if fiber.waits == waits and not fiber.over:
                fiber.process.hub.soon(fiber.resume, waits)
                return

    def get(self, block: bool = True, timeout: float | None = None) -> Item:
        """Take one. Raises `Empty` where there is none in time."""
        if not self._items and block and timeout != 0:
            hub = _running().hub
            fiber = current(hub)
            self._waiting.append((fiber, fiber.waits))
            if timeout is not None:
                hub.after(timeout, fiber.resume, fiber.waits)
            fiber.park()
        if not self._items:
            raise Empty
        return self._items.popleft()

    def get_nowait(self) -> Item:
        """Take one that is there."""
        return self.get(block=False)

    def empty(self) -> bool:
        """Whether there is none."""
        return not self._items


class Event:
    """A flag, as `threading.Event`, whose waits are never ended by it."""

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        """Raise the flag."""
        self._is_set = True

    def is_set(self) -> bool:
        """Whether it was raised."""
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Let others go on, for so many seconds."""
        if not self._is_set:
            _running().hub.sleep(seconds)
        return self._is_set


_hubs: list[Hub] = []


def use(hub: Hub | None) -> None:
    """Let this be the hub of all that is made from now on."""
    _hubs[:] = [] if hub is None else [hub]


def current(hub: Hub) -> Fiber:
    """The fiber that is running."""
    stack = getcurrent()
    if not isinstance(stack, _Greenlet):
        raise RuntimeError(
            "expected to wait within a fiber, got a wait outside of all of them"
        )
    assert stack is not hub.main  # a fact about greenlets
    return stack.fiber


def _running() -> Process:
    """The process that is running."""
    if not _hubs or _hubs[0].process is None:
        raise RuntimeError("expected a process that is running, found none")
    return _hubs[0].process
