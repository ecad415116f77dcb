"""How much one machine counts: tables for docs/operating.md, by store, and when Spark
pays.

`python -m lab.benchmarks.sizes docs/operating.md` measures the real `ldp serve` under
the load of `benchmarks.service_load`: on a store in SQLite, and on PostgreSQL with one
process and with two; and Spark beside one process, where there is Java. Service,
database and load share the cores. What it finds it writes between two markers of the
page. PostgreSQL is a server of its own in a temporary folder
(`tests/stores/postgres.py`), which syncs as any other.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from lab.benchmarks import spark
from lab.benchmarks.figures import machine, rounded
from lab.benchmarks.means.page import replaced, table
from lab.benchmarks.service import serving

ROOT = Path(__file__).parents[2]
PEAK = 3
"""By how much the busiest second of a day has more uploads than others."""
PLANNED = 0.5
"""The part of what was measured that a machine is planned with."""
HEADINGS = (
    "store",
    "uploads of one report, a second",
    "99 % of them within",
    "reports a second in batches of 100",
    "disk, a batch",
    "devices that upload once a day",
)
_DAY = 86_400
_MILLION = 10**6


class Load(NamedTuple):
    """Uploads of so many reports each, over connections that are kept."""

    size: int
    requests: int
    connections: int


class Row(NamedTuple):
    """What was seen of a store."""

    store: str
    uploads: float
    """Of one report, a second."""
    late: float
    """Milliseconds within which 99 of 100 of them were answered."""
    reports: float
    """A second, in batches of 100."""
    size: float
    """Bytes on disk, for each batch."""

    @property
    def devices(self) -> float:
        """How many may upload once a day, with room for its peak and for the
        unforeseen.
        """
        return self.uploads * PLANNED * _DAY / PEAK

    def cells(self) -> tuple[str, ...]:
        """As texts."""
        return (
            self.store,
            f"{rounded(self.uploads)}",
            f"{rounded(self.late)} ms",
            f"{rounded(self.reports)}",
            f"{self.size:.0f} bytes",
            f"{rounded(self.devices / _MILLION)} million",
        )


SINGLES, HUNDREDS = Load(1, 100_000, 100), Load(100, 20_000, 100)


def rows(singles: Load = SINGLES, hundreds: Load = HUNDREDS) -> Iterator[Row]:
    """A row for each store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        options = ("--store", f"sqlite:///{path}")
        yield _row("SQLite", options, path.stat, singles=singles, hundreds=hundreds)
    with _postgres() as server:
        for workers in (1, 2):
            server.emptied()
            options = ("--store", server.database, "--workers", str(workers))
            name = f"PostgreSQL, {workers} process{'es' * (workers > 1)}"
            yield _row(name, options, server.size, singles=singles, hundreds=hundreds)


def _row(
    name: str,
    options: tuple[str, ...],
    size: Callable[[], Any],
    *,
    singles: Load,
    hundreds: Load,
) -> Row:
    with serving(*options) as service:
        empty = _bytes(size())
        service.load(singles.size, singles.requests // 10, singles.connections)
        seconds, _, late, _ = service.load(*singles)
        batches = singles.requests + singles.requests // 10
        many, *_ = service.load(*hundreds)
        batches += hundreds.requests
    return Row(
        name,
        singles.requests / seconds,
        late,
        reports=hundreds.requests * hundreds.size / many,
        size=(_bytes(size()) - empty) / batches,
    )


def _bytes(size: Any) -> float:
    return float(getattr(size, "st_size", size))


@contextmanager
def _postgres() -> Iterator[Any]:
    """A server of its own, that says how large its database is."""
    sys.path.insert(0, str(ROOT / "tests" / "stores"))
    from postgres import running  # type: ignore[import-not-found]

    with running() as server:
        query = "SELECT pg_database_size(current_database())"
        server.size = lambda: server.run(query)[0][0]
        yield server


def break_even() -> str:
    """From how many cores on Spark counts files faster than one process; nothing
    without Java.
    """
    bytes_a_second = [one.measured for one in spark.figures() if one.unit == "MB/s"]
    if not bytes_a_second:
        return ""
    alone, two_cores = bytes_a_second
    cores = math.ceil(2 * alone / two_cores)
    return (
        f"\nFiles of batches of one: one process counts {rounded(alone)} MB/s, and "
        f"Spark on two cores of the same machine {rounded(two_cores)} MB/s. So Spark "
        f"pays from {cores} cores on.\n"
    )


@click.command(help=__doc__)
@click.argument("page", type=click.Path(path_type=Path, exists=True))
def main(page: Path) -> None:
    """See the module."""
    # All of it first: the page stays as it is where something fails.
    cells = [row.cells() for row in rows()]
    text = f"{machine()}\n\n{table(HEADINGS, cells, compared=False, first=['---'])}{break_even()}"
    page.write_text(
        replaced(page.read_text(encoding="utf-8"), text, mark="sizes"), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
