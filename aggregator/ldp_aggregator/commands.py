"""`ldp check`, `explain`, `aggregate`, `estimate`: what an operator or analyst does with surveys and reports."""

from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp.errors import MismatchError, WireError
from ldp.survey import Survey
from ldp.wire import REASONS, TALLY_MAGIC
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
@click.argument("paths", metavar="REPORTS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The tally file to write.")
@QUIET
def aggregate(survey_path: Path, paths: tuple[Path, ...], output: Path, quiet: bool) -> None:
    """Count REPORTS (report files or tallies) of SURVEY into one tally.

    A batch that comes twice among the report files counts once. Tallies have forgotten their batches, so only merge
    tallies of different reports.
    """
    from ldp_aggregator.snapshot import encode_tally

    tally = tally_of(survey_path, paths, quiet)
    with written_whole(output) as file:
        file.write(encode_tally(tally))


@click.command()
@SURVEY
@click.argument("paths", metavar="TALLY_OR_REPORTS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@presented
@QUIET
def estimate(survey_path: Path, paths: tuple[Path, ...], quiet: bool, **asked: Any) -> None:
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


def tally_of(survey_path: Path, paths: tuple[Path, ...], quiet: bool) -> Tally:
    """The tally of report files and tally files, told apart by how they begin."""
    from ldp_aggregator.ingest import Ingest
    from ldp_aggregator.progress import progress
    from ldp_aggregator.snapshot import decode_tally
    from ldp_aggregator.tally import Tally

    survey = read_survey(survey_path)
    ingest = Ingest(survey)
    snapshots = []
    for path in progress(paths, "aggregating", quiet):
        try:
            with path.open("rb") as file:
                if file.peek(len(TALLY_MAGIC))[: len(TALLY_MAGIC)] == TALLY_MAGIC:
                    snapshots.append(decode_tally(file.read(), survey))
                else:
                    ingest.file(file)
        except OSError as error:
            raise FileError(f"expected to read {path}, got {error.strerror or error}") from None
        except (MismatchError, WireError) as error:
            raise FileError(f"{path}: {error}") from None
    tally = reduce(Tally.merge, snapshots, ingest.tally)
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
