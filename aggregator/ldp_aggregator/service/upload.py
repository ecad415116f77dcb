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
from functools import lru_cache
from typing import Any, NamedTuple

from ldp_aggregator.service.store import StoreError
from ldp_aggregator.service.submissions import Answers, BusyError, InternalError, Receipt, Submission
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


class Upload:
    """Takes uploads for a writer. `permitted` says what a token is worth; None lets everybody upload."""

    def __init__(
        self,
        writer: Writer,
        permitted: Callable[[str | None, str], str] | None,
        origins: Iterable[str] = (),
        limits: Limits = Limits(),  # noqa: B008  # a tuple
        tell: Callable[[int, float], None] = lambda status, seconds: None,  # noqa: ARG005
    ) -> None:
        self._writer = writer
        self._permitted = permitted
        self._origins = frozenset(origin.encode() for origin in origins)
        self._limits = limits
        self._tell = tell
        self._held = 0
        self._answers: dict[asyncio.AbstractEventLoop, Callable[[Answers], None]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started = time.perf_counter()
        headers: Headers = scope["headers"]
        shared = self._shared_with(headers)
        if shared and scope["method"] == "OPTIONS":
            await send({"type": "http.response.start", "status": 204, "headers": [*shared, *_PREFLIGHT]})
            await send({"type": "http.response.body"})
            return
        try:
            length = self._announced(scope["method"], headers)
            self._held += length
            try:
                outcomes = await self._outcomes(await _body(receive, length, self._limits.patience))
            finally:
                self._held -= length
            status, sent, body = 202, _JSON, outcomes
        except Refused as refused:
            status = refused.status
            sent = [*_JSON, (b"connection", b"close")]
            if refused.wait:
                sent.append((b"retry-after", b"%d" % refused.wait))
            sent += _TOLD.get(status, [])
            body = json.dumps({"error": refused.reason}).encode()
        sent = [*sent, (b"content-length", b"%d" % len(body)), *shared]
        await send({"type": "http.response.start", "status": status, "headers": sent})
        await send({"type": "http.response.body", "body": body})
        self._tell(status, time.perf_counter() - started)

    def _announced(self, method: str, headers: Headers) -> int:
        """The bytes that a request announces. Raises `Refused`, before anything is read, for what is not taken."""
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
        if length > self._limits.body:
            raise Refused(413, f"expected at most {self._limits.body} bytes, got {length}")
        if not length:
            raise Refused(400, "expected frames of reports, got nothing")
        if 2 * length > self._limits.held - self._held:
            raise Refused(503, "expected room for the upload, found none", 1)
        return length

    async def _outcomes(self, body: bytes) -> bytes:
        loop = asyncio.get_running_loop()
        ticket: asyncio.Future[Receipt] = loop.create_future()
        try:
            self._writer.submit(Submission(body, ticket, self._answers.get(loop) or self._answers_of(loop)))
            return _json(tuple(sorted((await ticket).outcomes.items())))
        except BusyError as error:
            raise Refused(503, str(error), error.wait) from None
        except StoreError:
            raise Refused(503, "expected to write to the store, but cannot", 30) from None
        except InternalError as error:
            raise Refused(500, str(error)) from None

    def _answers_of(self, loop: asyncio.AbstractEventLoop) -> Callable[[Answers], None]:
        """A place to answer to, for the tasks of a loop: it is woken once a turn."""

        def answer(answers: Answers) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, answers)

        self._answers[loop] = answer
        return answer

    def _shared_with(self, headers: Headers) -> Headers:
        """What lets the pages of other origins see the answer, if they may."""
        if not self._origins:
            return []
        origin = next((value for name, value in headers if name == b"origin"), b"")
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin")] if origin in self._origins else []


async def _body(receive: Receive, length: int, patience: float) -> bytes:
    parts: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(patience):
            while more and size <= length:
                message = await receive()
                parts.append(message.get("body", b""))
                size, more = size + len(parts[-1]), message.get("more_body", False)
    except TimeoutError:
        raise Refused(408, f"expected {length} bytes within {patience:.0f} s, got {size}") from None
    if size != length or message["type"] != "http.request":
        raise Refused(400, f"expected {length} bytes, as announced, got {size}")
    return b"".join(parts)


def bearer(value: str) -> str | None:
    """The token of an Authorization header, if it has one."""
    scheme, _, token = value.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _settle(answers: Answers) -> None:
    for ticket, answer in answers:
        if ticket.done():  # whoever waited has gone
            continue
        if isinstance(answer, Receipt):
            ticket.set_result(answer)
        else:
            ticket.set_exception(answer)


@lru_cache(maxsize=1024)
def _json(outcomes: tuple[tuple[str, int], ...]) -> bytes:
    return json.dumps(Receipt.of(outcomes).to_dict()).encode()
