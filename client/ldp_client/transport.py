"""How bytes get to a collector.

A transport takes the bytes of one batch and says what became of them.
"""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

REPORTS_PATH = "/v1/reports"
NAMELESS = "a transport without a destination"
_MOST_RESPONSE = 1 << 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_USUAL_PORTS = {"https": 443, "http": 80}


class Outcome(NamedTuple):
    """What became of a batch: `ACCEPTED`, `REFUSED` for good, or to be retried.

    After `wait` seconds, if the collector says so.
    """

    verdict: str
    wait: float = 0.0


ACCEPTED, REFUSED = Outcome("accepted"), Outcome("refused")


def retry(wait: float = 0.0) -> Outcome:
    """The batch is to be sent again, the same bytes, and not before `wait` seconds.

    No collector has it, or no one knows.
    """
    return Outcome("retry", wait)


class Transport(Protocol):
    """Anything that delivers. It may raise; that is taken for `retry()`.

    If it has a text `destination`, that names the collector: what a device keeps for one serves no
    other (`ldp_client.scope`). Transports without one are taken for one collector, which is none of
    the others.
    """

    def send(self, payload: bytes) -> Outcome:
        """Deliver the bytes of one batch: a frame, as in a report file."""


class HTTPTransport:
    """Posts batches to a collector over HTTPS, certificates checked.

    Plain HTTP is for this very machine only.

    Accepted is 202 and nothing else: what stands between (a login page of a café's network)
    says 200. Redirects are not followed, and proxies not looked for. A status that no retry can
    change (4xx but 408 and 429) refuses for good.
    """

    def __init__(self, collector: str, *, token: str | None = None, timeout: float = 10.0) -> None:
        from urllib.parse import urlsplit

        parts = urlsplit(collector)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
            raise ValueError(
                f"expected a collector's address that begins with https://, got {collector!r}"
            )
        if not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError(
                f"expected an address such as https://collect.example, got {collector!r}"
            )
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._path = parts.path.rstrip("/") + REPORTS_PATH
        self._timeout = timeout
        port = "" if parts.port in (None, _USUAL_PORTS[parts.scheme]) else f":{parts.port}"
        self.destination = f"{parts.scheme}://{parts.hostname}{port}{self._path}"
        self._headers = {"Content-Type": "application/octet-stream", "User-Agent": "ldpkit"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    def send(self, payload: bytes) -> Outcome:
        """Post the bytes once."""
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        kind = HTTPSConnection if self._secure else HTTPConnection
        connection = kind(self._host, self._port, timeout=self._timeout)
        try:
            connection.request("POST", self._path, payload, self._headers)
            response = connection.getresponse()
            response.read(_MOST_RESPONSE)
            return _outcome(response.status, response.getheader("Retry-After"))
        # No network, a time-out, a certificate that does not check out.
        except (OSError, HTTPException):
            return retry()
        finally:
            connection.close()


class FolderTransport:
    """Appends batches to `reports.ldp` in a folder, for a collector that fetches files."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._path = os.path.join(os.fspath(folder), "reports.ldp")
        self.destination = f"file:{os.path.abspath(self._path)}"

    def send(self, payload: bytes) -> Outcome:
        """Append a whole frame in one write.

        What a full disk cuts short is damage that a reader skips.
        """
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            whole = os.write(descriptor, payload) == len(payload)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return ACCEPTED if whole else retry()


def _outcome(status: int, retry_after: str | None) -> Outcome:
    if status == 202:
        return ACCEPTED
    if 400 <= status < 500 and status not in (408, 429):
        return REFUSED
    return retry(_seconds(retry_after))


def _seconds(retry_after: str | None) -> float:
    """The wait that a header asks for, as seconds or as a date; 0 if it says neither."""
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    import time
    from email.utils import mktime_tz, parsedate_tz

    parsed = parsedate_tz(text) if text else None
    return 0.0 if parsed is None else max(0.0, mktime_tz(parsed) - time.time())
