"""`ldp audit`: whether what leaves a client is what its survey declares."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import click

from ldp.errors import LDPError
from ldp.numbers.exact import fraction
from ldp_aggregator.commands.main import OUTPUT_FILE, QUIET, SURVEY
from ldp_aggregator.commands.output_options import OUTPUT, QUESTION, format_option, present
from ldp_aggregator.output.files import read_survey, write_whole

ALARM = 3
"""The exit code."""
_MOST_DRAWS = 10**9
_SECONDS = {"s": 1, "m": 60, "h": 3600}
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
            f"expected draws from 100 to {_MOST_DRAWS:,}, such as 1e6, or a time such as 90s, 5m "
            f"or 1h, got {text[:40]!r}"
        )
    return int(draws), 0.0


@click.command()
@SURVEY
@click.option(
    "--client",
    "command",
    metavar="COMMAND",
    help="Audit this client: answers on its standard input, frames on its standard output "
    "(docs/audit.md).  [default: the Python client]",
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
@QUIET
@click.pass_context
def audit(
    ctx: click.Context,
    survey_path: Path,
    command: str | None,
    budget: tuple[int, float],
    answers: int,
    resume: Path | None,
    timeout: float,
    badge_path: Path | None,
    names: tuple[str, ...],
    form: str,
    output: Path | None,
    quiet: bool,
) -> None:
    """Test what leaves a client of SURVEY against what the survey declares.

    Draws reports of a few answers to each question, and compares them with the declared epsilon and
    with the declared law, bit by bit; has devices answer twice, restart and send again; and runs
    the samplers of the Python core over every tape of randomness. Exits with 3 if anything is not
    as declared. False alarms: one in a million audits at most.
    """
    from ldp_aggregator.commands.progress import progress
    from ldp_simulations.audit.auditing import Audit, Budget
    from ldp_simulations.audit.badge import badge
    from ldp_simulations.audit.clients.client import Audited

    survey = read_survey(survey_path)
    known = [question.name for question in survey]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise LDPError(f"expected --question to be one of {', '.join(known)}, got {unknown[0]!r}")
    client = command or [sys.executable, "-m", "ldp_simulations.audit.python_client"]
    with tempfile.TemporaryDirectory() as folder:
        audited = Audited(client, survey, Path(folder), timeout=timeout)
        auditing = Audit(audited, Budget(*budget), names=names, answers=answers, saved=resume)
        for draws in progress(auditing.steps(), "drawing", quiet):
            if not quiet:
                click.echo(f"{draws:,} draws of each answer", err=True)
        if not quiet:
            click.echo("trying devices, and samplers on every tape", err=True)
        verdict = auditing.verdict()
    if badge_path is not None:
        write_whole(badge_path, badge(verdict))
    present(verdict.sheet(), form, output)
    if not verdict.passed:
        click.echo(f"alarm: {len(verdict.alarms)} things are not as declared", err=True)
        ctx.exit(ALARM)
