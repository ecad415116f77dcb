"""`ldp client test`: whether a client does as its survey declares, at two depths.

reports  what leaves it, against the declared epsilon and the declared law
device   all that a device has to do, point by point
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ldp.numbers.exact import fraction
from ldp_aggregator.commands.main import OUTPUT_FILE, QUIET, SURVEY_IF_ANY
from ldp_aggregator.commands.output_options import (
    OUTPUT,
    QUESTION,
    check_names,
    format_option,
    present,
)
from ldp_aggregator.output.files import read_survey, write_whole

ALARM = 3
"""The exit code."""
REPORTS, DEVICE = "reports", "device"
_OF_DEPTH = {
    REPORTS: (
        "budget",
        "answers",
        "resume",
        "timeout",
        "badge_path",
        "names",
        "form",
        "output",
    ),
    DEVICE: ("vectors", "samples", "kills", "only"),
}
"""The options that one depth has and the other has not."""
_COMMAND = "ldp_simulations.client_test.command"
_DASHES = "--"
_MOST_DRAWS = 10**9
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_DRAW = 1e-4
"""About the seconds that a client takes for a draw and its count."""
_TIME = re.compile(r"([0-9]{1,6})([smh])")


def _read_budget(_: click.Context, __: click.Parameter, text: str) -> tuple[int, float]:
    """Draws of each answer, or seconds."""
    match = _TIME.fullmatch(text)
    if match:
        seconds = int(match[1]) * _SECONDS[match[2]]
        if seconds:
            return 0, float(seconds)
    try:
        draws = fraction(text)
    except ValueError:
        draws = fraction(0)
    if draws.denominator != 1 or not 100 <= draws <= _MOST_DRAWS:
        raise click.BadParameter(
            f"expected draws from 100 to {_MOST_DRAWS:,}, such as 1e6, or a time such "
            f"as 90s, 5m or 1h, got {text[:40]!r}"
        )
    return int(draws), 0.0


class _BeforeDashes(click.Command):
    """A command whose words end at `--`: what comes behind is the command of another
    program.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what comes behind."""
        end = args.index(_DASHES) if _DASHES in args else len(args)
        ctx.meta[_COMMAND] = args[end + 1 :]
        return super().parse_args(ctx, args[:end])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Show that it comes."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


@click.command(cls=_BeforeDashes)
@SURVEY_IF_ANY
@click.option(
    "--depth",
    type=click.Choice([REPORTS, DEVICE]),
    default=REPORTS,
    show_default=True,
    help="Test the reports of one survey, or all that a device has to do.",
)
@click.option(
    "--budget",
    metavar="DRAWS|TIME",
    default="1e5",
    show_default=True,
    callback=_read_budget,
    help="Draws of each answer, such as 1e6, or a time, such as 5m.",
)
@click.option(
    "--answers",
    metavar="NUMBER",
    type=click.IntRange(3, 64),
    default=3,
    show_default=True,
    help="How many answers to a question are tried, of those that are listed.",
)
@click.option(
    "--resume",
    metavar="FILE",
    type=OUTPUT_FILE,
    help="Keep the counts in this file, and go on from those that it has.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(1, 86400),
    default=300.0,
    show_default=True,
    help="How long each process of the client may take.",
)
@click.option(
    "--badge",
    "badge_path",
    metavar="FILE",
    type=OUTPUT_FILE,
    help="Write the verdict as an SVG picture as well.",
)
@QUESTION
@format_option("tables", "record")
@OUTPUT
@click.option(
    "--vectors",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of vector files, such as tests/vectors; without, vectors are made.",
)
@click.option(
    "--samples",
    default=4000,
    show_default=True,
    type=click.IntRange(100, 10**6),
    help="Reports to draw for each answer whose law is tried.",
)
@click.option(
    "--kills",
    default=20,
    show_default=True,
    type=click.IntRange(1, 10**5),
    help="How often to kill the client.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="POINT",
    help="Try this point, and others so named.",
)
@QUIET
@click.pass_context
def test_client(
    ctx: click.Context, /, survey_path: Path | None, depth: str, **given: Any
) -> None:
    """Test a client of SURVEY: the one in Python, or the one that COMMAND runs.

    Depth reports draws reports of a few answers to each question, and compares them
    with the declared epsilon and with the declared law, bit by bit; has devices answer
    twice, restart and send again; and runs the samplers of the Python core over every
    tape of randomness. COMMAND reads answers and writes frames (docs/audit.md). Exits
    with 3 if anything is not as declared. False alarms: one in a million tests at most.

    Depth device says point by point whether COMMAND does what a device has to do, also
    for the questions of SURVEY, if there is one. COMMAND is asked by lines of JSON
    (docs/conformance.md).
    """
    for other, options in _OF_DEPTH.items():
        for name in options if other != depth else ():
            if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                flag = next(
                    one.opts[0] for one in ctx.command.params if one.name == name
                )
                raise click.UsageError(f"{flag} is for --depth {other}")
    test = _test_reports if depth == REPORTS else _test_device
    test(ctx, survey_path, ctx.meta[_COMMAND], **given)


def _test_reports(
    ctx: click.Context,
    survey_path: Path | None,
    command: list[str],
    *,
    budget: tuple[int, float],
    answers: int,
    resume: Path | None,
    timeout: float,
    badge_path: Path | None,
    names: tuple[str, ...],
    form: str,
    output: Path | None,
    quiet: bool,
    **_: Any,
) -> None:
    from ldp_aggregator.commands.progress import progress
    from ldp_simulations.audit.auditing import Audit, AuditEffort
    from ldp_simulations.audit.badge import badge
    from ldp_simulations.audit.clients.client import Audited

    if survey_path is None:
        raise click.UsageError(
            "expected a SURVEY file, whose reports are tested, got none"
        )
    survey = read_survey(survey_path)
    check_names(names, [question.name for question in survey])
    client = command or [sys.executable, "-m", "ldp_simulations.audit.python_client"]
    with tempfile.TemporaryDirectory() as folder:
        audited = Audited(client, survey, Path(folder), timeout=timeout)
        auditing = Audit(
            audited, AuditEffort(*budget), names=names, answers=answers, saved=resume
        )
        if not quiet:
            tried = sum(
                len(part.answers) for parts in auditing.parts.values() for part in parts
            )
            seconds = budget[1] or budget[0] * tried * _DRAW
            click.echo(
                f"this takes about {1 + seconds // 60:.0f} min; --budget sets it",
                err=True,
            )
        for draws in progress(auditing.steps(), "drawing", quiet):
            if not quiet:
                click.echo(f"{draws:,} draws of each answer", err=True)
        if not quiet:
            click.echo("trying devices, and samplers on every tape", err=True)
        verdict = auditing.verdict()
    if badge_path is not None:
        write_whole(badge_path, badge(verdict))
    present(verdict.sheet(), form, output)
    if not verdict.passes:
        click.echo(f"alarm: {len(verdict.alarms)} things are not as declared", err=True)
        ctx.exit(ALARM)


def _test_device(
    _: click.Context,
    survey_path: Path | None,
    command: list[str],
    *,
    vectors: Path | None,
    samples: int,
    kills: int,
    only: tuple[str, ...],
    **__: Any,
) -> None:
    from ldp_simulations.conformance.points import FAILED, POINTS, conform

    if not command:
        raise click.UsageError("expected the command of a client behind --, got none")
    unknown = [name for name in only if name not in POINTS]
    if unknown:
        raise click.UsageError(
            f"--only: expected one of {', '.join(POINTS)}, got {', '.join(unknown)}"
        )
    survey = None
    if survey_path is not None:
        survey = read_survey(survey_path)
    failed = 0
    points = conform(
        command, survey=survey, vectors=vectors, samples=samples, kills=kills, only=only
    )
    for point in points:
        click.echo(f"{point.verdict}  {point.name:<9} {point.detail}")
        failed += point.verdict == FAILED
    if failed:
        raise click.ClickException(
            f"expected a client that passes every point, got {failed} not"
        )
