"""Several processes of one service: what they share, and how they end together.

For someone new to it: a parent starts workers and starts them anew when they die; each
is a service of its own, on the store that they share. Whoever scrapes reaches any of
them, so that what they count by themselves lies in a folder that all of them read
(`ldp_service.http.metrics`).

Rules
- A worker that cannot begin when the service does says why to its parent, in a file of
  that folder, and ends with the code at which the parent stops all others: tried again,
  it would fail as before.
- Once all have served, one that cannot begin in the place of another says why in the
  log, once, and is tried again and again: a database that is away for a minute must not
  end those that serve.
- What holds for the start of a service alone, such as that its clock is right, holds
  for no worker that is begun later.
- The folder goes with the parent, and so do the workers, even where it was killed.
- That it serves is said once all workers do. Told to stop, each is first not ready, and
  takes uploads for some seconds more, as one process does (`ldp_service.http.server`).
- SIGHUP: where what would be read is in order, workers are begun anew one by one, each
  before the one that it replaces is told to stop; where one does not begin, the others
  go on, and the log says so. One that is replaced is ready to its end, as the service
  is.
- Whoever tells all processes to stop, as a terminal and systemd do, tells workers
  twice: by itself, and through their parent. The second SIGTERM says nothing new.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn

from ldp.errors import LDPError
from ldp_service.counting.persistent_errors import PAUSE, PersistentErrors

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from types import FrameType

    from uvicorn import Config

    from ldp_service.http.app import Application

_FAILURE = "failure"
_SERVED = "served"
_RENEWING = "renewing"
_PACE = 0.05
BEGINNING = 60.0
"""Seconds that a worker may take to begin in the place of another, on a machine that is
busy.
"""
AGAIN = 2.0
"""Seconds after which one that could not is tried again."""

_log = logging.getLogger("ldp.service")


class WorkerError(LDPError):
    """Workers that could not begin."""


def run_workers(
    config: Config,
    listening: socket.socket,
    tell: Callable[[], None],
    renewable: Callable[[], bool],
) -> None:
    """Serve in as many processes as the settings say, until told to stop.

    `tell` is called when all of them serve; `renewable` is asked whether to begin them
    anew. Raises `WorkerError`.
    """
    from uvicorn.supervisors import Multiprocess

    from ldp_service.http.metrics import SHARED

    class Workers(Multiprocess):
        lasting = PersistentErrors()

        def __init__(self, config: Config, sockets: list[socket.socket]) -> None:
            super().__init__(config, sockets)
            self.should_exit = _Told(self.signal_queue)

        def init_processes(self) -> None:
            super().init_processes()
            while not self.should_exit.wait(_PACE):
                self.handle_signals()
                if not all(one.process.is_alive() for one in self.processes):
                    return
                if all(one.is_ready(timeout=1) for one in self.processes):
                    (Path(os.environ[SHARED]) / _SERVED).touch()
                    tell()
                    return

        def keep_subprocess_alive(self) -> None:
            before = list(self.processes)
            super().keep_subprocess_alive()
            for old, new in zip(before, self.processes, strict=True):
                if old is not new:
                    words = f"a worker {_end(old.exitcode or 0)}, and another is begun"
                    self.lasting.note("worker", words)

        def handle_hup(self) -> None:
            if not renewable():
                return
            before = list(self.processes)
            patience = self.config.timeout_worker_healthcheck
            self.config.timeout_worker_healthcheck = int(BEGINNING)
            renewing = Path(os.environ[SHARED]) / _RENEWING
            renewing.touch()
            try:
                self.restart_all()
            finally:
                renewing.unlink()
                self.config.timeout_worker_healthcheck = patience
            kept = sum(
                old is new for old, new in zip(before, self.processes, strict=True)
            )
            if kept and not self.should_exit.is_set():
                _log.error(
                    "expected new workers to begin within %.0f s, but one did not; %d "
                    "of %d go on with what they had before: send SIGHUP again",
                    BEGINNING,
                    kept,
                    len(before),
                )

    # It would say in a line of its own that a worker could not begin.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    with TemporaryDirectory(prefix="ldp-workers-") as folder:
        os.environ[SHARED] = folder
        Workers(config, [listening]).run()
        failure = Path(folder) / _FAILURE
        if failure.exists():
            raise WorkerError(failure.read_text())


class _Told(threading.Event):
    """Whether to stop: also where a signal says so that is not handled yet.

    Beginning workers anew takes many seconds, in which no signal is handled.
    """

    def __init__(self, signals: list[int]) -> None:
        super().__init__()
        self._signals = signals

    def is_set(self) -> bool:
        """Whether anyone has said so."""
        waiting = {signal.SIGTERM, signal.SIGINT}.intersection(self._signals)
        return bool(waiting) or super().is_set()


def drain(application: Application, seconds: float) -> None:
    """Let this worker be not ready for some seconds, before it ends as it was about to.

    It is called where its server has begun to listen to signals, within its loop.
    """
    from ldp_service.http.metrics import SHARED

    loop = asyncio.get_running_loop()
    renewing = Path(os.environ[SHARED]) / _RENEWING
    # The parent says what is to be read anew; a terminal that hangs up tells all.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def take_over(number: signal.Signals) -> None:
        end = signal.getsignal(number)

        def finish(received: int, frame: FrameType | None) -> None:
            application.ending = True
            if callable(end):
                end(received, frame)

        def first(received: int, frame: FrameType | None) -> None:
            if application.leaving and received == signal.SIGTERM:
                return
            if application.leaving or not seconds or renewing.exists():
                finish(received, frame)
                return
            application.leave()
            loop.call_soon_threadsafe(loop.call_later, seconds, finish, received, None)

        signal.signal(number, first)

    take_over(signal.SIGTERM)
    take_over(signal.SIGINT)
    parent = multiprocessing.parent_process()
    if parent is not None:
        # Readable once it has ended.
        loop.add_reader(parent.sentinel, _stop_orphan, loop, parent.sentinel)


def _stop_orphan(loop: asyncio.AbstractEventLoop, sentinel: int) -> None:
    loop.remove_reader(sentinel)
    _log.error(
        "expected the process that began this worker to go on, but it has ended; so "
        "does it"
    )
    os.kill(os.getpid(), signal.SIGTERM)


def is_first() -> bool:
    """Whether this worker is begun with the service, and not in the place of
    another.
    """
    from ldp_service.http.metrics import SHARED

    return not (Path(os.environ[SHARED]) / _SERVED).exists()


def cannot_begin(error: LDPError) -> NoReturn:
    """End this worker, and have the parent say why, or try again after a while."""
    from uvicorn.config import STARTUP_FAILURE

    from ldp_service.http.metrics import SHARED

    place = Path(os.environ[SHARED]) / _FAILURE
    if not is_first():
        _say_seldom(error, place.with_name("unbegun"))
        time.sleep(AGAIN)
        sys.exit(1)
    # Whole or not at all: the parent may look at any moment, and other workers fail as
    # well.
    written = place.with_name(f"{_FAILURE}-{os.getpid()}")
    written.write_text(str(error))
    written.replace(place)
    sys.exit(STARTUP_FAILURE)


def _say_seldom(error: LDPError, place: Path) -> None:
    """Log why a worker could not begin, unless one did so for the same reason a while
    ago.
    """
    text = str(error)
    try:
        is_known = (
            place.read_text() == text and time.time() - place.stat().st_mtime < PAUSE
        )
    except FileNotFoundError:
        is_known = False
    if not is_known:
        place.write_text(text)
        _log.error("a worker could not begin in the place of another: %s", text)


def _end(code: int) -> str:
    """How a process ended, in words."""
    if code < 0:
        return f"was ended by signal {-code}"
    return f"ended with exit code {code}"
