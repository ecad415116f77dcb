"""Flags of `ldp serve` for people, and what they come to.

Secrets are no flags: LDP_OIDC_SECRET is ours with the provider, LDP_SESSION_SECRET signs sessions,
each as it is or, with `_FILE` behind, as the path of a secret.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click

from ldp_aggregator.commands.address_types import SECURE_ADDRESS
from ldp_aggregator.commands.main import with_options
from ldp_aggregator.service.people.admission import SignIn
from ldp_aggregator.service.people.oidc import Provider, ProviderOptions
from ldp_aggregator.service.people.proxy import TrustedProxy
from ldp_aggregator.service.people.roles import People, PeopleError
from ldp_aggregator.service.people.sessions import Seal, Sessions

OIDC_SECRET, SESSION_SECRET = "LDP_OIDC_SECRET", "LDP_SESSION_SECRET"  # variables
_EXTRA = (
    "--oidc-issuer: expected httpx and joserfc; "
    'install them with pip install "ldpkit-aggregator[people]"'
)
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
    click.option(
        "--oidc-issuer",
        type=SECURE_ADDRESS,
        default="",
        help="The provider with whom people sign in.",
    ),
    click.option("--oidc-client", metavar="ID", default="", help="What it calls us."),
    click.option(
        "--oidc-name", default="email", show_default=True, help="Its claim with a person's name."
    ),
    click.option(
        "--oidc-groups", default="groups", show_default=True, help="Its claim with their groups."
    ),
    click.option(
        "--public-url",
        type=SECURE_ADDRESS,
        default="",
        help="Where browsers find this service.",
    ),
)


class PeopleOptions(NamedTuple):
    """What was asked for; without a path no one but tokens."""

    path: Path | None
    header: str
    groups_header: str
    proxies: tuple[str, ...]
    removal: str
    issuer: str
    client: str
    name_claim: str
    groups_claim: str
    public_url: str

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
    "oidc_issuer",
    "oidc_client",
    "oidc_name",
    "oidc_groups",
    "public_url",
)


people_flags = with_options(*FLAGS)


def sign_in(
    options: PeopleOptions, workers: int, *, client_secret: str, session_secret: str
) -> SignIn | None:
    """How people are known; None where none are. Raises `PeopleError` and `FileError`."""
    if not (options.header or options.issuer):
        if options.path is not None:
            raise PeopleError(
                "--people: expected --trusted-header or --oidc-issuer as well, by which people "
                "are known"
            )
        _check_alone(options)
        return None
    proxy = None
    if options.header:
        proxy = TrustedProxy(options.header, options.proxies, options.groups_header)
    if options.path is None:
        flag = "--trusted-header" if options.header else "--oidc-issuer"
        raise PeopleError(f"{flag}: expected --people as well, a file with who may look at what")
    _check_alone(options)
    if options.header and not options.removal.strip():
        raise PeopleError(_UNCHECKED)
    people = People(options.path)
    if not options.issuer:
        return SignIn(people, proxy)
    if find_spec("httpx") is None or find_spec("joserfc") is None:
        raise PeopleError(_EXTRA)
    others = {"--oidc-client": options.client, "--public-url": options.public_url}
    if lacking := [flag for flag, given in others.items() if not given]:
        raise PeopleError(f"--oidc-issuer: expected {' and '.join(lacking)} as well")
    if workers > 1 and not session_secret:
        raise PeopleError(
            f"--workers: expected {SESSION_SECRET}, by which each process knows the sessions of "
            "the others"
        )
    seal = Seal(session_secret)
    asked = ProviderOptions(
        options.issuer,
        options.client,
        options.public_url,
        secret=client_secret,
        name_claim=options.name_claim,
        groups_claim=options.groups_claim,
    )
    return SignIn(people, proxy, Provider(asked, seal), sessions=Sessions(seal))


def _check_alone(options: PeopleOptions) -> None:
    """Raise `PeopleError` for a flag whose main one was not given: it would do nothing."""
    flags = (
        ("--trusted-proxy", options.proxies, "--trusted-header", options.header),
        ("--trusted-groups-header", options.groups_header, "--trusted-header", options.header),
        ("--proxy-removes-headers", options.removal, "--trusted-header", options.header),
        ("--oidc-client", options.client, "--oidc-issuer", options.issuer),
        ("--public-url", options.public_url, "--oidc-issuer", options.issuer),
    )
    for flag, given, needed, main in flags:
        if given and not main:
            raise PeopleError(f"{flag}: expected {needed} as well, without which it does nothing")
