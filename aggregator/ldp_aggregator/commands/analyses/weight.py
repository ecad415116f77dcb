"""`ldp analyze weight`: estimates for a population whose margins are known.

What reports come from is asked for as `ldp analyze regress` asks for it: tallies of one
question, whose fields margins are of; a strata file, with a tally for each combination
of public attributes; or rows, each a report beside what is known of its respondent.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp_aggregator.commands.group_options import with_groups
from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import (
    FILE_PATH,
    OUTPUT_FILE,
    QUIET,
    SURVEY_IF_ANY,
    LongHelp,
    with_options,
)
from ldp_aggregator.commands.output_options import (
    LEVEL,
    OUTPUT,
    REPORTS_PER_PERSON,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import (
    ALLOW_EQUAL,
    ARM,
    DESIGN,
    ROWS,
    asked_question,
    read_tables,
    tally_of,
)
from ldp_aggregator.output.files import hand_out, read_survey

if TYPE_CHECKING:
    from ldp.survey.survey import Survey
    from ldp_aggregator.analyses.rows.reading import SurveyRows
    from ldp_aggregator.analyses.weighting.answers import ReportAnswers
    from ldp_aggregator.analyses.weighting.design_rows import DesignedRows
    from ldp_aggregator.analyses.weighting.rows import SamplingFrame


_FILE = FILE_PATH
_SOURCES = (
    click.argument(
        "paths", metavar="[TALLY_OR_REPORTS...]", nargs=-1, type=click.Path()
    ),
    click.option(
        "--strata",
        "strata_path",
        metavar="FILE",
        type=_FILE,
        help="CSV with a column for each public attribute and a column `reports`, "
        "which names the tally or report file of each combination; a column `weight` "
        "has design weights.",
    ),
    *ROWS,
    DESIGN,
    ARM,
    click.option(
        "--weight", metavar="COLUMN", help="The column of design weights among --rows."
    ),
    click.option(
        "--stratum",
        metavar="COLUMN",
        help="The stratum of the sampling frame among --rows.",
    ),
    click.option(
        "--cluster", metavar="COLUMN", help="Who was sampled together, among --rows."
    ),
    click.option(
        "--size",
        metavar="COLUMN",
        help=(
            "How many clusters (or people) each stratum has in the population, among "
            "--rows."
        ),
    ),
)


@dataclass(frozen=True)
class Sources:
    """Where reports come from. Raises `click.UsageError` unless it is one of three."""

    survey_path: Path | None
    paths: tuple[str, ...]
    strata_path: Path | None
    row_paths: tuple[Path, ...]
    answers: Any
    codes: dict[str, str] | None
    design: str | None
    arm: str | None
    weight: str | None
    stratum: str | None
    cluster: str | None
    size: str | None
    allow_equal: bool
    quiet: bool

    def __post_init__(self) -> None:
        given = [bool(self.paths), self.strata_path is not None, bool(self.row_paths)]
        if sum(given) != 1:
            raise click.UsageError(
                "expected tallies or reports, or --strata, or --rows; one of it"
            )
        columns = (*self.frame, self.answers, self.codes, self.design)
        if not self.row_paths and any(column is not None for column in columns):
            raise click.UsageError(
                "--answer, --codes, --design, --weight, --stratum, --cluster and "
                "--size go with --rows"
            )
        if (self.design is None) == (self.survey_path is None):
            raise click.UsageError(
                "expected a SURVEY file, or --design WORDS in its place"
            )
        if self.design is None and self.arm is not None:
            raise click.UsageError("--arm is for --design")
        if len(self.row_paths) > 1:
            raise click.UsageError("expected --rows once, got several")
        if self.design is not None and not isinstance(self.answers, str):
            raise click.UsageError("--design: expected --answer COLUMN")

    @property
    def path(self) -> Path:
        """The survey file, where no design is in its place."""
        assert self.survey_path is not None  # noqa: S101 (one of the two is given)
        return self.survey_path

    @property
    def survey(self) -> Survey:
        """Survey of the answers; those that exist may be of a law that nobody may
        collect by.
        """
        return read_survey(self.path, for_analysis=bool(self.row_paths))

    def question(self, name: str | None) -> str:
        """The question that is asked for; of a design it is called as its column."""
        if self.design is not None:
            return str(self.answers)
        return name or asked_question(self.survey, None).name

    @property
    def frame(self) -> SamplingFrame:
        """The columns of a sampling frame."""
        from ldp_aggregator.analyses.weighting.rows import SamplingFrame

        return SamplingFrame(self.weight, self.stratum, self.cluster, size=self.size)

    def read(self, question: str, attributes: list[str]) -> ReportAnswers:
        """What reports say of a question, by these attributes where rows have them."""
        from ldp_aggregator.analyses.weighting.design_rows import answers_of_any
        from ldp_aggregator.analyses.weighting.reading import answers_in
        from ldp_aggregator.analyses.weighting.strata import read_strata

        if self.row_paths:
            return answers_of_any(
                self._rows(question), question, attributes=attributes, frame=self.frame
            )
        if self.strata_path is not None:
            strata = read_strata(self.survey, self.strata_path)
            return answers_in(
                strata.tallies,
                question,
                attributes=strata.attributes,
                design=strata.design,
            )
        tally = tally_of(
            self.path, self.paths, self.quiet, allow_equal=self.allow_equal
        )
        return answers_in(tally, question, among=attributes)

    def _rows(self, question: str) -> SurveyRows | DesignedRows:
        """How they were read is said on standard error."""
        from ldp_aggregator.analyses.weighting.design_rows import DesignedRows

        if self.design is None:
            [rows] = read_tables(
                self.survey,
                self.row_paths,
                self.answers,
                codes=self.codes,
                names=[question],
                quiet=self.quiet,
            )
            return rows
        designed = DesignedRows(
            self.design, self.row_paths[0], self.answers, arm=self.arm, codes=self.codes
        )
        for line in () if self.quiet else designed.said():
            click.echo(line, err=True)
        return designed

    def in_the_clear(self, question: str, names: list[str]) -> list[str]:
        """The names that are no parts of the question's answers."""
        parts = {part.strip() for part in question.split("&")}
        fields: set[str] = set()
        if self.design is None:
            survey = self.survey
            fields = {
                field.name for part in parts for field in survey[part].domain.fields
            }
        return [name for name in dict.fromkeys(names) if name not in fields | parts]


