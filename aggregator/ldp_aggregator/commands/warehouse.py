"""`ldp analyze sql`: estimates where the counts are, in a database."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.main import SURVEY
from ldp_aggregator.commands.output_options import ESTIMAND, LEVEL, OUTPUT
from ldp_aggregator.output.files import hand_out, read_survey


@click.command()
@SURVEY
@click.argument("name", metavar="QUESTION")
@click.option(
    "--dialect",
    type=click.Choice(["duckdb", "sqlite", "postgres"]),
    default="duckdb",
    show_default=True,
    help="Whose SQL to write.",
)
@click.option(
    "--table", help="The table of counts, cell and count.  [default: QUESTION_counts]"
)
@click.option(
    "--view", "view_name", help="The view to make.  [default: QUESTION_estimates]"
)
@click.option(
    "--load",
    "tally_path",
    metavar="TALLY_OR_REPORTS",
    type=click.Path(path_type=str),
    help="Make the table of counts as well, from this.",
)
@LEVEL
@ESTIMAND
@OUTPUT
def sql(
    survey_path: Path,
    name: str,
    dialect: str,
    table: str | None,
    view_name: str | None,
    tally_path: str | None,
    level: float,
    estimand: str,
    output: Path | None,
) -> None:
    """Write a view that decodes counts of QUESTION, in a database, into estimates with
    bounds.
    """
    from ldp_aggregator.commands.sources import tally_of
    from ldp_aggregator.exchange.view import Names, counts_table, names_of, view

    survey = read_survey(survey_path)
    question = survey[name]
    usual = names_of(question)
    names = Names(view_name or usual.view, table or usual.table)
    text = view(question, dialect, names=names, options=Options(level, estimand))
    if tally_path is not None:
        tally = tally_of(survey_path, (tally_path,), True, allow_equal=False)
        text = counts_table(question, tally.counts[name], names) + text
    hand_out(output, text)
