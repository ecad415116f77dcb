"""The command: `python -m lab.rappor_suite`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from lab.archive import Archive
from lab.rappor_suite.cases import CaseError, cases
from lab.rappor_suite.page import page, text
from lab.rappor_suite.running import Task, run
from ldp_aggregator.commands.progress import progress
from ldp_aggregator.output.files import make_folder, write_whole


@click.command()
@click.option(
    "--cases", "pattern", default="*", help="Run cases whose names fit, as 'small *'."
)
@click.option(
    "--runs", type=click.IntRange(1), help="Of each case, in place of its own number."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    help=(
        "Write report.html and results.jsonl to this folder; an interrupted run goes "
        "on there."
    ),
)
def main(pattern: str, runs: int | None, output: Path | None) -> None:
    """Run the regression grid of google/rappor, and print its tables."""
    try:
        chosen = cases(pattern)
    except CaseError as error:
        raise click.UsageError(str(error)) from error
    archive = Archive()
    if output is not None:
        make_folder(output)
        archive = Archive(output / "results.jsonl")

    def over(tasks: Iterator[Task], total: int) -> Iterator[Task]:
        return progress(tasks, "simulating", quiet=False, total=total)

    outcomes = run(chosen, archive, runs, workers=None, over=over)
    click.echo(text(outcomes), nl=False)
    if output is not None:
        asked = "python -m lab.rappor_suite"
        asked += f" --cases '{pattern}'" if pattern != "*" else ""
        asked += f" --runs {runs}" if runs else ""
        write_whole(output / "report.html", page(outcomes, asked))
        click.echo(f"wrote report.html and results.jsonl to {output}", err=True)


if __name__ == "__main__":
    main()
