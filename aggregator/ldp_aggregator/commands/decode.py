"""`ldp client decode`: what a report file, an upload or a batch says, in plain
words.
"""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.main import FILE_PATH
from ldp_aggregator.output.files import read_survey, read_whole


@click.command()
@click.argument("path", metavar="FILE", type=FILE_PATH)
@click.option(
    "--survey",
    "survey_paths",
    multiple=True,
    type=FILE_PATH,
    help=(
        "A survey whose questions it may be of; without one they are shown by their "
        "fingerprints."
    ),
)
@click.option(
    "--rows",
    default=10,
    show_default=True,
    type=click.IntRange(0),
    help="How many reports of each batch to show.",
)
def decode(path: Path, survey_paths: tuple[Path, ...], rows: int) -> None:
    """Explain FILE, which holds reports: batches, their ids, and what each report
    supports.

    FILE is a report file, an upload, or a single batch. What a report supports is noise
    more often than not.
    """
    from ldp.wire.decoded import decoded_file
    from ldp_aggregator.output.columns import printable

    surveys = [read_survey(survey_path) for survey_path in survey_paths]
    for line in decoded_file(read_whole(path), surveys, rows):
        click.echo(printable(line))
