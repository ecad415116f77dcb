"""`ldp store backup` and `restore`: copy a store while it is served, and make a store
of it.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from ldp_aggregator.commands.main import FILE_PATH

_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to say what was done.",
)


@click.command()
@click.argument("store")
@click.argument("place", metavar="FILE_OR_FOLDER", type=FILE_PATH)
@click.option(
    "--keep",
    metavar="48h,14d",
    help="Keep backups in FOLDER, named by time: the newest of each of the last 48 "
    "hours, and of each of the last 14 days. Older ones are deleted before the new one "
    "is made.",
)
@_FORMAT
def backup(store: str, place: Path, keep: str | None, form: str) -> None:
    """Copy STORE (a URL, as for ldp serve) to FILE, whole, checked, while the service
    goes on.

    The copy is a store of its own, in SQLite, with its witness beside it.
    """
    from ldp_service.upkeep.backup import back_up
    from ldp_service.upkeep.rotation import back_up_into, parse_keep

    gone = 0
    if keep is None:
        sizes = back_up(store, place)
    else:
        _warn_of_one_disk(store, place)
        place, sizes, gone = back_up_into(store, place, parse_keep(keep))
    if form == "json":
        click.echo(
            json.dumps({"backup": str(place), **sizes.to_dict(), "deleted": gone})
        )
    else:
        deleted = ""
        if gone:
            deleted = f"; {gone:,} older ones deleted"
        click.echo(f"{place}: {sizes}; read back and checked{deleted}")


def _warn_of_one_disk(store: str, folder: Path) -> None:
    """Say that backups lie beside the store, which they are to outlive."""
    from ldp_service.store.opening import file_of

    path = file_of(store)
    if path is None or not folder.exists() or not Path(path).exists():
        return
    if folder.stat().st_dev == Path(path).stat().st_dev:
        click.echo(
            f"{folder}: on the disk of the store; a backup should outlive it", err=True
        )


@click.command()
@click.argument("place", metavar="FILE", type=FILE_PATH)
@click.argument("store")
@click.option(
    "--replace",
    "replaces",
    is_flag=True,
    help="Replace the store that is there, and keep it.",
)
@_FORMAT
def restore(place: Path, store: str, replaces: bool, form: str) -> None:
    """Make STORE (a URL) of the backup in FILE, and say what is not in it.

    The service is stopped meanwhile.
    """
    from ldp_service.upkeep.backup import restore as restore_backup

    sizes, before, kept = restore_backup(place, store, replaces=replaces)
    lost = None
    if before is not None:
        lost = before.received - sizes.received
    if form == "json":
        answer = {
            "store": sizes.to_dict(),
            "kept_as": None if kept is None else str(kept),
        }
        click.echo(json.dumps({**answer, "batches_not_in_it": lost}))
        return
    click.echo(f"restored: {sizes}")
    if lost is not None and lost >= 0:
        click.echo(f"batches received since that are not in it: {lost:,}")
    elif lost is not None:
        click.echo(
            f"batches in it that were there no more: {-lost:,}; a survey that was "
            "removed since the backup is back, until it is removed anew"
        )
    if kept is not None:
        click.echo(f"what was there is kept as {kept}")
