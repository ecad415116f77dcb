"""`ldp survey stop-list`: have less asked than a survey says, by signed lists."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ldp.errors import LDPError, UnknownNameError
from ldp.survey.survey import Survey
from ldp.transparency.stops import Stops, encode_stop_list, message_of, share_of
from ldp_aggregator.commands.main import FILE_PATH, OUTPUT_FILE, SURVEY, CommandGroup
from ldp_aggregator.output.files import (
    FileError,
    read_bytes,
    read_survey,
    write_whole,
    written_whole,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_EXTRA = (
    "expected the package cryptography, which signs, found none; "
    'install it with pip install "ldpkit-aggregator[stops]"'
)
_LARGEST_KEY = 10_000
_KEY = click.option(
    "--key",
    "key_path",
    required=True,
    type=FILE_PATH,
    help="The private key that signs, as `ldp survey stop-list key` made it.",
)


@click.group(cls=CommandGroup)
def stop_list() -> None:
    """Stop questions of a survey that apps ask already, or have fewer devices asked."""


@stop_list.command()
@click.argument("path", metavar="FILE", type=FILE_PATH)
def key(path: Path) -> None:
    """Make a private key that signs lists in FILE, and print the public one, for apps
    to pin.
    """
    if path.exists():
        raise FileError(
            f"expected no file at {path}, as apps go by the key in it, got one"
        )
    _check_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    with written_whole(path, mode=0o600) as file:
        file.write(_pem(private))
    click.echo(
        f"{path}: keep it away from the service, which only hands lists out", err=True
    )
    click.echo(_public(private))


@stop_list.command()
@SURVEY
@_KEY
@click.option(
    "--stop", "stopped", multiple=True, metavar="NAME", help="Ask no one this question."
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="NAME=SHARE",
    help="Ask this share of the devices, such as 1/10.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=OUTPUT_FILE,
    help=(
        "The list to write; one that is there is replaced by one with the next serial "
        "number."
    ),
)
def sign(
    survey_path: Path,
    key_path: Path,
    stopped: tuple[str, ...],
    shares: tuple[str, ...],
    output: Path,
) -> None:
    """Write the list of what less is asked of SURVEY from now on; questions not named
    are asked.
    """
    from ldp_aggregator.answers.estimates.stop_lists import stops_in

    survey = read_survey(survey_path)
    private = _private(key_path)
    asked = _read_shares(survey, stopped, shares)
    serial = 1
    if output.exists():
        serial = stops_in(output).serial + 1
    message = message_of(Stops(survey.name, serial, asked))
    write_whole(output, encode_stop_list(message, private.sign(message)))
    click.echo(
        f"{output}: list {serial} of {survey.name}, for apps that pin "
        f"{_public(private)}"
    )


@stop_list.command()
@click.argument("path", metavar="LIST", type=FILE_PATH)
def show(path: Path) -> None:
    """Say what a LIST has less asked; its signature is for apps to check."""
    from ldp_aggregator.answers.estimates.stop_lists import stops_in

    stops = stops_in(path)
    click.echo(f"list {stops.serial} of {stops.survey}")
    for name, share in stops.shares.items():
        said = "stopped"
        if share:
            said = f"asked of {share} of the devices"
        click.echo(f"  {name}: {said}")


def _read_shares(
    survey: Survey, stopped: tuple[str, ...], shares: tuple[str, ...]
) -> Mapping[str, Fraction]:
    asked = dict.fromkeys(stopped, Fraction(0))
    for text in shares:
        name, _, share = text.partition("=")
        try:
            asked[name] = min(share_of(share), asked.get(name, Fraction(1)))
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--share") from None
    known = [question.name for question in survey]
    for name in asked:
        if name not in known:
            raise UnknownNameError(name, known, "a question of the survey")
    return asked


def _private(path: Path) -> Ed25519PrivateKey:
    _check_library()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        private = load_pem_private_key(read_bytes(path, _LARGEST_KEY), password=None)
    # What the library raises for bytes that are no key, or one with a password.
    except (ValueError, TypeError):
        private = None
    if isinstance(private, Ed25519PrivateKey):
        return private
    raise FileError(
        f"{path}: expected a private key as `ldp survey stop-list key` makes it, got "
        "none"
    )


def _check_library() -> None:
    if find_spec("cryptography") is None:
        raise LDPError(_EXTRA)


def _pem(private: Ed25519PrivateKey) -> bytes:
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    return private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _public(private: Ed25519PrivateKey) -> str:
    return private.public_key().public_bytes_raw().hex()
