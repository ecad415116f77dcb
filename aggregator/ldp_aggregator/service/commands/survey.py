"""`ldp survey`: close a survey, or forget it."""

from __future__ import annotations

import click

from ldp_aggregator.commands.main import Group


@click.group(cls=Group)
def survey() -> None:
    """Look after the surveys of a store."""


@survey.command()
@click.argument("name")
@click.argument("store")
@click.option("--yes", is_flag=True, help="Do not ask.")
def close(name: str, store: str, yes: bool) -> None:
    """Close the survey NAME in STORE: it takes no more reports, and all that came are shown.

    Stop the service meanwhile; once it serves the survey again, analysts see every report. Of
    epochs that were closed before nothing more is shown. A survey that was closed stays closed.
    """
    from ldp_aggregator.service.upkeep.ending import close_survey

    if not yes:
        click.confirm(f"Close {name} for good, and show all reports to it?", abort=True)
    for question, reports in close_survey(store, name).items():
        click.echo(f"{question}: {reports:,} reports are shown")
    click.echo(f"{name}: closed; what comes now is rejected as late")


@survey.command()
@click.argument("name")
@click.argument("store")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(name: str, store: str, yes: bool) -> None:
    """Forget all that STORE has of the survey NAME: tallies, accounts, kept batches, its file.

    The service is stopped meanwhile, and does not serve the survey any more. Ids of its batches
    stay until their epoch closes. A backup from before has all of it.
    """
    from ldp_aggregator.service.upkeep.removal import remove_survey

    if not yes:
        click.confirm(f"Forget all reports to {name}? No repair brings them back", abort=True)
    records, batches = remove_survey(store, name)
    click.echo(f"{name}: {records:,} records and the accounts of {batches:,} batches are gone")
