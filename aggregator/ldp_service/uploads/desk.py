"""The desk for `POST /v1/reports`: what is asked of an upload, and what it is answered.

An upload is the bytes of a report file.

    202   everything is counted, or known to be a duplicate, or rejected for good: the
          body says how many, and why
    400   no body, or more or fewer bytes than were announced
    401   no token                     403   one that may not upload, or not to this survey
    405   not POST                     408   the body took too long
    411   no Content-Length            413   more bytes than are taken at once
    415   an encoding that is not taken
    429   the token has sent what it may send in a day: come back after Retry-After
    500   our own mistake
    503   too much is waiting, the store cannot be written, or some batches are early:
          come back after Retry-After

Rules
- 202 is said after the commit that covers the batches, never before. Any other answer
  means that nothing was counted, or that no one knows; the same bytes may be sent
  again, and count once.
- Of an upload that can never be taken, however often it is sent, the body says why in a
  word (`reason`: empty, too-large, encoded), so that a client can tell it from a page
  of something in between. Only then does it drop its reports.
- Whatever is refused closes the connection: what follows on it is not trusted to be a
  request.
- The bytes that are held at any time are bounded (`room`): however many large uploads
  come, small ones are served, and the slowest makes way for those that come.
- The pages of some origins may upload from browsers, which ask first (CORS): 204, and
  what they may send.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple, Protocol

from ldp_service.counting.submissions import (
    Answer,
    Answers,
    EarlyError,
    NotPermittedError,
    OverloadError,
    QuotaError,
    Receipt,
    Submission,
    UploadSender,
    summed_up,
)
from ldp_service.store.errors import StoreError
from ldp_service.uploads.debugging import MOST_BODY as MOST_SHOWN
from ldp_service.uploads.debugging import TAG, DebugBoard
from ldp_service.uploads.heads import TRANSFERRED, Headers, RequestHead
from ldp_service.uploads.room import Place, Rooms, UploadLimits
from ldp_service.uploads.tokens import GRANTED, UPLOAD, WRONG_SCOPE

PATH = "/v1/reports"
_JSON: Headers = [
    (b"content-type", b"application/json"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]
_TOLD: dict[int, Headers] = {
    401: [(b"www-authenticate", b"Bearer")],
    405: [(b"allow", b"POST")],
}
"""What an answer of a status has to say besides."""
PREFLIGHT: Headers = [
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-allow-headers", b"authorization, content-type, ldp-debug-tag"),
    (b"access-control-max-age", b"7200"),
]


class Receiver(Protocol):
    """Receiver of uploads, which answers them: a writer."""

    def submit(self, submission: Submission) -> None:
        """Hand it over. Raises `OverloadError` or `StoreError`; then there will be no
        answer.
        """


class Refused(Exception):  # noqa: N818  # it is an answer
    """An upload that is not taken: the status, why, and when to try again.

    `wait` is in seconds; 0 where trying again is of no use. `never` is the word for why
    it can never be taken; empty where something can be mended.
    """

    def __init__(
        self, status: int, reason: str, wait: int = 0, *, never: str = ""
    ) -> None:
        self.status, self.reason, self.wait, self.never = status, reason, wait, never
        super().__init__(reason)


class Reply(NamedTuple):
    """An answer over HTTP, whole.

    A `usual` one is the same object each time.
    """

    status: int
    headers: Headers
    body: bytes
    usual: bool = False


class UploadDesk:
    """Checks on uploads and their answers, however their bytes come in.

    `scope` is that of the tokens that may.

    `entitled` says what a token is worth, whose it is, and what that one may send; None
    lets anyone upload. `tell` is told status and seconds of replies.
    """

    scope = UPLOAD

    def __init__(
        self,
        writer: Receiver,
        entitled: Callable[[str | None, str], tuple[str, UploadSender | None]] | None,
        origins: Iterable[str] = (),
        limits: UploadLimits = UploadLimits(),  # noqa: B008  # a tuple
        tell: Callable[[int, float], None] = lambda status, seconds: None,  # noqa: ARG005
        board: DebugBoard | None = None,
    ) -> None:
        self.limits = limits
        self._writer = writer
        self._entitled = entitled
        self._origins = frozenset(origin.encode() for origin in origins)
        self._tell = tell
        self._board = board
        self._rooms = Rooms(limits)
        self._places: dict[asyncio.AbstractEventLoop, Callable[[Answers], None]] = {}

    def admit(
        self, method: str, head: RequestHead
    ) -> tuple[Place, UploadSender | None]:
        """A place for the body that a request announces, and whose it is.

        The place is to be released once the request is answered. Raises `Refused`,
        before any of the body is read.
        """
        if head.strange:
            raise _encoding_refusal(head.strange)
        if method != "POST":
            raise Refused(405, f"expected POST, got {method}")
        sender = None
        if self._entitled is not None:
            verdict, sender = self._entitled(head.token, self.scope)
            if verdict != GRANTED:
                status = 403 if verdict == WRONG_SCOPE else 401
                raise Refused(
                    status, f"expected a token of scope {self.scope}, got {verdict}"
                )
        if len(head.lengths) != 1 or not head.lengths[0].isdigit():
            raise Refused(411, "expected one Content-Length, in digits")
        length = int(head.lengths[0].lstrip(b"0")[:20] or b"0")
        if length > self.limits.body:
            raise Refused(
                413,
                f"expected at most {self.limits.body} bytes, got {length}",
                never="too-large",
            )
        if not length:
            raise Refused(400, "expected frames of reports, got nothing", never="empty")
        if head.tag is not None:
            self._check_tag(head.tag, length)
        place = self._rooms.place_for(length)
        if place is None:
            raise no_room()
        return place, sender

    def too_slow(self, place: Place) -> Refused:
        """Return the refusal of a body that has not come in time."""
        limits = self.limits
        return Refused(
            408,
            f"expected {place.length} bytes within {limits.patience:.0f} s, at "
            f"{limits.rate} a second or more, got {place.arrived}",
        )

    def submit(
        self,
        body: bytes,
        ticket: Callable[[Answer], None],
        loop: asyncio.AbstractEventLoop,
        *,
        head: RequestHead,
        sender: UploadSender | None,
    ) -> Submission | None:
        """Hand an upload to the writer; `ticket` is called with the answer, in the
        loop.

        Return what is to be told that no one waits any more. That of a developer is
        shown instead, and answered at once. Raises `OverloadError` or `StoreError`;
        then there will be no answer.
        """
        if head.tag is not None and self._board is not None:
            ticket(self._board.show(head.tag.decode("ascii"), body))
            return None
        submission = Submission(
            body, ticket, self.place_in(loop), sender=sender, waits=True
        )
        self._writer.submit(submission)
        return submission

    def place_in(self, loop: asyncio.AbstractEventLoop) -> Callable[[Answers], None]:
        """Where the writer answers uploads of a loop."""
        place = self._places.get(loop)
        if place is None:
            place = self._places[loop] = _place_in(loop)
        return place

    def reply(
        self, answer: Receipt | Exception, head: RequestHead, started: float
    ) -> Reply:
        """Return the reply to a request with this head.

        It was taken up at `started`, by `time.perf_counter`.
        """
        shared = self.shared_with(head.origin) if self._origins else []
        if isinstance(answer, Receipt):
            is_usual = len(answer.told) == 1 and not shared
            reply = (
                _usual(answer.told[0]) if is_usual else _receipt_reply(answer, shared)
            )
        else:
            reply = _refusal(_refusal_of(answer), shared)
        self._tell(reply.status, time.perf_counter() - started)
        return reply

    def _check_tag(self, tag: bytes, length: int) -> None:
        """Raise `Refused` for an upload of a developer that cannot be shown."""
        if self._board is None:
            raise Refused(
                403,
                (
                    "expected no LDP-Debug-Tag: this service was not started with "
                    "--debug-tags"
                ),
            )
        if not TAG.fullmatch(tag):
            raise Refused(
                400, "expected an LDP-Debug-Tag of up to 40 letters, digits, . _ and -"
            )
        if length > MOST_SHOWN:
            raise Refused(
                413, f"expected at most {MOST_SHOWN} bytes to show, got {length}"
            )

    def shared_with(self, origin: bytes) -> Headers:
        """Return the headers that let the pages of another origin see the answer, if
        they may.
        """
        if origin not in self._origins:
            return []
        return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]


def no_room() -> Refused:
    """Return the refusal of an upload for which there is no room."""
    return Refused(503, "expected room for the upload, found none", 1)


def stopping() -> Refused:
    """Return the refusal of an upload that is not whole when its server ends."""
    return Refused(503, "expected the whole upload, but was told to stop", 1)


def _encoding_refusal(strange: str) -> Refused:
    """Return the refusal of an upload with a Content-Encoding."""
    if strange == TRANSFERRED:
        return Refused(411, "expected a Content-Length, got a Transfer-Encoding")
    return Refused(
        415, "expected the bytes as they are, got a Content-Encoding", never="encoded"
    )


def _place_in(loop: asyncio.AbstractEventLoop) -> Callable[[Answers], None]:
    """A place for the writer to answer to: it wakes the loop once a turn."""

    def answer(answers: Answers) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(hand_out, answers)

    def hand_out(answers: Answers) -> None:
        for ticket, outcome in answers:
            ticket(outcome)

    return answer


def _refusal_of(error: Exception) -> Refused:
    """Return the refusal for an error."""
    if isinstance(error, (OverloadError, EarlyError)):
        return Refused(503, str(error), error.wait)
    if isinstance(error, QuotaError):
        return Refused(429, str(error), error.wait)
    if isinstance(error, NotPermittedError):
        return Refused(403, str(error))
    if isinstance(error, StoreError):
        return Refused(503, "expected to write to the store, but cannot", 30)
    if isinstance(error, Refused):
        return error
    return Refused(500, str(error))


def _refusal(refused: Refused, shared: Headers) -> Reply:
    status = refused.status
    own = [*_JSON, (b"connection", b"close"), *_TOLD.get(status, [])]
    if refused.wait:
        own.append((b"retry-after", b"%d" % refused.wait))
    never = {}
    if refused.never:
        never = {"reason": refused.never}
    body = json.dumps({"error": refused.reason, **never}).encode()
    return Reply(status, [*own, (b"content-length", b"%d" % len(body)), *shared], body)


def _receipt_reply(receipt: Receipt, shared: Headers) -> Reply:
    body = json.dumps(summed_up(receipt.outcomes)).encode()
    return Reply(202, [*_JSON, (b"content-length", b"%d" % len(body)), *shared], body)


@cache
def _usual(outcome: str) -> Reply:
    """Return the reply to an upload of one batch, of which there is one for each
    outcome.
    """
    return _receipt_reply(Receipt((outcome,)), [])._replace(usual=True)
