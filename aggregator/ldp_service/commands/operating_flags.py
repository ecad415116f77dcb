"""Flags of `ldp serve` for who operates it: what is shown and kept, what is logged, how
it ends.
"""

from __future__ import annotations

import click

from ldp_aggregator.commands.address_types import FRAMING, ORIGIN
from ldp_aggregator.commands.main import FILE_PATH, FiniteRange, with_options
from ldp_service.logs.events import FORMATS, LEVELS

SURVEYS = click.argument(
    "paths",
    metavar="SURVEY...",
    nargs=-1,
    required=True,
    type=FILE_PATH,
)
HOST = click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen at."
)
ORIGINS = click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    type=ORIGIN,
    help="An origin whose pages may upload, from browsers.",
)
TLS_CERTIFICATE = click.option(
    "--tls-certificate",
    type=FILE_PATH,
    help="PEM file, to serve HTTPS.",
)
TLS_KEY = click.option(
    "--tls-key",
    type=FILE_PATH,
    help="PEM file of the certificate's key.",
)
LOG_FORMAT = click.option(
    "--log-format",
    default="text",
    show_default=True,
    type=click.Choice(FORMATS),
    help="How events are logged, to standard error.",
)
LOG_LEVEL = click.option(
    "--log-level",
    default="info",
    show_default=True,
    type=click.Choice(LEVELS),
    help="From which level on.",
)

FLAGS = (
    LOG_FORMAT,
    LOG_LEVEL,
    click.option(
        "--audit-log",
        type=FILE_PATH,
        help="A file to note in who looked at what, and who changed tokens.",
    ),
    click.option(
        "--keep-epochs",
        "kept_epochs",
        default=0,
        type=click.IntRange(0),
        help="Closed epochs whose tallies are kept.  [default: all]",
    ),
    click.option(
        "--drain",
        default=2.0,
        show_default=True,
        type=FiniteRange(0, 3),
        help=(
            "Seconds for which /readyz says no, before connections are closed, when "
            "told to stop."
        ),
    ),
    click.option(
        "--least-reports",
        default=20,
        show_default=True,
        type=click.IntRange(1),
        help="Reports that are shown together: so many before anything is, and so many "
        "new ones each time; 1 shows each as it comes.",
    ),
    click.option(
        "--publish-minutes",
        type=FiniteRange(0, min_open=True),
        help="Minutes after which fewer new ones are shown as well.  [default: never]",
    ),
    click.option(
        "--metrics-estimates",
        is_flag=True,
        help=(
            "Show estimates with their bounds in /metrics too, as far as analysts may "
            "see them."
        ),
    ),
    click.option(
        "--notes",
        "notes_path",
        type=FILE_PATH,
        help=(
            "A TOML file of dated notes that the page shows; read anew when it changes."
        ),
    ),
    click.option(
        "--embed-in",
        "frame_ancestors",
        multiple=True,
        type=FRAMING,
        help="An origin whose pages may frame a question of the page.",
    ),
    click.option(
        "--shared-survey",
        "shared_surveys",
        multiple=True,
        help="A survey whose framed questions need no token.",
    ),
)


operating_flags = with_options(*FLAGS)
