"""Sealed reports: what travels through a relay, which must not read it.

For someone new to it: a relay stands between devices and the collector, mixes their
reports and forgets who sent which. It is another party, so a report is encrypted to the
collector's key (HPKE, RFC 9180) before it leaves the device; the relay sees which
question it is for, and no more.

    sealed    msgpack array [3, fingerprint, id, envelope]: what a device sends to a
              relay; `id` is as that of a batch (`ldp.numbers.epochs`), and ends at the
              relay
    mixed     msgpack array [4, fingerprint, id, number, envelopes, batch, size, least]:
              what a relay sends to the collector: `number` envelopes of one length, in
              random order, under an id of the relay's. They are all or some of a batch:
              its id of 16 bytes, how many reports it has, and how many the relay waits
              for at least
    envelope  enc (65 bytes) and ciphertext: HPKE in base mode, DHKEM(P-256,
              HKDF-SHA256), HKDF-SHA256, AES-128-GCM
    info      b"ldpkit sealed report", 3, fingerprint (16 bytes), epoch (4,
              little-endian; 0 of a survey without epochs)
    within    a batch (`ldp.wire`) of one report, whose id is 16 zero bytes

Rules
- What is in an envelope is one message: one report, or one row of a group of questions.
- All envelopes of a question or group have one length, since its reports do.
- What a relay has to read is bound to the envelope by HPKE's `info`: one that says
  another question or epoch opens for no one. The id is not: the relay drops it.
- No cryptography here: devices seal in `delivery.sealing`, collectors open in
  `ldp_aggregator`.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, NamedTuple

from ldp.errors import WireError
from ldp.numbers.epochs import ID_SIZE, NUMBER_SIZE
from ldp.survey.survey import FINGERPRINT_SIZE
from ldp.wire.wire import (
    FORMAT_MIXED,
    FORMAT_SEALED,
    MOST_PAYLOAD,
    Batch,
    decode_batch,
    encode_batch,
    pack_array,
    unpack_array,
)

ENC_SIZE, TAG_SIZE = 65, 16
KEY_SIZE = 65
"""Bytes of a public key: a point of P-256, uncompressed."""
NO_ID = bytes(ID_SIZE)
MOST_MIXED = 1 << 32
"""Reports that a batch may claim to have."""
_LABEL = b"ldpkit sealed report"
_PREFIX = "ldp-relay-p256_"


class Sealed(NamedTuple):
    """One message of a device: for which question or group, under which id, and what is
    sealed.
    """

    fingerprint: bytes
    id: bytes
    envelope: bytes


class Mixed(NamedTuple):
    """`number` envelopes of one question or group, end to end, which are of one batch
    of a relay.

    `size` is the number of reports of the whole batch, and `least` what the relay waits
    for.
    """

    fingerprint: bytes
    id: bytes
    number: int
    envelopes: bytes
    batch: bytes
    size: int
    least: int


def info_of(fingerprint: bytes, epoch: bytes) -> bytes:
    """Return the context that an envelope is bound to; `epoch` is four bytes."""
    return _LABEL + bytes((FORMAT_SEALED,)) + fingerprint + epoch


def epoch_bytes(id_: bytes, length: int | None) -> bytes:
    """The epoch that an id begins with, of a survey with epochs of `length` seconds; or
    zeros.
    """
    if length is None:
        return bytes(NUMBER_SIZE)
    return id_[:NUMBER_SIZE]


def plaintext_of(fingerprint: bytes, row: bytes) -> bytes:
    """Return the bytes of one report that are sealed."""
    return encode_batch(Batch(fingerprint, NO_ID, 1, rows=row))


def row_in(plaintext: bytes, fingerprint: bytes) -> bytes:
    """The report that was sealed. Raises `WireError`."""
    batch = decode_batch(plaintext)
    if (batch.fingerprint, batch.id, batch.size, batch.combination) != (
        fingerprint,
        NO_ID,
        1,
        0,
    ):
        raise WireError(
            "sealed", "expected one report of the question that is named outside"
        )
    return batch.rows


def envelope_size(width: int) -> int:
    """Bytes of an envelope whose report has `width`."""
    return (
        ENC_SIZE + len(plaintext_of(bytes(FINGERPRINT_SIZE), bytes(width))) + TAG_SIZE
    )


def encode_sealed_report(sealed: Sealed) -> bytes:
    """The bytes of a sealed report, as the payload of a frame."""
    return pack_array([FORMAT_SEALED, *sealed])


def decode_sealed_report(payload: bytes) -> Sealed:
    """The sealed report that a payload holds. Raises `WireError`."""
    parts = _parts(payload, FORMAT_SEALED, 4)
    if (
        not all(type(part) is bytes for part in parts)
        or not _are_ids(*parts[:2])
        or not parts[2]
    ):
        raise WireError("not-a-batch", "expected [3, fingerprint, id, envelope]")
    return Sealed(*parts)


def encode_mixed_part(mixed: Mixed) -> bytes:
    """The bytes of a part of a relay's batch, as the payload of a frame."""
    return pack_array([FORMAT_MIXED, *mixed])


