"""`ldp analyze crosstab`: margins, conditional shares and dependence of fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.main import take
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import TallySource, with_tallies


@click.command()
@with_tallies()
@click.option(
    "--question", required=True, metavar="NAME", help="A question of type table."
)
@click.option(
    "--fields",
    metavar="A,B",
    help="One to three of its fields; of two, the first is shown among the holders of "
    "the second. Without, how strongly any two go together.",
)
@LEVEL
@ESTIMAND
@format_option("tables", "record", "rows")
@OUTPUT
def crosstab(
    question: str,
    fields: str | None,
    level: float,
    estimand: str,
    form: str,
    output: Path | None,
    **given: Any,
) -> None:
    """Show shares, shares within groups, and dependence of a question's fields."""
    from ldp_aggregator.analyses.association.crosstab_sheet import (
        crosstab_sheet,
        pairs_sheet,
    )
    from ldp_aggregator.analyses.association.crosstabs import crosstab as crosstab_of

    tally = take(TallySource, given).tally([question])
    table = crosstab_of(tally, question, Options(level, estimand))
    if fields is None:
        present(pairs_sheet(table), form, output)
        return
    names = [name.strip() for name in fields.split(",")]
    present(crosstab_sheet(table, names), form, output)
