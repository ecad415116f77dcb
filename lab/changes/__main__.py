"""The command: `python -m lab.changes docs/changes-coverage.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from lab.changes.page import page, table
from lab.changes.parts import PARTS, Measured, broken, measured
from lab.measured import name_commit
from ldp_aggregator.output.files import write_whole


@click.command()
@click.argument("output", required=False, type=click.Path(path_type=Path))
@click.option(
    "--runs", default=10_000, show_default=True, help="Of each tally, or pair of them."
)
@click.option(
    "--series", default=2_000, show_default=True, help="Of each course with a band."
)
@click.option(
    "--alarms", default=200, show_default=True, help="Of each course that may change."
)
@click.option("--seed", default=1, show_default=True, help="Of the random numbers.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(list(PARTS)),
    help="Measure these parts alone.",
)
def main(
    output: Path | None,
    runs: int,
    series: int,
    alarms: int,
    seed: int,
    *,
    only: tuple[str, ...],
) -> None:
    """Measure how often intervals hold the truth and tests call something different.

    Writes OUTPUT, a Markdown page. Exit code 1 if a claim is broken: without a cause
    with a probability of at most 1 in a million.
    """
    times = {"bands": series, "alarms": alarms}
    parts: list[Measured] = []
    for name in only or PARTS:
        known = measured(name, times.get(name, runs), seed)
        click.echo(f"{known.part.title}: {known.runs:,} runs each\n\n{table(known)}")
        parts.append(known)
    if output is not None:
        write_whole(output, name_commit(page(parts)).encode())
    wrong = list(_broken(parts))
    for claim in wrong:
        click.echo(f"does not hold: {claim}")
    sys.exit(bool(wrong))


def _broken(parts: list[Measured]) -> Iterator[str]:
    for known in parts:
        yield from broken(known)


if __name__ == "__main__":
    main()
