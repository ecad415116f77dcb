"""The service under load: the real `ldp serve` on SQLite, every upload acknowledged
after its sync.

`python -m lab.benchmarks.service` measures the figures; `python -m
lab.benchmarks.service --soak 60` keeps the service busy for n minutes and prints by how
many MiB an hour its memory grows, by least squares over the later half: in the first
minutes the store's pages fill their cache of 16 MiB. Ten minutes are enough for that.

Times are wall-clock, with the load generator on the same cores; a machine that does
anything else makes them worse.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import click
import numpy as np

from lab.benchmarks.figures import Figure
from lab.benchmarks.material import survey_text, values
from lab.benchmarks.processes import printed
from lab.benchmarks.service_baselines import Answering
from lab.benchmarks.service_baselines import figures as beside
from lab.benchmarks.service_load import VALUES
from ldp_aggregator.tallies.tally import ACCEPTED
from ldp_service.counting.books import Books
from ldp_service.counting.turn import begin
from ldp_service.store.records import EVER
from ldp_service.store.sqlite import SQLiteStore

_SURVEY = survey_text(
    f'type = "category"\n{values(VALUES)}mechanism = "grr"\nepsilon = "1"\n'
)
_PATIENCE = 60
_MOST_A_DAY = 10**12
_IDS, _FILLED_AT_ONCE, _CLAIMED_AT_ONCE, _TURNS = 10_000_000, 500_000, 1000, 100


class Load(NamedTuple):
    """Requests of a batch size, over n connections.

    Reports a second to reach, or milliseconds at most.
    """

    size: int
    requests: int
    connections: int
    reports: float


LOADS = (
    Load(1, 200_000, 200, reports=10_000),
    Load(100, 60_000, 100, reports=500_000),
    Load(1000, 25_000, 50, reports=2_000_000),
)


class Serving(NamedTuple):
    """A service under way."""

    process: int
    port: int
    token: str

    def load(self, size: int, requests: int, connections: int) -> list[float]:
        """Seconds, and percentiles of the times in milliseconds."""
        return printed(
            "lab.benchmarks.service_load",
            self.port,
            self.token,
            size,
            requests,
            connections,
        )

    def resident(self) -> float:
        """MiB that it holds."""
        status = Path(f"/proc/{self.process}/status").read_text()
        match = re.search(r"VmRSS:\s+(\d+)", status)
        return int(match[1]) / 1024 if match else 0.0


def figures() -> Iterator[Figure]:
    """What a single report costs; throughput and times by size of batch;
    deduplication.
    """
    yield from compared()
    for load in LOADS:
        with serving() as service:
            service.load(load.size, load.requests // 10, load.connections)
            seconds, median, late, most = service.load(
                load.size, load.requests, load.connections
            )
        what = "single reports" if load.size == 1 else f"batches of {load.size:,}"
        name = f"service: {what}"
        yield Figure(
            f"{name}, durable",
            load.requests * load.size / seconds,
            "reports/s",
            target=load.reports,
            at_least=True,
        )
        yield Figure(f"{name}, half of the answers within", median, "ms")
        yield Figure(
            f"{name}, 99 % within", late, "ms", target=50 if load.size == 1 else None
        )
        yield Figure(f"{name}, all within", most, "ms")
    yield from _deduplication()


def compared() -> Iterator[Figure]:
    """What a single report costs, beside servers that do less (`service_baselines`)."""
    with serving() as service:
        ours = Answering(service.process, service.port, service.token)
        yield from beside(ours, LOADS[0].requests // 2)


@contextmanager
def serving(*options: str) -> Iterator[Serving]:
    """A service on a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "survey.toml").write_text(_SURVEY)
        ldp = Path(sys.executable).with_name("ldp")
        new_token = [
            ldp,
            "store",
            "tokens",
            "new",
            "--name",
            "load",
            "--scope",
            "upload",
        ]
        new_token += ["--reports-a-day", f"{_MOST_A_DAY}"]
        token = subprocess.run(
            new_token, cwd=folder, capture_output=True, text=True, check=True
        ).stdout
        command = [ldp, "serve", "survey.toml", "--port", "0", *options]
        log = Path(folder) / "log"
        with (
            log.open("w") as file,
            subprocess.Popen(command, cwd=folder, stderr=file) as process,
        ):
            try:
                yield _found(process.pid, log, token.strip())
            finally:
                process.terminate()
                process.wait(_PATIENCE)


def _found(process: int, log: Path, token: str) -> Serving:
    """The service that writes a log, once it takes uploads."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        text = log.read_text()
        port = re.search(r"serving \S+:(\d+)", text)
        if port:
            with (
                suppress(OSError),
                urlopen(f"http://127.0.0.1:{port[1]}/readyz"),
            ):  # it is ours
                return Serving(process, int(port[1]), token)
        time.sleep(0.1)
    raise RuntimeError(f"expected a service, got: {log.read_text()}")


def slope(minutes: float) -> float:
    """MiB an hour by which the memory of a busy service grows."""
    with serving() as service:
        begun = time.monotonic()
        sampled: list[tuple[float, float]] = []
        while (passed := time.monotonic() - begun) < minutes * 60:
            service.load(1, 20_000, 100)
            sampled.append((passed / 3600, service.resident()))
    hours, mebibytes = np.array(sampled[len(sampled) // 2 :]).T
    return float(np.polyfit(hours, mebibytes, 1)[0])


def _deduplication() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        _fill(SQLiteStore(path))
        begun = time.perf_counter()
        store = SQLiteStore(path)
        Books(store, {})
        yield Figure(
            f"service: opening a store with {_IDS:,} ids",
            time.perf_counter() - begun,
            "s",
            target=1,
        )
        begun = time.perf_counter()
        for _ in range(_TURNS):
            _claim(store, _CLAIMED_AT_ONCE)
        seconds = time.perf_counter() - begun
        store.close()
        size = path.stat().st_size
    name = f"service: deduplication among {_IDS:,} ids"
    yield Figure(
        name, _TURNS * _CLAIMED_AT_ONCE / seconds, "ids/s", target=15_000, at_least=True
    )
    yield Figure(
        f"{name}, on disk",
        size / (_IDS + _TURNS * _CLAIMED_AT_ONCE),
        "bytes an id",
        target=32,
    )


def _fill(store: SQLiteStore) -> None:
    """Let a store have received as many batches as it is to have ids, and close it."""
    books = Books(store, {})
    for _ in range(_IDS // _FILLED_AT_ONCE):
        with begin(books) as turn:
            turn.claim(EVER, _new_ids(_FILLED_AT_ONCE))
            turn.receive(_FILLED_AT_ONCE)
            turn.tell(None, EVER, ACCEPTED, batches=_FILLED_AT_ONCE)
    store.close()


def _claim(store: SQLiteStore, count: int) -> None:
    store.begin()
    store.claim(EVER, _new_ids(count))
    store.commit()


def _new_ids(count: int) -> list[bytes]:
    ids = os.urandom(16 * count)
    return [ids[at : at + 16] for at in range(0, len(ids), 16)]


@click.command(help=__doc__)
@click.option("--baselines", is_flag=True, help="Measure what is beside it, instead.")
@click.option(
    "--soak",
    "minutes",
    type=float,
    help="Minutes to keep it busy, instead of the figures.",
)
def main(minutes: float | None, *, baselines: bool) -> None:
    """See the module."""
    if minutes is not None:
        print(f"{slope(minutes):+.2f} MiB an hour")
        return
    for figure in compared() if baselines else figures():
        print(*figure.cells(), sep="  ", flush=True)


if __name__ == "__main__":
    main()
