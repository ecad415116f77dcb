"""Measure everything, print it, and write docs/benchmarks.md."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from lab.benchmarks import (
    aggregator,
    candidates,
    client,
    decoding,
    device,
    fairness,
    imports,
    memory,
    numbers,
    queries,
    rappor_import,
    relay,
    service,
    simulation,
    surveys,
    vectors,
)
from lab.benchmarks.figures import REPEATS, Figure, machine
from lab.measured import name_commit

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
_PARTS = (
    memory,
    candidates,
    rappor_import,
    client,
    device,
    aggregator,
    decoding,
    queries,
    numbers,
    vectors,
    simulation,
    surveys,
    service,
    fairness,
    relay,
    imports,
)
HEADINGS = ("figure", "target", "measured", "")
INTRODUCTION = """# Benchmarks

`python -m lab.benchmarks` measures these figures and writes this page. Client and aggregator
figures are processor time, medians over {repeats} repeats.

Measured on {machine}. Programs running or waiting when it began: {load:.1f}.
More of them than cores make every figure worse than it is.

- **client**: one call of `record` on a `Client(survey)`, plain Python, on a new one wherever a
  question is answered once; in bulk: the draw of `ldp randomize` and `ldp simulate` in numpy, with
  the same source and exact law.
- **device**: the wall-clock median of one call of `record` on `EmbeddedClient(...)`, with all
  its writes; the memory of a process with a full queue; the installed size, without compiled
  bytecode.
- **aggregator**: from the bytes of a report file, in memory, to a tally, on one core. A batch of
  one is a device that sends its report by itself.
- **decoding**: from a tally to the support counts of all values, with the design in memory; and the
  designs themselves.
- **queries**: a share, a difference and a ratio of a few of a million values, from a tally in
  memory, with the places of values and the design, which are made once for a survey. Loading
  the survey file and the tally takes `ldp analyze query` seconds before that.
- **numbers**: questions for a mean (`dithered`) and for a distribution (`arcs`): a first report
  of a new client, counting from bytes in batches of 1,000, the weights and the matrix of a design,
  decoding a tally of a million reports, and a billion respondents simulated once, with estimates.
- **vectors**: `codebook` with 64 words: a first report of a new client, and in bulk; counting
  from bytes in batches of 1,000; and the exact variance of a mean over that of PrivUnit with the
  best cap, the optimum (`python -m lab.benchmarks.privunit` has more of it).
- **memory**: the peak of the resident memory of a process that aggregates. It does not grow with
  the number of reports. Each batch leaves its id, so a repeated batch counts once.
- **candidates**: from a tally of ten million reports to estimates with intervals, and
  detection of candidates, with the hashes of their texts, in a process of its own, on one core.
- **ldp**: the command as a process, on one core, from files of google/rappor to a table: reading,
  hashing, decoding and start-up together (`python -m lab.benchmarks.rappor_import 1000000` has
  a million candidates).
- **simulation**: `simulate(..., way="law")` with a billion respondents, their values
  Zipf-distributed with exponent 1.1, sets of up to ten values; from the law of the reports to
  estimates with intervals, all runs together.
- **surveys**: processor time and memory of `parse_survey` on the hostile files of
  `lab/benchmarks/hostile_surveys.py`, each in a process of its own, and on an honest large one.
- **service**: wall-clock, `ldp serve` on SQLite with tokens, every upload answered after the sync
  that covers it, the load generator on the same cores; batches of one, a hundred and a thousand
  reports to `grr` with 4 values. Deduplication: claims of 1,000 ids at a time, each synced, in a
  table that has ten million. `python -m lab.benchmarks.service --soak 60` measures how its memory
  grows in an hour.
- **fairness**: wall-clock; one connection sends heavy uploads one after the other. The figures are
  the delays of an honest client of the same service, for half and for 99 in 100 of its uploads.
- **import**: time of an interpreter that imports `ldp_client`, less that of an idle one, 25 runs
  of each.

"""


@click.command(help=__doc__)
def main() -> None:
    """Exit code 1 if a target is missed."""
    load = os.getloadavg()[0]
    measured: list[Figure] = []
    shown = Table(*HEADINGS)
    for part in _PARTS:
        for figure in part.figures():
            measured.append(figure)
            shown.add_row(*figure.cells())
    Console(width=130).print(shown)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(name_commit(page(measured, load)), encoding="utf-8")
    sys.exit(any(figure.reached is False for figure in measured))


def page(measured: Sequence[Figure], load: float) -> str:
    """The figures as a Markdown page."""
    rows = [
        HEADINGS,
        ("---", "---", "---:", "---"),
        *(figure.cells() for figure in measured),
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return (
        INTRODUCTION.format(machine=machine(), load=load, repeats=REPEATS)
        + table
        + "\n"
    )


if __name__ == "__main__":
    main()
