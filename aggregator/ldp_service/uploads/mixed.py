"""The desk for `POST /v1/mixed`: batches that a relay has mixed, opened and counted.

An upload is one frame with a part of a batch (`wire.sealed`), and its token one of
scope `relay`, whose name is that of the relay. It is answered as any upload is
(`uploads.desk`); and 503 besides

    where the batch is of no question that is served, or where nothing in it opens: a survey or a
    key may be missing here, and the relay keeps what it has until someone has seen to that

Rules
- The reports of a part are counted as one batch, under the id that the relay gave the
  part: sent again, it is a duplicate. How many they were, and who mixed them, is kept
  in one transaction with their counts.
- What does not open, or is no sound report, is rejected by itself, and counted.
- The relay's word is taken for how many reports it mixed, and for nothing else: what is
  claimed rests on those that came (`mixing.batches`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ldp.errors import LDPError, WireError
from ldp.survey.survey import Envelope
from ldp.wire.sealed import decode_mixed_part
from ldp.wire.wire import MOST_REPORTS, read_frames
from ldp_aggregator.tallies.mixing.batches import MOST_NAME, MixedPart, pack_part
from ldp_aggregator.tallies.mixing.opening import Opener
from ldp_service.counting.submissions import (
    Answer,
    InternalError,
    Submission,
    UploadSender,
)
from ldp_service.store.records import EVER, Epoch, mixed_key
from ldp_service.uploads.desk import Receiver, Refused, UploadDesk
from ldp_service.uploads.heads import RequestHead
from ldp_service.uploads.tokens import RELAY

MIXED_PATH = "/v1/mixed"
_NAMELESS = "a relay"
_WAIT = 600


class MixedDesk(UploadDesk):
    """A desk that opens what it is given, in a thread of its own."""

    scope = RELAY

    def __init__(
        self,
        writer: Receiver,
        entitled: Callable[[str | None, str], tuple[str, UploadSender | None]] | None,
        opener: Opener,
        envelopes: Mapping[bytes, Envelope],
        **others: Any,
    ) -> None:
        super().__init__(writer, entitled, **others)
        self._opener = opener
        self._envelopes = envelopes
        # One: who sends much waits for its own.
        self._thread = ThreadPoolExecutor(1, "ldp-opening")

    def submit(
        self,
        body: bytes,
        ticket: Callable[[Answer], None],
        loop: asyncio.AbstractEventLoop,
        *,
        head: RequestHead,  # noqa: ARG002  # nothing of developers comes through a relay
        sender: UploadSender | None,
    ) -> None:
        """Open an upload and hand its reports to the writer, which answers."""
        name = _NAMELESS if sender is None else sender.name

        def pass_on(answer: Any) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(ticket, answer)

        def open_frames() -> None:
            try:
                frames, mixed = self._open(body, name)
                most = UploadSender(name, most_reports=MOST_REPORTS)
                if sender is not None:
                    most = sender._replace(most_reports=MOST_REPORTS)
                self._writer.submit(
                    Submission(
                        frames,
                        ticket,
                        self.place_in(loop),
                        mixed=mixed,
                        sender=most,
                        waits=True,
                    )
                )
            except (Refused, LDPError) as error:
                pass_on(error)
            except Exception as error:  # our own mistake: the relay keeps what it has
                pass_on(InternalError(error))

        self._thread.submit(open_frames)

    def close(self) -> None:
        """Open what was begun, and nothing more."""
        self._thread.shutdown()

    def _open(self, body: bytes, name: str) -> tuple[bytes, tuple[bytes, bytes] | None]:
        """The frames to be counted, and what is kept of the part. Raises `Refused`."""
        payloads = read_frames(body)
        if len(payloads) != 1 or not isinstance(payloads[0], bytes):
            raise Refused(400, "expected one frame with a part of a relay's batch")
        try:
            mixed = decode_mixed_part(payloads[0])
        except WireError as error:
            raise Refused(
                400, f"expected a part of a relay's batch, got: {error}"
            ) from None
        envelope = self._envelopes.get(mixed.fingerprint)
        if envelope is None:
            raise Refused(
                503,
                "expected a batch of a question that is served here, got another",
                _WAIT,
            )
        opened = self._opener.open(mixed, self._envelopes)
        if not opened.opened:
            raise Refused(
                503,
                "expected envelopes that one of the keys of --relay-key opens, got "
                "none; keys that apps still have belong there too",
                _WAIT,
            )
        if not opened.sound:
            return opened.frames, None
        epoch = EVER
        if envelope.epoch is not None:
            epoch = Epoch.at(mixed.id, envelope.epoch)
        part = MixedPart(
            name[:MOST_NAME], mixed.least, mixed.size, counted=opened.sound
        )
        key = mixed_key(mixed.fingerprint, epoch, mixed.batch, id_=mixed.id)
        return opened.frames, (key, pack_part(part))
