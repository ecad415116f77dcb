"""`ldp store init`: the files by which a service is run."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.main import FILE_PATH


@click.command()
@click.argument("folder", type=FILE_PATH)
@click.option(
    "--systemd", "kind", flag_value="systemd", help="For a host with systemd."
)
@click.option("--compose", "kind", flag_value="compose", help="For docker compose.")
@click.option(
    "--domain", required=True, help="The name under which devices reach the service."
)
def init(folder: Path, kind: str | None, domain: str) -> None:
    """Write the files of a service into FOLDER: settings, proxy, scraping, backups and
    secrets.

    The first lines of each file say where it belongs. The survey is yours: survey.toml
    beside ldp.toml.
    """
    from ldp_service.operating.init import write_files

    if kind is None:
        raise click.UsageError("expected --systemd or --compose, got neither")
    for path in write_files(folder, domain, compose=kind == "compose"):
        click.echo(path)
