"""Running cells, several at a time, and taking up a run that was interrupted.

A result is kept under what it depends on: the cell, and the source of whatever was
measured.
"""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import ldp
import ldp_aggregator
import ldp_simulations
from lab.archive import Archive, digest
from lab.coverage.cells import Cell
from lab.coverage.claims import Outcome
from lab.coverage.measuring import Finding, measure

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run(
    cells: Sequence[Cell],
    archive: Archive,
    workers: int = 1,
    over: Callable[[Iterator[Cell], int], Iterator[Cell]] = lambda cells, _: cells,
) -> list[Outcome]:
    """Measure whatever the archive does not have.

    `over` wraps the cells that are done, given their number (for a progress bar).
    """
    packages = (ldp, ldp_aggregator, ldp_simulations)
    rooms = [
        Path(__file__).parent,
        *(Path(package.__path__[0]) for package in packages),
    ]
    source = digest(sorted(path for room in rooms for path in room.rglob("*.py")))

    def key(cell: Cell) -> str:
        return json.dumps([cell, source])

    left = [cell for cell in cells if key(cell) not in archive]

    def done() -> Iterator[Cell]:
        for cell, findings in zip(left, _measured(left, workers), strict=True):
            archive.keep(key(cell), findings)
            yield cell

    for _ in over(done(), len(left)):
        pass
    return [
        (
            cell,
            {what: Finding(*numbers) for what, numbers in archive[key(cell)].items()},
        )
        for cell in cells
    ]


def _measured(cells: Sequence[Cell], workers: int) -> Iterator[dict[str, Finding]]:
    if workers == 1 or not cells:
        yield from map(measure, cells)
        return
    # Each process with one thread, so that they do not wait for each other's linear
    # algebra.
    os.environ.update({name: "1" for name in _THREADS if name not in os.environ})
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(measure, cells)
