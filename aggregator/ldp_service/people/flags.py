"""Flags of `ldp serve` for people, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from ldp_aggregator.commands.main import FILE_PATH, with_options
from ldp_service.people.admission import SignIn
from ldp_service.people.proxy import TrustedProxy
from ldp_service.people.roles import People, PeopleError

_UNCHECKED = (
    "--trusted-header: anyone could send this header and be anyone, unless the proxy "
    "removes it "
    "from what clients send. Listen in the place of the service (nc -l 8000) and send "
    "the proxy "
    "the header (curl -H): it must not arrive. Then say how you checked, such as "
    '--proxy-removes-headers "nc and curl, 1 May"'
)

FLAGS = (
    click.option(
        "--people",
        "people_path",
        type=FILE_PATH,
        help="Who may look at what, by name or group.",
    ),
    click.option(
        "--trusted-header", default="", help="Where a proxy says who has signed in."
    ),
    click.option(
        "--trusted-groups-header", default="", help="Where it says their groups."
    ),
    click.option(
        "--trusted-proxy",
        "trusted_proxies",
        metavar="NETWORK",
        multiple=True,
        help="From where these headers are believed: an address, or 10.0.0.0/8.",
    ),
    click.option(
        "--proxy-removes-headers",
        metavar="HOW",
        default="",
        help=(
            "How you checked that the proxy removes these headers from what clients "
            "send."
        ),
    ),
)


class PeopleOptions(NamedTuple):
    """Options of people; without a path there are only tokens."""

    people_path: Path | None
    trusted_header: str
    trusted_groups_header: str
    trusted_proxies: tuple[str, ...]
    proxy_removes_headers: str


people_flags = with_options(*FLAGS)


def sign_in(options: PeopleOptions) -> SignIn | None:
    """How people are known; None where none are. Raises `PeopleError` and
    `FileError`.
    """
    if not options.trusted_header:
        _check_alone(options)
        return None
    proxy = TrustedProxy(
        options.trusted_header, options.trusted_proxies, options.trusted_groups_header
    )
    if options.people_path is None:
        raise PeopleError(
            "--trusted-header: expected --people as well, a file with who may look at "
            "what"
        )
    if not options.proxy_removes_headers.strip():
        raise PeopleError(_UNCHECKED)
    return SignIn(People(options.people_path), proxy)


def _check_alone(options: PeopleOptions) -> None:
    """Raise `PeopleError` for a flag that does nothing without --trusted-header."""
    flags = (
        ("--people", options.people_path),
        ("--trusted-proxy", options.trusted_proxies),
        ("--trusted-groups-header", options.trusted_groups_header),
        ("--proxy-removes-headers", options.proxy_removes_headers),
    )
    for flag, given in flags:
        if given:
            raise PeopleError(
                f"{flag}: expected --trusted-header as well, without which it does "
                "nothing"
            )
