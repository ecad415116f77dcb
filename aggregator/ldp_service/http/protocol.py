"""HTTP as `ldp serve` takes it: what uvicorn and httptools read, and less of it.

Rules
- One request at a time. Whatever follows a request before its answer is no request: if
  it comes along with the end of the request, that is refused as well, and else it is
  dropped; the connection is closed in either case.
- A request has a path, one Host (HTTP/1.0 may do without), at most one token, and asks
  for no other protocol.
- A head is bounded in bytes and fields, before it is whole; heads, bodies and answers
  have to be through in time.
- A server that is about to end says with each answer that the connection is closed.
  When it ends, each connection may send one more request for a moment: it may be on its
  way, and would be lost unanswered. So may those that were accepted before, and begin
  later.
- At most a fixed number of connections: those who come later are closed at once, those
  there are served. So files to be opened never run out, which would keep the service
  from reading its store.

What breaks a rule gets a 400, or nothing if it came too late for an answer, and its
connection is closed.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any, Protocol, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD = 16 << 10
MOST_FIELDS = 100
MOST_CONNECTIONS = 4096
HEAD = 10.0
BODY = 40.0
ANSWER = 600.0
"""Seconds for each part, the head's from the connection or the last answer on.

An upload has less (`uploads.desk`).
"""
LAST = 0.5
"""Seconds for a request that is on its way when the server begins to end."""
_OTHER_FILES = 128
"""What a process opens besides: stores, surveys, sockets that listen."""
_SPACES = re.compile(rb"[ \t]{2}|\t")


def make_room() -> None:
    """Let this process open the files that its connections need, or have fewer
    connections.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
    except ImportError:  # a system without such a limit
        return
    soft, hard = getrlimit(RLIMIT_NOFILE)
    needed = MOST_CONNECTIONS + _OTHER_FILES
    allowed = needed
    if hard != RLIM_INFINITY:
        allowed = min(needed, hard)
    if soft != RLIM_INFINITY and soft < allowed:
        setrlimit(RLIMIT_NOFILE, (allowed, hard))
    StrictProtocol.most_connections = allowed - _OTHER_FILES


class JoiningTransport:
    """Sends what is written in one turn of the loop by one system call.

    That is the head and the body of an answer, for example.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []
        # Asked for several times a request, and slow to be found below.
        self.is_closing = transport.is_closing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send it soon."""
        if not self._parts:
            self._loop.call_soon(self._send)
        self._parts.append(data)

    def write_now(self, data: bytes) -> None:
        """Send it at once, with what was written before."""
        if self._parts:
            self._parts.append(data)
            self._send()
        elif not self.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Send what was written, and close."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        parts, self._parts = self._parts, []
        if parts and not self._transport.is_closing():
            self._transport.write(b"".join(parts))


class Ends(Protocol):
    """An application whose server may be told to end."""

    ending: bool
    """Whether its server takes no more connections."""

    @property
    def leaving(self) -> bool:
        """Whether its server will end in some seconds."""


