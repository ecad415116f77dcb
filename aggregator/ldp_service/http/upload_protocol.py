"""The short way for uploads in `ldp serve`: from the parser to the desk, without ASGI.

Uploads are small, and there are many: the task, the messages and the checks that an
ASGI server makes for each would cost more than counting it. All other requests go the
usual way, and so do uploads to an application that mounts ours. What is asked and
answered is the same, because it is the same desk that asks and answers.

There is a shorter way still. Who keeps a connection sends the same head again and
again: one that is the last one, byte for byte, with as many bytes behind it as it
announces, means what that one meant, and need not be parsed. Whatever the head does not
say, such as what its token is worth by now, is asked anew.
"""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import NamedTuple, cast

from ldp.errors import LDPError
from ldp_service.counting.submissions import Receipt, Submission, UploadSender
from ldp_service.http.app import Application
from ldp_service.http.protocol import ANSWER, JoiningTransport, StrictProtocol
from ldp_service.http.server import GRACE
from ldp_service.uploads.desk import PATH, Refused, Reply, no_room, stopping
from ldp_service.uploads.heads import Headers, RequestHead, read_head
from ldp_service.uploads.room import Place

_PATH = PATH.encode()
_STATUS = {
    status.value: b"HTTP/1.1 %d %s\r\n" % (status.value, status.phrase.encode())
    for status in HTTPStatus
}
_END = b"\r\n\r\n"
LAST_WORDS = GRACE - 1.0
"""Seconds for a body to be whole when its server ends; after them its client is told
so.
"""
LONGEST_REMEMBERED = 2 << 10
"""Bytes of a head that a connection remembers."""


class _Coming:
    """An upload under way: its place, once it has one; `with_writer` once its body is
    whole.
    """

    __slots__ = (
        "begun",
        "head",
        "parts",
        "place",
        "sender",
        "started",
        "submission",
        "with_writer",
    )

    def __init__(self, head: RequestHead) -> None:
        self.head = head
        self.started = time.perf_counter()
        self.begun = 0.0
        self.place: Place | None = None
        self.sender: UploadSender | None = None
        self.parts: list[bytes] = []
        self.with_writer = False
        self.submission: Submission | None = None


class _Remembered(NamedTuple):
    """The last head of a connection: its bytes, those of a whole request, and what it
    said.
    """

    content: bytes
    size: int
    head: RequestHead
    keep_alive: bool


class _Written:
    """Usual answers as bytes, for as long as the fields that all answers have are the
    same.
    """

    def __init__(self) -> None:
        self._fields: Headers | None = None
        self._by_body: dict[bytes, bytes] = {}

    def of(self, reply: Reply, fields: Headers) -> bytes:
        """One that is usual. The server makes a new list of fields with each new
        date.
        """
        if fields is not self._fields:
            self._fields, self._by_body = fields, {}
        content = self._by_body.get(reply.body)
        if content is None:
            content = self._by_body[reply.body] = _bytes_of(reply, fields)
        return content


