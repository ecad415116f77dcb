"""`ldp explain`, `aggregate`, `estimate`: what operators and analysts do with
surveys.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp.survey.survey import Survey
from ldp_aggregator.commands.batch_options import COLLUDING, DELTA
from ldp_aggregator.commands.group_options import GroupOptions, with_group_options
from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import (
    FILE_PATH,
    OUTPUT_FILE,
    QUIET,
    SURVEY,
    SURVEY_IF_ANY,
    LongHelp,
    take,
    whole,
)
from ldp_aggregator.commands.output_options import (
    QUESTION,
    OutputOptions,
    check_names,
    say,
    warn,
    warn_of_draws,
    warn_of_health,
    with_output_options,
)
from ldp_aggregator.commands.sources import (
    ALLOW_EQUAL,
    ARM,
    DESIGN,
    TallySource,
    estimate_design,
    group_arguments,
    report_intake,
    tally_of,
    with_tallies,
)
from ldp_aggregator.output.files import (
    hand_out,
    read_bytes,
    read_candidates,
    read_source,
    read_survey,
    written_whole,
)
from ldp_aggregator.output.streams import DASH
from ldp_aggregator.tallies.intake.stores import stores

if TYPE_CHECKING:
    from ldp_aggregator.tallies.mixing.batches import MixedBatch
    from ldp_aggregator.tallies.tally import Tally


@click.command()
@SURVEY
@click.option(
    "--certificate",
    "path",
    metavar="FILE",
    type=OUTPUT_FILE,
    help="Write the certificate to this file as JSON: the survey's, or with --shuffled "
    "and one --question a batch's.",
)
@click.option(
    "--disclosure",
    "form",
    type=click.Choice(["md", "html"]),
    help="Write the page 'what is sent' for privacy notices instead, in this form.",
)
@click.option(
    "--shuffled",
    metavar="N",
    type=whole(2, 10**10),
    help="Say what batches of N reports are worth if a relay mixes them, instead.",
)
@DELTA
@COLLUDING
@QUESTION
def explain(
    survey_path: Path,
    path: Path | None,
    form: str | None,
    shuffled: int | None,
    delta: Fraction,
    colluding: Fraction,
    names: tuple[str, ...],
) -> None:
    """Say what each question of SURVEY costs its respondents, exactly and in plain
    words.
    """
    from ldp.privacy.certificate import certificate
    from ldp.privacy.disclosure import disclosure
    from ldp_aggregator.explanations.explanation import explanation

    survey = read_survey(survey_path)
    if shuffled is not None:
        if form is not None:
            raise click.UsageError("expected --shuffled without --disclosure")
        _explain_batches(
            survey, shuffled, delta, colluding=colluding, names=names, path=path
        )
        return
    check_names(names, [question.name for question in survey])
    if names and (path is not None or form is not None):
        raise click.UsageError(
            "--question: expected no --certificate and no --disclosure beside it, "
            "which are of the whole survey"
        )
    if path is not None:
        hand_out(path, json.dumps(certificate(survey), indent=2) + "\n")
    if form is None:
        say(explanation(survey, names), path)
    else:
        hand_out(None, disclosure(survey, form))
    warn(survey)


def _explain_batches(
    survey: Survey,
    reports: int,
    delta: Fraction,
    colluding: Fraction,
    names: tuple[str, ...],
    path: Path | None,
) -> None:
    from ldp.privacy.certificates import batch_certificate
    from ldp_aggregator.explanations.shuffled import shuffled_explanation

    check_names(names, [envelope.name for envelope in survey.envelopes])
    chosen = [
        envelope
        for envelope in survey.envelopes
        if envelope.name in (names or [envelope.name])
    ]
    if path is not None:
        if len(chosen) != 1:
            raise click.UsageError(
                "--certificate: expected one --question, as each has its own"
            )
        try:
            stated = batch_certificate(chosen[0], reports, delta, colluding=colluding)
        except ValueError as error:
            raise click.UsageError(f"--certificate: {error}") from None
        hand_out(path, json.dumps(stated, indent=2) + "\n")
    say(shuffled_explanation(chosen, reports, delta, colluding=colluding), path)


@click.command()
@SURVEY
@click.argument(
    "paths",
    metavar="REPORTS...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=str),
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=OUTPUT_FILE,
    help="The tally file to write.",
)
@click.option(
    "--engine",
    type=click.Choice(["spark"]),
    help="What counts, if not this process; the tally is the same.",
)
@click.option("--master", help="The URL of Spark's master.  [default: local[*]]")
@ALLOW_EQUAL
@QUIET
def aggregate(
    survey_path: Path,
    paths: tuple[str, ...],
    output: Path,
    engine: str | None,
    master: str | None,
    allow_equal: bool,
    quiet: bool,
) -> None:
    """Count REPORTS (report files or tallies, or URLs of such) of SURVEY into one
    tally.

    A batch that comes twice among the report files counts once. Tallies have forgotten
    their batches: those that are known to have some in common, with another or with the
    report files, are refused.
    """
    from ldp_aggregator.tallies.tally_file import encode_tally

    if engine is None and master is not None:
        raise click.UsageError("--master is for --engine spark")
    if engine is None:
        tally = tally_of(survey_path, paths, quiet, allow_equal=allow_equal)
    elif DASH in paths:
        raise click.UsageError(
            f"expected paths that Spark's executors can read, got {DASH}"
        )
    else:
        tally = _tally_by_spark(
            survey_path,
            paths,
            quiet,
            master=master or "local[*]",
            allow_equal=allow_equal,
        )
    with written_whole(output) as file:
        file.write(encode_tally(tally))


@click.command(cls=LongHelp, headings=HEADINGS)
@with_tallies(survey=SURVEY_IF_ANY)
@DESIGN
@ARM
@QUESTION
@with_output_options
@click.option(
    "--stop-list",
    "stop_list",
    type=FILE_PATH,
    help=(
        "The list of `ldp survey stop-list sign` that devices followed, to say whom it "
        "left."
    ),
)
@click.option(
    "--mixed-by",
    "mixed_by",
    metavar="NAME",
    help="The relay that mixed the reports, in one batch: say what that was worth.",
)
@click.option(
    "--batches",
    "batches",
    metavar="STORE_OR_FILE",
    help="Say what relays had mixed: by the service's store, or its answer at "
    "/v1/surveys/NAME/"
    "batches.",
)
@DELTA
@COLLUDING
@with_group_options
@click.pass_context
def estimate(
    context: click.Context,
    /,
    design: str | None,
    arm: str | None,
    names: tuple[str, ...],
    stop_list: Path | None,
    mixed_by: str | None,
    batches: str | None,
    delta: Fraction,
    colluding: Fraction,
    **asked: Any,
) -> None:
    """Estimate frequencies, with errors and intervals, from reports, rows or counts of
    SURVEY.

    Answers that a coin or a die has randomized need no SURVEY: --design says how.
    """
    if design is not None:
        estimate_design(context)
        return
    if arm is not None:
        raise click.UsageError("--arm is for --design")
    if asked["survey_path"] is None:
        raise click.UsageError("expected a SURVEY file, or --design WORDS")
    from ldp_aggregator.answers.estimates.estimation import estimate

    stops = None
    if stop_list is not None:
        from ldp_aggregator.answers.estimates.stop_lists import stops_in

        stops = stops_in(stop_list)
    wanted, source = take(GroupOptions, asked), take(TallySource, asked)
    output_options = OutputOptions.of(asked)
    options = output_options.options
    if mixed_by is not None and batches is not None:
        raise click.UsageError("expected --mixed-by or --batches, got both")
    tally = source.tally(names, by=wanted.groups.names if wanted else ())
    survey = tally.survey
    check_names(names, [question.name for question in survey])
    candidates = read_candidates(survey, source.path)
    if wanted:
        if stops is not None:
            raise click.UsageError("expected --stop-list without --by and --where")
        if mixed_by is not None or batches is not None:
            raise click.UsageError(
                "expected --mixed-by and --batches without --by and --where"
            )
        from ldp_aggregator.analyses.groups.estimation import estimate_groups

        groups = estimate_groups(
            tally,
            options=options,
            candidates=candidates,
            names=names,
            **group_arguments(source.path, wanted),
        )
        output_options.hand_over_groups(groups)
        return
    estimates = estimate(tally, options=options, candidates=candidates, names=names)
    if not source.quiet:
        for question in estimates:
            warn_of_health(
                survey[question.name],
                tally.counts[question.name],
                question.options.repeats,
            )
        warn_of_draws(survey, tally.counts)
    if mixed_by is not None:
        from ldp_aggregator.explanations.mixed_batches import with_batches

        estimates = with_batches(
            estimates, survey, mixed_by, delta=delta, colluding=colluding
        )
    if batches is not None:
        from ldp_aggregator.explanations.mixed_batches import with_mixing

        known = _batches_in(batches, survey)
        estimates = with_mixing(
            estimates, survey, known, delta=delta, colluding=colluding
        )
    if stops is not None:
        from ldp_aggregator.answers.estimates.stop_lists import with_shares

        estimates = with_shares(estimates, stops)
    output_options.hand_over(estimates)


def _batches_in(source: str, survey: Survey) -> list[MixedBatch]:
    """What relays had mixed for a survey, by a store's URL or a file. Raises
    `LDPError`.
    """
    if "://" in source:
        mixed: list[MixedBatch] = stores("batches_of_relays")(source, survey)
        return mixed
    from ldp_aggregator.tallies.mixing.batches import MOST_FILE, read_batches

    return read_batches(survey, read_bytes(Path(source), MOST_FILE))


def _tally_by_spark(
    survey_path: Path,
    paths: tuple[str, ...],
    quiet: bool,
    master: str,
    *,
    allow_equal: bool,
) -> Tally:
    """The same tally, counted by Spark."""
    from ldp_aggregator.tallies.engines.spark import count_on_spark, start_spark
    from ldp_aggregator.tallies.tally_file import decode_tally

    survey, source = read_source(survey_path)
    spark = start_spark(master, show_progress=not quiet and sys.stderr.isatty())
    tally = decode_tally(
        count_on_spark(spark, source, paths, allow_equal=allow_equal), survey
    )
    report_intake(tally, quiet)
    return tally
