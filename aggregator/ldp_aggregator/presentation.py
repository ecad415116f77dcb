"""What every command that ends in estimates lets people ask for, and how it hands them over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ldp_aggregator.files import write_whole
from ldp_aggregator.options import ESTIMANDS, INTERVALS, POST, Options

if TYPE_CHECKING:
    from ldp.survey import Question
    from ldp_aggregator.counting import Counts
    from ldp_aggregator.remarks import Remark
    from ldp_aggregator.result import SurveyEstimates

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--level", default=0.95, show_default=True, help="Coverage of the intervals."),
    click.option(
        "--estimand",
        type=click.Choice(ESTIMANDS),
        default="respondents",
        show_default=True,
        help="Whom the intervals are for.",
    ),
    click.option("--interval", type=click.Choice(INTERVALS), default="score", show_default=True),
    click.option("--simultaneous", is_flag=True, help="Make all intervals of a question hold together (Bonferroni)."),
    click.option("--post", type=click.Choice(POST), help="A biased, better-looking view of the frequencies."),
    click.option(
        "--reports-each",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Reports that every respondent sent of one permanent response (RAPPOR).",
    ),
    click.option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True),
    click.option(
        "--output", "-o", type=click.Path(path_type=Path), help="Write to this file instead of standard output."
    ),
    click.option("--plot", "plot_path", type=click.Path(path_type=Path), help="Draw a picture, FILE.svg or FILE.png."),
)


def presented(command: Command) -> Command:
    """Give a command the options that `Presentation` is made of."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Presentation:
    """What was asked for. Raises `click.UsageError` for a picture that nothing can draw."""

    level: float
    estimand: str
    interval: str
    simultaneous: bool
    post: str | None
    reports_each: int
    form: str
    output: Path | None
    plot_path: Path | None

    def __post_init__(self) -> None:
        if self.plot_path is None:
            return
        from ldp_aggregator.plot import PICTURES

        if self.plot_path.suffix[1:] not in PICTURES:
            raise click.UsageError(f"--plot: expected a file ending in .svg or .png, got {self.plot_path}")

    @property
    def options(self) -> Options:
        """The estimator's part of it."""
        simultaneous = "bonferroni" if self.simultaneous else None
        return Options(
            self.level, self.estimand, self.interval, simultaneous, self.post, reports_each=self.reports_each
        )

    def hand_over(self, estimates: SurveyEstimates) -> None:
        """Draw the picture, if any, and write the estimates to the file or to standard output."""
        from ldp_aggregator.plot import picture
        from ldp_aggregator.result import SurveyEstimates
        from ldp_aggregator.tables import as_json, table

        if self.plot_path is not None:
            write_whole(self.plot_path, picture(estimates, self.plot_path.suffix[1:]))
        writers = {"table": table, "json": as_json, "csv": SurveyEstimates.to_csv}
        if self.form == "csv":
            for question in estimates:
                say_remarks(f"question {question.name!r}", question.remarks)
        text = writers[self.form](estimates)
        if self.output is None:
            click.echo(text, nl=False)
        else:
            write_whole(self.output, text)


def say_remarks(subject: str, remarks: Sequence[Remark]) -> None:
    """On standard error, for a format that has no place for sentences."""
    for remark in remarks:
        click.echo(f"warning: {subject}: {remark}", err=True)


def warn_of_health(question: Question, counts: Counts, reports_each: int) -> None:
    """Say on standard error which checks of a question's counts failed."""
    from ldp_aggregator.health_checks import health

    for check in health(question, counts, reports_each=reports_each):
        if check.suspicious:
            click.echo(f"warning: question {question.name!r}: {check}", err=True)
