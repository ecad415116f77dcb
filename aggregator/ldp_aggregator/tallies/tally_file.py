"""Snapshot files: a tally as bytes, without loss, and refused whole if anything is
wrong.

One frame (docs/wire.md) of magic LDPT, with its checksum, around a msgpack array:
    [1,
     survey name,
     [[question or group, fingerprint, rows, columns, counts as little-endian int64], ...],
     [[outcome, count as 8 little-endian bytes], ...]]

Of a survey with attributes the format is 2, and there is a fifth part, the counts by
combination, those of each question or group that carries attributes
(`survey.attributes`) adding up to its own:
     [[question or group, combination, counts], ...]

Of a tally that has an identity (`ldp_aggregator.tallies.identity`) the format is 3, or
4 with attributes, and there is a last part:
     [check of the key, hashes as big-endian uint64, [[store, start, end], ...]]

Of a tally that knows epochs of memoized questions 4 is added to the format, and there
is a part behind all others:
     [[question, [[epoch, reports as 8 little-endian bytes], ...]], ...]
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ldp.errors import WireError
from ldp.survey.attributes import size_of
from ldp.survey.survey import Survey
from ldp.wire.wire import (
    REASONS,
    TALLY_MAGIC,
    FrameReader,
    encode_frame,
    pack_array,
    unpack_array,
)
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.identity import (
    CHECK_SIZE,
    HASH_SIZE,
    SIZE,
    STORE_SIZE,
    Identity,
    Origin,
)
from ldp_aggregator.tallies.tally import (
    ACCEPTED,
    DUPLICATE,
    LARGEST_SUM,
    MOST_EPOCHS,
    Intake,
    Tally,
    attributes_of,
    check_same,
)

FORMAT, FORMAT_WITH_ATTRIBUTES = 1, 2
WITH_IDENTITY = 2
"""What is added to a format if there is an identity."""
WITH_EPOCHS = 4
"""What is added to it if there are reports by epoch."""
_FORMATS = range(1, 9)
_TIME_SIZE = 8
MOST_SNAPSHOT = 1 << 30
_REASON = "snapshot-damaged"


def encode_tally(tally: Tally) -> bytes:
    """The bytes of a snapshot: equal tallies give equal bytes.

    >>> import ldp, ldp_aggregator, ldp_simulations
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> reports = ldp_simulations.randomize(survey, {"mode": ["car", "bus"] * 500})
    >>> tally = ldp_aggregator.aggregate(survey, reports)
    >>> data = ldp_aggregator.encode_tally(tally)
    >>> ldp_aggregator.encode_tally(ldp_aggregator.decode_tally(data, survey)) == data
    True
    """
    return encode_frame(_payload(tally, tally.survey.name), TALLY_MAGIC)


def _payload(tally: Tally, survey_name: str) -> bytes:
    questions: list[object] = []
    for envelope in sorted(
        tally.survey.tally_parts, key=lambda envelope: envelope.name
    ):
        counts = tally.counts[envelope.name]
        content = counts.astype("<i8").tobytes()
        questions.append([envelope.name, envelope.fingerprint, *counts.shape, content])
    outcomes = [
        [name, count.to_bytes(8, "little")]
        for name, count in sorted(tally.intake.outcomes.items())
        if count
    ]
    content_parts: list[object] = [_format(tally), survey_name, questions, outcomes]
    if tally.survey.attributes:
        combinations: list[object] = [
            [name, number, counts.astype("<i8").tobytes()]
            for name, by_number in sorted(tally.combinations.items())
            for number, counts in sorted(by_number.items())
        ]
        content_parts.append(combinations)
    if tally.identity != Identity():
        content_parts.append(_packed_identity(tally.identity))
    if tally.epochs:
        content_parts.append(_packed_epochs(tally))
    return pack_array(content_parts)


def _format(tally: Tally) -> int:
    number = FORMAT_WITH_ATTRIBUTES if tally.survey.attributes else FORMAT
    number += WITH_IDENTITY if tally.identity != Identity() else 0
    return number + (WITH_EPOCHS if tally.epochs else 0)


def _packed_epochs(tally: Tally) -> list[object]:
    return [
        [
            name,
            [
                [number, count.to_bytes(8, "little")]
                for number, count in sorted(counts.items())
            ],
        ]
        for name, counts in sorted(tally.epochs.items())
    ]


def _packed_identity(identity: Identity) -> list[object]:
    hashes = b"".join(hash_.to_bytes(HASH_SIZE, "big") for hash_ in identity.hashes)
    origins: list[object] = [
        [store, start.to_bytes(_TIME_SIZE, "big"), end.to_bytes(_TIME_SIZE, "big")]
        for store, start, end in identity.origins
    ]
    return [identity.check, hashes, origins]


def decode_tally(data: bytes, survey: Survey) -> Tally:
    """The tally of a snapshot of this survey.

    Raises `WireError` if the bytes are damaged, `MismatchError` if they count other
    questions or parameters.

    `encode_tally` has an example.
    """
    reader = FrameReader(TALLY_MAGIC, MOST_SNAPSHOT)
    frames = [*reader.feed(data), *reader.close()]
    if len(frames) != 1 or not isinstance(frames[0], bytes):
        raise WireError(_REASON, "expected one whole frame that matches its checksum")
    try:
        version, *content_parts = unpack_array(frames[0], MOST_SNAPSHOT, _REASON)
        own_format = FORMAT_WITH_ATTRIBUTES if survey.attributes else FORMAT
        added = version - own_format
        if added not in (0, WITH_IDENTITY, WITH_EPOCHS, WITH_IDENTITY + WITH_EPOCHS):
            # Those of one survey are with attributes or without: this one is of
            # another.
            _refuse_other(content_parts, survey, version)
        epochs = {}
        if added >= WITH_EPOCHS:
            epochs = _epochs(content_parts.pop(), survey)
        identity = Identity()
        if added % WITH_EPOCHS:
            identity = _identity(content_parts.pop())
        name_then, questions, outcomes, *by_combination = content_parts
        parts = {
            name: (fingerprint, shape, content)
            for name, fingerprint, *shape, content in _list(questions)
        }
        theirs = {name: fingerprint for name, (fingerprint, _, _) in parts.items()}
        check_same(survey, theirs, str(name_then))
        counts = {}
        empty = Tally.empty(survey).counts
        for name, (_, shape, content) in parts.items():
            counts[name] = _counts(content, empty[name])
            expected = empty[name].shape
            if tuple(shape) != expected:
                raise WireError(
                    _REASON, f"expected counts of shape {expected}, got {tuple(shape)}"
                )
        combinations = _combinations(by_combination, survey, counts)
        intake = Counter(
            {name: int.from_bytes(count, "little") for name, count in _list(outcomes)}
        )
        if not intake.keys() <= {ACCEPTED, DUPLICATE, *REASONS}:
            raise WireError(_REASON, "expected known outcomes of intake")
        tally = Tally(
            survey,
            counts,
            Intake(intake),
            combinations=combinations,
            identity=identity,
            epochs=epochs,
        )
        # A tally has one encoding. What differs from it (a part twice, true for 1) was
        # not written by `encode_tally`.
        if _payload(tally, str(name_then)) != frames[0]:
            raise WireError(
                _REASON,
                "expected a snapshot as it is written, got another encoding of one",
            )
    except (TypeError, AttributeError, OverflowError) as error:
        raise WireError(
            _REASON, f"expected the parts of a snapshot, got {type(error).__name__}"
        ) from None
    except ValueError as error:
        if isinstance(error, WireError) or type(error) is not ValueError:
            raise
        raise WireError(
            _REASON, f"expected the parts of a snapshot, got {error}"
        ) from None
    return tally


def _counts(content: bytes, empty: Counts) -> Counts:
    flat = np.frombuffer(content, dtype="<i8").astype(np.int64)
    if flat.size != empty.size or flat.min() < 0:
        raise WireError(
            _REASON,
            f"expected counts of shape {empty.shape}, got {flat.size:,} numbers",
        )
    if flat.sum(dtype=float) >= LARGEST_SUM:
        raise WireError(_REASON, "expected counts below 2^62 in all, got more")
    return flat.reshape(empty.shape)


def _identity(content: object) -> Identity:
    """Read the identity of a tally, of the sizes that it may have."""
    check, hashes, origins = _list(content)
    if len(check) not in (0, CHECK_SIZE) or len(hashes) > SIZE * HASH_SIZE:
        raise WireError(_REASON, f"expected an identity of at most {SIZE} hashes")
    if bool(check) != bool(hashes) or len(hashes) % HASH_SIZE:
        raise WireError(_REASON, "expected hashes of 8 bytes, under a key")
    places = range(0, len(hashes), HASH_SIZE)
    numbers = [
        int.from_bytes(hashes[place : place + HASH_SIZE], "big") for place in places
    ]
    intervals = []
    for store, *interval in _list(origins):
        start, end = (int.from_bytes(second, "big") for second in interval)
        if len(store) != STORE_SIZE or start >= end:
            raise WireError(
                _REASON, "expected stores with the times of which they count"
            )
        intervals.append(Origin(store, start, end))
    # As they are written, whatever is here: what is written otherwise is refused below.
    return Identity(tuple(numbers), check, tuple(intervals)).join(Identity())


def _epochs(content: object, survey: Survey) -> dict[str, Counter[int]]:
    """Read how many reports of each epoch there are, by memoized question."""
    known = {question.name for question in survey if question.memoizes}
    epochs = {
        name: Counter(
            {number: int.from_bytes(count, "little") for number, count in _list(counts)}
        )
        for name, counts in _list(content)
    }
    for name, counts in epochs.items():
        if name not in known or not all(0 <= number < MOST_EPOCHS for number in counts):
            raise WireError(_REASON, "expected epochs of the memoized questions")
    return epochs


def _combinations(
    content_parts: list[Any], survey: Survey, counts: dict[str, Counts]
) -> dict[str, dict[int, Counts]]:
    """The counts by combination, if the survey has any, which add up to all counts."""
    by_name: dict[str, dict[int, Counts]] = {}
    for name, number, content in _list(content_parts[0]) if content_parts else ():
        if name not in counts or not 0 <= int(number) < size_of(
            attributes_of(survey, name)
        ):
            raise WireError(_REASON, "expected combinations of the survey's attributes")
        by_name.setdefault(name, {})[number] = _counts(content, counts[name])
    for name, total in counts.items():
        apart = list(by_name.get(name, {}).values())
        if attributes_of(survey, name) and not np.array_equal(
            sum(apart, 0 * total), total
        ):
            raise WireError(
                _REASON, "expected counts by combination that add up to all of them"
            )
    return by_name


def _refuse_other(content_parts: list[Any], survey: Survey, version: object) -> None:
    """Raise the error of a snapshot of another format than this survey's tallies
    have.
    """
    if version in _FORMATS and len(content_parts) > 1 and content_parts[1]:
        theirs = {
            name: fingerprint for name, fingerprint, *_ in _list(content_parts[1])
        }
        check_same(survey, theirs, str(content_parts[0]))
    raise WireError(
        "format-version",
        f"expected a snapshot of format 1 to {_FORMATS[-1]}, got {version!r}",
    )


def _list(part: object) -> list[Any]:
    if not isinstance(part, list):
        raise TypeError("expected a list")
    return part
