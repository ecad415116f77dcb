"""`ldp store export`: the batches that a service kept whole, as report files for `ldp
aggregate`.

They can be counted on any engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ldp.survey.survey_file import parse_survey
from ldp.wire.wire import encode_frame
from ldp_aggregator.commands.main import FILE_PATH, QUIET
from ldp_aggregator.output.files import FileError, make_folder, written_whole

if TYPE_CHECKING:
    from ldp_service.store.records import Record, Scanned


@click.command()
@click.argument("store")
@click.option(
    "--output",
    "-o",
    "folder",
    required=True,
    type=FILE_PATH,
    help="Folder to write to.",
)
@QUIET
def export(store: str, folder: Path, quiet: bool) -> None:
    """Write the batches that `ldp serve --keep-reports` kept in STORE to report files.

    There is a file for each survey and day, and the survey file beside them. The
    service may go on.
    """
    from ldp_service.store.opening import open_snapshot
    from ldp_service.store.records import read_kept_key

    make_folder(folder)
    batches = 0
    with open_snapshot(store) as snapshot:
        names = _surveys(snapshot, folder)
        by_day = groupby(
            snapshot.scan("kept"), key=lambda record: read_kept_key(record.key)[0]
        )
        for day, records in by_day:
            batches += _write(folder, day, records, names=names)
    if not batches:
        raise FileError(
            f"expected batches in {store.partition('://')[0]}://..., got none: is "
            "--keep-reports on?"
        )
    if not quiet:
        click.echo(f"{batches:,} batches written to {folder}", err=True)


def _surveys(snapshot: Scanned, folder: Path) -> dict[bytes, str]:
    """Writes the survey files, and says which survey each question or group is of."""
    from ldp_aggregator.output.files import write_whole

    names: dict[bytes, str] = {}
    for record in snapshot.scan("survey"):
        survey = parse_survey(
            record.content, "a survey in the store", len(record.content)
        )
        name = f"{survey.name}-{survey.fingerprint.hex()[:8]}"
        write_whole(folder / f"{name}.toml", record.content)
        names |= {envelope.fingerprint: name for envelope in survey.envelopes}
    return names


def _write(
    folder: Path, day: int, records: Iterator[Record], names: dict[bytes, str]
) -> int:
    """Writes the batches of a day, in the order of their keys, which is none of
    arrival.

    Their number.
    """
    from ldp_service.store.records import DAY, read_kept_key

    date = datetime.fromtimestamp(day * DAY, UTC).date().isoformat()
    batches = 0
    with ExitStack() as files:
        opened = {}
        for record in records:
            if not record.sound:
                raise FileError(
                    "expected sound records in the store, got one with damage; run ldp "
                    "store doctor on it"
                )
            name = names[read_kept_key(record.key)[1]]
            if name not in opened:
                opened[name] = files.enter_context(
                    written_whole(folder / f"{name}-{date}.ldp")
                )
            opened[name].write(encode_frame(record.content))
            batches += 1
    return batches