class UploadProtocol(StrictProtocol):
    """One connection to an `Application`."""

    _written = _Written()
    _upload: _Coming | None = None
    _before: _Remembered | None = None
    _keep_alive = True
    _whole = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a head."""
        self._desk = cast(Application, self.app).desk
        super().connection_made(transport)

    def on_headers_complete(self) -> None:
        """Take an upload up, or refuse it before its body is read."""
        self.check_head()
        if self.url != _PATH or self.parser.get_method() != b"POST":
            self.begin_answer()
            return
        self._keep_alive = self.parser.should_keep_alive() and not self.is_last()
        self._whole = False
        self._upload = _Coming(read_head(self.headers))
        if not self._admit(self._upload):
            return
        self._upload.begun = self.loop.time()
        self.expect(self._desk.limits.time_for(0))
        if self.expect_100_continue:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        """Keep it: there is no more of it than was announced and admitted."""
        upload = self._upload
        if upload is not None and upload.place is not None:
            if not self._has_room(upload, body):
                return
            if upload.place.arrived < upload.place.length:
                passed = self.loop.time() - upload.begun
                self.expect(self._desk.limits.time_for(upload.place.arrived) - passed)
        elif not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        if self._upload is not None:
            self._whole = True
        elif not self.transport.is_closing():
            super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        """Read on; what makes an upload whole is submitted once nothing has come behind
        it.
        """
        # Whether a head is waited for, of which there is nothing yet.
        at_beginning = self._head == 0
        before = self._before
        if (
            at_beginning
            and before is not None
            and len(data) == before.size
            and data.startswith(before.content)
            and not self.transport.is_closing()
        ):
            self._take_again(before, data[len(before.content) :])
            return
        super().data_received(data)
        upload = self._upload
        if (
            upload is None
            or not self._whole
            or upload.with_writer
            or self.transport.is_closing()
        ):
            return
        body = b"".join(upload.parts)
        if at_beginning:
            self._remember(upload.head, data, len(body))
        self._submit(upload, body)

    def connection_lost(self, exc: Exception | None) -> None:
        """Drop the uploads of a lost connection; those with the writer stay until it
        lets go.
        """
        super().connection_lost(exc)
        upload = self._upload
        if upload is not None and not upload.with_writer:
            self._drop()
        elif upload is not None and upload.submission is not None:
            upload.submission.wanted = False

    def answering(self) -> bool:
        """Whether a request has begun that has no answer yet."""
        return self._upload is not None or super().answering()

    def is_whole(self) -> bool:
        """Whether all of it is there."""
        if self._upload is not None:
            return self._whole
        return super().is_whole()

    def close_after_answer(self) -> None:
        """Take nothing more over this connection."""
        if self._upload is None:
            super().close_after_answer()
        self._keep_alive = False

    def shutdown(self) -> None:
        """Shut down; a body that would outlast the server gets an answer."""
        super().shutdown()
        self.loop.call_later(LAST_WORDS, self._give_up)

    def too_late(self) -> None:
        """A body that takes too long gets an answer; whatever else does, none."""
        if self._upload is None or self._upload.place is None or self._whole:
            super().too_late()
        else:
            self._answer(self._desk.too_slow(self._upload.place))

    def _give_up(self) -> None:
        if (
            self._upload is not None
            and self._upload.place is not None
            and not self._whole
        ):
            self._answer(stopping())

    def _remember(self, head: RequestHead, data: bytes, length: int) -> None:
        """Remember the head of a request that came whole and by itself."""
        end = data.find(_END) + len(_END)
        # Where the first empty line is not the end of the head, the sum is another.
        fits = end + length == len(data) and end <= LONGEST_REMEMBERED
        if fits and not self.expect_100_continue:
            self._before = _Remembered(
                data[:end], len(data), head, keep_alive=self._keep_alive
            )

    def _take_again(self, before: _Remembered, body: bytes) -> None:
        """Take a request up whose head is known, and whole."""
        self._unset_keepalive_if_required()
        self._head = self._line = None
        self._keep_alive = before.keep_alive and not self.is_last()
        self._whole = True
        upload = self._upload = _Coming(before.head)
        if self._admit(upload) and self._has_room(upload, body):
            self._submit(upload, body)

    def _admit(self, upload: _Coming) -> bool:
        """Whether an upload has a place; else it is answered."""
        try:
            upload.place, upload.sender = self._desk.admit("POST", upload.head)
            upload.place.make_way = self._make_way
        except Refused as refused:
            self._answer(refused)
            return False
        return True

    def _make_way(self) -> None:
        self._answer(no_room())

    def _has_room(self, upload: _Coming, body: bytes) -> bool:
        """Whether there is room for more of a body; else it is answered."""
        upload.parts.append(body)
        if cast(Place, upload.place).take(len(body)):
            return True
        self._answer(no_room())
        return False

    def _submit(self, upload: _Coming, body: bytes) -> None:
        """Hand over what is whole."""
        upload.with_writer = True
        self.expect(ANSWER)
        try:
            upload.submission = self._desk.submit(
                body, self._answer, self.loop, head=upload.head, sender=upload.sender
            )
        except LDPError as error:
            self._answer(error)

    def _drop(self) -> _Coming:
        upload = cast(_Coming, self._upload)
        self._upload = None
        if upload.place is not None:
            upload.place.release()
        return upload

    def _answer(self, answer: Receipt | Exception) -> None:
        """Answer the upload if its client is still there; go on to the next request or
        close.
        """
        upload = self._drop()
        reply = self._desk.reply(answer, upload.head, upload.started)
        if self.transport.is_closing():
            return
        self.server_state.total_requests += 1
        fields = self.server_state.default_headers
        keep_alive = self._keep_alive and reply.status < 400
        if keep_alive and reply.usual:
            content = self._written.of(reply, fields)
        else:
            content = _bytes_of(reply, fields, closes=not keep_alive)
        cast(JoiningTransport, self.transport).write_now(content)
        if keep_alive:
            self.expect_head()
        else:
            self.transport.close()


def _bytes_of(reply: Reply, fields: Headers, *, closes: bool = False) -> bytes:
    """A reply as it is sent; what is refused says by itself that it closes the
    connection.
    """
    headers = [*fields, *reply.headers]
    if closes and reply.status < 400:
        headers.append((b"connection", b"close"))
    lines = [b"%b: %b\r\n" % field for field in headers]
    return b"".join([_STATUS[reply.status], *lines, b"\r\n", reply.body])
