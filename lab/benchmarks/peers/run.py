"""Measuring in rounds, side after side; every result is kept, so that a run can be
resumed.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lab import archive
from lab.benchmarks.peers.environments import interpreter
from lab.benchmarks.peers.errors import (
    error_over_optimum,
    share_of_largest,
    zipf_values,
)
from lab.benchmarks.peers.sides import ROOT, WORKERS, Side
from lab.benchmarks.peers.table import OURS, REQUIREMENTS, Cell, Entry, Pair

Result = dict[str, Any]


class Measurement(NamedTuple):
    """One thing to measure."""

    round: int
    cell: Cell
    mechanism: str
    side: str
    entry: Entry


def schedule(
    pairs: list[Pair], cells: tuple[Cell, ...], rounds: int
) -> list[Measurement]:
    """Everything to measure, in order."""
    return [
        Measurement(number, cell, pair.mechanism, side=side, entry=entry)
        for number in range(rounds)
        for cell in cells
        for pair in pairs
        for side, entry in list(pair.sides.items())[:: -1 if number % 2 else 1]
    ]


class Archive:
    """Results by what they depend on. What failed in an earlier run is tried again."""

    def __init__(self, path: Path, longest: float) -> None:
        self._results = archive.Archive(path)
        self._longest = longest
        self._failed = {key for key in self._results if "failed" in self._results[key]}
        self._sources = {side: _source(side) for side in WORKERS}

    def get(self, measurement: Measurement) -> Result | None:
        """The result, if it was measured before."""
        key = self._key(measurement)
        if key in self._results and key not in self._failed:
            return self._results[key]
        return None

    def keep(self, measurement: Measurement, result: Result) -> None:
        """Remember a result."""
        key = self._key(measurement)
        self._failed.discard(key)
        self._results.keep(key, result)

    def _key(self, measurement: Measurement) -> str:
        return json.dumps(
            [*measurement, self._longest, self._sources[measurement.side]]
        )


def measure(
    todo: list[Measurement],
    known: Archive,
    folder: Path,
    longest: float,
    minutes: float,
) -> Iterator[None]:
    """Measure what is missing until the time is up; a step for each measurement begun
    or found.
    """
    missing = [measurement for measurement in todo if known.get(measurement) is None]
    pythons = {
        side: interpreter(side, folder)
        for side in dict.fromkeys(item.side for item in missing)
    }
    end = time.monotonic() + 60 * minutes
    sides: dict[str, Side] = {}
    try:
        with tempfile.TemporaryDirectory() as scratch:
            for measurement in todo:
                if known.get(measurement) is None and time.monotonic() < end:
                    name = measurement.side
                    if name not in sides or not sides[name].alive:
                        sides[name] = Side(name, pythons[name])
                    known.keep(
                        measurement,
                        _measured(
                            measurement, sides[name], Path(scratch), longest=longest
                        ),
                    )
                yield
    finally:
        for side in sides.values():
            side.close()


def _measured(
    measurement: Measurement, side: Side, scratch: Path, longest: float
) -> Result:
    cell = measurement.cell
    name, options = measurement.entry
    values = scratch / f"{cell.respondents}-{cell.size}.npy"
    if not values.exists():
        np.save(values, zipf_values(cell.respondents, cell.size))
    estimates = scratch / "estimates.npz"
    result = side.ask(
        {
            "name": name,
            "options": options,
            "epsilon": cell.epsilon,
            "size": cell.size,
            "values": str(values),
            "estimates": str(estimates),
            "longest": longest,
        }
    )
    if "decoded" in result:
        held = np.load(values)[: result["decoded"]]
        with np.load(estimates) as views:
            for view, estimated in views.items():
                result[f"{view} error"] = error_over_optimum(
                    estimated, held, cell.epsilon
                )
                result[f"{view} largest"] = share_of_largest(estimated, held)
    return result


def _source(side: str) -> str:
    """A digest of the code that a side's results come from, and of the versions asked
    for.
    """
    workers = Path(__file__).parent / "workers"
    files = [workers / "measure.py", workers / f"{WORKERS[side]}.py"]
    if side == OURS:
        rooms = (
            ROOT / "ldp",
            ROOT / "client" / "ldp_client",
            ROOT / "aggregator" / "ldp_aggregator",
        )
        files += sorted(path for room in rooms for path in room.rglob("*.py"))
    return archive.digest(files, *REQUIREMENTS.get(side, ()))
