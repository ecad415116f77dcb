"""What stands in for threads, queues and clocks in the shipped code while a world
lives.

Nothing of that code knows of simulations. These are all the places where it is tied to
a machine; a name that is not there any more is an error here, and not a simulation of
something else.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

from lab.world.machines.fibers import Event, Fiber, Hub, Queue, use
from ldp_client.answering import ledger
from ldp_client.delivery import sender
from ldp_client.embedding import embedded
from ldp_client.keeping import clocks
from ldp_service.counting import pieces, submission_queue, writer
from ldp_service.counting.persistent_errors import PersistentErrors
from ldp_service.counting.publication import Publisher

_IDLE = 600.0
"""Seconds after which a writer that waits looks around; shipped, one."""
_SLICE = 1800.0
"""Seconds after which a device that waits looks at its clock; shipped, ten."""
_LIGHT, _FRAMES = 160, 2
"""Bytes of an upload that is taken whole, and frames in a piece of one that is not.

Shipped, 8 KiB and 256: here there are never so many, and what is cut is to be seen as
well.
"""


class Clocks:
    """The module `time`, as it looks to the process that is running."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def time(self) -> float:
        """The clock on the wall."""
        process = self._hub.process
        return self._hub.now if process is None else process.wall()

    def monotonic(self) -> float:
        """The one that no one sets."""
        process = self._hub.process
        return self._hub.now if process is None else process.since_start()

    def clock_gettime(self, _: int) -> float:
        """The same."""
        return self.monotonic()

    def perf_counter(self) -> float:
        """The same."""
        return self.monotonic()


@contextmanager
def simulated(hub: Hub) -> Iterator[None]:
    """Let the shipped code run on a hub."""
    time = Clocks(hub)
    threads = SimpleNamespace(
        Thread=Fiber,
        RLock=threading.RLock,
        current_thread=threading.current_thread,
    )
    places: list[tuple[Any, str, object]] = [
        (writer, "Thread", Fiber),
        (writer, "Event", Event),
        (writer, "time", time),
        (writer, "PersistentErrors", partial(PersistentErrors, time.monotonic)),
        (writer, "Publisher", partial(Publisher, clock=time.monotonic)),
        (submission_queue, "SimpleQueue", Queue),
        (submission_queue, "_IDLE", _IDLE),
        (pieces, "LIGHT", _LIGHT),
        (pieces, "MOST_FRAMES", _FRAMES),
        (pieces, "SimpleQueue", Queue),
        (pieces, "Thread", Fiber),
        (clocks, "time", time),
        (ledger, "time", time),
        (sender, "threading", threads),
        (sender, "queue", SimpleNamespace(SimpleQueue=Queue)),
        (sender, "SLICE", _SLICE),
        (embedded, "_open", WeakSet()),
    ]
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    use(hub)
    with _patched(places):
        try:
            yield
        finally:
            use(None)
            logging.disable(disabled)


@contextmanager
def _patched(places: list[tuple[Any, str, object]]) -> Iterator[None]:
    before = [(module, name, getattr(module, name)) for module, name, _ in places]
    for module, name, substitute in places:
        setattr(module, name, substitute)
    try:
        yield
    finally:
        for module, name, original in reversed(before):
            setattr(module, name, original)
