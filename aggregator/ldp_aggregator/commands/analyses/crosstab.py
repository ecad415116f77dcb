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
from ldp_aggregator.commands.sources import ALLOW_EQUAL, tally_of
from ldp_aggregator.options import Options


@click.command()
@SURVEY
@TALLIES
@click.option("--question", required=True, metavar="NAME", help="A question of type table.")
@click.option(
    "--fields",
    metavar="A,B",
    help="One to three of its fields; of two, the first is shown among the holders of the second. "
    "Without, how strongly any two go together.",
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
    fields: str | None,
    level: float,
    estimand: str,
    form: str,
    output: Path | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Show shares, shares within groups, and dependence of a question's fields."""
    from ldp_aggregator.association.crosstab_sheet import crosstab_sheet, pairs_sheet
    from ldp_aggregator.association.crosstabs import crosstab as crosstab_of

    tally = tally_of(survey_path, paths, quiet, allow_equal=allow_equal)
    table = crosstab_of(tally, question, Options(level, estimand))
    if fields is None:
        present(pairs_sheet(table), form, output)
        return
    names = [name.strip() for name in fields.split(",")]
    present(crosstab_sheet(table, names), form, output)
