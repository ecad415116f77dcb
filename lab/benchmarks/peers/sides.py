"""A worker process, as the one who asks it sees it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from lab.benchmarks.peers.table import MULTI, OPENDP, OURS, PURE

ROOT = Path(__file__).parents[3]
WORKERS = {OURS: "ours", PURE: "pure_ldp", MULTI: "multi_freq_ldpy", OPENDP: "opendp"}
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
)
_ENVIRONMENT = {"PYTHONWARNINGS": "ignore", **dict.fromkeys(_THREADS, "1")}


class Side:
    """Measures in an environment of its own, on one thread; only while it is asked."""

    def __init__(
        self, name: str, python: Path, workers: str = "lab.benchmarks.peers.workers"
    ) -> None:
        environment = {**os.environ, **_ENVIRONMENT}
        # The project's own environment must not leak into a peer's.
        environment.pop("PYTHONPATH", None)
        self._process = subprocess.Popen(
            [python, "-m", f"{workers}.{WORKERS[name]}"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The worker's answer; if it has died, that is the answer."""
        sent, received = self._process.stdin, self._process.stdout
        try:
            print(json.dumps(request), file=sent, flush=True)
            line = received.readline() if received else ""
        except OSError:
            line = ""
        answer: dict[str, Any] = json.loads(line) if line else {"failed": "worker died"}
        return answer

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.communicate()
