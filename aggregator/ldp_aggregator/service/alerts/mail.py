"""Messages as e-mail, by SMTP.

Rules
- `starttls` (the usual) and `tls` check the server's certificate, and send nothing without; `none`
  is for this machine alone, and never with a password.
- The id of a message is its Message-ID, so that a second copy is seen as one.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate
from typing import Any, NamedTuple

from ldp_aggregator.service.alerts.deadline import Deadline, cut_after
from ldp_aggregator.service.alerts.messages import Message
from ldp_aggregator.service.alerts.outbox import DeliveryError
from ldp_aggregator.service.alerts.webhook import AlertError

STARTTLS, TLS, NONE = SECURITY = ("starttls", "tls", "none")
PATIENCE = 20.0
LONGEST = 40.0
"""Seconds for one answer of the server, and for all that it takes to hand a mail in."""
_PORTS = {STARTTLS: 587, TLS: 465, NONE: 25}
_OWN = ("127.0.0.1", "localhost", "::1")


class Server(NamedTuple):
    """Where mail is handed in, how, and as whom."""

    host: str
    port: int
    security: str = STARTTLS
    user: str = ""
    password: str = ""


class Mail:
    """People who are sent messages. Raises `AlertError`."""

    def __init__(
        self, server: Server, sender: str, to: tuple[str, ...], tls: ssl.SSLContext | None = None
    ) -> None:
        check_addresses("--alert-from", sender)
        check_addresses("--alert-mail", *to)
        if server.security == NONE and (server.password or server.host not in _OWN):
            raise AlertError(
                "--alert-smtp-security none: expected a server on this machine, and no password"
            )
        self.name = f"mail {server.host}"
        self._server, self._sender, self._to = server, sender, to
        self._tls = tls or ssl.create_default_context()

    def send(self, message: Message, now: float) -> None:
        """As of `Receiver`."""
        try:
            with self._connection() as connection:
                if self._server.user:
                    connection.login(self._server.user, self._server.password)
                connection.send_message(self._mail(message, now))
        except (OSError, smtplib.SMTPException) as error:
            # What a server says may be long, and may quote what it was told.
            code = getattr(error, "smtp_code", "")
            raise DeliveryError(f"{type(error).__name__} {code}".strip()) from None

    @contextmanager
    def _connection(self) -> Iterator[smtplib.SMTP]:
        host, port, security, *_ = self._server
        if security == TLS:
            connection: smtplib.SMTP = _HurriedTLS(host, port, timeout=PATIENCE, context=self._tls)
        else:
            connection = _Hurried(host, port, timeout=PATIENCE)
        try:
            if security == STARTTLS:
                connection.starttls(context=self._tls)
            yield connection
            # What was taken stays taken, however the other side says goodbye.
            with suppress(OSError, smtplib.SMTPException):
                connection.quit()
        finally:
            connection.close()

    def _mail(self, message: Message, now: float) -> EmailMessage:
        mail = EmailMessage()
        mail["Subject"] = message.title
        mail["From"] = self._sender
        mail["To"] = ", ".join(self._to)
        mail["Date"] = formatdate(now)
        mail["Message-ID"] = f"<{message.id}@{self._sender.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"
        moment = message.to_dict()["time"]
        mail.set_content(f"{message.summary}\n\n{moment}, {message.kind}, {message.id}\n")
        return mail


class _Hurried(smtplib.SMTP):
    """A connection that is cut after a while, however slowly it is answered."""

    _deadline: Deadline | None = None

    def connect(self, *place: Any, **options: Any) -> tuple[int, bytes]:
        """Connect, and read what the server says to begin with."""
        self._deadline = cut_after(LONGEST, lambda: self.sock)
        return super().connect(*place, **options)

    def close(self) -> None:
        """Let go of it."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().close()


class _HurriedTLS(_Hurried, smtplib.SMTP_SSL):
    """The same over TLS."""


def server_of(text: str, security: str, user: str, *, password: str) -> Server:
    """That at HOST, or HOST:PORT. Raises `AlertError`."""
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, str(_PORTS[security])
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise AlertError(f"--alert-smtp: expected HOST or HOST:PORT, got {text[:80]!r}")
    return Server(host.strip("[]"), int(port), security, user=user, password=password)


def check_addresses(flag: str, *addresses: str) -> None:
    """Raise `AlertError` for a text to which no mail can be sent."""
    for address in addresses:
        try:
            known = Address(addr_spec=address)
        except (ValueError, IndexError, HeaderParseError):
            known = None
        if known is None or not known.domain:
            raise AlertError(
                f"{flag}: expected an address such as me@example.org, got {address[:80]!r}"
            )
