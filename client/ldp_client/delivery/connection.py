"""A connection to a collector that ends at a deadline, whatever the other side does.

Rules
- The deadline is for the whole of it: finding the address, connecting, a proxy, TLS,
  the request and the answer. Whoever answers a byte a second is cut off like one who
  says nothing.
- Behind a proxy TLS is with the collector: the proxy is asked to `CONNECT`, and learns
  the collector's name and how much is sent.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from http.client import HTTPConnection, HTTPResponse
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

_Addresses = list[tuple[Any, ...]]


class Route(NamedTuple):
    """The way to a collector: its host and port, TLS (or none), and a proxy (or
    none).
    """

    host: str
    port: int
    context: ssl.SSLContext | None
    proxy: tuple[str, int] | None = None
    authorization: str | None = None
    """That of the proxy."""


class ProxyError(OSError):
    """A proxy that does not let us through: its status."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"expected a proxy that connects, got status {status}")


class TimedConnection(HTTPConnection):
    """A connection of a route, for a number of seconds."""

    def __init__(self, route: Route, seconds: float) -> None:
        self.default_port = 80 if route.context is None else 443
        super().__init__(route.host, route.port)
        self._route = route
        self._end = time.monotonic() + seconds

    def renew(self, seconds: float) -> None:
        """Begin with another number of seconds, connected or not."""
        self._end = time.monotonic() + seconds
        if isinstance(self.sock, _Timed):
            self.sock = self.sock.until(self._end)

    def connect(self) -> None:
        """Connect, within the deadline. Raises `OSError`."""
        route = self._route
        bare = _connect(*(route.proxy or (route.host, route.port)), self._end)
        try:
            if route.proxy is not None:
                self._pass(bare)
            if route.context is not None:
                bare.settimeout(_left(self._end))
                bare = route.context.wrap_socket(bare, server_hostname=route.host)
        except BaseException:
            bare.close()
            raise
        self.sock = _Timed(bare, self._end)

    def _pass(self, bare: socket.socket) -> None:
        """Have the proxy connect."""
        host = f"[{self._route.host}]" if ":" in self._route.host else self._route.host
        place = f"{host}:{self._route.port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
        if self._route.authorization is not None:
            lines.append(f"Proxy-Authorization: {self._route.authorization}")
        timed = _Timed(bare, self._end)
        timed.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        answer = HTTPResponse(timed, method="CONNECT")  # type: ignore[arg-type]
        try:
            answer.begin()
            if not 200 <= answer.status < 300:
                raise ProxyError(answer.status)
        finally:
            answer.close()


class _Timed:
    """A socket as `http.client` uses one, each step of which has what is left of the
    time.
    """

    def __init__(self, bare: socket.socket, end: float) -> None:
        self._bare = bare
        self._end = end

    def until(self, end: float) -> _Timed:
        """Return the socket with another deadline."""
        return _Timed(self._bare, end)

    def sendall(self, data: bytes) -> None:
        self._bare.settimeout(_left(self._end))
        self._bare.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reading(self._bare, self._end))

    def close(self) -> None:
        self._bare.close()


class _Reading(io.RawIOBase):
    """The bytes that come in time."""

    def __init__(self, bare: socket.socket, end: float) -> None:
        self._bare = bare
        self._end = end
        # Keeps the socket open until this is closed, as it is read after the connection
        # was.
        self._file = bare.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._bare.settimeout(_left(self._end))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


def _connect(host: str, port: int, end: float) -> socket.socket:
    """A socket that is connected to the first address that answers."""
    addresses = _addresses(host, port, end)
    problem = OSError("expected an address, got none")
    for number, (family, kind, protocol, _, address) in enumerate(addresses):
        bare = socket.socket(family, kind, protocol)
        try:
            # One that leads nowhere leaves time for the others.
            bare.settimeout(_left(end) / (len(addresses) - number))
            bare.connect(address)
            return bare
        except OSError as error:
            bare.close()
            problem = error
    raise problem


def _addresses(host: str, port: int, end: float) -> _Addresses:
    """Resolve a host in a thread: a resolver takes as long as it likes."""
    answers: SimpleQueue[_Addresses | Exception] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put([*socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)])
        except Exception as error:  # raised where it is waited for
            answers.put(error)

    Thread(target=ask, name="ldp_client address", daemon=True).start()
    try:
        answer = answers.get(timeout=_left(end))
    except Empty:
        raise TimeoutError("expected an address in time, got none") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _left(end: float) -> float:
    seconds = end - time.monotonic()
    if seconds <= 0:
        raise TimeoutError("expected an answer in time, got none, or a part of one")
    return seconds
