"""Where commands get tallies from: tallies and reports, tables of rows, or counts.

    ldp estimate SURVEY TALLY_OR_REPORTS...
    ldp estimate SURVEY --rows answers.csv --answer z --codes yes=1,no=2
    ldp estimate SURVEY --counts yes=13,no=17

Rows and counts need no survey where the words of a design say how answers were
randomized:

    ldp estimate --design "crosswise p=.16" --rows answers.csv --answer z --by sex
    ldp estimate --design "cheater yes=.2,.8" --counts yes=30,no=70 --counts yes=60,no=40

One kind at a time. What became of rows, and how their codes were read, is said on
standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ldp.errors import EstimateError
from ldp_aggregator.commands.main import (
    FILE_PATH,
    QUIET,
    SURVEY,
    SURVEY_IF_ANY,
    Command,
    with_options,
)
from ldp_aggregator.commands.output_options import present
from ldp_aggregator.output.files import FileError, read_bytes, read_survey

if TYPE_CHECKING:
    from ldp.survey.survey import Question, Survey
    from ldp_aggregator.analyses.designs.result import DesignGroups
    from ldp_aggregator.analyses.rows.reading import SurveyRows
    from ldp_aggregator.commands.group_options import GroupOptions
    from ldp_aggregator.tallies.tally import Tally

ALLOW_EQUAL = click.option(
    "--allow-equal",
    is_flag=True,
    help=(
        "Add up tallies of equal counts, or with batches in common, as often as they "
        "are given."
    ),
)


def _read_answers(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> Any:
    """A column, or one for each question that is named; None where nothing was
    given.
    """
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    pairs = [text.partition("=") for text in given]
    if not all(question and column for question, _equals, column in pairs):
        raise click.BadParameter(
            "expected a column, or QUESTION=COLUMN for each of several questions, got "
            f"{', '.join(given)}"
        )
    return {
        question.strip(): column.strip() for question, _equals, column in pairs
    } or None


def _read_codes(
    _: click.Context, __: click.Parameter, text: str | None
) -> dict[str, str] | None:
    if text is None:
        return None
    from ldp_aggregator.analyses.rows.codes import codes_of

    try:
        return codes_of(text)
    except EstimateError as error:
        raise click.BadParameter(str(error)) from None


ROWS = (
    click.option(
        "--rows",
        "row_paths",
        multiple=True,
        metavar="FILE",
        type=FILE_PATH,
        help="CSV or Parquet with a row for each respondent: answers that were "
        "randomized before, and what is known besides.",
    ),
    click.option(
        "--answer",
        "answers",
        multiple=True,
        metavar="[QUESTION=]COLUMN",
        callback=_read_answers,
        help="The column of --rows with the answers, or the reports of devices.  "
        "[default: the columns named as questions]",
    ),
    click.option(
        "--codes",
        metavar="ANSWER=CODE,...",
        callback=_read_codes,
        help="What answers are called in --rows, such as yes=1,no=2.  [default: as in "
        "the survey; also yes, no, 1, 0]",
    ),
)
COUNTS = (
    click.option(
        "--counts",
        multiple=True,
        metavar="COUNTS",
        help=(
            "Counts that others collected, of one question: yes=13,no=17, or a CSV or "
            "JSON file."
        ),
    ),
    click.option(
        "--reports",
        metavar="N",
        type=click.IntRange(1),
        help=(
            "Of --counts: how many reports there were, where the file does not say so."
        ),
    ),
)


def with_tallies(
    metavar: str = "[TALLY_OR_REPORTS]...", survey: Callable[[Any], Any] = SURVEY
) -> Callable[[Command], Command]:
    """What gives a command the arguments and options that `TallySource` is made of."""
    paths = click.argument(
        "paths", metavar=metavar, nargs=-1, type=click.Path(path_type=str)
    )
    return with_options(survey, paths, *ROWS, *COUNTS, ALLOW_EQUAL, QUIET)


def with_tallies_or_design(
    metavar: str = "[TALLY_OR_REPORTS]...",
) -> Callable[[Command], Command]:
    """The same, with --design in place of a survey."""

    def give(command: Command) -> Command:
        return with_tallies(metavar, SURVEY_IF_ANY)(DESIGN(command))

    return give


@dataclass(frozen=True)
class TallySource:
    """Where the tallies of a command come from. Raises `click.UsageError` unless it is
    one.
    """

    survey_path: Path | None
    paths: tuple[str, ...]
    row_paths: tuple[Path, ...]
    answers: Any
    codes: dict[str, str] | None
    counts: tuple[str, ...]
    reports: int | None
    allow_equal: bool
    quiet: bool
    design: str | None = None
    """The words of a design, in place of a survey file."""

    def __post_init__(self) -> None:
        if (self.design is None) == (self.survey_path is None):
            raise click.UsageError(
                "expected a SURVEY file, or --design WORDS in its place"
            )
        if self.design is not None and self.paths:
            raise click.UsageError(
                "--design: expected --rows with --answer, or --counts"
            )
        if sum(map(bool, (self.paths, self.row_paths, self.counts))) != 1:
            raise click.UsageError(
                "expected tallies or reports, or --rows, or --counts; one of these"
            )
        if not self.row_paths and (self.answers is not None or self.codes is not None):
            raise click.UsageError("--answer and --codes are for --rows")
        if not self.counts and self.reports is not None:
            raise click.UsageError("--reports is for --counts")

    @property
    def survey(self) -> Survey:
        """Survey of the answers; those that exist may be of a law that nobody may
        collect by.
        """
        return self._survey_in(self.survey_path)

    def _survey_in(self, path: Path | None) -> Survey:
        if path is not None:
            return read_survey(path, for_analysis=not self.paths)
        from ldp.survey.survey_file import parse_survey
        from ldp_aggregator.analyses.designs import design

        assert self.design is not None  # noqa: S101 (one of the two is given)
        name = self.answers if isinstance(self.answers, str) else "answer"
        text = design(self.design).to_toml(name, for_analysis=True)
        return parse_survey(text, for_analysis=True)

    @property
    def path(self) -> Path:
        """The survey file; nothing lies beside a design."""
        return self.survey_path or Path()

    @property
    def files(self) -> tuple[Any, ...]:
        """Tallies and reports, tables, or counts, one by one."""
        return self.paths or self.row_paths or self.counts

    def tally(
        self,
        names: Sequence[str] = (),
        *,
        by: Iterable[str] = (),
        together: Sequence[str] = (),
    ) -> Tally:
        """All of it as one tally.

        names     the questions that matter; all unless given
        by        attributes, or columns of rows, by which groups are told apart
        together  questions whose answers are counted together
        """
        if self.paths:
            return tally_of(
                self.path, self.paths, self.quiet, allow_equal=self.allow_equal
            )
        if len(self.files) > 1:
            raise click.UsageError("expected --rows or --counts once, got several")
        [tally] = self.tallies(names, by=by, together=together)
        return tally

    def tallies(
        self,
        names: Sequence[str] = (),
        *,
        by: Iterable[str] = (),
        together: Sequence[str] = (),
        other_path: Path | None = None,
    ) -> list[Tally]:
        """The same, one for each file or set of counts.

        other_path  the survey of all but the first
        """
        surveys = [
            self.survey_path,
            *[other_path or self.survey_path] * (len(self.files) - 1),
        ]
        if self.paths:
            return [
                tally_of(survey or self.path, [path], self.quiet, allow_equal=True)
                for survey, path in zip(surveys, self.paths, strict=True)
            ]
        if self.counts:
            return [
                self._read_counts(self._survey_in(survey), names, text)
                for survey, text in zip(surveys, self.counts, strict=True)
            ]
        from ldp_aggregator.analyses.rows.counting import tallies_of_rows

        tables = [
            table
            for survey, path in zip(surveys, self.row_paths, strict=True)
            for table in self._tables(survey, [path], names)
        ]
        return tallies_of_rows(tables, tuple(by), together=together)

    def by_epoch(
        self, name: str, column: str | None, *, by: Iterable[str] = ()
    ) -> list[tuple[int | str, Tally]]:
        """The tally of a question for each value of a column; of counts, one for
        each.
        """
        from ldp_aggregator.analyses.rows.counting import by_epoch, tallies_of_rows

        if column is None:
            return [*enumerate(self.tallies([name], by=by), 1)]
        if len(self.files) > 1:
            raise click.UsageError(
                "expected --rows once, with a column of epochs, got several"
            )
        [table] = self._tables(self.survey_path, self.row_paths, [name])
        epochs = by_epoch(table, column)
        tallies = tallies_of_rows([*epochs.values()], tuple(by))
        numbered = all(epoch.isdigit() for epoch in epochs)
        return [
            (int(epoch) if numbered else epoch, tally)
            for epoch, tally in zip(epochs, tallies, strict=True)
        ]

    def _tables(
        self, survey_path: Path | None, paths: Sequence[Path], names: Sequence[str]
    ) -> list[SurveyRows]:
        return read_tables(
            self._survey_in(survey_path),
            paths,
            self.answers,
            codes=self.codes,
            names=names,
            quiet=self.quiet,
        )

    def _read_counts(self, survey: Survey, names: Sequence[str], text: str) -> Tally:
        """From a file, or from counts in words."""
        from ldp_aggregator.exchange.counts import LARGEST, read_counts

        try:
            content = read_bytes(Path(text), LARGEST)
        except FileError:
            if "=" not in text:
                raise
            content = text.encode()
        name = asked_question(survey, names[0] if len(names) == 1 else None).name
        return read_counts(survey, name, content, reports=self.reports)


def read_tables(
    survey: Survey,
    paths: Sequence[Path],
    answers: Any,
    *,
    codes: dict[str, str] | None,
    names: Sequence[str],
    quiet: bool,
) -> list[SurveyRows]:
    """The rows of tables; how they were read is said on standard error."""
    from ldp_aggregator.analyses.rows.reading import read_rows

    tables = [
        read_rows(survey, path, answers, codes=codes, questions=names) for path in paths
    ]
    for table in () if quiet else tables:
        for line in table.said():
            click.echo(line, err=True)
    return tables


def asked_question(survey: Survey, name: str | None) -> Question:
    """The question that is asked for; if none is, the only one.

    Raises `UnknownNameError`, and `EstimateError` where there are several.
    """
    names = [question.name for question in survey]
    if name is None and len(names) > 1:
        raise EstimateError(
            f"expected --question to be one of {', '.join(names)}, got none"
        )
    return survey[names[0] if name is None else name]


def tally_of(
    survey_path: Path, paths: Sequence[str], quiet: bool, *, allow_equal: bool
) -> Tally:
    """The tally of report files and tally files."""
    from ldp_aggregator.commands.progress import progress
    from ldp_aggregator.tallies.intake.paths import count_paths

    survey = read_survey(survey_path)
    tally, _ = count_paths(
        survey, progress(paths, "aggregating", quiet), allow_equal=allow_equal
    )
    try:
        report_intake(tally, quiet)
    except FileError:
        tables = [path for path in paths if Path(path).suffix in (".csv", ".parquet")]
        if not tables:
            raise
        raise FileError(
            f"{tables[0]} is a table, not a report file. To analyse a table of "
            f"randomized answers write --rows {tables[0]} --answer COLUMN"
        ) from None
    return tally


def group_arguments(survey_path: Path, wanted: GroupOptions) -> dict[str, Any]:
    """What functions that estimate groups take: which, and what was shown of them
    before.
    """
    before = [
        tally_of(survey_path, (str(path),), True, allow_equal=True)
        for path in wanted.earlier
    ]
    return wanted.arguments(before)


def report_intake(tally: Tally, quiet: bool) -> None:
    """Say on standard error what became of batches, where some were not counted."""
    from ldp_aggregator.tallies.intake.aggregation import refuse_useless, told_reasons

    intake = tally.intake
    refuse_useless(intake)
    if not quiet and intake.accepted < intake.received:
        refused = ""
        if intake.rejected:
            refused = f"; rejected: {told_reasons(intake)}"
        click.echo(
            f"{intake.received:,} batches received = {intake.accepted:,} accepted + "
            f"{intake.duplicate:,} duplicate + {sum(intake.rejected.values()):,} "
            f"rejected{refused}",
            err=True,
        )


DESIGN = click.option(
    "--design",
    metavar="WORDS",
    help="How answers were randomized, in place of SURVEY: such as 'warner p=.7', "
    "'crosswise p=.16', 'forced yes=1/6 no=1/6' or 'matrix FILE'; 'warner p={p}' with "
    "column p of --rows.",
)
ARM = click.option(
    "--arm",
    metavar="COLUMN",
    help="Of --design with several samples: the column of --rows that says which.",
)

_OF_DESIGNS = {
    "design",
    "arm",
    "row_paths",
    "answers",
    "codes",
    "counts",
    "by",
    "where",
}
_OF_DESIGNS |= {"level", "estimand", "form", "output", "quiet"}


def refuse_others(context: click.Context, taken: Collection[str]) -> None:
    """Raise `click.UsageError` for an option that was given and is for surveys
    alone.
    """
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in taken:
            said = "SURVEY"
            if isinstance(parameter, click.Option):
                said = parameter.opts[0]
            raise click.UsageError(f"--design: expected no {said} beside it")


def estimate_design(context: click.Context) -> None:
    """Estimate by a design, from what the options of `ldp estimate` say."""
    refuse_others(context, _OF_DESIGNS)
    given = context.params
    if bool(given["row_paths"]) == bool(given["counts"]):
        raise click.UsageError("--design: expected --rows with --answer, or --counts")
    if given["counts"] and (given["by"] or given["where"] or given["arm"]):
        raise click.UsageError("--by, --where and --arm are for --rows")
    if given["counts"]:
        from ldp_aggregator.analyses.designs import design

        chosen_design = design(given["design"])
        wanted = {"level": given["level"], "estimand": _estimand(context)}
        sheet = chosen_design.estimate(*given["counts"], **wanted).sheet()
    else:
        groups = _rows_of_design(context)
        for line in () if given["quiet"] else groups.said:
            click.echo(line, err=True)
        sheet = (groups if groups.by else groups.whole).sheet()
    present(sheet, given["form"], given["output"])


def _rows_of_design(context: click.Context) -> DesignGroups:
    from ldp_aggregator.analyses.designs import NUMBERS, design, number_design

    given = context.params
    if len(given["row_paths"]) != 1 or given["answers"] is None:
        raise click.UsageError(
            "--design: expected --rows FILE once, and --answer COLUMN"
        )
    [path] = given["row_paths"]
    answers: Any = given["answers"]
    columns = [answers] if isinstance(answers, str) else list(answers.values())
    wanted: dict[str, Any] = {name: given[name] for name in ("arm", "by", "level")}
    wanted["where"] = dict(given["where"])
    if given["design"].split()[:1] and given["design"].split()[0] in NUMBERS:
        if len(columns) != 1 or given["codes"] is not None:
            raise EstimateError("expected one column of numbers, without codes")
        return number_design(given["design"]).estimate_rows(path, columns[0], **wanted)
    chosen_design = design(given["design"], path)
    return chosen_design.estimate_rows(
        path, columns, codes=given["codes"], estimand=_estimand(context), **wanted
    )


def _estimand(context: click.Context) -> str:
    """The one that was asked for, else the population: what is published is about
    it.
    """
    if context.get_parameter_source("estimand") is ParameterSource.DEFAULT:
        return "population"
    return str(context.params["estimand"])
