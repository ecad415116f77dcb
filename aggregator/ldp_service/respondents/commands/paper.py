"""`ldp survey paper` and `paper-counts`: coins, dice or slips, and what came back."""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.main import FILE_PATH, OUTPUT_FILE, SURVEY
from ldp_aggregator.output.files import read_bytes, read_survey, write_whole

_MOST_BYTES = 1 << 22


@click.command()
@SURVEY
@click.option("--output", "-o", required=True, type=OUTPUT_FILE, help="HTML file.")
@click.option(
    "--language",
    default="",
    help="One of the languages of NAME.page.toml, such as de.  [default: its own]",
)
@click.option(
    "--words",
    "words",
    multiple=True,
    type=FILE_PATH,
    help=(
        "A file with the sheet's own words in a language, named after it, such as "
        "fr.json."
    ),
)
def paper(
    survey_path: Path, output: Path, language: str, words: tuple[Path, ...]
) -> None:
    """Write a sheet to print: each question of SURVEY, what to toss, and what to write
    down.

    A question whose probabilities no toss has is refused, by its name.
    """
    from ldp_service.respondents.paper_sheet import paper_sheet
    from ldp_service.respondents.presentation import page_file, read_presentation

    survey = read_survey(survey_path)
    beside = page_file(survey_path)
    shown = read_presentation(survey, beside if beside.exists() else None)
    write_whole(output, paper_sheet(survey, shown, language, words=words))


@click.command()
@SURVEY
@click.argument("table", metavar="COUNTS", type=FILE_PATH)
@click.option(
    "--output", "-o", required=True, type=OUTPUT_FILE, help="Report file to write."
)
def paper_counts(survey_path: Path, table: Path, output: Path) -> None:
    """Turn COUNTS of what was written down into reports, for `ldp aggregate` or a
    service.

    COUNTS is a CSV table with the columns question, value and count. Counted anew, the
    same sheets are other reports: aggregate one file of them.
    """
    from ldp_service.respondents.paper_counts import paper_reports

    survey = read_survey(survey_path)
    try:
        text = read_bytes(table, _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError(f"{table}: expected a CSV table in UTF-8") from None
    write_whole(output, paper_reports(survey, text))
