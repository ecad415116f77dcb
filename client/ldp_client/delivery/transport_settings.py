"""Settings of uploads beyond the address: checked once, when an app gives them.

Values are not repeated in errors: they may be secrets.
"""

from __future__ import annotations

import os
import ssl
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

_OURS = frozenset(
    (
        *(
            "accept-encoding",
            "authorization",
            "connection",
            "content-encoding",
            "content-length",
        ),
        *("content-type", "expect", "host", "proxy-authorization", "te", "trailer"),
        *("transfer-encoding", "upgrade", "user-agent"),
    )
)
"""Headers that say how a request is to be read, or that a setting of its own has."""

_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
"""The characters of a header's name (RFC 9110, 5.6.2), in small letters."""

_PROXY_PORT = 3128


def further(headers: Mapping[str, str]) -> dict[str, str]:
    """An app's own headers. Raises `ValueError` for one that is ours, or that is no
    header.
    """
    seen: set[str] = set()
    for name, value in headers.items():
        small = name.lower()
        if not small or not _TOKEN.issuperset(small):
            raise ValueError(f"expected the name of a header, got {name!r}")
        if small in _OURS:
            raise ValueError(
                f"expected a header of your own, got {name!r}, which is ours to set"
            )
        if small in seen:
            raise ValueError(f"expected each header once, got {name!r} twice")
        if not value.isascii() or not value.isprintable():
            raise ValueError(
                f"expected printable ASCII characters in the header {name!r}"
            )
        seen.add(small)
    return dict(headers)


def trusting(
    context: ssl.SSLContext | None, ca: str | os.PathLike[str] | None
) -> ssl.SSLContext:
    """TLS that checks whom it talks to.

    Raises `ValueError` for a context that does not, or for certificates that cannot be
    read.
    """
    if context is None:
        try:
            context = ssl.create_default_context(
                cafile=None if ca is None else os.fspath(ca)
            )
        except OSError as error:
            raise ValueError(
                f"expected a file of certificates (PEM) at {ca}, got "
                f"{type(error).__name__}"
            ) from None
        context.set_alpn_protocols(["http/1.1"])
    elif ca is not None:
        raise ValueError("expected a context or a file of certificates, got both")
    elif context.verify_mode != ssl.CERT_REQUIRED or not context.check_hostname:
        raise ValueError("expected a context that checks certificates and host names")
    return context


def way_through(proxy: str) -> tuple[tuple[str, int], str | None]:
    """Host and port of a proxy, and what it wants to be told of who asks."""
    try:
        parts = urlsplit(proxy)
        port = parts.port or _PROXY_PORT
    except ValueError:
        raise ValueError(
            "expected a proxy's port from 1 to 65535, got another"
        ) from None
    rest = parts.path.strip("/") or parts.query or parts.fragment
    if parts.scheme != "http" or not parts.hostname or rest:
        raise ValueError(
            "expected a proxy such as http://proxy.example:3128, got another address"
        )
    if parts.username is None:
        return (parts.hostname, port), None
    names = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return (parts.hostname, port), f"Basic {b64encode(names.encode()).decode()}"
