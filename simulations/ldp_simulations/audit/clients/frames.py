"""Bytes that left a client, as reports: every frame is checked, whole and to the last
byte.

Many frames one after the other are alike but for checksum, id and row, and are read at
once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from xxhash import xxh64_intdigest

from ldp.errors import LDPError, WireError
from ldp.numbers.epochs import ID_SIZE
from ldp.survey.survey import Envelope
from ldp.wire.wire import REPORTS_MAGIC, decode_batch, encode_batch
from ldp_aggregator.numerics.arrays import Integers, Rows
from ldp_aggregator.tallies.counting.counting import faults

_HEAD = 16
_ID_AT = _HEAD + 22
_BEFORE_ID = slice(_HEAD, _ID_AT)


class FramesError(LDPError):
    """Output of a client that is no sequence of frames of reports to the survey."""


class Left(NamedTuple):
    """Reports of one envelope, (reports, width), and the ids of their batches."""

    rows: Rows
    ids: Rows
    """(batches, 16)."""
    starts: Integers
    """At which byte each batch's frame began, (batches,)."""


def read_left(data: bytes, envelopes: Mapping[bytes, Envelope]) -> dict[bytes, Left]:
    """Read the reports, by fingerprint, in their order. Raises `FramesError`."""
    rows: dict[bytes, list[Rows]] = {}
    ids: dict[bytes, list[Rows]] = {}
    starts: dict[bytes, list[Integers]] = {}
    at = 0
    while at < len(data):
        fingerprint, part, of_batches, end = _alike(data, at, envelopes)
        rows.setdefault(fingerprint, []).append(part)
        ids.setdefault(fingerprint, []).append(of_batches)
        at_bytes = np.linspace(at, end, len(of_batches), endpoint=False, dtype=np.int64)
        starts.setdefault(fingerprint, []).append(at_bytes)
        at = end
    return {
        fingerprint: Left(
            np.concatenate(parts),
            np.concatenate(ids[fingerprint]),
            np.concatenate(starts[fingerprint]),
        )
        for fingerprint, parts in rows.items()
    }


def _alike(
    data: bytes, at: int, envelopes: Mapping[bytes, Envelope]
) -> tuple[bytes, Rows, Rows, int]:
    """The frames from a place on that are like the first, and where they end."""
    length = _HEAD + int.from_bytes(data[at + 4 : at + 8], "little")
    payload = data[at + _HEAD : at + length]
    if data[at : at + 4] != REPORTS_MAGIC or len(payload) != length - _HEAD:
        raise FramesError(
            "expected frames of reports from first byte to last, got something else at "
            f"byte {at:,}"
        )
    try:
        batch = decode_batch(payload)
    except WireError as error:
        raise FramesError(f"expected batches in frames, got {error}") from None
    envelope = envelopes.get(batch.fingerprint)
    if envelope is None:
        raise FramesError(
            "expected reports to the survey's questions, got another fingerprint"
        )
    if len(batch.rows) != batch.size * envelope.width:
        raise FramesError(
            f"{envelope.name}: expected reports of {envelope.width} bytes, got "
            f"{batch.size} in {len(batch.rows)}"
        )
    if batch.combination or encode_batch(batch) != payload:
        raise FramesError(
            f"{envelope.name}: expected a batch in its one encoding that says nothing "
            "of its device, got another"
        )
    behind_id = slice(_ID_AT + ID_SIZE, length - len(batch.rows))
    block = np.frombuffer(data, np.uint8, (len(data) - at) // length * length, at)
    # shape: frames, bytes
    frames = block.reshape(-1, length)
    same = np.ones(len(frames), dtype=bool)
    for constant in (slice(0, 8), _BEFORE_ID, behind_id):
        same &= (frames[:, constant] == frames[0, constant]).all(axis=1)
    count = len(frames) if same.all() else int(np.argmin(same))
    frames = frames[:count]
    _check_sums(data, at, length, count=count)
    rows = np.ascontiguousarray(frames[:, length - len(batch.rows) :]).reshape(
        -1, envelope.width
    )
    _check_rows(envelope, rows)
    return (
        batch.fingerprint,
        rows,
        frames[:, _ID_AT : _ID_AT + ID_SIZE],
        at + count * length,
    )


def _check_sums(data: bytes, at: int, length: int, count: int) -> None:
    view = memoryview(data)
    for start in range(at, at + count * length, length):
        stated = int.from_bytes(view[start + 8 : start + _HEAD], "little")
        if (
            xxh64_intdigest(view[start + _HEAD : start + length], length - _HEAD)
            != stated
        ):
            raise FramesError(
                f"expected a frame with its checksum, got another at byte {start:,}"
            )


def _check_rows(envelope: Envelope, rows: Rows) -> None:
    start = 0
    for question in envelope.members:
        wrong = faults(rows[:, start : start + question.width], question.layout)
        if wrong:
            reasons = ", ".join(reason for reason, _ in wrong)
            raise FramesError(
                f"{question.name}: expected reports that fit their layout, got "
                f"{reasons}"
            )
        start += question.width
