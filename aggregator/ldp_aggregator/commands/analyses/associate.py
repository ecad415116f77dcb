"""`ldp analyze associate`: the joint frequencies of questions that were answered
together.
"""

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
from ldp_aggregator.output.files import read_candidates


@click.command()
@with_tallies()
@click.option(
    "--questions",
    required=True,
    metavar="A,B",
    help="Two or three questions that are answered together.",
)
@LEVEL
@ESTIMAND
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make all intervals hold together (Bonferroni).",
)
@click.option(
    "--likelihood",
    is_flag=True,
    help="Add the most likely frequencies: biased, but none below 0.",
)
@format_option("tables", "record", "rows")
@OUTPUT
def associate(
    questions: str,
    level: float,
    estimand: str,
    simultaneous: bool,
    likelihood: bool,
    form: str,
    output: Path | None,
    **given: Any,
) -> None:
    """Estimate joint answers to questions that SURVEY asks together, and test
    independence.

    Answers in the same row of --rows go together, whatever SURVEY says.
    """
    from ldp_aggregator.analyses.association.association import associate

    options = Options(
        level, estimand, simultaneous="bonferroni" if simultaneous else None
    )
    names = [name.strip() for name in questions.split(",")]
    source = take(TallySource, given)
    tally = source.tally(names, together=names)
    association = associate(
        tally,
        names,
        options,
        candidates=read_candidates(tally.survey, source.path),
        likelihood=likelihood,
    )
    present(association.sheet(), form, output)
