"""Work that is measured in a process of its own, whose memory is no one else's."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in which the system counts the peak."""


def printed(module: str, *arguments: object) -> list[float]:
    """The numbers that a module prints when it is run as a program, on one core."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    # Threads of linear algebra that wait for one another would count as work.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    shown = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout
    return [float(number) for number in shown.split()]


def peak() -> float:
    """The peak of this process's resident memory, in MiB.

    It begins with that of the process that started it.
    """
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT / (1 << 20)


def processor_seconds(process: int) -> float:
    """What a process has used of the processor so far, for itself and in the system."""
    # The name, in brackets, may hold spaces; then come the state and, 12th and 13th,
    # the times.
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
