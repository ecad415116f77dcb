"""`ldp serve`: the service as a process, or as several on one database.

Exit codes: 0 when it was told to stop, and finished what it had begun; 1 when it cannot
start, or cannot go on.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import click

from ldp_aggregator.answers.requests import BY
from ldp_aggregator.commands.address_types import ADDRESS
from ldp_aggregator.commands.main import FILE_PATH, LongHelp
from ldp_service.alerts.flags import alert_flags
from ldp_service.commands import running
from ldp_service.commands.operating_flags import (
    HOST,
    ORIGINS,
    SURVEYS,
    TLS_CERTIFICATE,
    TLS_KEY,
    operating_flags,
)
from ldp_service.commands.serve_options import ServeError, ServeOptions
from ldp_service.commands.settings import config_option
from ldp_service.commands.tokens import TOKEN_FILE
from ldp_service.logs.events import set_up
from ldp_service.people.flags import people_flags

_EXTRA = (
    "expected Starlette and uvicorn, found neither; "
    'install them with pip install "ldpkit-aggregator[serve]"'
)


_HEADINGS = {
    "Running": "--store --host --port --workers --tls-certificate --tls-key --check "
    "--config --drain --confirm-clock",
    "Reports that come": "--token-file --open-uploads --allow-origin --folder --kafka "
    "--kafka-settings --relay-key --keep-reports --keep-epochs --debug-tags",
    "Respondents": (
        "--public --invitations --public-address --words --register --stop-list"
    ),
    "Page of results": "--least-reports --publish-minutes --notes --geography "
    "--district-name --districts-by --embed-in --shared-survey",
    "Sign-in": "--people --trusted-header --trusted-groups-header --trusted-proxy "
    "--proxy-removes-headers",
    "Logs and alerts": "--log-format --log-level --audit-log --metrics-estimates "
    "--alert-webhook --alert-name",
}


@config_option
@click.command(cls=LongHelp, headings=_HEADINGS)
@SURVEYS
@click.option(
    "--store",
    default="sqlite:///ldp.db",
    show_default=True,
    help="Where to count: sqlite:///FILE or postgresql://...",
)
@HOST
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port; 0 for any.",
)
@click.option(
    "--token-file",
    default=TOKEN_FILE,
    show_default=True,
    type=FILE_PATH,
    help="The hashes of tokens (see `ldp store tokens`). Where there is no such file, "
    "it is made, with two tokens.",
)
@click.option("--open-uploads", is_flag=True, help="Take uploads without a token.")
@ORIGINS
@click.option(
    "--keep-reports",
    "kept_days",
    default=0,
    type=click.IntRange(0),
    help="Days to keep batches whole.",
)
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=FILE_PATH,
    help="A folder of report files to follow.",
)
@click.option(
    "--kafka", "topics", multiple=True, help="A topic to follow, as TOPIC@BROKER:PORT."
)
@click.option(
    "--kafka-settings",
    type=FILE_PATH,
    help="Lines KEY = VALUE for Kafka's client.",
)
@TLS_CERTIFICATE
@TLS_KEY
@click.option(
    "--stop-list",
    "stop_lists",
    multiple=True,
    type=FILE_PATH,
    help=(
        "A list of `ldp survey stop-list sign` to hand out; read anew at each request."
    ),
)
@click.option(
    "--geography",
    "geography_path",
    metavar="FILE",
    type=FILE_PATH,
    help=(
        "Of maps: show the shares of the districts in a GeoJSON file, and their "
        "borders."
    ),
)
@click.option(
    "--district-name",
    metavar="PROPERTY",
    default="name",
    show_default=True,
    help="The property that names these districts.",
)
@click.option(
    "--districts-by",
    type=click.Choice(BY),
    default="area",
    show_default=True,
    help="How cells are counted that borders of districts cut.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Processes, on PostgreSQL.",
)
@click.option(
    "--debug-tags",
    is_flag=True,
    help=(
        "Show uploads with the header LDP-Debug-Tag on the page, and do not count them."
    ),
)
@click.option(
    "--public",
    is_flag=True,
    help="Give each survey a page on which anyone may answer, and print its link.",
)
@click.option(
    "--invitations",
    multiple=True,
    type=FILE_PATH,
    help="A page as with --public, for those who have a token of `ldp store tokens "
    "respondents` in FILE.",
)
@click.option(
    "--public-address",
    type=ADDRESS,
    default="",
    help=(
        "The address under which respondents reach the service.  [default: where it "
        "listens]"
    ),
)
@click.option(
    "--relay-key",
    "relay_keys",
    multiple=True,
    type=FILE_PATH,
    help="A private key of `ldp relay keys`: take the batches of relays, which show a "
    "token of scope relay.",
)
@click.option(
    "--words",
    multiple=True,
    type=FILE_PATH,
    help=(
        "A file with the words of respondents' pages in a language, named after it: "
        "fr.json."
    ),
)
@click.option(
    "--register",
    "register_path",
    metavar="FILE",
    type=FILE_PATH,
    help=(
        "A register of `ldp survey register` to show to everyone; each SURVEY has to "
        "be in it."
    ),
)
@operating_flags
@alert_flags
@people_flags
@click.option(
    "--confirm-clock",
    is_flag=True,
    help=(
        "The clock is right, though more than an epoch has passed since the last "
        "commit."
    ),
)
@click.option(
    "--check",
    is_flag=True,
    help="Try all that a start needs, serve nothing and write nothing.",
)
def serve(**asked: Any) -> None:
    """Receive reports of each SURVEY, count each once, and show estimates to token
    holders.

    Two files of one name are two versions of a survey, the newer one last.
    """
    options = ServeOptions.of(asked)
    if options.http.workers > 1 and options.counting.store.startswith("sqlite:"):
        raise click.UsageError(
            "--workers: one process writes to SQLite; several share a store on "
            "PostgreSQL"
        )
    if options.http.workers > 1 and options.uploads.debug_tags:
        raise click.UsageError(
            "--debug-tags: one process shows uploads on its page, got several"
        )
    if not options.http.host:
        raise click.UsageError(
            "--host: expected an address, got an empty one; 0.0.0.0 stands for all of "
            "this machine's"
        )
    if (options.http.tls_certificate is None) != (options.http.tls_key is None):
        raise click.UsageError(
            "--tls-certificate and --tls-key: expected both or neither"
        )
    if options.respondents.invitations and options.counting.kept_days:
        raise click.UsageError(
            "--invitations: expected no --keep-reports, as batches that are kept whole "
            "lie beside the tokens that were spent with them"
        )
    if options.respondents.invitations and options.uploads.open_uploads:
        raise click.UsageError(
            "--invitations: expected no --open-uploads, which lets anyone answer"
        )
    for flag, given, needed in _companions(options):
        if given:
            raise click.UsageError(
                f"{flag}: expected {needed} as well, without which it does nothing"
            )
    set_up(options.logs.log_format, options.logs.log_level)
    if find_spec("uvicorn") is None or find_spec("starlette") is None:
        raise ServeError(_EXTRA)
    if options.check:
        running.check(options)
        click.echo(
            "in order: settings, surveys, tokens, certificate, receivers and store"
        )
    else:
        running.run(options)


def _companions(options: ServeOptions) -> tuple[tuple[str, object, str], ...]:
    """Flags that do something beside others alone: whether they stand alone, and which
    others.
    """
    return (
        (
            "--public-address",
            options.respondents.public_address and not options.respondents.has_pages,
            "--public or --invitations",
        ),
        (
            "--words",
            options.respondents.words and not options.respondents.has_pages,
            "--public or --invitations",
        ),
        (
            "--kafka-settings",
            options.sources.kafka_settings and not options.sources.topics,
            "--kafka",
        ),
    )
