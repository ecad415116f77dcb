"""Several processes of one service: what they share, and how they end together.

For someone new to it: a parent starts workers and starts them anew when they die; each is a service
of its own, on the store that they share. Whoever scrapes reaches any of them, so that what they
count by themselves lies in a folder that all of them read (`service.http.metrics`).

Rules
- A worker that cannot begin says why to its parent, in a file of that folder, and ends with the
  code at which the parent stops all others: tried again, it would fail as before.
- The folder goes with the parent.
- That it serves is said once all workers do. Told to stop, each is first not ready, and takes
  uploads for some seconds more, as one process does (`service.http.server`).
- SIGHUP: where what would be read is in order, workers are begun anew one by one, each before the
  one that it replaces is told to stop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn

from ldp.errors import LDPError

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import FrameType

    from uvicorn import Config

_FAILURE = "failure"
_PACE = 0.05


class WorkerError(LDPError):
    """Workers that could not begin."""


def run_workers(
    config: Config,
    listening: socket.socket,
    tell: Callable[[], None],
    renewable: Callable[[], bool],
) -> None:
    """Serve in as many processes as the settings say, until told to stop.

    `tell` is called when all of them serve; `renewable` is asked whether to begin them anew. Raises
    `WorkerError`.
    """
    from uvicorn.supervisors import Multiprocess

    class Workers(Multiprocess):
        def init_processes(self) -> None:
            super().init_processes()
            while not self.should_exit.wait(_PACE):
                self.handle_signals()
                if not all(one.process.is_alive() for one in self.processes):
                    return
                if all(one.is_ready(timeout=1) for one in self.processes):
                    tell()
                    return

        def handle_hup(self) -> None:
            if renewable():
                self.restart_all()

    from ldp_aggregator.service.http.metrics import SHARED

    # It would say in a line of its own that a worker could not begin.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    with TemporaryDirectory(prefix="ldp-workers-") as folder:
        os.environ[SHARED] = folder
        Workers(config, [listening]).run()
        failure = Path(folder) / _FAILURE
        if failure.exists():
            raise WorkerError(failure.read_text())


def drain(leave: Callable[[], None], seconds: float) -> None:
    """Let this worker be not ready for some seconds, before it ends as it was about to.

    It is called where its server has begun to listen to signals, within its loop.
    """
    loop = asyncio.get_running_loop()
    leaving: list[int] = []
    # The parent says what is to be read anew; a terminal that hangs up tells all.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def take_over(number: signal.Signals) -> None:
        end = signal.getsignal(number)

        def first(received: int, frame: FrameType | None) -> None:
            if not callable(end):
                return
            if leaving or not seconds:
                end(received, frame)
                return
            leaving.append(received)
            leave()
            loop.call_soon_threadsafe(loop.call_later, seconds, end, received, None)

        signal.signal(number, first)

    take_over(signal.SIGTERM)
    take_over(signal.SIGINT)


def cannot_begin(error: LDPError) -> NoReturn:
    """End this worker, and have the parent say why."""
    from uvicorn.config import STARTUP_FAILURE

    from ldp_aggregator.service.http.metrics import SHARED

    place = Path(os.environ[SHARED]) / _FAILURE
    # Whole or not at all: the parent may look at any moment, and other workers fail as well.
    written = place.with_name(f"{_FAILURE}-{os.getpid()}")
    written.write_text(str(error))
    written.replace(place)
    sys.exit(STARTUP_FAILURE)
