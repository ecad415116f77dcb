"""`ldp analyze trend`: a question over epochs, its band, and whether it has changed."""

from __future__ import annotations

import fnmatch
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ldp.errors import EstimateError
from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.group_options import GroupOptions, with_groups_of_several
from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import FiniteRange, LongHelp, take
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    format_option,
    present,
)
from ldp_aggregator.commands.sources import TallySource, asked_question, with_tallies
from ldp_aggregator.output.files import read_candidates, read_survey
from ldp_aggregator.tallies.intake.stores import stores

if TYPE_CHECKING:
    from ldp.survey.survey import Question, Survey
    from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
    from ldp_aggregator.analyses.series.history import Epoch
    from ldp_aggregator.answers.results.question_estimates import QuestionEstimates
    from ldp_aggregator.tallies.tally import Tally

    History = list[tuple[Epoch, QuestionEstimates | GroupEstimates]]
    """Of a question, or of its groups, in the order of time."""

CHANGED = 3
NOT_TESTED = 4
"""The exit code of an alert."""
_STORES = ("sqlite://", "postgresql://", "postgres://")


class _Reading(NamedTuple):
    """How what is known of an epoch comes about."""

    survey_path: Path
    question: Question
    options: Options
    groups: GroupOptions

    def of(self, tally: Tally) -> QuestionEstimates | GroupEstimates:
        """From its tally."""
        from ldp_aggregator.analyses.groups.estimation import estimate_groups
        from ldp_aggregator.answers.estimates.estimation import estimate

        known = read_candidates(tally.survey, self.survey_path)
        name, options = self.question.name, self.options
        if not self.groups:
            return estimate(tally, options=options, candidates=known, names=[name])[
                name
            ]
        asked = self.groups.arguments()
        return estimate_groups(
            tally, options=options, candidates=known, names=(name,), **asked
        )

    def read_store(self, url: str) -> History:
        """All epochs of a service's store; of groups, those that are closed."""
        survey, question = read_survey(self.survey_path), self.question
        known = read_candidates(survey, self.survey_path)
        if not self.groups:
            texts = known.get(question.name)
            whole: History = stores("question_history")(
                url, question, self.options, texts
            )
            return whole
        by_group: History = stores("group_history")(
            url,
            survey,
            question.name,
            self.options,
            asked=self.groups.groups,
            candidates=known,
            least_group=self.groups.least_group,
        )
        return by_group


@click.command(cls=LongHelp, headings=HEADINGS)
@with_tallies("[TALLY_OR_STORE]...")
@click.option(
    "--epoch", metavar="COLUMN", help="The column of --rows that says the epoch."
)
@click.option(
    "--question",
    metavar="NAME",
    help="Which question; may be left out if there is but one. Of a panel, the questions "
    "of its epochs, such as 'week*'.",
)
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="VALUE",
    help="Which value; may be repeated.",
)
@LEVEL
@ESTIMAND
@click.option(
    "--alarm-rate",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="The chance that anything is ever called changed that has not; in one look "
    "where epochs are pooled.",
)
@click.option(
    "--overlap",
    type=FiniteRange(0, 1),
    metavar="SHARE",
    help=(
        "The share of the devices that stay from one epoch to the next, with the same "
        "answer."
    ),
)
@click.option(
    "--season",
    type=click.IntRange(2),
    metavar="N",
    help="What comes again every N epochs, such as 7 days, is no change.",
)
@click.option("--slope", is_flag=True, help="The level has a trend, which is shown.")
@click.option(
    "--still-open",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="The last N epochs may still get reports: they are not tested.",
)
@click.option(
    "--alert",
    is_flag=True,
    help=f"Exit with {CHANGED} if something has changed, with {NOT_TESTED} if nothing "
    "could be tested, else with 0.",
)
@with_groups_of_several
@format_option("tables", "record", "rows", "bars")
@OUTPUT
@click.pass_context
def trend(
    context: click.Context,
    /,
    epoch: str | None,
    question: str | None,
    values: tuple[str, ...],
    level: float,
    estimand: str,
    alarm_rate: float,
    overlap: float | None,
    season: int | None,
    slope: bool,
    still_open: int,
    alert: bool,
    form: str,
    output: Path | None,
    **given: Any,
) -> None:
    """Follow a question over epochs: level, band, and evidence of a change.

    Epochs are tallies or report files in the order of time, one for each; where their
    names end in numbers, these are the epochs, and some may be missing. Or they are
    those of the store of `ldp serve`, such as sqlite:///ldp.db; or a column of --rows
    says them.
    """
    from ldp_aggregator.analyses.series.following import follow
    from ldp_aggregator.analyses.series.group_trends import follow_groups

    wanted, source = take(GroupOptions, given), take(TallySource, given)
    panel = _panel_of(source.survey, question)
    asked = asked_question(source.survey, panel[-1] if panel else question)
    reading = _Reading(source.path, asked, Options(level, estimand), groups=wanted)
    if (epoch is not None) != bool(source.row_paths):
        raise click.UsageError(
            "expected --rows and --epoch together: which column says when"
        )
    if panel:
        history = _read_panel(reading, source, panel)
    elif (
        source.paths and len(source.paths) == 1 and source.paths[0].startswith(_STORES)
    ):
        history = _read_store(reading, source.paths[0])
    elif source.paths:
        history = _read_files(reading, source)
    else:
        tallies = source.by_epoch(asked.name, epoch, by=wanted.groups.names)
        history = [(number, reading.of(tally)) for number, tally in tallies]
    following: Any = (
        partial(follow_groups, question=asked.name) if reading.groups else follow
    )
    trends = following(
        history,
        values=values,
        level=level,
        estimand=estimand,
        alarm_rate=alarm_rate,
        overlap=overlap,
        season=season,
        slope=slope,
        still_open=still_open,
    )
    present(trends.sheet(), form, output)
    if alert and trends.alarm:
        context.exit(CHANGED)
    if alert and not trends.tested:
        click.echo(
            "nothing could be tested: there are too few reports in an epoch", err=True
        )
        context.exit(NOT_TESTED)


