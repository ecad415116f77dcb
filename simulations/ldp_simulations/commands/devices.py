"""`ldp ledger` and `ldp codegen`: for people whose device takes part, and for app developers."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from ldp_aggregator.commands.main import SURVEY
from ldp_aggregator.files import hand_out, read_survey

_LANGUAGES = {"python": "ldp_client.codegen", "typescript": "ldp_client.codegen_typescript"}
"""The modules that write, loaded when one does."""


@click.command()
@click.argument("state", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def ledger(state: Path) -> None:
    """Say in plain words what the device with this STATE file has spent. The app may be running."""
    from ldp_client.database import Database
    from ldp_client.ledger import Ledger

    click.echo(str(Ledger.read(Database(state))))


@click.command()
@SURVEY
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
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
