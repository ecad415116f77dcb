"""`ldp analyze query`: sums, differences, ratios and means of what people hold, asked
in words.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.group_options import GroupOptions, with_group_options
from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import LongHelp, take
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    REPORTS_PER_PERSON,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import TallySource, group_arguments, with_tallies
from ldp_aggregator.output.files import read_candidates


@click.command(cls=LongHelp, headings=HEADINGS)
@with_tallies("[TALLY_OR_REPORTS] QUERY...")
@LEVEL
@ESTIMAND
@REPORTS_PER_PERSON
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make the intervals of all queries hold together (Bonferroni).",
)
@with_group_options
@format_option("tables", "record", "rows")
@OUTPUT
def query(
    paths: tuple[str, ...],
    level: float,
    estimand: str,
    reports_per_person: int | None,
    simultaneous: bool,
    form: str,
    output: Path | None,
    **asked: Any,
) -> None:
    """Answer each QUERY, such as "share(mode = bus) - share(mode = car)"."""
    from ldp_aggregator.analyses.queries.answering import query as answers_of
    from ldp_aggregator.analyses.queries.group_answers import query_groups
    from ldp_aggregator.analyses.queries.query_sheet import query_sheet

    # In front of the queries stands a file, unless another option says where answers
    # are.
    files = 0 if asked["row_paths"] or asked["counts"] else 1
    texts = paths[files:]
    if not texts:
        raise click.UsageError("expected a QUERY, such as 'share(mode = bus)'")
    wanted = take(GroupOptions, asked)
    source = TallySource(paths=paths[:files], **asked)
    tally = source.tally(by=wanted.groups.names)
    family = "bonferroni" if simultaneous else None
    options = Options(
        level, estimand, simultaneous=family, reports_per_person=reports_per_person
    )
    candidates = read_candidates(tally.survey, source.path)
    if wanted:
        arguments = group_arguments(source.path, wanted)
        groups = query_groups(
            tally, *texts, options=options, candidates=candidates, **arguments
        )
        present(groups.sheet(), form, output)
        return
    answers = answers_of(tally, *texts, options=options, candidates=candidates)
    present(query_sheet(answers), form, output)
