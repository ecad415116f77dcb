"""The loop of the service's process: asyncio's tasks, futures and timers on the hub's
time.

Only what the upload application asks of a loop is here. Everything runs in the one real
thread, so what other threads hand over (`call_soon_threadsafe`) comes in the order in
which it was handed.
"""

from __future__ import annotations

import asyncio
from asyncio import events
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, cast

from lab.world.machines.fibers import Process


class Loop:
    """The loop of one process; what is asked of it after the process died is not
    done.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self.itself = cast(asyncio.AbstractEventLoop, self)
        self.problems: list[str] = []

    def time(self) -> float:
        """Seconds, by the clock that no one sets."""
        return self._process.since_start()

    def call_soon(
        self,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Call it now, after what was asked for before."""
        return self.call_later(0.0, callback, *args, context=context)

    def call_soon_threadsafe(
        self,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """The same."""
        return self.call_later(0.0, callback, *args, context=context)

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call it after some seconds."""
        handle = asyncio.TimerHandle(delay, callback, args, self.itself, context)
        self._process.hub.after(delay, self._call, handle)
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self.itself)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """A task of this loop."""
        return asyncio.Task(work, loop=self.itself)

    def is_running(self) -> bool:
        """While the process lives."""
        return not self._process.dead

    def is_closed(self) -> bool:
        """Once it does not."""
        return self._process.dead

    def get_debug(self) -> bool:
        """Nothing is watched."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Note what no one caught; that tasks of a dead process were pending is as it
        should be.
        """
        if not self._process.dead and "exception" in context:
            self.problems.append(repr(context["exception"]))

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is skipped when it comes."""

    def _call(self, handle: asyncio.TimerHandle) -> None:
        if self._process.dead or handle.cancelled():
            return
        hub = self._process.hub
        before, hub.process = hub.process, self._process
        events._set_running_loop(self.itself)
        try:
            handle._run()
        finally:
            events._set_running_loop(None)
            hub.process = before
