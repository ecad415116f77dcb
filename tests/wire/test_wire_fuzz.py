"""Fuzzing: whatever the bytes, a parser gives its result or its typed rejection."""

import random
from contextlib import suppress

import pytest
from bad_bytes import BAD_FILES, BAD_PAYLOADS
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_samples import BATCHES, GROUPED, GROUPS, SURVEY, file_of, taken

from ldp.errors import MismatchError, WireError
from ldp.wire.wire import (
    FORMAT,
    FORMAT_WITH_ATTRIBUTES,
    REASONS,
    TALLY_MAGIC,
    Batch,
    Damage,
    FrameReader,
    _decode_any,
    decode_batch,
    encode_batch,
    encode_frame,
)
from ldp_aggregator import Tally, decode_tally, encode_tally

SNAPSHOT = encode_tally(taken(file_of(*BATCHES.values())))
GROUPED_SNAPSHOT = encode_tally(taken(file_of(*GROUPS), survey=GROUPED))
PAYLOADS = (
    *(encode_batch(batch) for batch in (*BATCHES.values(), *GROUPS)),
    *(payload for _, payload in BAD_PAYLOADS.values()),
)
FILES = (
    file_of(*BATCHES.values()),
    file_of(*GROUPS),
    *BAD_FILES.values(),
    *(encode_frame(payload) for payload in PAYLOADS),
)
TELLING = (
    b"\x00\x01\x7f\x80\x8f\x90\x91\x95\xc0\xc1\xc2\xc4\xc6\xc7"
    b"\xca\xcb\xd9\xdb\xdc\xdd\xde\xdf\xff"
)
"""Bytes with a meaning in msgpack, or at the edge of one."""


def as_batch(data):
    try:
        batch = decode_batch(data)
        assert type(batch) is Batch
    except WireError as error:
        assert error.reason in REASONS  # noqa: PT017 (both outcomes are right)
        return
    # What is read byte by byte is what the parser reads.
    assert batch == _decode_any(data)


def as_frames(data):
    reader = FrameReader()
    parts = [*reader.feed(data), *reader.close()]
    lengths = [
        part.size if isinstance(part, Damage) else 16 + len(part) for part in parts
    ]
    assert sum(lengths) == len(data)


def as_reports(data):
    """As a file of its own, and as the payload of a sound frame."""
    for file in (data, encode_frame(data)):
        intake = taken(file).intake
        assert intake.received == intake.accepted + intake.duplicate + sum(
            intake.rejected.values()
        )
        assert intake.received == sum(intake.outcomes.values())


def as_groups(data):
    """The same for reports that carry an attribute: what is counted adds up by
    combination.
    """
    tally = taken(encode_frame(data), survey=GROUPED)
    assert tally.intake.received == sum(tally.intake.outcomes.values()) == 1
    assert set(tally.combinations.get("mode", {})) <= {0, 1, 2}
    counted = sum(int(counts.sum()) for counts in tally.groups("mode").values())
    assert counted == tally.reports("mode")


def as_snapshot(data):
    """As a file of its own, and as the payload of a sound frame; of either survey."""
    for file in (data, encode_frame(data, TALLY_MAGIC)):
        for survey in (SURVEY, GROUPED):
            with suppress(WireError, MismatchError):
                assert type(decode_tally(file, survey)) is Tally


PARSERS = {
    as_batch: PAYLOADS,
    as_frames: FILES,
    as_reports: PAYLOADS + FILES,
    as_groups: tuple(map(encode_batch, GROUPS)),
    as_snapshot: (SNAPSHOT, SNAPSHOT[16:], GROUPED_SNAPSHOT, GROUPED_SNAPSHOT[16:]),
}
"""Each parser, with what to mutate for it."""


def mutated(seeds, draw):
    """A seed after one to four small changes, or bytes without any plan."""
    if draw.random() < 0.1:
        return draw.randbytes(draw.randrange(200))
    data = bytearray(draw.choice(seeds))
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(data) + 1)
        end = min(len(data), start + draw.choice((0, 1, 1, 1, 2, 4, 40)))
        piece = draw.choice(
            (
                bytes([draw.choice(TELLING)]),
                draw.randbytes(draw.randrange(5)),
                b"",
                b"\xff" * 4,
            )
        )
        data[start:end] = draw.choice((piece, piece, draw.choice(seeds)[start:end]))
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("parser", PARSERS)
def test_mutated_bytes(parser, seed):
    """4,000 mutants for each parser and seed, 80,000 in all: a result or a typed
    rejection.
    """
    draw = random.Random(seed)
    for _ in range(4_000):
        parser(mutated(PARSERS[parser], draw))


def test_sound_seeds_are_counted():
    """Of both formats: a mutant is near to something that counts."""
    assert taken(file_of(*BATCHES.values())).intake.accepted == len(BATCHES)
    tally = taken(file_of(*GROUPS), survey=GROUPED)
    assert tally.intake.accepted == len(GROUPS)
    assert len(tally.groups("mode")) == 3
    assert [encode_batch(batch)[1] for batch in GROUPS] == [
        FORMAT,
        *2 * [FORMAT_WITH_ATTRIBUTES],
    ]


@settings(max_examples=300)
@given(st.binary(max_size=300) | st.sampled_from(PAYLOADS + FILES))
def test_arbitrary_bytes(data):
    """What hypothesis thinks of: a result or a typed rejection from every parser."""
    for parser in PARSERS:
        parser(data)
