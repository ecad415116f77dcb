"""Several processes of one service: what they share, and how they end together.

For someone new to it: a parent starts workers and starts them anew when they die; each is a service
of its own, on the store that they share. Whoever scrapes reaches any of them, so that what they
count by themselves lies in a folder that all of them read (`service.http.metrics`).

Rules
- A worker that cannot begin says why to its parent, in a file of that folder, and ends with the
  code at which the parent stops all others: tried again, it would fail as before.
- The folder goes with the parent.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn

from ldp.errors import LDPError

if TYPE_CHECKING:
    import socket

    from uvicorn import Config

_FAILURE = "failure"


class WorkerError(LDPError):
    """Workers that could not begin."""


def run_workers(config: Config, listening: socket.socket) -> None:
    """Serve in as many processes as the settings say, until told to stop.

    Raises `WorkerError`.
    """
    from uvicorn.supervisors import Multiprocess

    from ldp_aggregator.service.http.metrics import SHARED

    # It would say in a line of its own that a worker could not begin.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    with TemporaryDirectory(prefix="ldp-workers-") as folder:
        os.environ[SHARED] = folder
        Multiprocess(config, [listening]).run()
        failure = Path(folder) / _FAILURE
        if failure.exists():
            raise WorkerError(failure.read_text())


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
