"""`ldp survey remove`: forget a survey."""

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
