"""`ldp check`, `explain`, `aggregate`, `estimate`: what an operator or analyst does with surveys and reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp.survey import Survey
from ldp.wire import REASONS
from ldp_aggregator.cli import QUIET, SURVEY
from ldp_aggregator.files import FileError, read_candidates, read_survey, write_whole, written_whole
from ldp_aggregator.presentation import Presentation, presented, warn_of_health

if TYPE_CHECKING:
    from ldp_aggregator.tally import Tally


@click.command()
@SURVEY
@click.option(
    "--json",
    "json_path",
    type=click.Path(path_type=Path),
    help="Write what clients in other languages read to this file.",
)
def check(survey_path: Path, json_path: Path | None) -> None:
    """Validate SURVEY; print its fingerprint and those of its questions."""
    survey = read_survey(survey_path)
    read_candidates(survey, survey_path)
    if json_path is not None:
        from ldp.compiled import compiled

        write_whole(json_path, json.dumps(compiled(survey), indent=2, ensure_ascii=False) + "\n")
    click.echo(f"{survey.fingerprint.hex()}  {survey.name}")
    for question in survey:
        click.echo(f"{question.fingerprint.hex()}  {question.name} ({question.mechanism})")
    for group in survey.groups:
        click.echo(f"{group.fingerprint.hex()}  {group.name} (answered together)")
    _warn(survey)


@click.command()
@SURVEY
@click.option(
    "--json", "json_path", type=click.Path(path_type=Path), help="Write the certificate to this file as JSON."
)
def explain(survey_path: Path, json_path: Path | None) -> None:
    """Say what each question of SURVEY costs its respondents, exactly and in plain words."""
    from ldp.certificate import certificate
    from ldp_aggregator.explain import explanation

    survey = read_survey(survey_path)
    if json_path is not None:
        write_whole(json_path, json.dumps(certificate(survey), indent=2) + "\n")
    click.echo(explanation(survey))
    _warn(survey)


@click.command()
@SURVEY
@click.argument("paths", metavar="REPORTS...", nargs=-1, required=True, type=click.Path(path_type=str))
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The tally file to write.")
@click.option("--engine", type=click.Choice(["spark"]), help="What counts, if not this process; the tally is the same.")
@click.option("--master", help="The URL of Spark's master.  [default: local[*]]")
@QUIET
def aggregate(
    survey_path: Path, paths: tuple[str, ...], output: Path, engine: str | None, master: str | None, quiet: bool
) -> None:
    """Count REPORTS (report files or tallies, or URLs of such) of SURVEY into one tally.

    A batch that comes twice among the report files counts once. Tallies have forgotten their batches, so only merge
    tallies of different reports.
    """
    from ldp_aggregator.snapshot import encode_tally

    if engine is None and master is not None:
        raise click.UsageError("--master is for --engine spark")
    if engine is None:
        tally = tally_of(survey_path, paths, quiet)
    else:
        tally = _tally_by_spark(survey_path, paths, quiet, master or "local[*]")
    with written_whole(output) as file:
        file.write(encode_tally(tally))


@click.command()
@SURVEY
@click.argument("paths", metavar="TALLY_OR_REPORTS...", nargs=-1, required=True, type=click.Path(path_type=str))
@presented
@QUIET
def estimate(survey_path: Path, paths: tuple[str, ...], quiet: bool, **asked: Any) -> None:
    """Estimate frequencies, with standard errors and intervals, from tallies or reports of SURVEY."""
    from ldp_aggregator.estimation import estimate

    presentation = Presentation(**asked)
    options = presentation.options
    tally = tally_of(survey_path, paths, quiet)
    estimates = estimate(tally, options, read_candidates(tally.survey, survey_path))
    if not quiet:
        for question in tally.survey:
            warn_of_health(question, tally.counts[question.name], options.reports_each)
    presentation.hand_over(estimates)


def tally_of(survey_path: Path, paths: tuple[str, ...], quiet: bool) -> Tally:
    """The tally of report files and tally files."""
    from ldp_aggregator.path_counting import count_paths
    from ldp_aggregator.progress import progress

    tally, _ = count_paths(read_survey(survey_path), progress(paths, "aggregating", quiet))
    _report_intake(tally, quiet)
    return tally


def _tally_by_spark(survey_path: Path, paths: tuple[str, ...], quiet: bool, master: str) -> Tally:
    """The same tally, counted by Spark."""
    from ldp_aggregator.engines.spark import count_on_spark, start_spark
    from ldp_aggregator.snapshot import decode_tally

    survey = read_survey(survey_path)
    spark = start_spark(master, show_progress=not quiet and sys.stderr.isatty())
    tally = decode_tally(count_on_spark(spark, survey_path.read_bytes(), paths), survey)
    _report_intake(tally, quiet)
    return tally


def _report_intake(tally: Tally, quiet: bool) -> None:
    intake = tally.intake
    reasons = [f"{count:,} {reason} ({REASONS[reason]})" for reason, count in intake.rejected.items()]
    if intake.received and not intake.accepted:
        raise FileError("expected reports of this survey, got none: rejected " + "; ".join(reasons))
    if not quiet:
        refused = f"; rejected: {'; '.join(reasons)}" if reasons else ""
        click.echo(
            f"{intake.received:,} batches received = {intake.accepted:,} accepted + {intake.duplicate:,} duplicate "
            f"+ {sum(intake.rejected.values()):,} rejected{refused}",
            err=True,
        )


def _warn(survey: Survey) -> None:
    from ldp_aggregator.explain import warnings

    for warning in warnings(survey):
        click.echo(f"warning: {warning}", err=True)
