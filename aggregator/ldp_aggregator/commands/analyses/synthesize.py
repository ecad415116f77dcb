"""`ldp analyze synthesize`: people whose fields go together as a tally says."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.main import QUIET, SURVEY
from ldp_aggregator.commands.output_options import (
    OUTPUT,
    TALLIES,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import ALLOW_EQUAL, tally_of


@click.command()
@SURVEY
@TALLIES
@click.option(
    "--question", required=True, metavar="NAME", help="A question of type table."
)
@click.option(
    "--fields",
    metavar="A,B,C",
    help="Two of its fields or more, in this order.  [default: all]",
)
@click.option(
    "--rows",
    "-n",
    type=int,
    default=10_000,
    show_default=True,
    help="How many people to make up.",
)
@click.option(
    "--method",
    type=click.Choice(["pairs", "weights", "tree"]),
    help="The joint table of greatest entropy with the tables of all pairs, the same "
    "by multiplicative weights, or the pairs that say most as a tree.  [default: "
    "pairs; tree, if the joint table has too many cells]",
)
@click.option("--seed", type=click.IntRange(0), help="Make the rows repeatable.")
@format_option("tables", "record", "rows")
@OUTPUT
@ALLOW_EQUAL
@QUIET
def synthesize(
    survey_path: Path,
    paths: tuple[str, ...],
    question: str,
    fields: str | None,
    rows: int,
    method: str | None,
    seed: int | None,
    form: str,
    output: Path | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Make up people whose fields go together as a tally of SURVEY says.

    To a file that ends in .csv or .parquet, or with such a --format, go the rows;
    without, a table shows how far they are from the unbiased tables. No privacy is
    spent.
    """
    from ldp_aggregator.analyses.synthesis.synthesis import synthesize as synthetic

    tally = tally_of(survey_path, paths, quiet, allow_equal=allow_equal)
    names = []
    if fields is not None:
        names = [name.strip() for name in fields.split(",")]
    people = synthetic(
        tally, question, rows=rows, fields=names, method=method, seed=seed
    )
    present(people.sheet(), form, output)
