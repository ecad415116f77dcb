"""Measure this project beside its peers, and write docs/peers.md and docs/peers.svg."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from lab.benchmarks.peers.environments import InstallError, default_folder
from lab.benchmarks.peers.page import page
from lab.benchmarks.peers.picture import picture
from lab.benchmarks.peers.run import Archive, measure, schedule
from lab.benchmarks.peers.sides import ROOT
from lab.benchmarks.peers.summary import rows
from lab.benchmarks.peers.table import CELLS, present
from lab.measured import name_commit


@click.command(help=__doc__)
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=default_folder,
    help="Environments and results.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=ROOT / "docs",
    help="Where page and picture go.",
)
@click.option(
    "--minutes",
    default=20.0,
    show_default=True,
    help="Begin nothing new after this time.",
)
@click.option(
    "--longest",
    default=3.0,
    show_default=True,
    help="Seconds for making, and for decoding, the reports of one measurement; what "
    "takes longer is measured on fewer respondents and scaled. inf: no limit.",
)
@click.option(
    "--rounds", default=3, show_default=True, help="Times that everything is measured."
)
@click.option("--fresh", is_flag=True, help="Forget what was measured before.")
def main(
    folder: Path, output: Path, minutes: float, longest: float, rounds: int, fresh: bool
) -> None:
    """A run that was cut short is taken up where it ended when the command is given
    again.
    """
    load = os.getloadavg()[0]
    results = folder / "results.jsonl"
    if fresh:
        results.unlink(missing_ok=True)
    pairs, absent = present()
    todo = schedule(pairs, CELLS, rounds)
    archive = Archive(results, longest)
    steps = measure(todo, archive, folder, longest=longest, minutes=minutes)
    try:
        shown = track(
            steps,
            "measuring",
            total=len(todo),
            console=Console(stderr=True),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        for _ in shown:
            pass
    except InstallError as error:
        raise click.ClickException(str(error)) from None
    measured = [
        (item, result) for item in todo if (result := archive.get(item)) is not None
    ]
    output.mkdir(parents=True, exist_ok=True)
    table = rows(measured)
    text = page(
        table,
        load,
        rounds,
        longest=longest,
        absent=absent,
        unmeasured=len(todo) - len(measured),
    )
    (output / "peers.md").write_text(name_commit(text), encoding="utf-8")
    (output / "peers.svg").write_bytes(picture(table))
    click.echo(
        f"{len(measured)} of {len(todo)} measurements; wrote {output / 'peers.md'} and "
        f"{output / 'peers.svg'}"
    )


if __name__ == "__main__":
    main()
