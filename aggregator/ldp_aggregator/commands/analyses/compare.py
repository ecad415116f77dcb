"""`ldp compare`: what differs between two tallies of one question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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
from ldp_aggregator.options import MOST_REPORTS_EACH, Options

if TYPE_CHECKING:
    from ldp_aggregator.estimates.question_estimates import QuestionEstimates


@click.command()
@SURVEY
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--question", metavar="NAME", help="Which question; may be left out if there is but one."
)
@click.option(
    "--other-survey",
    "other_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The survey of B, if it is another version.",
)
@LEVEL
@ESTIMAND
@click.option(
    "--simultaneous",
    type=click.Choice(["bh", "bonferroni", "holm"]),
    help="Allow for looking at all values: by the share of false findings (bh), or by the chance "
    "of any.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, min_open=True),
    metavar="DIFFERENCE",
    help="Test as well whether the difference is smaller than this.",
)
@click.option(
    "--overlap",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="The share of the devices that reported to both, with the same answer.  [default: none "
    "known; of memoized questions intervals then hold for any]",
)
@click.option(
    "--reports-each",
    type=click.IntRange(1, MOST_REPORTS_EACH),
    default=1,
    show_default=True,
    help="Reports that every respondent sent of one permanent response, to memoized questions.",
)
@click.option(
    "--names", metavar="A,B", help="What the two are called.  [default: the names of their files]"
)
@format_option("tables", "record", "rows", "bars")
@OUTPUT
@ALLOW_EQUAL
@QUIET
def compare(
    survey_path: Path,
    first: str,
    second: str,
    question: str | None,
    other_path: Path | None,
    level: float,
    estimand: str,
    simultaneous: str | None,
    margin: float | None,
    overlap: float | None,
    reports_each: int,
    names: str | None,
    form: str | None,
    output: Path | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Compare B with A: tallies or report files of one question, or URLs of such.

    Shown are the difference (B less A), the ratio and the odds ratio of each value with intervals
    and p-values, and a test of all values together. They may be of two groups, two times, or two
    versions of a survey.
    """
    from ldp_aggregator.comparisons.comparing import compare as compared

    options = Options(level, estimand, reports_each=reports_each)
    one = _estimated(survey_path, first, question, options=options, quiet=quiet)
    path = survey_path if other_path is None else other_path
    other = _estimated(path, second, question, options=options, quiet=quiet)
    comparison = compared(
        one,
        other,
        simultaneous=simultaneous,
        margin=margin,
        overlap=overlap,
        names=_names(names, first, second),
        allow_equal=allow_equal,
    )
    present(comparison.sheet(), form, output)


def _estimated(
    survey_path: Path, path: str, question: str | None, options: Options, quiet: bool
) -> QuestionEstimates:
    """The estimates of the question. Raises `EstimateError` where there are several."""
    from ldp.errors import EstimateError
    from ldp_aggregator.estimates.estimation import estimate

    tally = tally_of(survey_path, [path], quiet, allow_equal=True)
    names = [one.name for one in tally.survey]
    if question is None and len(names) > 1:
        raise EstimateError(f"expected --question to be one of {', '.join(names)}, got none")
    name = names[0] if question is None else question
    candidates = read_candidates(tally.survey, survey_path)
    return estimate(tally, options=options, candidates=candidates, names=[name])[name]


def _names(names: str | None, first: str, second: str) -> tuple[str, str]:
    """What the two are called: as was asked, or by their files if these differ."""
    if names is not None:
        parts = [name.strip() for name in names.split(",")]
        if len(parts) != 2 or not all(parts):
            raise click.BadParameter(f"expected two names with a comma between, got {names!r}")
        return parts[0], parts[1]
    stems = Path(first).stem, Path(second).stem
    return stems if stems[0] != stems[1] and all(stems) else ("A", "B")
