"""`ldp survey page`: the respondents' page of a survey, as files for any static
host.
"""

from __future__ import annotations

from pathlib import Path

import click

from ldp_aggregator.commands.address_types import ADDRESS
from ldp_aggregator.commands.main import FILE_PATH, SURVEY
from ldp_aggregator.output.files import (
    make_folder,
    read_candidates,
    read_survey,
    write_whole,
)


@click.command()
@SURVEY
@click.option(
    "--output",
    "-o",
    required=True,
    type=FILE_PATH,
    help="The folder to write; what is in it under the same names is replaced.",
)
@click.option(
    "--collector",
    type=ADDRESS,
    default="",
    help=(
        "The address of the service that takes the reports.  [default: the page's own "
        "host]"
    ),
)
@click.option(
    "--page",
    "page_path",
    type=FILE_PATH,
    help=(
        "What the page says beside the survey.  [default: NAME.page.toml beside "
        "NAME.toml]"
    ),
)
@click.option(
    "--words",
    "words",
    multiple=True,
    type=FILE_PATH,
    help=(
        "A file with the page's own words in a language, named after it, such as "
        "fr.json."
    ),
)
@click.option(
    "--counted",
    is_flag=True,
    help=(
        "Tell the collector when the page is shown and begun; it counts that with "
        "--public."
    ),
)
@click.option(
    "--invited",
    is_flag=True,
    help="Ask only those who have a link with a one-time token.",
)
def page(
    survey_path: Path,
    output: Path,
    collector: str,
    page_path: Path | None,
    words: tuple[Path, ...],
    counted: bool,
    invited: bool,
) -> None:
    """Write the page on which people answer SURVEY, for any static host.

    Their browsers draw the reports; no answer leaves them. headers.txt has what the
    host should send along.
    """
    from ldp_service.respondents.folder import Site, headers_text, page_files
    from ldp_service.respondents.presentation import page_file, read_presentation
    from ldp_service.respondents.words import check_spoken

    survey = read_survey(survey_path)
    beside = page_file(survey_path)
    chosen = page_path or (beside if beside.exists() else None)
    shown = read_presentation(survey, chosen)
    check_spoken(shown.languages, words)
    candidates = read_candidates(survey, survey_path)
    site = Site(
        collector.rstrip("/"),
        counted=counted,
        invited=invited,
        words=words,
        candidates=candidates,
    )
    files = page_files(survey, shown, site)
    make_folder(output)
    files["headers.txt"] = headers_text(shown, site).encode()
    for name, content in files.items():
        write_whole(output / name, content)
    for warning in shown.warnings():
        click.echo(f"warning: {warning}", err=True)
    click.echo(f"{output / 'index.html'}: the page of {survey.name}", err=True)
    where = collector or "the host that serves it"
    click.echo(
        f"it sends to {where}; headers.txt says what the host should send along",
        err=True,
    )
