"""`ldp query`: sums, differences, ratios and means of what people hold, asked in words."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.main import QUIET, SURVEY
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    format_option,
    present,
)
from ldp_aggregator.commands.reports import ALLOW_EQUAL, tally_of
from ldp_aggregator.files import read_candidates
from ldp_aggregator.options import Options


@click.command()
@SURVEY
@click.argument("path", metavar="TALLY_OR_REPORTS", type=click.Path(path_type=str))
@click.argument("texts", metavar="QUERY...", nargs=-1, required=True)
@LEVEL
@ESTIMAND
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make the intervals of all queries hold together (Bonferroni).",
)
@format_option("tables", "record", "rows")
@OUTPUT
@ALLOW_EQUAL
@QUIET
def query(
    survey_path: Path,
    path: str,
    texts: tuple[str, ...],
    level: float,
    estimand: str,
    simultaneous: bool,
    form: str | None,
    output: Path | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Answer each QUERY, such as "share(mode = bus) - share(mode = car)", from one tally."""
    from ldp_aggregator.queries.answering import query as answers_of
    from ldp_aggregator.queries.query_sheet import query_sheet

    tally = tally_of(survey_path, (path,), quiet, allow_equal=allow_equal)
    family = "bonferroni" if simultaneous else None
    options = Options(level, estimand, simultaneous=family)
    candidates = read_candidates(tally.survey, survey_path)
    present(
        query_sheet(answers_of(tally, *texts, options=options, candidates=candidates)), form, output
    )
