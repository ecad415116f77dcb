"""The short way for uploads in `ldp serve`: from the parser to the desk, without ASGI.

Uploads are small, and there are many: the task, the messages and the checks that an ASGI server
makes for each would cost more than counting it. All other requests go the usual way, and so do
uploads to an application that mounts ours. What is asked and answered is the same, because it is
the same desk that asks and answers.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import cast

from ldp.errors import LDPError
from ldp_aggregator.service.counting.submissions import Receipt
from ldp_aggregator.service.http.app import Application
from ldp_aggregator.service.http.protocol import ANSWER, JoiningTransport, StrictProtocol
from ldp_aggregator.service.uploads.desk import PATH, Headers, Refused, UploadDesk, no_room
from ldp_aggregator.service.uploads.room import Place

_PATH = PATH.encode()
_STATUS = {
    status.value: b"HTTP/1.1 %d %s\r\n" % (status.value, status.phrase.encode())
    for status in HTTPStatus
}


class _Coming:
    """An upload under way: its place, once it has one; `with_writer` once its body is whole."""

    __slots__ = ("begun", "headers", "parts", "place", "started", "with_writer")

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.started = time.perf_counter()
        self.begun = 0.0
        self.place: Place | None = None
        self.parts: list[bytes] = []
        self.with_writer = False


class UploadProtocol(StrictProtocol):
    """One connection to an `Application`."""

    _upload: _Coming | None = None
    _keep_alive = True
    _whole = False

    @property
    def _desk(self) -> UploadDesk:
        return cast(Application, self.app).desk

    def on_headers_complete(self) -> None:
        """Take an upload up, or refuse it before its body is read."""
        if self.url != _PATH or self.parser.get_method() != b"POST":
            super().on_headers_complete()
            return
        self.check_head()
        self._keep_alive = self.parser.should_keep_alive()
        self._whole = False
        self._upload = _Coming(self.headers)
        try:
            self._upload.place = self._desk.admit("POST", self.headers)
        except Refused as refused:
            self._answer(refused)
            return
        self._upload.begun = self.loop.time()
        self.expect(self._desk.limits.time_for(0))
        if self.expect_100_continue:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        """Keep it: there is no more of it than was announced and admitted."""
        upload = self._upload
        if upload is not None and upload.place is not None:
            upload.parts.append(body)
            if not upload.place.take(len(body)):
                self._answer(no_room())
                return
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
        """Read on; what makes an upload whole is submitted once nothing has come behind it."""
        super().data_received(data)
        upload = self._upload
        if upload is None or not self._whole or upload.with_writer or self.transport.is_closing():
            return
        upload.with_writer = True
        self.expect(ANSWER)
        try:
            self._desk.submit(
                b"".join(upload.parts), self._answer, self.loop, headers=upload.headers
            )
        except LDPError as error:
            self._answer(error)

    def shutdown(self) -> None:
        """An upload under way gets its answer first."""
        if self._upload is None:
            super().shutdown()
        else:
            self._keep_alive = False

    def connection_lost(self, exc: Exception | None) -> None:
        """What is with the writer is held until it answers; of the rest no more will come."""
        super().connection_lost(exc)
        if self._upload is not None and not self._upload.with_writer:
            self._drop()

    def answering(self) -> bool:
        """Whether a request has begun that has no answer yet."""
        return self._upload is not None or super().answering()

    def is_whole(self) -> bool:
        """Whether all of it is there."""
        return self._whole if self._upload is not None else super().is_whole()

    def close_after_answer(self) -> None:
        """Take nothing more over this connection."""
        if self._upload is None:
            super().close_after_answer()
        self._keep_alive = False

    def too_late(self) -> None:
        """A body that takes too long gets an answer; whatever else does, none."""
        if self._upload is None or self._upload.place is None or self._whole:
            super().too_late()
        else:
            self._answer(self._desk.too_slow(self._upload.place))

    def _drop(self) -> _Coming:
        upload = cast(_Coming, self._upload)
        self._upload = None
        if upload.place is not None:
            upload.place.release()
        return upload

    def _answer(self, answer: Receipt | Exception) -> None:
        """Answer the upload if its client is still there; go on to the next request or close."""
        upload = self._drop()
        status, headers, body = self._desk.reply(answer, upload.headers, upload.started)
        if self.transport.is_closing():
            return
        self.server_state.total_requests += 1
        keep_alive = self._keep_alive and status < HTTPStatus.BAD_REQUEST
        if not keep_alive and status < HTTPStatus.BAD_REQUEST:
            headers = [*headers, (b"connection", b"close")]
        lines = [b"%b: %b\r\n" % field for field in (*self.server_state.default_headers, *headers)]
        cast(JoiningTransport, self.transport).write_now(
            b"".join([_STATUS[status], *lines, b"\r\n", body])
        )
        if keep_alive:
            self.expect_head()
        else:
            self.transport.close()
