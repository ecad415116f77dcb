"""`ldp analyze publish`: estimates as a page that one sends to colleagues."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.group_options import GroupOptions, with_group_options
from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import OUTPUT_FILE, LongHelp, take
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    QUESTION,
    REPORTS_PER_PERSON,
    check_names,
    warn_of_health,
)
from ldp_aggregator.commands.sources import (
    TallySource,
    group_arguments,
    with_tallies_or_design,
)
from ldp_aggregator.output.files import hand_out, read_candidates


@click.command(cls=LongHelp, headings=HEADINGS)
@with_tallies_or_design()
@QUESTION
@click.option(
    "--title", default="", help="The heading of the page.  [default: the survey's name]"
)
@click.option(
    "--query",
    "texts",
    multiple=True,
    metavar="QUERY",
    help='Answer this as well, such as "share(mode = bus) - share(mode = car)".',
)
@LEVEL
@ESTIMAND
@REPORTS_PER_PERSON
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make all intervals of a question hold together (Bonferroni).",
)
@with_group_options
@click.option(
    "--output",
    "-o",
    required=True,
    metavar="FILE",
    type=OUTPUT_FILE,
    help="The page to write: report.html with pictures, report.md (Markdown) or "
    "report.doc (for Word) with tables.",
)
def publish(
    names: tuple[str, ...],
    title: str,
    texts: tuple[str, ...],
    level: float,
    estimand: str,
    reports_per_person: int | None,
    simultaneous: bool,
    output: Path,
    **given: Any,
) -> None:
    """Write estimates of SURVEY as a page for others: pictures and words first."""
    from ldp_aggregator.analyses.groups.estimation import estimate_groups
    from ldp_aggregator.analyses.queries.answering import query
    from ldp_aggregator.answers.estimates.estimation import estimate
    from ldp_aggregator.commands.reporting.page import report_page, report_sheet
    from ldp_aggregator.output.formats import html_page, markdown

    family = "bonferroni" if simultaneous else None
    options = Options(
        level, estimand, simultaneous=family, reports_per_person=reports_per_person
    )
    wanted, source = take(GroupOptions, given), take(TallySource, given)
    tally = source.tally(names, by=wanted.groups.names)
    survey = tally.survey
    check_names(names, [question.name for question in survey])
    candidates = read_candidates(survey, source.path)
    estimates = estimate(tally, options=options, candidates=candidates, names=names)
    groups = None
    if wanted:
        groups = estimate_groups(
            tally,
            options=options,
            candidates=candidates,
            names=names,
            **group_arguments(source.path, wanted),
        )
    answers = query(tally, *texts, options=options, candidates=candidates)
    if not source.quiet:
        for question in estimates:
            warn_of_health(
                survey[question.name],
                tally.counts[question.name],
                question.options.repeats,
            )
    write = {".md": markdown.write, ".doc": html_page.write}.get(output.suffix)
    if write is None:
        hand_out(output, report_page(estimates, answers, title, groups=groups))
    else:
        sheet = report_sheet(estimates, answers, title, groups=groups)
        hand_out(output, "".join(write(sheet)))
