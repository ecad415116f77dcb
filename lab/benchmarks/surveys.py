"""Survey files as attacks: each of `lab.benchmarks.hostile_surveys`, in a process of
its own.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from lab.benchmarks.figures import Figure
from lab.benchmarks.hostile_surveys import ATTACKS, listed

_MOST_SECONDS, _MOST_MEBIBYTES = 1, 64
_MILLION = 1_000_000

_READ = """
import contextlib, sys, time, tomllib
from ldp import SurveyError, parse_survey

text = sys.stdin.buffer.read()
def kibibytes(what):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(what))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak counts from here on
before, start = kibibytes("VmRSS"), time.process_time()
with contextlib.suppress(SurveyError):
    parse_survey(text)
print(time.process_time() - start, kibibytes("VmHWM") - before)
"""


def figures() -> Iterator[Figure]:
    """Processor seconds and mebibytes over those of a process that has the file in
    memory.

    On Linux alone.
    """
    if sys.platform != "linux":
        return
    costs = {name: measured(make().encode()) for name, make in ATTACKS.items()}
    slowest = max(costs, key=lambda name: costs[name][0])
    largest = max(costs, key=lambda name: costs[name][1])
    what = f"of {len(ATTACKS)} hostile ones of up to 1 MiB"
    yield Figure(
        f"surveys: the slowest {what} ({slowest})",
        costs[slowest][0],
        "s",
        target=_MOST_SECONDS,
    )
    yield Figure(
        f"surveys: the largest in memory {what} ({largest})",
        costs[largest][1],
        "MiB",
        target=_MOST_MEBIBYTES,
    )
    seconds, mebibytes = measured(_million().encode())
    yield Figure(
        f"surveys: a question of {_MILLION:,} values of 8 characters", seconds, "s"
    )
    yield Figure("surveys: the same, memory", mebibytes, "MiB")


def measured(text: bytes) -> tuple[float, float]:
    """The seconds and the mebibytes that a new process takes to read a survey, or to
    refuse it.
    """
    done = subprocess.run(
        [sys.executable, "-c", _READ], input=text, check=True, capture_output=True
    )
    seconds, kibibytes = done.stdout.split()
    return float(seconds), float(kibibytes) / (1 << 10)


def _million() -> str:
    head = '[survey]\nname = "s"\n[[question]]\nname = "q"\n'
    head += 'type = "category"\nmechanism = "grr"\nepsilon = 1\n'
    return head + "values = " + listed(f"{at:08}" for at in range(_MILLION)) + "\n"
