"""`ldp client ledger` and `codegen`: for people whose device takes part, and for
developers.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from ldp_aggregator.commands.main import OUTPUT_FILE, SURVEY
from ldp_aggregator.output.files import hand_out, read_survey

_LANGUAGES = {
    "python": "ldp_client.tools.codegen",
    "typescript": "ldp_client.tools.codegen_typescript",
}
"""The modules that write, loaded when one does."""


@click.command()
@click.argument("state", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--set-aside",
    is_flag=True,
    help="Set a damaged file aside first, and begin a new one with what can be read of "
    "it. What cannot may be spent again. The app must not be running.",
)
def ledger(state: Path, set_aside: bool) -> None:
    """Say in plain words what the device with this STATE file has spent. The app may be
    running.
    """
    from ldp_client.answering.ledger import Ledger
    from ldp_client.keeping.database import Database

    if set_aside:
        from ldp_client.tools.recovery import recover

        click.echo(str(recover(state)))

    click.echo(str(Ledger.read(Database(state))))


@click.command()
@SURVEY
@click.option(
    "--output",
    "-o",
    type=OUTPUT_FILE,
    help="The file to write.  [default: standard output]",
)
@click.option(
    "--language",
    type=click.Choice(list(_LANGUAGES)),
    default="python",
    show_default=True,
    help="What the module is written in.",
)
def codegen(survey_path: Path, output: Path | None, language: str) -> None:
    """Write a typed module that records answers to SURVEY."""
    source: str = import_module(_LANGUAGES[language]).module(read_survey(survey_path))
    hand_out(output, source)
