"""Addresses of web sites that people give us, checked before anything is sent or linked
there.

    web_address("https://ask.example/x")     an address, as it came
    web_origin("https://Ask.example:443/")   "https://ask.example", as browsers name it

Rules
- `http:` and `https:` alone: a link of another kind may be a program, or a file.
- A host has a name that the network could know, or is an IP address; a port is from 1
  to 65535.
- No name of a user, no password: links are passed on. No sign that could end an address
  where it is written: in a policy, in HTML, in a header.
- What was given is not shown in messages where it may be a secret.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from ldp.errors import LDPError

OWN = ("127.0.0.1", "localhost", "::1")
"""How this machine calls itself."""

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:(?P<port>\d{1,5}))?"
    r"(?P<path>(/[\w!$&()*+,.:=@~%/-]*)?)(?P<query>(\?[\w!$&()*+,.:=@~%/?-]*)?)",
    re.ASCII | re.IGNORECASE,
)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_USUAL_PORTS = {"http": 80, "https": 443}
_LONGEST_NAME = 253
_LONGEST_SHOWN = 80


class AddressError(LDPError):
    """An address that is none of a web site, or not one of the kind that is needed."""


class _Parts(NamedTuple):
    """The parts of an address: scheme and host in small letters, a port unless it is
    usual.
    """

    scheme: str
    host: str
    port: str
    path: str
    query: str


def web_address(
    text: str, *, secure: bool = False, query: bool = False, secret: bool = False
) -> str:
    """The address, as it came. Raises `AddressError`.

    `secure` takes http for this machine alone; `query` takes what stands behind a `?`.
    """
    example = "https://HOST/..." if secure else "https://HOST/... or http://HOST/..."
    parts = _parts(text)
    own = parts is not None and parts.host.strip("[]") in OWN
    if parts is None or (parts.query and not query):
        raise AddressError(f"expected {example}, got {_shorten(text, secret)}")
    if secure and parts.scheme != "https" and not own:
        raise AddressError(
            "expected https://..., or http:// on this machine, got "
            f"{_shorten(text, secret)}"
        )
    return text


def web_origin(text: str, *, any_below: bool = False) -> str:
    """The origin of pages, as browsers name it. Raises `AddressError`.

    `any_below` also takes `https://*.example.org`, all hosts below one.
    """
    plain = text
    if any_below:
        plain = text.replace("://*.", "://any.", 1)
    parts = _parts(plain)
    if parts is None or parts.path not in ("", "/") or parts.query:
        raise AddressError(
            "expected an origin such as https://example.org, got "
            f"{_shorten(text, secret=False)}"
        )
    host = parts.host
    if plain != text:
        host = parts.host.replace("any.", "*.", 1)
    return f"{parts.scheme}://{host}{parts.port}"


def _parts(text: str) -> _Parts | None:
    """The parts of an address; None where it is none."""
    written = _ADDRESS.fullmatch(text)
    if written is None:
        return None
    scheme, host = written["scheme"].lower(), written["host"].lower()
    port = int(written["port"] or _USUAL_PORTS[scheme])
    if not _is_host(host) or not 0 < port < 1 << 16:
        return None
    shown_port = ""
    if port != _USUAL_PORTS[scheme]:
        shown_port = f":{port}"
    return _Parts(
        scheme, host, shown_port, path=written["path"], query=written["query"]
    )


def _is_host(host: str) -> bool:
    """Whether a network could know a host of this name, in small letters."""
    labels = host.removesuffix(".").split(".")
    try:
        if host.startswith("["):
            IPv6Address(host[1:-1])
        elif labels[-1].isdigit():
            IPv4Address(host)
        else:
            return len(host) <= _LONGEST_NAME and all(map(_LABEL.fullmatch, labels))
    except ValueError:
        return False
    return True


def _shorten(text: str, secret: bool) -> str:
    """Shorten a text to the part that may be shown."""
    if secret:
        scheme = re.match(r"[a-zA-Z][a-zA-Z0-9+.-]{0,20}(?=:)", text)
        if scheme:
            return f"{scheme[0]}:..."
        return "something else"
    shown = ascii(text[:_LONGEST_SHOWN])
    known = text.isascii()
    if known:
        return shown
    return f"{shown}; names in other scripts are written as xn--..."
