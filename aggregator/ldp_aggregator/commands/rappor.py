"""`ldp rappor import`, `associate`, `ngrams`, `survey`: decode google/rappor's files,
and go on.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ldp_aggregator.commands.headings import HEADINGS
from ldp_aggregator.commands.main import (
    FILE_PATH,
    OUTPUT_FILE,
    QUIET,
    CommandGroup,
    FiniteRange,
    LongHelp,
    with_options,
)
from ldp_aggregator.commands.output_options import (
    ESTIMAND,
    LEVEL,
    OUTPUT,
    OutputOptions,
    format_option,
    present,
    warn_of_health,
    with_output_options,
)
from ldp_aggregator.output.files import FileError, hand_out, read_lines
from ldp_aggregator.output.streams import check_one_output

if TYPE_CHECKING:
    from ldp_aggregator.decoders.other_results import Candidates
    from ldp_aggregator.exchange.google_rappor.dialects import Dialect
    from ldp_aggregator.exchange.google_rappor.files import Parameters, ReportFile

_FILE = FILE_PATH
_PARAMETERS = click.option(
    "--params",
    "parameters_path",
    type=_FILE,
    required=True,
    help="params.csv: k,h,m,p,q,f.",
)
_CLIENT = partial(
    click.option,
    "--client",
    type=click.Choice(["python", "cpp", "java"]),
    help="Whose hashing and rounding the reports went through.",
)
_EXPORT = click.option(
    "--export",
    "export_path",
    type=OUTPUT_FILE,
    help="Write what is found in the columns of results.csv.",
)
_VARIABLES = with_options(
    click.option(
        "--schema",
        type=_FILE,
        required=True,
        help="Types of variables: metric,var,var_type,params.",
    ),
    click.option(
        "--reports",
        "reports_path",
        type=_FILE,
        required=True,
        help="Reports, with columns client, cohort and variables.",
    ),
    click.option(
        "--params-dir",
        "folder",
        type=_FILE,
        required=True,
        help="The folder of parameters: NAME.csv, for the name in the schema.",
    ),
    click.option("--metric", help="Of several in the schema, that of the variables."),
)


@click.group(cls=CommandGroup)
def rappor() -> None:
    """Decode the files of google/rappor, and move on from it."""


_LONG = {
    "Files": "--schema --params --params-dir --map --metric --candidates --ngrams"
} | HEADINGS


@rappor.command("import", cls=LongHelp, headings=_LONG)
@_PARAMETERS
@click.option(
    "--counts", "counts_path", type=_FILE, help="counts.csv: one row for each cohort."
)
@click.option(
    "--reports",
    "reports_path",
    type=_FILE,
    help="Reports to count instead, with columns cohort and irr (or rappor).",
)
@click.option(
    "--map", "map_path", type=_FILE, help="map.csv: the bits of each candidate."
)
@click.option(
    "--candidates",
    "candidates_path",
    type=_FILE,
    help="Candidates to hash instead, one a line.",
)
@_CLIENT()
@_EXPORT
@with_output_options
@QUIET
def import_files(
    parameters_path: Path,
    counts_path: Path | None,
    reports_path: Path | None,
    map_path: Path | None,
    candidates_path: Path | None,
    client: str | None,
    export_path: Path | None,
    quiet: bool,
    **asked: Any,
) -> None:
    """Estimate frequencies from files of google/rappor.

    The files are its parameters, counts (or reports), and a map (or candidates); none
    of these for booleans, whose one bit (k = 1) is the answer.

    Reports do not say which client made them. Name it, and they are decoded with the
    probabilities that it drew with, which are not quite those of the parameters.
    """
    from ldp_aggregator.decoders.bloom.indistinguishable import group_warnings
    from ldp_aggregator.exchange.google_rappor.decoding import (
        counts_of_answers,
        decode,
        is_turned_round,
        legacy_question,
    )
    from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
    from ldp_aggregator.exchange.google_rappor.files import read_parameters
    from ldp_aggregator.exchange.google_rappor.privacy import explanation, warnings
    from ldp_aggregator.exchange.google_rappor.results import results_csv

    output_options = OutputOptions.of(asked)
    if export_path is not None:
        check_one_output(
            ("--export", export_path), ("--output", output_options.files.output)
        )
    options = output_options.options
    parameters = read_parameters(parameters_path)
    dialect = None
    if client is not None:
        dialect = DIALECTS[client]
    question = legacy_question(parameters, dialect, str(parameters_path))
    if parameters.boolean and (map_path is not None or candidates_path is not None):
        raise click.UsageError(
            "expected no --map and no --candidates where k = 1: the bit is the answer"
        )
    reports = _reports(counts_path, reports_path, parameters)
    counts = counts_of_answers(reports.counts, parameters)
    candidates = _candidates(map_path, candidates_path, parameters, dialect=dialect)
    if not quiet:
        click.echo(explanation(question, parameters), err=True)
        for warning in warnings(question, parameters, reports):
            click.echo(f"warning: {warning}", err=True)
        warn_of_health(question, counts, options.repeats)
    estimates, groups = decode(question, counts, candidates, options=options)
    if not quiet:
        for warning in group_warnings(groups):
            click.echo(f"warning: {warning}", err=True)
        if is_turned_round(estimates, counts, candidates, options=options):
            click.echo(
                "warning: these reports fit the candidates with their bits in opposite "
                "order: they were written lowest bit first. Turn the bits of each "
                "report round, and import again",
                err=True,
            )
    if export_path is not None:
        hand_out(export_path, results_csv(estimates[question.name]))
    output_options.hand_over(estimates)


@rappor.command("associate")
@_VARIABLES
@click.option(
    "--var1", required=True, help="The first variable, a string or a boolean."
)
@click.option(
    "--var2", required=True, help="The other; of two variables one may be a string."
)
@click.option("--map", "map_path", type=_FILE, help="map.csv: the string's candidates.")
@click.option(
    "--candidates",
    "candidates_path",
    type=_FILE,
    help="Candidates to hash instead, one a line.",
)
@_CLIENT()
@click.option(
    "--skip-blank",
    is_flag=True,
    help="Leave out rows in which one of the reports is blank.",
)
@LEVEL
@ESTIMAND
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make all intervals hold together (Bonferroni).",
)
@click.option(
    "--likelihood",
    is_flag=True,
    help="Add the most likely frequencies: biased, but none below 0.",
)
@format_option("tables", "record", "rows")
@OUTPUT
@QUIET
def associate_files(
    schema: Path,
    reports_path: Path,
    folder: Path,
    metric: str | None,
    var1: str,
    var2: str,
    map_path: Path | None,
    candidates_path: Path | None,
    client: str | None,
    skip_blank: bool,
    level: float,
    estimand: str,
    simultaneous: bool,
    likelihood: bool,
    form: str,
    output: Path | None,
    quiet: bool,
) -> None:
    """Estimate joint answers from reports to several variables, and test independence.

    The files are those of decode-assoc.
    """
    from ldp_aggregator.answers.options import Options
    from ldp_aggregator.decoders.bloom.indistinguishable import group_warnings
    from ldp_aggregator.exchange.google_rappor.associations import (
        associate_variables,
        check_kinds,
        read_joint_reports,
        read_variables,
    )
    from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
    from ldp_aggregator.exchange.google_rappor.privacy import explanation

    if var1 == var2:
        raise click.UsageError("expected two variables, got one twice")
    options = Options(
        level, estimand, simultaneous="bonferroni" if simultaneous else None
    )
    variables = read_variables(schema, folder, metric, names=(var1, var2))
    check_kinds(variables)
    dialect = None
    if client is not None:
        dialect = DIALECTS[client]
    strings = [variable.parameters for variable in variables if not variable.boolean]
    if not strings and (map_path is not None or candidates_path is not None):
        raise click.UsageError("expected no --map and no --candidates for two booleans")
    candidates = tuple(
        _candidates(map_path, candidates_path, variable.parameters, dialect=dialect)
        for variable in variables
    )
    reports = read_joint_reports(reports_path, variables, skip_blank=skip_blank)
    association, groups = associate_variables(
        variables,
        reports,
        candidates,
        dialect=dialect,
        options=options,
        likelihood=likelihood,
    )
    if not quiet:
        for variable in variables:
            about = explanation(variable.as_question(dialect), variable.parameters)
            click.echo(f"{variable.name}: {about}", err=True)
        if reports.skipped:
            click.echo(
                f"warning: {reports.skipped:,} rows with a blank cell left out",
                err=True,
            )
        for warning in group_warnings(groups):
            click.echo(f"warning: {warning}", err=True)
    present(association.sheet(), form, output)


@rappor.command("ngrams", cls=LongHelp, headings=_LONG)
@_VARIABLES
@click.option("--text", required=True, help="The variable of whole texts.")
@click.option(
    "--part",
    "parts",
    multiple=True,
    required=True,
    help="A variable of parts of the texts, from the first place to the last.",
)
@click.option(
    "--ngrams",
    "ngrams_path",
    type=_FILE,
    required=True,
    help="What parts may be, one a line.",
)
@_CLIENT(required=True)
@click.option(
    "--part-level",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="One less the share of the parts found that may be wrong, on average.",
)
@_EXPORT
@with_output_options
@QUIET
def decode_ngrams(
    schema: Path,
    reports_path: Path,
    folder: Path,
    metric: str | None,
    text: str,
    parts: tuple[str, ...],
    ngrams_path: Path,
    client: str,
    part_level: float,
    export_path: Path | None,
    quiet: bool,
    **asked: Any,
) -> None:
    """Estimate frequencies of texts that are in no list, from reports of their parts.

    Each device reports its text, and some of the parts (n-grams) that the text is made
    of. Parts are found first; the texts that found parts make are the candidates.
    """
    from ldp_aggregator.decoders.bloom.indistinguishable import group_warnings
    from ldp_aggregator.exchange.google_rappor.associations import read_variables
    from ldp_aggregator.exchange.google_rappor.decoding import decode
    from ldp_aggregator.exchange.google_rappor.dialects import DIALECTS
    from ldp_aggregator.exchange.google_rappor.ngrams import (
        check_texts,
        find_parts,
        read_separate_reports,
        texts_of,
    )
    from ldp_aggregator.exchange.google_rappor.privacy import explanation
    from ldp_aggregator.exchange.google_rappor.results import results_csv

    if len({text, *parts}) <= len(parts):
        raise click.UsageError("expected variables that differ, got one twice")
    output_options = OutputOptions.of(asked)
    if export_path is not None:
        check_one_output(
            ("--export", export_path), ("--output", output_options.files.output)
        )
    dialect = DIALECTS[client]
    variables = read_variables(schema, folder, metric, names=(text, *parts))
    check_texts(variables)
    ngrams = read_lines(ngrams_path)
    if not ngrams:
        raise FileError(f"{ngrams_path}: expected one line for each n-gram, got none")
    of_text, *of_parts = read_separate_reports(reports_path, variables)
    if not quiet:
        for variable in variables:
            about = explanation(variable.as_question(dialect), variable.parameters)
            click.echo(f"{variable.name}: {about}", err=True)
    places = [
        find_parts(variable, counts, ngrams, dialect=dialect, level=part_level)
        for variable, counts in zip(variables[1:], of_parts, strict=True)
    ]
    texts = texts_of(places)
    if not quiet:
        for place in places:
            many = f"{len(place.found):,} n-grams found"
            click.echo(f"{place.name}: {many} in {place.reports:,} reports", err=True)
        click.echo(f"{text}: {len(texts):,} texts are made of these", err=True)
    question = variables[0].as_question(dialect)
    candidates = dialect.candidates(texts, variables[0].parameters)
    estimates, groups = decode(
        question, of_text, candidates, options=output_options.options
    )
    if not quiet:
        for warning in group_warnings(groups):
            click.echo(f"warning: {warning}", err=True)
    if export_path is not None:
        hand_out(export_path, results_csv(estimates[question.name]))
    output_options.hand_over(estimates)


@rappor.command()
@_PARAMETERS
@click.option(
    "--name",
    default="rappor",
    show_default=True,
    help="Of the survey, and of its question.",
)
@click.option(
    "--map",
    "map_path",
    type=_FILE,
    help="Of basic RAPPOR (h = m = 1): map.csv, for its values.",
)
@click.option(
    "--values",
    "values_path",
    type=_FILE,
    help="The values of basic RAPPOR instead, one a line.",
)
@click.option(
    "--output",
    "-o",
    type=OUTPUT_FILE,
    help="Write to this file instead of standard output.",
)
def survey(
    parameters_path: Path,
    name: str,
    map_path: Path | None,
    values_path: Path | None,
    output: Path | None,
) -> None:
    """Write a survey file with the parameters of google/rappor, for collections with
    our client.

    Basic RAPPOR (h = m = 1) has a bit for each value: name the values, by --map or
    --values.
    """
    from ldp_aggregator.exchange.google_rappor.files import read_map, read_parameters
    from ldp_aggregator.exchange.google_rappor.survey import (
        basic_survey_text,
        survey_text,
        values_of,
    )

    if map_path is not None and values_path is not None:
        raise click.UsageError("expected either --map or --values")
    parameters = read_parameters(parameters_path)
    place = str(parameters_path)
    if not parameters.basic:
        if map_path is not None or values_path is not None:
            raise click.UsageError("expected no --map and no --values unless h = m = 1")
        hand_out(output, survey_text(parameters, name, place))
        return
    if map_path is not None:
        values = values_of(read_map(map_path, parameters), str(map_path))
    elif values_path is not None:
        values = tuple(read_lines(values_path))
    else:
        raise click.UsageError(
            f"{place}: h = m = 1 is basic RAPPOR, with a bit for each value: name its "
            "values by --map or --values. Hashed to the bits of one cohort, values "
            "collide for good"
        )
    hand_out(output, basic_survey_text(parameters, values, name, place=place))


def _reports(
    counts_path: Path | None, reports_path: Path | None, parameters: Parameters
) -> ReportFile:
    from ldp_aggregator.exchange.google_rappor.files import (
        ReportFile,
        read_counts,
        read_reports,
    )

    if counts_path is not None and reports_path is None:
        return ReportFile(read_counts(counts_path, parameters), None)
    if reports_path is not None and counts_path is None:
        return read_reports(reports_path, parameters)
    raise click.UsageError("expected either --counts or --reports")


def _candidates(
    map_path: Path | None,
    candidates_path: Path | None,
    parameters: Parameters,
    dialect: Dialect | None,
) -> Candidates | None:
    from ldp_aggregator.exchange.google_rappor.files import read_map

    if parameters.boolean:
        return None

    if map_path is not None and candidates_path is None:
        return read_map(map_path, parameters)
    if candidates_path is None or map_path is not None:
        raise click.UsageError("expected either --map or --candidates")
    if dialect is None:
        raise click.UsageError(
            "--candidates: expected --client too, because each client sets other bits"
        )
    texts = read_lines(candidates_path)
    if not texts:
        raise FileError(
            f"{candidates_path}: expected one line for each candidate, got none"
        )
    return dialect.candidates(texts, parameters)
