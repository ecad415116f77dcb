"""`ldp survey next-stage`: the next version of a survey, with cells of about as many
people.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from ldp_aggregator.commands.main import OUTPUT_FILE, QUIET, SURVEY
from ldp_aggregator.commands.output_options import TALLIES, present
from ldp_aggregator.commands.sources import ALLOW_EQUAL, tally_of
from ldp_aggregator.output.files import write_whole
from ldp_aggregator.output.streams import check_one_output


@click.command()
@SURVEY
@TALLIES
@click.option(
    "--question", required=True, metavar="NAME", help="A question of type place."
)
@click.option(
    "--into",
    "cells",
    type=int,
    metavar="CELLS",
    help=(
        "How many cells the next stage has.  [default: as many as so many respondents "
        "can tell]"
    ),
)
@click.option("--called", metavar="NAME", help="What the next question is called.")
@click.option(
    "--output",
    "-o",
    required=True,
    type=OUTPUT_FILE,
    help="The file of the next version of the survey.",
)
@click.option(
    "--borders",
    type=OUTPUT_FILE,
    help=(
        "Write the cells as well, as GeoJSON polygons with their names, for "
        "--geography."
    ),
)
@ALLOW_EQUAL
@QUIET
def next_stage(
    survey_path: Path,
    paths: tuple[str, ...],
    question: str,
    cells: int | None,
    called: str | None,
    output: Path,
    borders: Path | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Write the next stage of SURVEY, whose cells hold about as many people each by a
    tally.

    Nothing is spent by looking. The next stage is a question of its own: who answers it
    as well spends its epsilon besides that of the first.
    """
    from ldp_aggregator.answers.estimates.second_stage import second_stage

    if borders is not None:
        check_one_output(("--borders", borders), ("--output", output))
    tally = tally_of(survey_path, paths, quiet, allow_equal=allow_equal)
    stage = second_stage(tally, question, cells, called=called)
    write_whole(output, stage.survey.to_toml().encode())
    if borders is not None:
        write_whole(borders, (json.dumps(stage.geojson()) + "\n").encode())
    present(stage.sheet())
