"""`ldp relay`: reports that another party mixes before the collector sees them.

ldp relay keys              the collector's key pair
ldp relay serve             the relay, run by the other party
ldp relay oblivious-keys    that party's own key, for a hop of Oblivious HTTP before it
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ldp_aggregator.commands.main import FILE_PATH, CommandGroup, FiniteRange
from ldp_aggregator.output.files import FileError, read_bytes
from ldp_service.commands.operating_flags import (
    HOST,
    LOG_FORMAT,
    LOG_LEVEL,
    ORIGINS,
    SURVEYS,
    TLS_CERTIFICATE,
    TLS_KEY,
)
from ldp_service.commands.serve_options import ServeError
from ldp_service.commands.settings import config_option
from ldp_service.logs.events import set_up
from ldp_service.relay.batching import DISCARD, LEAST, UNRIPE, WAITS

TOKEN = "LDP_RELAY_TOKEN"  # noqa: S105  # a name
SETTINGS = "LDP_RELAY_SERVE_"
"""What variables of settings begin with.

Not `LDP_RELAY_`: the token is no setting, and beside a service `ldp-relay` Kubernetes
gives pods variables of its own, such as LDP_RELAY_PORT and LDP_RELAY_SERVICE_HOST.
"""
_EXTRA = (
    "expected Starlette and uvicorn, found neither; "
    'install them with pip install "ldpkit-aggregator[serve]"'
)


@click.group(cls=CommandGroup)
def relay() -> None:
    """Mix reports that are sealed for a collector, and make the collector's keys."""


@relay.command()
@click.option(
    "--private",
    "path",
    default=Path("relay-key.pem"),
    show_default=True,
    type=FILE_PATH,
    help=(
        "The file for the private key, for ldp serve --relay-key; it must not be there "
        "yet."
    ),
)
@click.option(
    "--show", is_flag=True, help="Print the public key of a file that is there."
)
def keys(path: Path, *, show: bool) -> None:
    """Make the collector's key pair, and print the public key, which apps are given.

    The private key stays with the collector: a relay that had it could read what it
    mixes.
    """
    from ldp_aggregator.tallies.mixing.keys import make_key, public_text, read_key

    if show:
        click.echo(public_text(read_key(path)))
        return
    text = make_key(path)
    click.echo(f"{path}: made; whoever has it can read all reports that come", err=True)
    click.echo(text)


@relay.command("oblivious-keys")
@click.option(
    "--private",
    "path",
    default=Path("oblivious-key.pem"),
    show_default=True,
    type=FILE_PATH,
    help="The file for the private key, for ldp relay serve; it must not be there yet.",
)
@click.option(
    "--show", is_flag=True, help="Print the public half of a file that is there."
)
def oblivious_keys(path: Path, *, show: bool) -> None:
    """Make the relay's own key, and print what apps and hops are given of it.

    With it requests can come through a hop of Oblivious HTTP (RFC 9458), which hides
    from the relay who sent them. The private key stays with the relay.
    """
    from ldp.wire.oblivious import encode_configuration
    from ldp_service.relay.gateway import make_gateway_key, read_gateway_key

    key = read_gateway_key(path) if show else make_gateway_key(path)
    if not show:
        click.echo(f"{path}: made", err=True)
    click.echo(encode_configuration(key.configuration).hex())


@relay.command()
@SURVEYS
@click.option(
    "--collector", required=True, help="The address of the collector's service."
)
@click.option(
    "--least-reports",
    "least",
    required=True,
    type=click.IntRange(2),
    help="Reports to one question, in one epoch, below which nothing is forwarded.",
)
@click.option(
    "--store",
    default=Path("relay.db"),
    show_default=True,
    type=FILE_PATH,
    help="The SQLite file in which sealed reports wait.",
)
@HOST
@click.option(
    "--port",
    default=8001,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port; 0 for any.",
)
@ORIGINS
@click.option(
    "--oblivious-key",
    "oblivious_keys",
    multiple=True,
    type=FILE_PATH,
    help=(
        "A key of ldp relay oblivious-keys: reports may come through a hop of "
        "Oblivious HTTP."
    ),
)
@click.option(
    "--wait",
    default=LEAST,
    show_default=True,
    type=click.Choice(WAITS),
    help=(
        "Make a batch as soon as the least number waits, or of a whole epoch when it "
        "closes."
    ),
)
@click.option(
    "--unripe",
    default=DISCARD,
    show_default=True,
    type=click.Choice(UNRIPE),
    help="What becomes of reports that are too few when their epoch closes.",
)
@click.option(
    "--every",
    default=60.0,
    show_default=True,
    type=FiniteRange(0.01, 86_400),
    help=(
        "Seconds between two looks for what can be mixed, on average; the times are "
        "drawn."
    ),
)
@TLS_CERTIFICATE
@TLS_KEY
@click.option(
    "--confirm-clock",
    is_flag=True,
    help=(
        "The clock is right, though more than an epoch has passed since the last "
        "commit."
    ),
)
@LOG_FORMAT
@LOG_LEVEL
def serve(log_format: str, log_level: str, **asked: Any) -> None:
    """Mix the sealed reports of each SURVEY, and forward them in batches.

    Two files of one name are two versions of a survey. The collector knows the relay by
    a token of scope relay, in LDP_RELAY_TOKEN or in the file that LDP_RELAY_TOKEN_FILE
    names.
    """
    if find_spec("uvicorn") is None or find_spec("starlette") is None:
        raise ServeError(_EXTRA)
    from ldp_service.relay.running import RelayOptions, run
    from ldp_service.uploads.given_tokens import given_tokens

    if (asked["tls_certificate"] is None) != (asked["tls_key"] is None):
        raise click.UsageError(
            "--tls-certificate and --tls-key: expected both or neither"
        )
    set_up(log_format, log_level)
    run(RelayOptions.of(**asked, token=_token(), tokens=given_tokens(os.environ)))


def _token() -> str:
    """Read the token by which the collector knows this relay. Raises `FileError`,
    without it.
    """
    plain, path = os.environ.get(TOKEN), os.environ.get(f"{TOKEN}_FILE")
    if bool(plain) == bool(path):
        raise FileError(
            f"expected the relay's token in {TOKEN} or a file that {TOKEN}_FILE names, "
            f"got {'both' if plain else 'neither'}; at the collector, ldp store tokens "
            "new --name NAME --scope relay makes one"
        )
    token = (
        plain or read_bytes(Path(str(path)), 1 << 10).decode("ascii", "replace")
    ).strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise FileError(
            f"{TOKEN}: expected printable ASCII characters, got something else"
        )
    return token


config_option(serve, prefix=SETTINGS)
