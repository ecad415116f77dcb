"""The wire: batches of reports, and files that are sequences of checksummed frames.

No input or output of its own.

    batch   msgpack array [1, fingerprint, id, count, rows]: format version; 16 bytes
            that name the question and all of its parameters; an id of 16 bytes
            (`ldp.numbers.epochs`); how many reports; and those, `count` rows of one
            width or [2, fingerprint, id, count, rows, combination], where something is
            said openly of the devices: the number of a combination of attributes
            (`ldp.survey.attributes`), 1 or more
    frame   magic (4 bytes), length (4, little-endian), XXH64 of the payload, seeded
            with its length (8), payload

Rules
- A batch is what is retried, deduplicated and acknowledged. Its bytes never change once
  they are made.
- Nothing is believed before it is checked: every size is bounded before anything of
  that size is built, types are compared exactly, and there are no maps, floats, strings
  or extensions.
- A damaged frame costs itself only: the reader takes up again at the next frame that
  checks out.
- Trouble with a peer's bytes is a `WireError` with one of `REASONS`; docs/wire.md is
  the specification.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgpack
from xxhash import xxh64_intdigest

from ldp.errors import WireError
from ldp.numbers.epochs import ID_SIZE
from ldp.survey.attributes import MOST_COMBINATIONS
from ldp.survey.survey import FINGERPRINT_SIZE

FORMAT, FORMAT_WITH_ATTRIBUTES = 1, 2
"""Of batches of which nothing is said but their reports, and of the others."""
FORMAT_SEALED, FORMAT_MIXED = 3, 4
"""Of what is sealed for a collector behind a relay, and of what a relay hands on
(`sealed`).
"""
MOST_PAYLOAD = 1 << 24
MOST_REPORTS = 1 << 20

REPORTS_MAGIC = b"LDPR"
TALLY_MAGIC = b"LDPT"

REASONS = {
    "frame-damaged": "bytes that are no whole frame, or do not match their checksum",
    "not-a-batch": (
        "a payload that is not one msgpack array of the five parts of a batch"
    ),
    "format-version": "a batch of another format version",
    "sealed": (
        "a report that is sealed: it does not open, or did not come through a relay"
    ),
    "fingerprint": (
        "a batch for no question of this survey, or for other parameters of one"
    ),
    "report-width": (
        "rows whose length is not the number of reports times the width of a report"
    ),
    "symbol-range": "a symbol outside the question's range",
    "cohort-range": "a cohort outside the question's range",
    "attribute-range": (
        "a combination of attributes that the question's reports do not have"
    ),
    "padding-bits": "a bit set beyond the question's last",
    "ones": "another number of bits set than the question's reports have",
    "seed-range": "the seed of no hash function of the question's",
    "batch-size": "a batch of more reports than the collector takes in one",
    "late": "a batch of an epoch that is closed",
    "early": (
        "a batch of an epoch that begins in more than an hour, by the collector's clock"
    ),
    "token-spent": (
        "a batch of a one-time token that was good for its question once, and was used"
    ),
    "lost": (
        "a batch whose counts, or what became of it, went with a part of the "
        "collector's store"
    ),
}
"""Why bytes are rejected; counts are kept by these names."""

_HEADER = struct.Struct("<4sIQ")
_BEGINNINGS = {bytes((0x95, FORMAT)): 5, bytes((0x96, FORMAT_WITH_ATTRIBUTES)): 6}
"""How many parts there are, by the first two bytes."""
_SEALED = bytes((0x94, FORMAT_SEALED))
_BYTES = b"\xc4\x10"
_PLAIN = bytes((0x95, FORMAT)) + _BYTES
_PLAIN_SIZE = 41
"""How a batch begins that has up to 127 reports in up to 255 bytes: array, version, and
16 bytes, twice; then the count, and the bytes of the rows.
"""
_EFFORT = 8
_STEP = 1 << 18


class Batch(NamedTuple):
    """`size` reports of one question, as rows of one width, under one id.

    `combination` is that of the attributes of all devices that they are from.
    """

    fingerprint: bytes
    id: bytes
    size: int
    rows: bytes
    combination: int = 0


class Damage(NamedTuple):
    """A stretch of a file that holds no readable frame."""

    offset: int
    size: int


def encode_batch(batch: Batch) -> bytes:
    """The bytes of a batch. Raises `ValueError` for one that the format cannot
    carry.
    """
    if len(batch.fingerprint) != FINGERPRINT_SIZE or len(batch.id) != ID_SIZE:
        raise ValueError(
            "expected a fingerprint and an id of 16 bytes, got "
            f"{len(batch.fingerprint)}, {len(batch.id)}"
        )
    if (
        not 0 < batch.size <= MOST_REPORTS
        or not batch.rows
        or len(batch.rows) % batch.size
    ):
        raise ValueError(
            f"expected 1 to {MOST_REPORTS} rows of one width, got {len(batch.rows)} "
            f"bytes for {batch.size}"
        )
    if not 0 <= batch.combination < MOST_COMBINATIONS:
        raise ValueError(
            f"expected a combination from 0 to {MOST_COMBINATIONS - 1}, got "
            f"{batch.combination}"
        )
    # What says nothing has the bytes that it had before there were attributes.
    parts = (
        (FORMAT_WITH_ATTRIBUTES, *batch) if batch.combination else (FORMAT, *batch[:-1])
    )
    payload: bytes = msgpack.packb(parts)
    if len(payload) > MOST_PAYLOAD:
        raise ValueError(
            f"expected at most {MOST_PAYLOAD} bytes in a batch, got {len(payload)}"
        )
    return payload


def decode_batch(payload: bytes) -> Batch:
    """The batch that a payload holds. Raises `WireError`."""
    # What nearly all batches of one look like, byte by byte, is read without a parser.
    if (
        payload[:4] == _PLAIN
        and payload[20:22] == _BYTES
        and len(payload) > _PLAIN_SIZE
        and 0 < (count := payload[38]) < 0x80
        and payload[39] == 0xC4
        and payload[40] == len(payload) - _PLAIN_SIZE
        and not payload[40] % count
    ):
        return Batch(payload[4:20], payload[22:38], count, rows=payload[_PLAIN_SIZE:])
    return _decode_any(payload)


def _decode_any(payload: bytes) -> Batch:
    """Decode any payload by way of msgpack."""
    length = _BEGINNINGS.get(bytes(payload[:2]))
    if length is None:
        # A short array whose first part is a small number, and another than ours.
        if bytes(payload[:2]) == _SEALED:
            raise WireError(
                "sealed", "expected an open report, got one that is sealed for a relay"
            )
        is_array = len(payload) > 1 and payload[0] & 0xF0 == 0x90
        if is_array and payload[1] < 0x80 and payload[1] != FORMAT:
            raise WireError(
                "format-version", f"expected format version {FORMAT}, got {payload[1]}"
            )
        raise WireError(
            "not-a-batch",
            f"expected an array of five parts, the first of them {FORMAT}",
        )
    if len(payload) > MOST_PAYLOAD:
        raise WireError(
            "not-a-batch", f"expected at most {MOST_PAYLOAD} bytes, got {len(payload)}"
        )
    try:
        # The hook sees an array inside another one first, and refuses it there: nothing
        # nested is ever built.
        batch: Batch = msgpack.unpackb(
            payload,
            list_hook=_batch,
            max_array_len=length,
            max_map_len=0,
            max_ext_len=0,
            max_str_len=0,
        )
    except WireError:
        raise
    except (ValueError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise WireError(
            "not-a-batch", f"expected one msgpack value, got {type(error).__name__}"
        ) from None
    return batch


def _batch(parts: list[Any]) -> Batch:
    combination = None
    if len(parts) == 6:
        combination = parts.pop()
    if (
        len(parts) != 5
        or type(parts[3]) is not int
        or not type(parts[1]) is type(parts[2]) is type(parts[4]) is bytes
    ):
        raise WireError(
            "not-a-batch", "expected [version, fingerprint, id, count, rows]"
        )
    if combination is not None and not _is_combination(combination):
        raise WireError(
            "not-a-batch",
            f"expected a combination from 1 to {MOST_COMBINATIONS - 1} at the end",
        )
    _, fingerprint, id_, count, rows = parts
    if (
        len(fingerprint) != FINGERPRINT_SIZE
        or len(id_) != ID_SIZE
        or not 0 < count <= MOST_REPORTS
    ):
        raise WireError(
            "not-a-batch",
            f"expected 16 bytes of fingerprint and id, 1 to {MOST_REPORTS} reports",
        )
    if not rows or len(rows) % count:
        raise WireError(
            "report-width", f"expected {count} rows of one width, got {len(rows)} bytes"
        )
    return Batch(fingerprint, id_, count, rows=rows, combination=combination or 0)


def _is_combination(part: object) -> bool:
    return type(part) is int and 0 < part < MOST_COMBINATIONS


def pack_array(parts: list[object]) -> bytes:
    """A msgpack array of bytes, small integers, strings and arrays."""
    packed: bytes = msgpack.packb(parts)
    return packed


def unpack_array(payload: bytes, most: int, reason: str) -> list[Any]:
    """The msgpack array that a payload of at most `most` bytes holds.

    Raises `WireError` with the given reason.
    """
    if len(payload) > most:
        raise WireError(reason, f"expected at most {most} bytes, got {len(payload)}")
    try:
        parts = msgpack.unpackb(payload, max_map_len=0, max_ext_len=0)
    except (ValueError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise WireError(
            reason, f"expected one msgpack value, got {type(error).__name__}"
        ) from None
    if type(parts) is not list:
        raise WireError(reason, f"expected an array, got {type(parts).__name__}")
    return parts


def encode_frame(payload: bytes, magic: bytes = REPORTS_MAGIC) -> bytes:
    """A payload as one frame of a file."""
    return _HEADER.pack(magic, len(payload), _checksum(payload)) + payload


class FrameReader:
    """Cuts a stream of bytes into the payloads of its frames, and `Damage` where there
    are none.

    Feed it chunks of any size: what it yields does not depend on how the stream is cut.
    It holds at most one frame and one chunk. Work is linear in the input: bytes hashed
    in vain, in search of the next sound frame, are paid for by those passed so far, and
    a header that claims more than is left of that is taken for damage.
    """

    def __init__(
        self, magic: bytes = REPORTS_MAGIC, most_payload: int = MOST_PAYLOAD
    ) -> None:
        self._magic = magic
        self._most = most_payload
        self._held: list[bytes] = []
        self._missing = 0
        self._offset = 0
        self._damaged = 0
        self._wasted = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | Damage]:
        """Everything that `chunk` completes."""
        self._held.append(chunk)
        self._missing -= len(chunk)
        if self._missing <= 0:
            return self._cut(at_end=False)
        return iter(())

    def close(self) -> Iterator[bytes | Damage]:
        """Yield the rest once the stream has ended."""
        yield from self._cut(at_end=True)
        yield from self._damage()

    def _cut(self, *, at_end: bool) -> Iterator[bytes | Damage]:
        buffer = b"".join(self._held)
        at, end = 0, len(buffer)
        size = _HEADER.size
        unpack, magic, most = _HEADER.unpack_from, self._magic, self._most
        self._missing = 0
        while end - at >= size:
            mark, length, checksum = unpack(buffer, at)
            affordable = self._wasted + length <= _EFFORT * (self._offset + most)
            if mark == magic and length <= most and affordable:
                stop = at + size + length
                if stop > end and not at_end:
                    self._missing = stop - end
                    break
                if stop <= end:
                    payload = buffer[at + size : stop]
                    if _checksum(payload) == checksum:
                        if self._damaged:
                            yield from self._damage()
                        yield payload
                        self._offset += stop - at
                        at = stop
                        continue
                    self._wasted += length
            # To the next magic, or as far as none can begin.
            next_magic = buffer.find(magic, at + 1)
            step = (next_magic if next_magic >= 0 else end - len(magic) + 1) - at
            self._damaged += step
            self._offset += step
            at += step
        if at_end:
            self._damaged += end - at
            self._offset += end - at
            at = end
        self._held = [buffer[at:]]

    def _damage(self) -> Iterator[Damage]:
        if self._damaged:
            yield Damage(self._offset - self._damaged, self._damaged)
            self._damaged = 0


def read_frames(data: bytes) -> list[bytes | Damage]:
    """Return the content of a whole file or upload, as a `FrameReader` gives it.

    But sooner where there is no damage.
    """
    payloads: list[bytes | Damage] = []
    at, end = 0, len(data)
    size = _HEADER.size
    while end - at >= size:
        mark, length, checksum = _HEADER.unpack_from(data, at)
        payload = data[at + size : at + size + length]
        if mark != REPORTS_MAGIC or len(payload) != length or length > MOST_PAYLOAD:
            break
        if _checksum(payload) != checksum:
            break
        payloads.append(payload)
        at += size + length
    if at == end:
        return payloads
    reader, payloads = FrameReader(), []
    # In parts, since other threads may wait for a search that is one step to the
    # interpreter.
    for start in range(0, end, _STEP):
        payloads += reader.feed(data[start : start + _STEP])
    return [*payloads, *reader.close()]


def _checksum(payload: bytes) -> int:
    return xxh64_intdigest(payload, len(payload))
