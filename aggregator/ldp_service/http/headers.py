"""Headers of every answer: who may keep it, and how it may be read.

nosniff       a browser takes it for nothing but what it is called
no-store      no one keeps estimates or surveys; the page's own files say otherwise for
              themselves
HSTS          over TLS of our own, browsers stay with it for a year

What is refused closes the connection.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from ldp_service.http.upload import Scope, Send

Fields = list[tuple[bytes, bytes]]
FIELDS: Fields = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]
OVER_TLS: Fields = [(b"strict-transport-security", b"max-age=31536000")]


def with_fields(scope: Scope, send: Send) -> Send:
    """Return a `send` that adds the fields that an answer lacks."""
    usual = FIELDS + (OVER_TLS if scope.get("scheme") == "https" else [])

    async def send_fields(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            fields = list(message["headers"])
            names = {name.lower() for name, _ in fields}
            fields += [field for field in usual if field[0] not in names]
            if message["status"] >= 400 and b"connection" not in names:
                fields.append((b"connection", b"close"))
            message["headers"] = fields
        await send(message)

    return send_fields
