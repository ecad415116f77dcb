"""Snapshot files: a tally as bytes, without loss, and refused whole if anything is wrong.

One frame (docs/wire.md) of magic LDPT, with its checksum, around a msgpack array:
    [1,
     survey name,
     [[question or group, fingerprint, rows, columns, counts as little-endian int64], ...],
     [[outcome, count as 8 little-endian bytes], ...]]
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ldp.errors import WireError
from ldp.survey import Survey
from ldp.wire import REASONS, TALLY_MAGIC, FrameReader, encode_frame, pack_array, unpack_array
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE, Intake, Tally, check_same

FORMAT = 1
MOST_SNAPSHOT = 1 << 30
_REASON = "snapshot-damaged"


def encode_tally(tally: Tally) -> bytes:
    """The bytes of a snapshot: equal tallies give equal bytes."""
    return encode_frame(_payload(tally, tally.survey.name), TALLY_MAGIC)


def _payload(tally: Tally, survey_name: str) -> bytes:
    questions: list[object] = []
    for envelope in sorted(tally.survey.tallied, key=lambda envelope: envelope.name):
        counts = tally.counts[envelope.name]
        content = counts.astype("<i8").tobytes()
        questions.append([envelope.name, envelope.fingerprint, *counts.shape, content])
    outcomes = [
        [name, count.to_bytes(8, "little")]
        for name, count in sorted(tally.intake.outcomes.items())
        if count
    ]
    return pack_array([FORMAT, survey_name, questions, outcomes])


def decode_tally(data: bytes, survey: Survey) -> Tally:
    """The tally of a snapshot of this survey.

    Raises `WireError` if the bytes are damaged, `MismatchError` if they count other questions or
    parameters.
    """
    reader = FrameReader(TALLY_MAGIC, MOST_SNAPSHOT)
    frames = [*reader.feed(data), *reader.close()]
    if len(frames) != 1 or not isinstance(frames[0], bytes):
        raise WireError(_REASON, "expected one whole frame that matches its checksum")
    try:
        version, name_then, questions, outcomes = unpack_array(frames[0], MOST_SNAPSHOT, _REASON)
        if version != FORMAT:
            raise WireError(
                "format-version", f"expected a snapshot of format {FORMAT}, got {version!r}"
            )
        parts = {
            name: (fingerprint, shape, content)
            for name, fingerprint, *shape, content in _list(questions)
        }
        check_same(survey, {name: fingerprint for name, (fingerprint, _, _) in parts.items()})
        counts = {}
        empty = Tally.empty(survey).counts
        for name, (_, shape, content) in parts.items():
            expected = empty[name].shape
            flat = np.frombuffer(content, dtype="<i8").astype(np.int64)
            if tuple(shape) != expected or flat.min() < 0:
                raise WireError(_REASON, f"expected counts of shape {expected}, got {tuple(shape)}")
            counts[name] = flat.reshape(expected)
        intake = Counter({name: int.from_bytes(count, "little") for name, count in _list(outcomes)})
        if not intake.keys() <= {ACCEPTED, DUPLICATE, *REASONS}:
            raise WireError(_REASON, "expected known outcomes of intake")
        tally = Tally(survey, counts, Intake(intake))
        # A tally has one encoding. What differs from it (a part twice, true for 1) was not written
        # by `encode_tally`.
        if _payload(tally, str(name_then)) != frames[0]:
            raise WireError(
                _REASON, "expected a snapshot as it is written, got another encoding of one"
            )
    except (TypeError, AttributeError, OverflowError) as error:
        raise WireError(
            _REASON, f"expected the parts of a snapshot, got {type(error).__name__}"
        ) from None
    except ValueError as error:
        if isinstance(error, WireError) or type(error) is not ValueError:
            raise
        raise WireError(_REASON, f"expected the parts of a snapshot, got {error}") from None
    return tally


def _list(part: object) -> list[Any]:
    if not isinstance(part, list):
        raise TypeError("expected a list")
    return part
