"""`POST /v1/reports`: the bytes of report files, as uploads. An ASGI application of one path.

    202   everything is counted, or known to be a duplicate, or rejected for good: the body says how many, and why
    400   no body, or more or fewer bytes than were announced       401, 403   no token, or one that may not upload
    405   not POST           408   the body took too long           411        no Content-Length
    413   more bytes than are taken at once                         415        an encoding that is not taken
    500   our own mistake    503   too much is waiting, or the store cannot be written: come back after Retry-After

Rules
- 202 is said after the commit that covers the batches, never before. Any other answer means that nothing was counted,
  or that nobody knows; the same bytes may be sent again, and count once.
- Whatever is refused closes the connection: what follows on it is not trusted to be a request.
- The bytes that are held at any time are bounded, by what requests announce, before they are read. No upload takes more
  than half of the room that is left: however many large ones come, small ones are served.
- The pages of some origins may upload from browsers, which ask first (CORS): 204, and what they may send.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

from ldp.errors import LDPError
from ldp_aggregator.service.store import StoreError
from ldp_aggregator.service.submissions import Answer, Answers, BusyError, Receipt, Submission, summed_up
from ldp_aggregator.service.tokens import GRANTED, WRONG_SCOPE
from ldp_aggregator.service.writer import Writer

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

PATH = "/v1/reports"
MOST_BODY = (16 << 20) + (64 << 10)
"""One batch of the greatest size, and some."""
MOST_HELD = 64 << 20
PATIENCE = 30.0
"""Seconds for a body to arrive."""
_JSON: Headers = [(b"content-type", b"application/json")]
_TOLD: dict[int, Headers] = {401: [(b"www-authenticate", b"Bearer")], 405: [(b"allow", b"POST")]}
"""What an answer of a status has to say besides."""
_PREFLIGHT: Headers = [
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"7200"),
]


class Refused(Exception):  # noqa: N818  # it is an answer
    """An upload that is not taken: the status, why, and after how many seconds to try again, if at all."""

    def __init__(self, status: int, reason: str, wait: int = 0) -> None:
        self.status, self.reason, self.wait = status, reason, wait
        super().__init__(reason)


class Limits(NamedTuple):
    """Bytes of one body, and of all that are being read or waiting for an answer: at least twice as many, as no body
    may take more than half of what is left. Seconds for a body to arrive.
    """

    body: int = MOST_BODY
    held: int = MOST_HELD
    patience: float = PATIENCE


class Reply(NamedTuple):
    """An answer over HTTP, whole."""

    status: int
    headers: Headers
    body: bytes


class UploadDesk:
    """What is asked of an upload and answered to it, however its bytes come in.

    `permitted` says what a token is worth; None lets everybody upload. `tell` is told status and seconds of replies.
    """

    def __init__(
        self,
        writer: Writer,
        permitted: Callable[[str | None, str], str] | None,
        origins: Iterable[str] = (),
        limits: Limits = Limits(),  # noqa: B008  # a tuple
        tell: Callable[[int, float], None] = lambda status, seconds: None,  # noqa: ARG005
    ) -> None:
        self.limits = limits
        self._writer = writer
        self._permitted = permitted
        self._origins = frozenset(origin.encode() for origin in origins)
        self._tell = tell
        self._held = 0
        self._places: dict[asyncio.AbstractEventLoop, Callable[[Answers], None]] = {}

    def admit(self, method: str, headers: Headers) -> int:
        """The bytes that a request announces, which are held until `release`. Raises `Refused`, before any is read."""
        token, lengths = None, []
        for name, value in headers:
            if name == b"content-length":
                lengths.append(value)
            elif name == b"authorization":
                token = bearer(value.decode("latin-1"))
            elif name == b"transfer-encoding":
                raise Refused(411, "expected a Content-Length, got a Transfer-Encoding")
            elif name == b"content-encoding" and value.lower() != b"identity":
                raise Refused(415, "expected the bytes as they are, got a Content-Encoding")
        if method != "POST":
            raise Refused(405, f"expected POST, got {method}")
        if self._permitted is not None:
            verdict = self._permitted(token, "upload")
            if verdict != GRANTED:
                raise Refused(403 if verdict == WRONG_SCOPE else 401, f"expected a token for uploads, got {verdict}")
        if len(lengths) != 1 or not lengths[0].isdigit():
            raise Refused(411, "expected one Content-Length, in digits")
        length = int(lengths[0][:20])
        if length > self.limits.body:
            raise Refused(413, f"expected at most {self.limits.body} bytes, got {length}")
        if not length:
            raise Refused(400, "expected frames of reports, got nothing")
        if 2 * length > self.limits.held - self._held:
            raise Refused(503, "expected room for the upload, found none", 1)
        self._held += length
        return length

    def release(self, length: int) -> None:
        """Let others have the room of an upload that was admitted."""
        self._held -= length

    def submit(self, body: bytes, ticket: Callable[[Answer], None], loop: asyncio.AbstractEventLoop) -> None:
        """Hand an upload to the writer; `ticket` is called with the answer, in the loop.

        Raises `BusyError` or `StoreError`; then there will be no answer.
        """
        if loop not in self._places:
            self._places[loop] = _place_in(loop)
        self._writer.submit(Submission(body, ticket, self._places[loop]))

    def reply(self, answer: Receipt | Exception, headers: Headers, started: float) -> Reply:
        """What to say to a request with these headers, taken up at `started` (of `time.perf_counter`)."""
        shared = self.shared_with(headers)
        if isinstance(answer, Receipt):
            status, said, body = 202, _JSON, _one(*answer.told) if len(answer.told) == 1 else _json(answer)
        else:
            refused = _refused(answer)
            status, said = refused.status, [*_JSON, (b"connection", b"close"), *_TOLD.get(refused.status, [])]
            if refused.wait:
                said.append((b"retry-after", b"%d" % refused.wait))
            body = json.dumps({"error": refused.reason}).encode()
        self._tell(status, time.perf_counter() - started)
        return Reply(status, [*said, (b"content-length", b"%d" % len(body)), *shared], body)

    def shared_with(self, headers: Headers) -> Headers:
        """What lets the pages of other origins see the answer, if they may."""
        if not self._origins:
            return []
        origin = next((value for name, value in headers if name == b"origin"), b"")
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin")] if origin in self._origins else []


class Upload:
    """The ASGI application of the path, in front of a desk."""

    def __init__(self, desk: UploadDesk) -> None:
        self._desk = desk
        self._patience = _Patience(desk.limits.patience)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started, desk = time.perf_counter(), self._desk
        headers: Headers = scope["headers"]
        if scope["method"] == "OPTIONS" and (shared := desk.shared_with(headers)):
            reply = Reply(204, [*shared, *_PREFLIGHT], b"")
        else:
            try:
                length = desk.admit(scope["method"], headers)
                try:
                    answer: Receipt | Exception = await self._receipt(await self._patience.body(receive, length))
                finally:
                    desk.release(length)
            except (Refused, LDPError) as error:
                answer = error
            reply = desk.reply(answer, headers, started)
        await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def _receipt(self, body: bytes) -> Receipt:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Receipt] = loop.create_future()
        self._desk.submit(body, partial(_settle, future), loop)
        return await future


def _place_in(loop: asyncio.AbstractEventLoop) -> Callable[[Answers], None]:
    """A place for the writer to answer to: it wakes the loop once a turn."""

    def answer(answers: Answers) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(hand_out, answers)

    def hand_out(answers: Answers) -> None:
        for ticket, each in answers:
            ticket(each)

    return answer


def _settle(future: asyncio.Future[Receipt], answer: Answer) -> None:
    if future.done():  # whoever waited has gone
        return
    if isinstance(answer, Receipt):
        future.set_result(answer)
    else:
        future.set_exception(answer)


def _refused(error: Exception) -> Refused:
    """What an error means for who uploads."""
    if isinstance(error, BusyError):
        return Refused(503, str(error), error.wait)
    if isinstance(error, StoreError):
        return Refused(503, "expected to write to the store, but cannot", 30)
    return error if isinstance(error, Refused) else Refused(500, str(error))


class _Patience:
    """Ends the wait for bodies that take too long. One timer looks after all of them: one for each would cost more than
    reading most of them does.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._looking = False

    async def body(self, receive: Receive, length: int) -> bytes:
        """A body of so many bytes. Raises `Refused`."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None  # noqa: S101 (a fact about coroutines)
        self._ends[task] = loop.time() + self._seconds
        if not self._looking:
            self._looking = True
            self._look_later(loop)
        try:
            return await _body(receive, length)
        except asyncio.CancelledError:
            if task not in self._late:
                raise
            task.uncancel()
            raise Refused(408, f"expected {length} bytes within {self._seconds:.0f} s, got less") from None
        finally:
            del self._ends[task]
            self._late.discard(task)

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(min(1.0, self._seconds), self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for task in [task for task, end in self._ends.items() if end <= now and task not in self._late]:
            self._late.add(task)
            task.cancel()
        self._looking = bool(self._ends)
        if self._looking:
            self._look_later(loop)


async def _body(receive: Receive, length: int) -> bytes:
    parts: list[bytes] = []
    size, more = 0, True
    while more and size <= length:
        message = await receive()
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
    if size != length or message["type"] != "http.request":
        raise Refused(400, f"expected {length} bytes, as announced, got {size}")
    return b"".join(parts)


def bearer(value: str) -> str | None:
    """The token of an Authorization header, if it has one."""
    scheme, _, token = value.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _json(receipt: Receipt) -> bytes:
    return json.dumps(summed_up(receipt.outcomes)).encode()


@lru_cache(maxsize=64)
def _one(outcome: str) -> bytes:
    """What most uploads are told: those of one batch."""
    return _json(Receipt((outcome,)))
