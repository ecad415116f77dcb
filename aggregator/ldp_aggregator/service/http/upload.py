"""Uploads by ASGI, for servers and applications of any kind: one path, before an `UploadDesk`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any

from ldp.errors import LDPError
from ldp_aggregator.service.counting.submissions import Answer, Receipt
from ldp_aggregator.service.uploads.desk import PREFLIGHT, Headers, Refused, Reply, UploadDesk

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Upload:
    """The ASGI application of the path, in front of a desk."""

    def __init__(self, desk: UploadDesk) -> None:
        self._desk = desk
        self._patience = _Patience(desk.limits.patience)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started = time.perf_counter()
        desk = self._desk
        headers: Headers = scope["headers"]
        if scope["method"] == "OPTIONS" and (shared := desk.shared_with(headers)):
            reply = Reply(204, [*shared, *PREFLIGHT], b"")
        else:
            try:
                length = desk.admit(scope["method"], headers)
                try:
                    body = await self._patience.body(receive, length)
                    answer: Receipt | Exception = await self._receipt(body, headers)
                finally:
                    desk.release(length)
            except (Refused, LDPError) as error:
                answer = error
            reply = desk.reply(answer, headers, started)
        await send(
            {"type": "http.response.start", "status": reply.status, "headers": reply.headers}
        )
        await send({"type": "http.response.body", "body": reply.body})

    async def _receipt(self, body: bytes, headers: Headers) -> Receipt:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Receipt] = loop.create_future()
        self._desk.submit(body, partial(_settle, future), loop, headers=headers)
        return await future


def _settle(future: asyncio.Future[Receipt], answer: Answer) -> None:
    if future.done():  # the client that waited has gone
        return
    if isinstance(answer, Receipt):
        future.set_result(answer)
    else:
        future.set_exception(answer)


class _Patience:
    """Ends the wait for bodies that take too long.

    One timer looks after all of them: one for each would cost more than reading most of them does.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._looking = False

    async def body(self, receive: Receive, length: int) -> bytes:
        """A body of this many bytes. Raises `Refused`."""
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
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
            raise Refused(
                408, f"expected {length} bytes within {self._seconds:.0f} s, got less"
            ) from None
        finally:
            del self._ends[task]
            self._late.discard(task)

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(min(1.0, self._seconds), self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for task, end in self._ends.items():
            if end <= now and task not in self._late:
                self._late.add(task)
                task.cancel()
        self._looking = bool(self._ends)
        if self._looking:
            self._look_later(loop)


async def _body(receive: Receive, length: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    more = True
    while more and size <= length:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
    if size != length or message["type"] != "http.request":
        raise Refused(400, f"expected {length} bytes, as announced, got {size}")
    return b"".join(parts)