def _panel_of(survey: Survey, pattern: str | None) -> list[str]:
    """The questions of a panel, one for each epoch, by a name such as "week*"."""
    if pattern is None or "*" not in pattern:
        return []
    names = [question.name for question in survey]
    panel = fnmatch.filter(names, pattern)
    if len(panel) < 2:
        raise EstimateError(
            f"expected --question {pattern} to match the questions of a panel, one for "
            f"each epoch, among {', '.join(names)}"
        )
    return panel


def _read_panel(reading: _Reading, source: TallySource, panel: list[str]) -> History:
    """From one tally, an epoch for each question that has reports."""
    if reading.groups or (source.paths and source.paths[0].startswith(_STORES)):
        raise click.UsageError("--question with * is for tallies or rows, without --by")
    from ldp_aggregator.answers.estimates.estimation import estimate

    tally = source.tally(panel)
    known = read_candidates(tally.survey, reading.survey_path)
    asked = [name for name in panel if tally.reports(name)]
    estimates = estimate(tally, options=reading.options, candidates=known, names=asked)
    return [(name, estimates[name]) for name in asked]


def _read_files(reading: _Reading, source: TallySource) -> History:
    """From a file for each epoch. Raises `EstimateError` for equal ones."""
    name, history = reading.question.name, []
    counted: dict[bytes, list[str]] = {}
    paths = source.paths
    for epoch, path, tally in zip(
        epochs_of(paths), paths, source.tallies(), strict=True
    ):
        counts = tally.counts[name].tobytes()
        # Small epochs may have equal counts by chance; a file that comes twice has
        # equal bytes.
        alike = []
        if tally.reports(name):
            alike = counted.setdefault(counts, [])
        again = [other for other in alike if _bytes_of(other) == _bytes_of(path)]
        if again and not source.allow_equal:
            raise EstimateError(
                f"{path}: expected a tally of its own for each epoch, got the bytes of "
                f"{again[0]} for the second time; if it really counts other reports, "
                "pass --allow-equal"
            )
        alike.append(path)
        history.append((epoch, reading.of(tally)))
    return history


def _bytes_of(path: str) -> bytes | str:
    """Bytes of a file; the name of a source that cannot be read here, such as a URL."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return path


def _read_store(reading: _Reading, store: str) -> History:
    known = reading.read_store(store)
    if not known:
        closed = "closed epochs" if reading.groups else "epochs"
        raise EstimateError(
            f"expected {closed} of question {reading.question.name!r} in the store, "
            "got none: its survey needs an `epoch`, and reports"
        )
    return known


def epochs_of(paths: tuple[str, ...]) -> list[Epoch]:
    """What the epochs of files are called: by the numbers that their names end in, or
    by names.
    """
    stems = [Path(path).stem for path in paths]
    parts = [re.fullmatch(r"(.*?)(\d{1,9})", stem) for stem in stems]
    numbered = [(part[1], int(part[2])) for part in parts if part is not None]
    if len(numbered) == len(stems) and len({name for name, _ in numbered}) == 1:
        return [number for _, number in numbered]
    return list(stems)
