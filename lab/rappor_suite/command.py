"""`ldp simulate --suite rappor`: what the command does, apart from reading its options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from lab.rappor_suite.cases import cases
from lab.rappor_suite.page import page, text
from lab.rappor_suite.running import Task, run
from ldp_aggregator.commands.progress import progress
from ldp_aggregator.output.files import make_folder, write_whole
from ldp_simulations.archive import Archive


def simulate_suite(pattern: str, instances: int | None, output: Path | None, quiet: bool) -> None:
    """Run the cases, print their tables, and write report.html.

    Results.jsonl keeps what was measured.
    """
    chosen = cases(pattern)
    archive = Archive()
    if output is not None:
        make_folder(output)
        archive = Archive(output / "results.jsonl")

    def over(tasks: Iterator[Task], total: int) -> Iterator[Task]:
        return progress(tasks, "simulating", quiet, total=total)

    outcomes = run(chosen, archive, instances, workers=None, over=over)
    click.echo(text(outcomes), nl=False)
    if output is not None:
        asked = "ldp simulate --suite rappor"
        asked += f" --cases '{pattern}'" if pattern != "*" else ""
        asked += f" --runs {instances}" if instances else ""
        write_whole(output / "report.html", page(outcomes, asked))
        if not quiet:
            click.echo(
                f"wrote report.html to {output}; results.jsonl there keeps what was measured",
                err=True,
            )
