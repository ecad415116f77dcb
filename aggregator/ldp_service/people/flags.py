"""Flags of `ldp serve` for people, and what they come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click

from ldp_aggregator.commands.main import with_options
from ldp_service.people.admission import SignIn
from ldp_service.people.proxy import TrustedProxy
from ldp_service.people.roles import People, PeopleError

_UNCHECKED = (
    "--trusted-header: anyone could send this header and be anyone, unless the proxy removes it "
    "from what clients send. Listen in the place of the service (nc -l 8000) and send the proxy "
    "the header (curl -H): it must not arrive. Then say how you checked, such as "
    '--proxy-removes-headers "nc and curl, 1 May"'
)

FLAGS = (
    click.option(
        "--people",
        "people_path",
        type=click.Path(path_type=Path),
        help="Who may look at what, by name or group.",
    ),
    click.option("--trusted-header", default="", help="Where a proxy says who has signed in."),
    click.option("--trusted-groups-header", default="", help="Where it says their groups."),
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
        help="How you checked that the proxy removes these headers from what clients send.",
    ),
)


class PeopleOptions(NamedTuple):
    """Options of people; without a path there are only tokens."""

    path: Path | None
    header: str
    groups_header: str
    proxies: tuple[str, ...]
    removal: str

    @classmethod
    def of(cls, asked: dict[str, Any]) -> PeopleOptions:
        """From the values of the flags, by their names."""
        return cls(*(asked[flag] for flag in NAMES))


NAMES = (
    "people_path",
    "trusted_header",
    "trusted_groups_header",
    "trusted_proxies",
    "proxy_removes_headers",
)


people_flags = with_options(*FLAGS)


def sign_in(options: PeopleOptions) -> SignIn | None:
    """How people are known; None where none are. Raises `PeopleError` and `FileError`."""
    if not options.header:
        _check_alone(options)
        return None
    proxy = TrustedProxy(options.header, options.proxies, options.groups_header)
    if options.path is None:
        raise PeopleError(
            "--trusted-header: expected --people as well, a file with who may look at what"
        )
    if not options.removal.strip():
        raise PeopleError(_UNCHECKED)
    return SignIn(People(options.path), proxy)


def _check_alone(options: PeopleOptions) -> None:
    """Raise `PeopleError` for a flag that does nothing without --trusted-header."""
    flags = (
        ("--people", options.path),
        ("--trusted-proxy", options.proxies),
        ("--trusted-groups-header", options.groups_header),
        ("--proxy-removes-headers", options.removal),
    )
    for flag, given in flags:
        if given:
            raise PeopleError(
                f"{flag}: expected --trusted-header as well, without which it does nothing"
            )
