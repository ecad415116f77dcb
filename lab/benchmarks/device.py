"""The client that apps embed: records with all that it keeps on disk, and what it
installs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from lab.benchmarks.figures import Figure
from lab.benchmarks.material import QUESTION, TEXT_KEYS, survey_text, text_survey
from ldp import parse_survey
from ldp_client import EmbeddedClient

_DEVICES, _QUESTIONS, _REPEATED = 20, 60, 2000
_WAITING = 10_000
_INSTALLED = ("ldp", "ldp_client", "msgpack", "xxhash")

_HOLD = f"""
import os, sys
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before = resident()
from ldp_client import EmbeddedClient
with EmbeddedClient(sys.stdin.read(), state=sys.argv[1], interval=None) as client:
    for _ in range({_WAITING}):
        client.record({QUESTION!r}, "some text")
    assert client.waiting() == {_WAITING}
    print(resident() - before)
"""


def figures() -> Iterator[Figure]:
    """Wall-clock microseconds, since what a record does is mostly to wait for the file
    system.

    Mebibytes.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield Figure(
            "device: grr, 4 values, ledger, memory and queue on disk",
            _first(folder) * 1e6,
            "us",
            target=250,
        )
        again = _again(folder) * 1e6
        yield Figure(
            "device: rappor, 1,024 bits, ledger, memory and queue on disk",
            again,
            "us",
            target=400,
        )
        if sys.platform == "linux":
            mebibytes = _held(folder) / (1 << 20)
            yield Figure(
                f"device: {_WAITING:,} reports waiting, over a bare interpreter",
                mebibytes,
                "MiB",
                target=16,
            )
    yield Figure(
        "device: the client installed, with what it needs",
        _installed() / (1 << 20),
        "MiB",
        target=6,
    )


def _first(folder: Path) -> float:
    """The median of answers to questions that are answered once, under a lifetime to be
    checked.
    """
    questions = "".join(
        f'[[question]]\nname = "q{number}"\ntype = "category"\nvalues = ["a", "b", '
        '"c", "d"]\n'
        'mechanism = "grr"\nepsilon = 1\n'
        for number in range(_QUESTIONS)
    )
    survey = parse_survey(
        f'[survey]\nname = "benchmark"\nlifetime_epsilon = 100\n{questions}'
    )
    times: list[float] = []
    for number in range(_DEVICES):
        with EmbeddedClient(
            survey, state=folder / f"device{number}", interval=None
        ) as client:
            times += [
                _seconds(client.record, question.name, "b") for question in survey
            ]
    return statistics.median(times)


def _again(folder: Path) -> float:
    with EmbeddedClient(
        text_survey(1024), state=folder / "rappor", interval=None
    ) as client:
        return statistics.median(
            _seconds(client.record, QUESTION, "some text") for _ in range(_REPEATED)
        )


def _seconds(record: Callable[[str, str], bool], name: str, answer: str) -> float:
    start = time.perf_counter()
    if not record(name, answer):
        raise RuntimeError("expected every answer to be recorded")
    return time.perf_counter() - start


def _held(folder: Path) -> int:
    text = survey_text(f"{TEXT_KEYS}bloom_bits = 1024\n")
    command = [sys.executable, "-c", _HOLD, folder / "waiting"]
    return int(
        subprocess.run(
            command, input=text, check=True, capture_output=True, text=True
        ).stdout
    )


def _installed() -> int:
    folders = [
        Path(next(iter(find_spec(name).submodule_search_locations)))
        for name in _INSTALLED
    ]
    files = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    return sum(file.stat().st_size for file in files if "__pycache__" not in file.parts)
