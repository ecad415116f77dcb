"""Messages as signed HTTP requests, as https://www.standardwebhooks.com has them.

    POST URL
    webhook-id: msg_...                  the same each time that a message is sent
    webhook-timestamp: 1795459200        when it was sent, in seconds after 1970 began
    webhook-signature: v1,...            Base64 of HMAC-SHA256 over "id.timestamp.body"

    {"id": "msg_...", "kind": "disk", "state": "begun", "time":
    "2026-11-23T18:00:00+00:00",
     "service": "ldp.example.org", "subject": "", "summary": "..."}

`state` is `begun` or `over` of an alarm that lasts, `happened` of what only happens,
`test` of a trial. `subject` says which, where there are several: a survey's name, a
question's.

Whoever receives it compares the signature, refuses timestamps that are more than some
minutes old, and forgets ids after some days: then no one can forge, alter or replay a
message. A secret is 24 to 64 bytes, in Base64 behind `whsec_`.

Rules
- It was taken if the answer is 2xx; redirects are not followed, as the message would go
  to who knows whom.
- `http:` is for this machine alone.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from secrets import token_hex
from typing import NamedTuple
from urllib.parse import urlsplit

from ldp.errors import LDPError
from ldp_aggregator.output.safe_cells import printable

PATIENCE = 10.0
"""Seconds for an answer."""
PREFIX = "whsec_"
_LEAST, _MOST = 24, 64
_MOST_SAID = 200
_LONGEST = 1000


class AlertError(LDPError):
    """An alert that could never be sent as it was asked for."""


class DeliveryError(Exception):
    """A message that was not taken, and why."""


class Message(NamedTuple):
    """One change, with an id by which a repetition is known."""

    id: str
    kind: str
    state: str
    time: float
    service: str
    subject: str
    summary: str

    def body(self) -> bytes:
        """Body of a webhook request."""
        moment = datetime.fromtimestamp(self.time, UTC).isoformat(timespec="seconds")
        summary = printable(self.summary)[:_LONGEST]
        return json.dumps(
            self._asdict() | {"time": moment, "summary": summary}
        ).encode()


def new_id() -> str:
    """The id of a message."""
    return f"msg_{token_hex(12)}"


class Webhook:
    """An address, which `SECRET_ADDRESS` has checked, and the secret that signs what it
    is sent.
    """

    def __init__(self, url: str, secret: bytes) -> None:
        self._parts = urlsplit(url)
        self._secret = secret

    @property
    def name(self) -> str:
        """Name in messages: paths of such addresses are often secrets."""
        return f"webhook {self._parts.hostname}"

    def send(self, message: Message, now: float) -> None:
        """Hand a message over. Raises `DeliveryError` unless it was taken."""
        body, moment = message.body(), str(int(now))
        fields = {
            "content-type": "application/json",
            "webhook-id": message.id,
            "webhook-timestamp": moment,
            "webhook-signature": signature(self._secret, message.id, moment, body=body),
        }
        query = ""
        if self._parts.query:
            query = f"?{self._parts.query}"
        connect = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
        connection = connect(
            self._parts.hostname or "", self._parts.port, timeout=PATIENCE
        )
        try:
            connection.request(
                "POST", f"{self._parts.path or '/'}{query}", body, fields
            )
            status = connection.getresponse().status
        except (OSError, HTTPException) as error:
            why = f"{type(error).__name__}: {error}"
            raise DeliveryError(why[:_MOST_SAID]) from None
        finally:
            connection.close()
        if not 200 <= status < 300:
            raise DeliveryError(f"it answered {status}")


def signature(secret: bytes, message_id: str, moment: str, *, body: bytes) -> str:
    """The value of `webhook-signature`."""
    signed = f"{message_id}.{moment}.".encode() + body
    return "v1," + b64encode(hmac.digest(secret, signed, "sha256")).decode()


def read_secret(text: str) -> bytes:
    """The bytes of a secret as it is handed out. Raises `AlertError`, which does not
    show it.
    """
    try:
        secret = b64decode(text.strip().removeprefix(PREFIX), validate=True)
    except ValueError:
        secret = b""
    if not _LEAST <= len(secret) <= _MOST:
        raise AlertError(
            f"LDP_ALERT_SECRET: expected {PREFIX} and the Base64 of {_LEAST} to "
            f"{_MOST} bytes, got something else"
        )
    return secret
