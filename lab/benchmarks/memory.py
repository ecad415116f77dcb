"""Peak memory of an aggregation, at two sizes that lie ten times apart.

Run as a program, `python -m lab.benchmarks.memory REPORTS BATCH_SIZE` aggregates a
report file that is made as it is read, and prints the peak of its resident memory in
MiB.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from lab.benchmarks.figures import Figure
from lab.benchmarks.material import closed_survey, frames
from lab.benchmarks.processes import peak, printed
from ldp_aggregator import Ingest

SMALL, LARGE = 200_000, 2_000_000


def figures() -> Iterator[Figure]:
    """Peaks, and what a report or a batch adds to them.

    Measure this first: a new process inherits the peak of the one that starts it, which
    must still be small.
    """
    small = _peak(SMALL, 1000)
    large = _peak(LARGE, 1000)
    name = "memory: oue, 1,024 bits, batches of 1,000"
    yield Figure(f"{name}, peak at {SMALL:,} reports", small, "MiB")
    yield Figure(f"{name}, peak at {LARGE:,} reports", large, "MiB", target=small + 4)
    apart = (_peak(LARGE, 1) - _peak(SMALL, 1)) / (LARGE - SMALL) * (1 << 20)
    yield Figure(
        "memory: batches of one, the id that each batch leaves behind", apart, "bytes"
    )


def _peak(reports: int, batch_size: int) -> float:
    (mebibytes,) = printed("lab.benchmarks.memory", reports, batch_size)
    return mebibytes


def _aggregate(reports: int, batch_size: int) -> None:
    survey = closed_survey("oue", 1024)
    ingest = Ingest(survey)
    chunk = bytearray()
    for frame in frames(survey, reports, batch_size):
        chunk += frame
        if len(chunk) >= 1 << 19:
            ingest.feed(bytes(chunk))
            chunk.clear()
    ingest.feed(bytes(chunk))
    ingest.end_of_stream()


if __name__ == "__main__":
    _aggregate(int(sys.argv[1]), int(sys.argv[2]))
    print(peak())
