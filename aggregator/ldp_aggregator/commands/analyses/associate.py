"""`ldp associate`: the joint frequencies of questions that were answered together."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.main import QUIET, SURVEY
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    TALLIES,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import ALLOW_EQUAL, tally_of
from ldp_aggregator.files import read_candidates
from ldp_aggregator.options import Options


@click.command()
@SURVEY
@TALLIES
@click.option(
    "--questions",
    required=True,
    metavar="A,B",
    help="Two or three questions that are answered together.",
)
@LEVEL
@ESTIMAND
@click.option("--simultaneous", is_flag=True, help="Make all intervals hold together (Bonferroni).")
@click.option(
    "--likelihood", is_flag=True, help="Add the most likely frequencies: biased, but none below 0."
)
@format_option("tables", "record", "rows")
@OUTPUT
@ALLOW_EQUAL
@QUIET
def associate(
    survey_path: Path,
    paths: tuple[str, ...],
    questions: str,
    level: float,
    estimand: str,
    simultaneous: bool,
    likelihood: bool,
    form: str,
    output: Path | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Estimate joint answers to questions that SURVEY asks together, and test independence."""
    from ldp_aggregator.association.association import associate

    options = Options(level, estimand, simultaneous="bonferroni" if simultaneous else None)
    names = [name.strip() for name in questions.split(",")]
    tally = tally_of(survey_path, paths, quiet, allow_equal=allow_equal)
    association = associate(
        tally,
        names,
        options,
        candidates=read_candidates(tally.survey, survey_path),
        likelihood=likelihood,
    )
    present(association.sheet(), form, output)
