"""Uploads by ASGI, for servers and applications of any kind: one path, before an
`UploadDesk`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any

from ldp.errors import LDPError
from ldp_service.counting.submissions import Answer, Receipt, UploadSender
from ldp_service.uploads.desk import PREFLIGHT, Refused, Reply, UploadDesk, no_room
from ldp_service.uploads.heads import RequestHead, read_head
from ldp_service.uploads.room import Place

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class UploadApp:
    """The ASGI application of the path, in front of a desk."""

    def __init__(self, desk: UploadDesk) -> None:
        self._desk = desk
        self._patience = _Patience(desk)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        started = time.perf_counter()
        desk = self._desk
        head = read_head(scope["headers"])
        if scope["method"] == "OPTIONS" and (shared := desk.shared_with(head.origin)):
            reply = Reply(204, [*shared, *PREFLIGHT], b"")
        else:
            try:
                place, sender = desk.admit(scope["method"], head)
                try:
                    body = await self._patience.body(receive, place)
                    answer: Receipt | Exception = await self._receipt(
                        body, head, sender
                    )
                finally:
                    place.release()
            except (Refused, LDPError) as error:
                answer = error
            reply = desk.reply(answer, head, started)
        await send(
            {
                "type": "http.response.start",
                "status": reply.status,
                "headers": reply.headers,
            }
        )
        await send({"type": "http.response.body", "body": reply.body})

    async def _receipt(
        self, body: bytes, head: RequestHead, sender: UploadSender | None
    ) -> Receipt:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Receipt] = loop.create_future()
        self._desk.submit(
            body, partial(_settle, future), loop, head=head, sender=sender
        )
        return await future


def _settle(future: asyncio.Future[Receipt], answer: Answer) -> None:
    if future.done():  # the client that waited has gone
        return
    if isinstance(answer, Receipt):
        future.set_result(answer)
    else:
        future.set_exception(answer)


class _Patience:
    """Ends the wait for bodies that take too long, or have to make way.

    One timer looks after all of them: one for each would cost more than reading most of
    them does.
    """

    def __init__(self, desk: UploadDesk) -> None:
        self._desk = desk
        self._coming: dict[asyncio.Task[Any], tuple[float, Place]] = {}
        """When each body began, and its place."""
        self._ended: dict[asyncio.Task[Any], Refused] = {}
        """Why the wait for a body ends."""
        self._looking = False

    async def body(self, receive: Receive, place: Place) -> bytes:
        """The body that was announced. Raises `Refused`."""
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        assert task is not None  # noqa: S101 (a fact about coroutines)
        self._coming[task] = loop.time(), place
        place.make_way = partial(self._make_way, task, place)
        if not self._looking:
            self._looking = True
            self._look_later(loop)
        try:
            return await _body(receive, place)
        except asyncio.CancelledError:
            if task not in self._ended:
                raise
            task.uncancel()
            raise self._ended[task] from None
        finally:
            del self._coming[task]
            self._ended.pop(task, None)

    def _end(self, task: asyncio.Task[Any], refused: Refused) -> None:
        self._ended[task] = refused
        task.cancel()

    def _make_way(self, task: asyncio.Task[Any], place: Place) -> None:
        place.release()
        self._end(task, no_room())

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(min(1.0, self._desk.limits.patience), self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for task, (begun, place) in self._coming.items():
            end = begun + self._desk.limits.time_for(place.arrived)
            if end <= now and task not in self._ended:
                self._end(task, self._desk.too_slow(place))
        self._looking = bool(self._coming)
        if self._looking:
            self._look_later(loop)


async def _body(receive: Receive, place: Place) -> bytes:
    parts: list[bytes] = []
    more = True
    while more and place.arrived <= place.length:
        message = await receive()
        parts.append(message.get("body", b""))
        if not place.take(len(parts[-1])):
            raise no_room()
        more = message.get("more_body", False)
    if place.arrived != place.length or message["type"] != "http.request":
        raise Refused(
            400, f"expected {place.length} bytes, as announced, got {place.arrived}"
        )
    return b"".join(parts)
