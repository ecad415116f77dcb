"""`ldp store doctor`: what is wrong with a store, what it means, and its repair.

Exit codes: 0 when the store is sound, or was repaired without loss; 1 when there is
damage, or something is lost.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from ldp_aggregator.commands.main import FILE_PATH
from ldp_aggregator.output.files import read_source


@click.command()
@click.argument("store")
@click.option(
    "--repair",
    "repairs",
    is_flag=True,
    help="Repair what can be repaired; the damaged store is kept.",
)
@click.option(
    "--reopen",
    "reopens",
    is_flag=True,
    help=(
        "Open closed epochs again in which nothing was counted, and confirm the clock."
    ),
)
@click.option(
    "--confirm-clock",
    "confirms",
    is_flag=True,
    help="The clock is right now, whatever the store was written by.",
)
@click.option(
    "--survey",
    "paths",
    multiple=True,
    type=FILE_PATH,
    help="A survey that was served, should its file be missing in the store.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How to write what is found.",
)
def doctor(
    store: str,
    *,
    repairs: bool,
    reopens: bool,
    confirms: bool,
    paths: tuple[Path, ...],
    form: str,
) -> None:
    """Say what is wrong with STORE (a URL, as for ldp serve), and what that means for
    estimates.
    """
    from ldp_service.repair.circumstances import circumstances
    from ldp_service.repair.doctor import examine, repair
    from ldp_service.repair.reopening import confirm_clock, reopen

    if repairs + reopens + confirms > 1:
        raise click.UsageError(
            "--repair, --reopen and --confirm-clock: one after the other"
        )
    if reopens or confirms:
        set_right = reopen if reopens else confirm_clock
        for line in set_right(store, time.time()):
            click.echo(line)
        return
    surveys = {
        survey.fingerprint: text.decode() for survey, text in map(read_source, paths)
    }
    look = repair if repairs else examine
    examination = look(store, surveys)
    besides = [] if examination.troubles else list(circumstances(store, time.time()))
    if form == "json":
        click.echo(json.dumps({**examination.to_dict(), "besides": besides}, indent=2))
    else:
        click.echo(
            "\n".join([examination.text(), *(f"besides: {line}" for line in besides)])
        )
    damaged = bool(examination.troubles) and examination.kept_as is None
    sys.exit(1 if examination.lost or damaged else 0)
