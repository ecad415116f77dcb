"""Heads of uploads, read once.

Whoever keeps a connection sends the same head again and again, byte for byte. What it
says is the same each time, so it is read once (`http.upload_protocol`); what a token is
worth is asked anew.
"""

from __future__ import annotations

from typing import NamedTuple

from ldp_service.uploads.debugging import HEADER as TAG_HEADER

Headers = list[tuple[bytes, bytes]]
"""Names, in lower case, and values."""

TRANSFERRED, ENCODED = "transfer-encoding", "content-encoding"


class RequestHead(NamedTuple):
    """Head of one request: all that an upload is judged and answered by."""

    token: str | None
    lengths: tuple[bytes, ...]
    """All that it gives for the length of its body; one, if it is sound."""
    strange: str
    """The first field that says how the body is packed; empty if it comes as it is."""
    tag: bytes | None
    origin: bytes


def read_head(headers: Headers) -> RequestHead:
    """Read these headers."""
    token = tag = None
    strange, origin = "", b""
    lengths: tuple[bytes, ...] = ()
    for name, value in headers:
        if name == b"content-length":
            lengths += (value.strip(b" \t"),)
        elif name == b"authorization":
            token = bearer(value.decode("latin-1"))
        elif name == b"transfer-encoding":
            strange = strange or TRANSFERRED
        elif name == b"content-encoding":
            if value.lower() != b"identity":
                strange = strange or ENCODED
        elif name == TAG_HEADER:
            tag = value if tag is None else tag
        elif name == b"origin":
            origin = origin or value
    return RequestHead(token, lengths, strange, tag=tag, origin=origin)


def bearer(value: str) -> str | None:
    """The token of an Authorization header, if it has one."""
    scheme, _, token = value.partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return None