class StrictProtocol(HttpToolsProtocol):
    """One connection to an application that `Ends`."""

    most_connections = MOST_CONNECTIONS

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a head."""
        joining = JoiningTransport(cast(asyncio.Transport, transport), self.loop)
        super().connection_made(cast(asyncio.Transport, joining))
        self._head: int | None = 0
        self._line: bytes | None = b""
        self._application = cast(Ends, self.app)
        self.expect(HEAD)
        self._watch = self.loop.call_later(HEAD, self._look)
        if self._application.ending:
            self.shutdown()
        if len(self.connections) > self.most_connections:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is expected any more."""
        self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless a whole request waits for its answer."""
        if self.transport.is_closing():
            return
        if self.answering() and self.is_whole():
            self.close_after_answer()
            self.flow.pause_reading()
            return
        if self._head is not None:
            if self._line is not None and not self._is_line(data):
                self.send_400_response(
                    "expected a method, a path and a version, one space apart"
                )
                return
            self._head += len(data)
        super().data_received(data)
        if (
            self._head is not None
            and self._head > MOST_HEAD
            and not self.transport.is_closing()
        ):
            self.send_400_response(f"expected at most {MOST_HEAD} bytes of head")

    def send_400_response(self, msg: str) -> None:
        """Refuse what came, and the request before it unless that has its answer."""
        if StrictProtocol.answering(self):
            begun = self.cycle.response_started
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if begun:
                self.transport.abort()
                return
        super().send_400_response(msg)

    def on_message_begin(self) -> None:
        """Begin a request, if it is its turn."""
        if self.answering():
            raise ValueError("expected nothing before the answer")
        # What an application is told of it is made once it is known that one is asked.
        self.url = b""
        self.headers = []
        self.expect_100_continue = False

    def on_headers_complete(self) -> None:
        """Check the head as a whole, and begin to answer."""
        self.check_head()
        self.begin_answer()

    def begin_answer(self) -> None:
        """Let the application answer what has a sound head."""
        url, headers, expect = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expect
        # The same list is in the scope.
        self.headers += headers
        super().on_headers_complete()
        if self.is_last():
            self.close_after_answer()

    def check_head(self) -> None:
        """Whatever is raised here is answered with 400."""
        version = self.parser.get_http_version()
        size = len(self.url)
        hosts = tokens = expectations = 0
        for name, value in self.headers:
            size += len(name) + len(value)
            hosts += name == b"host"
            tokens += name == b"authorization"
            expectations += name == b"expect"
        sound = (
            self.url.startswith(b"/")
            and b"#" not in self.url
            and version in ("1.0", "1.1")
            and (hosts == 1 or (version == "1.0" and not hosts))
            and tokens <= 1
            and (not expectations or (expectations == 1 and self.expect_100_continue))
            and not self.parser.should_upgrade()
            and len(self.headers) <= MOST_FIELDS
            and size <= MOST_HEAD
        )
        if not sound:
            raise ValueError("expected a head that keeps the rules")
        self._head = None
        self.expect(BODY)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self.expect(ANSWER)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Begin to wait for the next head, unless the request was answered before it
        was whole.
        """
        if self.cycle.more_body:
            self.transport.close()
        self.expect_head()
        super().on_response_complete()

    def _is_line(self, data: bytes) -> bool:
        """Whether the line that a request begins with may be one, as far as it is
        there.

        The parser would take several spaces for one.
        """
        line = (self._line or b"") + data
        end = line.find(b"\n")
        self._line = line[:MOST_HEAD] if end < 0 else None
        return not _SPACES.search(line[: end if end >= 0 else MOST_HEAD])

    def expect_head(self) -> None:
        """Begin to wait for the next head."""
        self._head = 0
        self._line = b""
        self.expect(HEAD)

    def answering(self) -> bool:
        """Whether a request has begun that has no answer yet."""
        return bool(self.cycle) and not self.cycle.response_complete

    def is_whole(self) -> bool:
        """Whether all of it is there."""
        return not self.cycle.more_body

    def close_after_answer(self) -> None:
        """Take nothing more over this connection."""
        self.cycle.keep_alive = False

    def is_last(self) -> bool:
        """Whether no request is to follow the one that has come."""
        return self._application.ending or self._application.leaving

    def shutdown(self) -> None:
        """Close once what has begun, or comes at once, has its answer."""
        self._application.ending = True
        if self.answering():
            self.close_after_answer()
        else:
            self.loop.call_later(LAST, self._close_unless_begun)

    def too_late(self) -> None:
        """End a connection whose expected bytes have not come in time."""
        self.transport.abort()

    def expect(self, seconds: float) -> None:
        """Give what comes next this many seconds."""
        self._until = self.loop.time() + seconds

    def _close_unless_begun(self) -> None:
        # Not even a part of a head has come.
        if self._head == 0:
            self.transport.close()

    def _look(self) -> None:
        # One timer for a connection, not one for each part of each request: those would
        # cost more than they watch.
        remaining = self._until - self.loop.time()
        if remaining <= 0:
            self.too_late()
        if not self.transport.is_closing():
            self._watch = self.loop.call_later(
                min(max(remaining, 1.0), HEAD), self._look
            )
