"""Messages as signed HTTP requests, as https://www.standardwebhooks.com has them.

    POST URL
    webhook-id: msg_...                  the same each time that a message is sent
    webhook-timestamp: 1795459200        when it was sent, in seconds after 1970 began
    webhook-signature: v1,...            Base64 of HMAC-SHA256 over "id.timestamp.body"

Whoever receives it compares the signature, refuses timestamps that are more than some minutes old,
and forgets ids after some days: then no one can forge, alter or replay a message. A secret is 24 to
64 bytes, in Base64 behind `whsec_`.

Rules
- It was taken if the answer is 2xx within ten seconds; redirects are not followed, as the message
  would go to who knows whom.
- `http:` is for this machine alone.
"""

from __future__ import annotations

import hmac
import ssl
from base64 import b64decode, b64encode
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from ldp.errors import LDPError
from ldp_aggregator.service.alerts.deadline import cut_after
from ldp_aggregator.service.alerts.messages import Message
from ldp_aggregator.service.alerts.outbox import DeliveryError
from ldp_aggregator.web_addresses import AddressError, web_address

PATIENCE = 10.0
PREFIX = "whsec_"
_LEAST, _MOST = 24, 64
_MOST_SAID = 200


class AlertError(LDPError):
    """An alert that could never be sent as it was asked for."""


class Webhook:
    """An address that is sent messages. Raises `AlertError`."""

    def __init__(self, url: str, secret: bytes, patience: float = PATIENCE) -> None:
        try:
            parts = urlsplit(web_address(url, secure=True, query=True, secret=True))
        except AddressError as error:
            raise AlertError(f"--alert-webhook: {error}") from None
        # Paths of such addresses are often secrets.
        self.name = f"webhook {parts.hostname}"
        self._host, self._port = parts.hostname or "", parts.port
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._secret = secret
        self._patience = patience
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None

    def send(self, message: Message, now: float) -> None:
        """As of `Receiver`."""
        body, moment = message.body(), str(int(now))
        fields = {
            "content-type": "application/json",
            "webhook-id": message.id,
            "webhook-timestamp": moment,
            "webhook-signature": signature(self._secret, message.id, moment, body=body),
        }
        connection = self._connection()
        deadline = cut_after(self._patience, lambda: connection.sock)
        try:
            connection.request("POST", self._path, body, fields)
            # What follows the head says nothing more, and might never end.
            status = connection.getresponse().status
        except (OSError, HTTPException) as error:
            why = f"{type(error).__name__}: {error}"[:_MOST_SAID]
            if deadline.passed or isinstance(error, TimeoutError):
                # It was cut, whatever that looks like from here, or said nothing at all.
                why = f"no answer within {self._patience:g} s"
            raise DeliveryError(why) from None
        finally:
            deadline.cancel()
            connection.close()
        if not 200 <= status < 300:
            raise DeliveryError(f"it answered {status}")

    def _connection(self) -> HTTPConnection:
        if self._tls is None:
            return HTTPConnection(self._host, self._port, timeout=self._patience)
        return HTTPSConnection(self._host, self._port, timeout=self._patience, context=self._tls)


def signature(secret: bytes, message_id: str, moment: str, *, body: bytes) -> str:
    """The value of `webhook-signature`."""
    signed = f"{message_id}.{moment}.".encode() + body
    return "v1," + b64encode(hmac.digest(secret, signed, "sha256")).decode()


def read_secret(text: str) -> bytes:
    """The bytes of a secret as it is handed out. Raises `AlertError`, which does not show it."""
    try:
        secret = b64decode(text.strip().removeprefix(PREFIX), validate=True)
    except ValueError:
        secret = b""
    if not _LEAST <= len(secret) <= _MOST:
        raise AlertError(
            f"LDP_ALERT_SECRET: expected {PREFIX} and the Base64 of {_LEAST} to {_MOST} bytes, got "
            "something else"
        )
    return secret
