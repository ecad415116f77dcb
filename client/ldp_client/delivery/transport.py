"""How bytes get to a collector.

A transport takes the bytes of one batch and says what became of them
(`delivery.outcomes`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING, Protocol

from ldp_client.delivery.outcomes import ACCEPTED, HELD, Outcome, retry
from ldp_client.keeping.syncing import sync

if TYPE_CHECKING:
    import ssl
    from http.client import HTTPResponse

    from ldp_client.delivery.connection import Route, TimedConnection

REPORTS_PATH = "/v1/reports"
NAMELESS = "a transport without a destination"
LONGEST_TIMEOUT = 3600.0
_MOST_RESPONSE = 1 << 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_USUAL_PORTS = {"https": 443, "http": 80}


class Transport(Protocol):
    """Anything that delivers. It may raise; that is taken for `retry()`.

    If it has a text `destination`, that names the collector: what a device keeps for
    one serves no other (`keeping.scope`). Transports without one are taken for one
    collector, which is none of the others.

    >>> import ldp_client
    >>> class Printed:
    ...     def send(self, batch: bytes) -> ldp_client.Outcome:
    ...         print(len(batch), "bytes")
    ...         return ldp_client.ACCEPTED
    """

    def send(self, payload: bytes) -> Outcome:
        """Deliver the bytes of one batch: a frame, as in a report file."""

    # Beside it a transport may have `stops(survey: str) -> bytes | None`, which fetches
    # the collector's stop list of a survey (`embedding.stop_lists`); and
    # `one_connection()`, a context in which batches are sent one after another.


class HTTPTransport:
    """Posts batches to a collector over HTTPS, certificates checked.

    collector  its address; plain HTTP is for this very machine only
    token      sent as `Authorization: Bearer ...`
    timeout    the seconds that an upload may take in all
    proxy      the address of an HTTP proxy that connects: http://proxy.example:3128,
               with user:password@ before the host if it asks for one
    headers    more of them, for each request; not those that are ours
    context    TLS settings of your own, which must check certificates and host names;
               or
    ca         a file of certificates (PEM) that vouch for the collector, instead of the
               system's

    Accepted is 202 and nothing else: what stands between (a login page of a café's
    network) says 200. Redirects are not followed, and proxies not looked for. Raises
    `ValueError` for settings that cannot be used.

    >>> import ldp_client
    >>> transport = ldp_client.HTTPTransport("https://collect.example", timeout=5)
    """

    reports_path = REPORTS_PATH
    """Below the address, where batches go."""
    content_type = "application/octet-stream"

    def __init__(
        self,
        collector: str,
        *,
        token: str | None = None,
        timeout: float = 10.0,
        proxy: str | None = None,
        headers: Mapping[str, str] | None = None,
        context: ssl.SSLContext | None = None,
        ca: str | os.PathLike[str] | None = None,
    ) -> None:
        from urllib.parse import urlsplit

        parts = urlsplit(collector)
        if parts.scheme != "https" and not (
            parts.scheme == "http" and parts.hostname in _LOOPBACK
        ):
            raise ValueError(
                "expected a collector's address that begins with https://, got "
                f"{collector!r}: plain http:// is for this very machine, since others "
                "on the way could take reports"
            )
        if not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError(
                "expected an address such as https://collect.example, got "
                f"{collector!r}"
            )
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port or _USUAL_PORTS[parts.scheme]
        self._base = parts.path.rstrip("/").removesuffix(self.reports_path)
        self._path = self._base + self.reports_path
        self._timeout = _check_timeout(timeout)
        port = ""
        if self._port != _USUAL_PORTS[parts.scheme]:
            port = f":{self._port}"
        self.destination = f"{parts.scheme}://{parts.hostname}{port}{self._path}"
        self._headers = {"Content-Type": self.content_type, "User-Agent": "ldpkit"}
        self._context = context
        self._kept = local()
        self._proxy: tuple[str, int] | None = None
        self._authorization: str | None = None
        if (proxy, headers, context, ca) != (None, None, None, None):
            # Imported here, as most apps need none of it.
            from ldp_client.delivery import transport_settings as settings

            self._headers |= settings.further(headers or {})
            if (context, ca) != (None, None):
                self._context = settings.trusting(context, ca)
            if proxy is not None:
                self._proxy, self._authorization = settings.way_through(proxy)
            if not self._secure and (self._context or self._proxy):
                raise ValueError(
                    "expected a collector over https:// for a proxy or certificates"
                )
        if token is not None:
            if not token.isascii() or not token.isprintable():
                raise ValueError(
                    "expected a token of printable ASCII characters, got another"
                )
            self._headers["Authorization"] = f"Bearer {token}"

    def send(self, payload: bytes) -> Outcome:
        """Post the bytes once."""
        from ldp_client.delivery.verdicts import of_answer

        return self._post(
            payload,
            lambda response, body: of_answer(
                response.status, response.getheader("Retry-After"), body
            ),
        )

    @contextmanager
    def one_connection(self) -> Iterator[None]:
        """Keep this thread's connection from one batch to the next, for as long as this
        lasts.
        """
        self._kept.line = None
        try:
            yield
        finally:
            line: TimedConnection | None = self._kept.__dict__.pop("line")
            if line is not None:
                line.close()

    def _post(
        self, content: bytes, judge: Callable[[HTTPResponse, bytes], Outcome]
    ) -> Outcome:
        """Post the bytes once, and have the answer judged, if there is one."""
        from http.client import HTTPException

        from ldp_client.delivery.connection import ProxyError, TimedConnection
        from ldp_client.delivery.verdicts import of_failure

        kept = self._kept.__dict__
        connection = kept.get("line") or TimedConnection(self._route(), self._timeout)
        if "line" in kept:
            kept["line"] = connection
        connection.renew(self._timeout)
        is_whole = False
        try:
            with self._exchange(connection, content) as response:
                body = response.read(_MOST_RESPONSE)
                is_whole = response.isclosed()
                return judge(response, body)
        except ProxyError as error:
            mendable = 400 <= error.status < 500
            outcome = HELD if mendable else retry()
            return outcome._replace(reason=f"status {error.status} of the proxy")
        # No network, a time-out, a certificate that does not check out.
        except (OSError, HTTPException) as error:
            return of_failure(error)
        finally:
            if not (is_whole and "line" in kept):
                connection.close()

    def _exchange(self, connection: TimedConnection, content: bytes) -> HTTPResponse:
        """The answer to the bytes, by a connection that may have been kept."""
        is_kept = connection.sock is not None
        try:
            connection.request("POST", self._path, content, self._headers)
            return connection.getresponse()
        except OSError as error:
            if not is_kept or isinstance(error, TimeoutError):
                raise
            # The collector has ended it since: the same bytes go by a new one.
            connection.close()
            connection.request("POST", self._path, content, self._headers)
            return connection.getresponse()

    def stops(self, survey: str) -> bytes | None:
        """The collector's stop list of a survey; None if it has none.

        Raises `OSError` where there is no answer.
        """
        from http.client import HTTPException
        from urllib.parse import quote

        from ldp_client.delivery.connection import TimedConnection

        connection = TimedConnection(self._route(), self._timeout)
        try:
            path = f"{self._base}/v1/surveys/{quote(survey, safe='')}/stops"
            connection.request("GET", path, headers=self._headers)
            with connection.getresponse() as response:
                body = response.read(_MOST_RESPONSE + 1)
                if response.status == 200:
                    return body
                return None
        except HTTPException as error:
            raise ConnectionError(
                f"expected a stop list, got {type(error).__name__}"
            ) from None
        finally:
            connection.close()

    def _route(self) -> Route:
        from ldp_client.delivery.connection import Route

        if self._secure and self._context is None:
            from ldp_client.delivery.transport_settings import trusting

            self._context = trusting(None, None)
        return Route(
            self._host,
            self._port,
            self._context,
            proxy=self._proxy,
            authorization=self._authorization,
        )


class FolderTransport:
    """Appends batches to `reports.ldp` in a folder, for a collector that fetches files.

    >>> import ldp_client
    >>> transport = ldp_client.FolderTransport("reports")
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._path = os.path.join(os.fspath(folder), "reports.ldp")
        self.destination = f"file:{os.path.abspath(self._path)}"

    def send(self, payload: bytes) -> Outcome:
        """Append a whole frame in one write.

        What a full disk cuts short is damage that a reader skips.
        """
        # Windows writes text, in which a line's end takes two bytes, unless it is told
        # otherwise.
        binary: int = getattr(os, "O_BINARY", 0)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | binary
        descriptor = os.open(self._path, flags, 0o600)
        try:
            whole = os.write(descriptor, payload) == len(payload)
            sync(descriptor)
        finally:
            os.close(descriptor)
        if whole:
            return ACCEPTED
        return retry()


def _check_timeout(timeout: float) -> float:
    """A time-out as it may be. Not a number is no time, and compares as such."""
    if isinstance(timeout, bool) or not 0 < timeout <= LONGEST_TIMEOUT:
        raise ValueError(
            f"expected a timeout above 0 and up to 3,600 seconds, got {timeout!r}"
        )
    return float(timeout)