def decode_mixed_part(payload: bytes) -> Mixed:
    """The part of a relay's batch that a payload holds. Raises `WireError`."""
    parts = _parts(payload, FORMAT_MIXED, 8)
    types = (bytes, bytes, int, bytes, bytes, int, int)
    if not all(type(part) is type_ for part, type_ in zip(parts, types, strict=True)):
        raise WireError(
            "not-a-batch",
            "expected [4, fingerprint, id, number, envelopes, batch, size, least]",
        )
    mixed = Mixed(*parts)
    if not _are_ids(mixed.fingerprint, mixed.id) or len(mixed.batch) != ID_SIZE:
        raise WireError("not-a-batch", "expected 16 bytes of fingerprint and ids")
    if (
        not 0 < mixed.number <= mixed.size < MOST_MIXED
        or not 0 < mixed.least <= mixed.size
    ):
        raise WireError(
            "not-a-batch", "expected at least as many reports as the relay waits for"
        )
    if not mixed.envelopes or len(mixed.envelopes) % mixed.number:
        raise WireError(
            "report-width", f"expected {mixed.number} envelopes of one length"
        )
    return mixed


def public_key_text(key: bytes) -> str:
    """A public key as apps are given it."""
    return _PREFIX + urlsafe_b64encode(key).decode().rstrip("=")


def read_public_key(text: str) -> bytes:
    """The 65 bytes of a public key. Raises `ValueError`."""
    encoded = text.strip().removeprefix(_PREFIX)
    try:
        key = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except ValueError:
        key = b""
    if not text.strip().startswith(_PREFIX) or len(key) != KEY_SIZE or key[0] != 4:
        raise ValueError(
            f"expected a collector's public key that begins with {_PREFIX}, as ldp "
            f"relay keys prints it, got {text[:40]!r}"
        )
    return key


def _are_ids(fingerprint: bytes, id_: bytes) -> bool:
    return len(fingerprint) == FINGERPRINT_SIZE and len(id_) == ID_SIZE


def _parts(payload: bytes, version: int, length: int) -> list[Any]:
    """Return the parts that follow the version in an array of so many parts."""
    beginning = bytes((0x90 | length, version))
    if payload[:2] != beginning:
        is_array = len(payload) > 1 and payload[0] & 0xF0 == 0x90 and payload[1] < 0x80
        if is_array and payload[1] != version:
            raise WireError(
                "format-version", f"expected format version {version}, got {payload[1]}"
            )
        raise WireError(
            "not-a-batch", f"expected an array of {length} parts, the first {version}"
        )
    return unpack_array(payload, MOST_PAYLOAD, "not-a-batch")[1:]