with_sources = with_options(SURVEY_IF_ANY, *_SOURCES, ALLOW_EQUAL, QUIET)
"""Gives a command the arguments and options that `Sources` is made of."""


@click.command(cls=LongHelp, headings=HEADINGS)
@with_sources
@click.option(
    "--question",
    metavar="NAME",
    help="Which question; may be left out if there is but one.",
)
@click.option(
    "--margins",
    "margins_path",
    metavar="FILE",
    type=_FILE,
    help=(
        "CSV of known shares: attribute,value,share (or count).  [default: design "
        "weights alone]"
    ),
)
@click.option("--of", metavar="FIELD", help="The field that is estimated, of a table.")
@click.option(
    "--method",
    type=click.Choice(["raking", "linear"]),
    default="raking",
    show_default=True,
    help="How several margins are met.",
)
@click.option(
    "--replicates",
    type=click.Choice(["jackknife", "bootstrap", "brr"]),
    help="Check the standard errors by leaving out reports (or clusters), drawing "
    "reports again, or balanced half-samples of two clusters a stratum.",
)
@click.option(
    "--scores",
    "scores_path",
    metavar="FILE",
    type=OUTPUT_FILE,
    help="Write the --rows with the unbiased score of each value and their weights, as "
    "CSV for svydesign in R.",
)
@with_groups
@REPORTS_PER_PERSON
@LEVEL
@format_option("tables", "record", "rows", "bars")
@OUTPUT
def weight(
    question: str | None,
    margins_path: Path | None,
    of: str | None,
    method: str,
    replicates: str | None,
    scores_path: Path | None,
    reports_per_person: int | None,
    level: float,
    form: str,
    output: Path | None,
    **given: Any,
) -> None:
    """Weight estimates of SURVEY to known margins, with errors that allow for it.

    Margins are of public attributes (--strata, --rows) or of fields of the question
    itself.
    """
    from ldp_aggregator.analyses.groups.asking import GroupRequest
    from ldp_aggregator.analyses.rows.columns import columns_of
    from ldp_aggregator.analyses.weighting.margins import margins_of
    from ldp_aggregator.analyses.weighting.scored_rows import scored_rows
    from ldp_aggregator.analyses.weighting.weighing import weigh_answers

    groups = GroupRequest(given.pop("by"), given.pop("where"))
    sources = Sources(**given)
    margins = margins_of({} if margins_path is None else margins_path)
    names = [*(name for margin in margins for name in margin.attributes), *groups.names]
    name = sources.question(question)
    answers = sources.read(name, sources.in_the_clear(name, names))
    if scores_path is not None:
        columns = {}
        if sources.row_paths:
            columns = columns_of(*sources.row_paths)
        hand_out(
            scores_path, scored_rows(answers, columns, margins, of=of, method=method)
        )
    weighted = weigh_answers(
        answers,
        margins,
        of,
        groups=groups,
        method=method,
        level=level,
        replicates=replicates,
        reports_per_person=reports_per_person,
    )
    present(weighted.sheet(), form, output)
