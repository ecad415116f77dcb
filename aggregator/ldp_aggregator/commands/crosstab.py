"""`ldp crosstab`: margins, conditional shares and dependence of the fields of a question."""

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
from ldp_aggregator.commands.reports import ALLOW_EQUAL, tally_of
from ldp_aggregator.options import Options


@click.command()
@SURVEY
@TALLIES
@click.option("--question", required=True, metavar="NAME", help="A question of type table.")
@click.option(
    "--fields",
    required=True,
    metavar="A,B",
    help="One to three of its fields; of two, the first is shown among the holders of the second.",
)
@LEVEL
@ESTIMAND
@format_option("tables", "record", "rows")
@OUTPUT
@ALLOW_EQUAL
@QUIET
def crosstab(
    survey_path: Path,
    paths: tuple[str, ...],
    question: str,
    fields: str,
    level: float,
    estimand: str,
    form: str | None,
    output: Path | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Show shares, shares within groups, and dependence of a question's fields."""
    from ldp_aggregator.association.crosstab import crosstab as crosstab_of
    from ldp_aggregator.association.crosstab_sheet import crosstab_sheet

    tally = tally_of(survey_path, paths, quiet, allow_equal=allow_equal)
    table = crosstab_of(tally, question, Options(level, estimand))
    names = [name.strip() for name in fields.split(",")]
    present(crosstab_sheet(table, names), form, output)
