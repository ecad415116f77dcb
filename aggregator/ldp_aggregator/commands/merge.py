"""`ldp merge`: tally files into one, none of whose batches may be in two of them."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.main import OUTPUT_FILE, QUIET, SURVEY
from ldp_aggregator.commands.sources import ALLOW_EQUAL
from ldp_aggregator.output.files import read_survey, written_whole


@click.command()
@SURVEY
@click.argument(
    "paths", metavar="TALLIES...", nargs=-1, required=True, type=click.Path(path_type=str)
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=OUTPUT_FILE,
    help="The tally file to write.",
)
@ALLOW_EQUAL
@QUIET
def merge(
    survey_path: Path, paths: tuple[str, ...], output: Path, allow_equal: bool, quiet: bool
) -> None:
    """Add up TALLIES (tally files, or URLs of such) of SURVEY to one.

    Tallies that count the same batches, or come from one service's store and time, are refused.
    Merge all at once rather than one by one: of a sum less is known than of its parts.
    """
    from ldp_aggregator.commands.progress import progress
    from ldp_aggregator.tallies.intake.paths import merge_paths
    from ldp_aggregator.tallies.tally_file import encode_tally

    survey = read_survey(survey_path)
    tally, unknown = merge_paths(survey, progress(paths, "merging", quiet), allow_equal=allow_equal)
    with written_whole(output) as file:
        file.write(encode_tally(tally))
    if quiet:
        return
    click.echo(f"{len(paths):,} tallies merged: {tally.intake.accepted:,} batches", err=True)
    if unknown:
        named = ", ".join(unknown[:3]) + (", ..." if len(unknown) > 3 else "")
        click.echo(
            f"warning: {len(unknown):,} of the tallies do not say which batches they count "
            f"({named}): they were added unchecked",
            err=True,
        )
