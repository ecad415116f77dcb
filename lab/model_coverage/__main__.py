"""The command: `python -m lab.model_coverage docs/model-coverage.md`."""

from __future__ import annotations

import sys
from fnmatch import fnmatch
from pathlib import Path

import click

from lab.measured import name_commit
from lab.model_coverage import regressions, weightings
from lab.model_coverage.measuring import measure
from lab.model_coverage.page import page
from ldp_aggregator.output.files import write_whole


@click.command()
@click.argument("output", required=False, type=click.Path(path_type=Path))
@click.option("--runs", default=10_000, show_default=True, help="Of each case.")
@click.option("--cases", "pattern", default="*", help="Measure cases whose names fit.")
def main(output: Path | None, runs: int, pattern: str) -> None:
    """Measure how often intervals hold the truth, and write OUTPUT, a Markdown page.

    Exit code 1 if a claim is broken: without a cause with a probability of at most 1 in
    a million.
    """
    chosen = [
        case
        for case in (*regressions.cases(), *weightings.cases())
        if fnmatch(f"{case.what}: {case.name}", pattern)
    ]
    measured = []
    for case in chosen:
        one = measure(case, runs)
        measured.append(one)
        size = "" if one.size is None else f"  size {one.size:.4f}"
        click.echo(
            f"{one.coverage:.4f}  bias {one.bias:+.3f}  error {one.ratio:.3f}{size}  "
            f"{case.what}: {case.name}"
        )
    if output is not None:
        write_whole(output, name_commit(page(measured)).encode())
    broken = [one for one in measured if one.broken]
    for one in broken:
        click.echo(f"does not hold: {one.case.what}: {one.case.name}")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
