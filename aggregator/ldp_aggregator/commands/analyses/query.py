"""`ldp query`: sums, differences, ratios and means of what people hold, asked in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ldp_aggregator.commands.group_options import GroupOptions, with_group_options
from ldp_aggregator.commands.main import QUIET, SURVEY
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import ALLOW_EQUAL, group_arguments, tally_of
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
@with_group_options
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
    form: str,
    output: Path | None,
    allow_equal: bool,
    quiet: bool,
    **asked: Any,
) -> None:
    """Answer each QUERY, such as "share(mode = bus) - share(mode = car)", from one tally."""
    from ldp_aggregator.queries.answering import query as answers_of
    from ldp_aggregator.queries.group_answers import query_groups
    from ldp_aggregator.queries.query_sheet import query_sheet

    wanted = GroupOptions(**asked)
    tally = tally_of(survey_path, (path,), quiet, allow_equal=allow_equal)
    family = "bonferroni" if simultaneous else None
    options = Options(level, estimand, simultaneous=family)
    candidates = read_candidates(tally.survey, survey_path)
    if wanted:
        arguments = group_arguments(survey_path, wanted)
        groups = query_groups(tally, *texts, options=options, candidates=candidates, **arguments)
        present(groups.sheet(), form, output)
        return
    answers = answers_of(tally, *texts, options=options, candidates=candidates)
    present(query_sheet(answers), form, output)
