"""Opening: a part of a relay's batch to the reports that are in it.

Rules
- Each envelope is opened by itself: what does not open, or is no sound report of the
  question that it is said to be for, is refused, and costs nothing but itself.
- Which key a device had is not said anywhere: all that there are are tried, so that
  keys can change.
- An envelope that a part has twice is one report: devices seal each anew.
- The same bytes give the same reports, in the same order: sent again, a part is a
  duplicate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ldp.survey.survey import Envelope
from ldp.wire.sealed import (
    NO_ID,
    Mixed,
    Sealed,
    encode_sealed_report,
    envelope_size,
    epoch_bytes,
    info_of,
)
from ldp.wire.wire import Batch, encode_batch, encode_frame
from ldp_aggregator.tallies.intake.screening import Rejection, screen
from ldp_aggregator.tallies.mixing.keys import suite

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

_NEVER_OPENED = b"-"


class OpenedPart(NamedTuple):
    """Content of a part: frames to be counted, the first of them of all sound reports.

    `opened` says how many envelopes opened, `sound` how many of those are reports to be
    counted.
    """

    frames: bytes
    opened: int
    sound: int


class Opener:
    """Opens what was sealed for one of these private keys."""

    def __init__(self, keys: Sequence[EllipticCurvePrivateKey]) -> None:
        from cryptography.exceptions import InvalidTag

        self._suite = suite()
        self._keys = tuple(keys)
        # What is no point of the curve is a ValueError.
        self._closed = (InvalidTag, ValueError)

    def open(self, mixed: Mixed, envelopes: Mapping[bytes, Envelope]) -> OpenedPart:
        """Open all envelopes of a part, of a question or group that is among
        `envelopes`.
        """
        envelope = envelopes[mixed.fingerprint]
        info = info_of(mixed.fingerprint, epoch_bytes(mixed.id, envelope.epoch))
        seen: set[bytes] = set()
        plaintexts: list[bytes | None] = []
        for sealed in _cut(mixed, envelope):
            plaintexts.append(None if sealed in seen else self._open(sealed, info))
            seen.add(sealed)
        items = screen([plaintext or b"" for plaintext in plaintexts], envelopes)
        rows: list[bytes] = []
        refused: list[bytes] = []
        for plaintext, item in zip(plaintexts, items, strict=True):
            if isinstance(item, Batch) and _is_alone(item, mixed.fingerprint):
                rows.append(item.rows)
            elif (
                isinstance(item, Rejection)
                and plaintext
                and item.fingerprint == mixed.fingerprint
            ):
                refused.append(plaintext)
            else:
                # To be counted as what it is: something sealed.
                stand_in = Sealed(mixed.fingerprint, NO_ID, _NEVER_OPENED)
                refused.append(encode_sealed_report(stand_in))
        payloads = refused
        if rows:
            sound = Batch(
                mixed.fingerprint, mixed.id, size=len(rows), rows=b"".join(rows)
            )
            payloads = [encode_batch(sound), *refused]
        opened = sum(plaintext is not None for plaintext in plaintexts)
        return OpenedPart(
            b"".join(map(encode_frame, payloads)), opened, sound=len(rows)
        )

    def _open(self, sealed: bytes, info: bytes) -> bytes | None:
        for key in self._keys:
            try:
                plaintext: bytes = self._suite.decrypt(sealed, key, info=info)
                return plaintext
            except self._closed:
                continue
        return None


def _cut(mixed: Mixed, envelope: Envelope) -> Iterator[bytes]:
    """The envelopes, one by one; of the wrong length none opens."""
    size = len(mixed.envelopes) // mixed.number
    is_fitting = size == envelope_size(envelope.width)
    for start in range(0, len(mixed.envelopes), size):
        yield mixed.envelopes[start : start + size] if is_fitting else b""


def _is_alone(batch: Batch, fingerprint: bytes) -> bool:
    """Whether what was sealed is one report of the question, which says nothing
    else.
    """
    said = batch.fingerprint, batch.id, batch.size, batch.combination
    return said == (fingerprint, NO_ID, 1, 0)
