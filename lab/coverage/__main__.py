"""The command: measure the grid, say what does not hold, and write the page.

It goes on where an interrupted run stopped, as long as the source of what is measured
stays the same.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from lab.archive import Archive
from lab.coverage.adding import PageError, added, lacking, sums_of
from lab.coverage.cells import Cell, cells, fitting, part
from lab.coverage.claims import FALSE_ALARM, broken, claims_of, compared
from lab.coverage.page import page, sums
from lab.coverage.running import run
from lab.measured import commit_of, name_commit
from ldp.errors import LDPError
from ldp_aggregator.commands.progress import progress
from ldp_aggregator.output.files import write_whole


@click.command()
@click.argument("output", required=False, type=click.Path(path_type=Path))
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    help="File that keeps what was measured, cell by cell.",
)
@click.option(
    "--part",
    "partly",
    is_flag=True,
    help="Measure a few cells of every mechanism, in seconds.",
)
@click.option(
    "--cells",
    "pattern",
    default="*",
    help="Measure cells whose names fit, such as 'values: grr,*'.",
)
@click.option(
    "--add",
    is_flag=True,
    help="Measure what OUTPUT has no row of, and add it; the rest stays.",
)
@click.option(
    "--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def main(
    output: Path | None,
    results: Path | None,
    partly: bool,
    pattern: str,
    *,
    add: bool,
    workers: int,
    quiet: bool,
) -> None:
    """Measure how often intervals hold the truth, and write OUTPUT, a Markdown page.

    Exit code 1 if a claim is broken: without a cause with a probability of at most 1 in
    a million.
    """

    def over(done: Iterator[Cell], total: int) -> Iterator[Cell]:
        return progress(done, "measuring", quiet, total=total)

    try:
        every = cells()
        there = _text_of(output) if add else ""
        if add:
            every = lacking(there, every)
        chosen = fitting(part(every) if partly else every, pattern)
        outcomes = run(chosen, Archive(results), workers, over)
        others = sums_of(there).comparisons if add else 0
        comparisons, wrong = compared(claims_of(outcomes)), broken(outcomes, others)
        text = page(outcomes, wrong, comparisons)
        if add:
            text = added(
                there, text, sums_of(there).and_of(sums(outcomes, comparisons))
            )
        if output is not None:
            # Rows that were there are of the commit that the page names.
            write_whole(output, name_commit(text, commit_of(there)))
    except LDPError as error:
        raise click.ClickException(str(error)) from None
    for claim in wrong:
        click.echo(f"does not hold: {claim}")
    click.echo(
        f"{len(chosen):,} cells, {comparisons:,} comparisons, {len(wrong):,} claims "
        f"broken (false alarms: {FALSE_ALARM:g} in all)"
    )
    sys.exit(bool(wrong))


def _text_of(output: Path | None) -> str:
    """The page that is added to."""
    if output is None or not output.is_file():
        raise PageError(
            "expected the page to add rows to as OUTPUT, got none; write it whole"
        )
    return output.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
