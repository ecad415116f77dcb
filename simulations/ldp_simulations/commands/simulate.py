"""`ldp randomize` and `ldp simulate`: surveys before, or without, the devices that
answer them.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ldp_aggregator.answers.options import SHAPES
from ldp_aggregator.commands.main import FILE_PATH, OUTPUT_FILE, QUIET, SURVEY, whole
from ldp_aggregator.commands.output_options import (
    PLOT,
    QUESTION,
    TOP,
    check_names,
    draw,
    format_option,
    present,
)
from ldp_aggregator.output.files import (
    make_folder,
    read_candidates,
    read_survey,
    write_whole,
    written_whole,
)
from ldp_aggregator.output.formats.formats import FORMATS
from ldp_simulations.commands.options import MOST_RUNS


@click.command()
@SURVEY
@click.option(
    "--input",
    "-i",
    "table",
    required=True,
    type=FILE_PATH,
    help="A table of answers, CSV or Parquet.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=OUTPUT_FILE,
    help="The report file to write.",
)
@click.option(
    "--skip-invalid",
    is_flag=True,
    help="Take cells that do not fit their question for no answer.",
)
@QUIET
def randomize(
    survey_path: Path, table: Path, output: Path, skip_invalid: bool, quiet: bool
) -> None:
    """Randomize a table of answers to SURVEY.

    One respondent a row, one column a question, empty = no answer.

    Reports leave in a random order, whatever that of the rows.
    """
    from ldp_aggregator.commands.progress import progress
    from ldp_simulations.answers import read_answers
    from ldp_simulations.simulation.randomizing import randomize

    survey = read_survey(survey_path)
    answers = progress(
        read_answers(table, survey, skip_invalid=skip_invalid), "randomizing", quiet
    )
    with written_whole(output) as file:
        file.write(randomize(survey, answers))


@click.command()
@SURVEY
@click.option(
    "--population",
    "table",
    type=FILE_PATH,
    help="A table of true answers, CSV or Parquet.",
)
@click.option(
    "--respondents",
    "-n",
    metavar="N",
    type=whole(1, 10**12),
    help="How many respondents to make up, such as 1e6.  [default: 10000]",
)
@click.option(
    "--distribution",
    help=(
        "zipf:S, uniform, geometric[:R], normal, file:WEIGHTS.csv.  [default: zipf:1.1]"
    ),
)
@click.option(
    "--runs",
    type=click.IntRange(1, MOST_RUNS),
    default=1,
    show_default=True,
    help="How often to repeat the survey.",
)
@click.option("--seed", type=click.IntRange(0), help="Make the simulation repeatable.")
@click.option(
    "--way",
    type=click.Choice(["clients", "reports", "law"]),
    default="law",
    show_default=True,
    help="Let a client make every report, draw reports in bulk and of the same law, or "
    "draw tallies from their exact law.",
)
@click.option(
    "--level", default=0.95, show_default=True, help="Coverage of the intervals."
)
@click.option(
    "--simultaneous",
    is_flag=True,
    help="Make all intervals of a question hold together (Bonferroni).",
)
@click.option(
    "--post-process",
    type=click.Choice(SHAPES),
    help="Of square-wave: the shape beside the true one, which is biased.",
)
@click.option(
    "--skip-invalid",
    is_flag=True,
    help="Of --population: take cells that do not fit for no answer.",
)
@QUESTION
@TOP
@format_option("tables", "record", "rows", "bars", of_file=False)
@PLOT
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    help=(
        "Write report.html, picture.svg, simulation.json and estimates.csv to this "
        "folder."
    ),
)
@QUIET
def simulate(
    survey_path: Path,
    table: Path | None,
    respondents: int | None,
    distribution: str | None,
    runs: int,
    seed: int | None,
    way: str,
    level: float,
    simultaneous: bool,
    post_process: str | None,
    skip_invalid: bool,
    names: tuple[str, ...],
    top: int | None,
    form: str,
    plot_path: Path | None,
    output: Path | None,
    quiet: bool,
) -> None:
    """Simulate SURVEY on a known population and compare the estimates with the
    truth.
    """
    from ldp_aggregator.answers.options import Options
    from ldp_aggregator.commands.progress import progress
    from ldp_simulations.population import from_table, synthetic
    from ldp_simulations.simulation import report
    from ldp_simulations.simulation.simulation import simulate

    if table is not None and (respondents is not None or distribution is not None):
        raise click.UsageError(
            "expected either --population, or --respondents and --distribution; got "
            "both"
        )
    if skip_invalid and table is None:
        raise click.UsageError(
            "--skip-invalid: expected --population, whose cells it is about"
        )
    survey = read_survey(survey_path)
    check_names(names, [question.name for question in survey])
    candidates = read_candidates(survey, survey_path)
    if table is not None:
        population = from_table(survey, table, candidates, skip_invalid=skip_invalid)
    else:
        population = synthetic(
            survey,
            respondents or 10_000,
            distribution or "zipf:1.1",
            candidates=candidates,
        )
    options = Options(
        level,
        simultaneous="bonferroni" if simultaneous else None,
        post_process=post_process,
    )
    if output is not None:
        # Before the work begins, which may take long.
        make_folder(output)
    result = simulate(
        survey,
        population,
        runs=runs,
        seed=seed,
        way=way,
        options=options,
        candidates=candidates,
        over=partial(progress, what="simulating", quiet=quiet),
    )
    if names:
        result = result.only(names)
    draw(report.sheet(result), plot_path)
    present(report.sheet(result, top), form)
    if output is not None:
        sheet = report.sheet(result)
        write_whole(output / "report.html", report.page(result))
        write_whole(output / "picture.svg", FORMATS["svg"].whole(sheet))
        write_whole(output / "simulation.json", FORMATS["json"].write(sheet))
        write_whole(output / "estimates.csv", result.first.to_csv())
        if not quiet:
            click.echo(
                (
                    "wrote report.html, picture.svg, simulation.json and estimates.csv "
                    f"to {output}"
                ),
                err=True,
            )
