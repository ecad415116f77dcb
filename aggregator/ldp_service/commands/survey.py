"""`ldp store close-survey` and `remove-survey`: close a survey, or forget it."""

from __future__ import annotations

import os

import click

from ldp_aggregator.output.files import secret_of


@click.command()
@click.argument("name")
@click.argument("service")
@click.option("--yes", is_flag=True, help="Do not ask.")
def close_survey(name: str, service: str, yes: bool) -> None:
    """Close the survey NAME: it takes no more reports, and all that came are shown.

    SERVICE is the address of the running service, such as http://127.0.0.1:8000, and a
    token of scope operator is in LDP_TOKEN_OPERATOR or in the file that
    LDP_TOKEN_OPERATOR_FILE names. It may also be the store: on PostgreSQL while
    services run, in SQLite while none does. Of epochs that were closed before nothing
    more is shown. A survey that was closed stays closed.
    """
    from ldp_service.upkeep import ending

    if not yes:
        click.confirm(f"Close {name} for good, and show all reports to it?", abort=True)
    if service.startswith(("http://", "https://")):
        ending.ask_to_close(service, name, secret_of("LDP_TOKEN_OPERATOR", os.environ))
    else:
        ending.close_survey(service, name)
    click.echo(
        f"{name}: closed; all reports are shown, and what comes now is rejected as late"
    )


@click.command()
@click.argument("name")
@click.argument("store")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove_survey(name: str, store: str, yes: bool) -> None:
    """Forget all that STORE has of the survey NAME: tallies, accounts, kept batches,
    its file.

    The service is stopped meanwhile, and does not serve the survey any more. Ids of its
    batches stay until their epoch closes. A backup from before has all of it.
    """
    from ldp_service.upkeep import removal

    if not yes:
        click.confirm(
            f"Forget all reports to {name}? No repair brings them back", abort=True
        )
    records, batches = removal.remove_survey(store, name)
    click.echo(
        f"{name}: {records:,} records and the accounts of {batches:,} batches are gone"
    )
