"""Batches on the wire: what is sent comes back, and nothing else is a batch."""

import tracemalloc

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import ROOT
from wire_samples import BATCHES, stream

from ldp.errors import WireError
from ldp.wire.wire import (
    FORMAT,
    MOST_PAYLOAD,
    MOST_REPORTS,
    REASONS,
    Batch,
    decode_batch,
    encode_batch,
    pack_array,
    unpack_array,
)

GOOD = BATCHES["symbol"]
NAMES = st.binary(min_size=16, max_size=16)


@st.composite
def sound_batches(draw):
    width, size = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    return Batch(
        draw(NAMES),
        draw(NAMES),
        size,
        rows=draw(st.binary(min_size=width * size, max_size=width * size)),
    )


def reason_of(payload):
    with pytest.raises(WireError) as caught:
        decode_batch(payload)
    return caught.value.reason


@given(sound_batches())
def test_a_batch_comes_back_as_it_was(batch):
    """Decoding is the inverse of encoding."""
    assert decode_batch(encode_batch(batch)) == batch


@pytest.mark.parametrize("size", [1, 127, 128, 255, 256, 65535, 65536, MOST_REPORTS])
def test_every_size_class_comes_back(size):
    """Counts and rows survive at both ends of each of msgpack's integer and length
    encodings.
    """
    batch = GOOD._replace(size=size, rows=stream("rows", size))
    assert decode_batch(encode_batch(batch)) == batch


@pytest.mark.parametrize(
    "changes",
    [
        {"fingerprint": bytes(15)},
        {"fingerprint": bytes(17)},
        {"id": b""},
        {"size": 0},
        {"size": -3},
        {"size": 2},
        {"rows": b""},
        {"size": MOST_REPORTS + 1, "rows": bytes(MOST_REPORTS + 1)},
        {"size": 1, "rows": bytes(MOST_PAYLOAD)},
    ],
    ids=range(9),
)
def test_what_cannot_be_decoded_is_not_encoded(changes):
    """A batch beyond the format's limits is its sender's mistake, refused before it is
    sent.
    """
    with pytest.raises(ValueError, match="expected"):
        encode_batch(GOOD._replace(**changes))


def test_the_largest_batch_comes_back():
    """The limit on payloads is inclusive."""
    overhead = len(encode_batch(GOOD._replace(size=1, rows=bytes(1 << 16)))) - (1 << 16)
    batch = GOOD._replace(size=1, rows=bytes(MOST_PAYLOAD - overhead))
    assert len(encode_batch(batch)) == MOST_PAYLOAD
    assert decode_batch(encode_batch(batch)) == batch
    assert reason_of(encode_batch(batch) + b"\x00") == "not-a-batch"


PARTS = [FORMAT, *GOOD[:4]]
ALIENS = {
    "nil": None,
    "boolean": True,
    "float": 1.0,
    "text": "x" * 16,
    "map": {},
    "map-with-content": {"a": 1},
    "array": [],
    "array-of-bytes": [b"x" * 16],
    "array-of-reports": [1, 2, 3],
    "batch": PARTS,
    "extension": msgpack.ExtType(5, b"x" * 16),
    "empty-extension": msgpack.ExtType(5, b""),
    "timestamp": msgpack.Timestamp(1),
    "2^64-1": (1 << 64) - 1,
    "-2^63": -(1 << 63),
}


@pytest.mark.parametrize("alien", ALIENS)
@pytest.mark.parametrize("place", range(5))
def test_every_part_has_one_type(place, alien):
    """Nothing but an integer is an integer, and nothing but bytes are bytes, in a
    batch.
    """
    parts = list(PARTS)
    parts[place] = ALIENS[alien]
    assert reason_of(msgpack.packb(parts)) == "not-a-batch"


@pytest.mark.parametrize("alien", ALIENS)
def test_a_batch_is_an_array(alien):
    """No other msgpack value is a batch, nor an array that holds one."""
    if alien != "batch":
        assert reason_of(msgpack.packb(ALIENS[alien])) == "not-a-batch"
    assert reason_of(msgpack.packb([ALIENS[alien]])) == "not-a-batch"


@pytest.mark.parametrize(
    "rest", [PARTS[1:], [], [[], {"a": 1.5}]], ids=["same", "nothing", "else"]
)
def test_other_versions_say_so(rest):
    """Whatever follows another version's number, the reason is the version."""
    for version in (0, *range(2, 128)):
        assert reason_of(msgpack.packb([version, *rest])) == "format-version"


HUGE = (0xFFFFFFFF).to_bytes(4, "big")
FRONT = msgpack.packb(PARTS[:-1])[1:]


@pytest.mark.parametrize(
    "payload",
    [
        b"\xdd" + HUGE,
        b"\xdf" + HUGE,
        b"\xc6" + HUGE,
        b"\xdb" + HUGE,
        b"\xc9" + HUGE + b"\x01",
        *(
            b"\x95" + FRONT + header + HUGE
            for header in (b"\xc6", b"\xdb", b"\xdd", b"\xdf", b"\xc9")
        ),
        b"\x91" * (1 << 20),
        b"\x95\x01" * (1 << 20),
        b"\x95\x01" + b"\x95\x90\x90\x90\x90\x90" * (1 << 20),
        b"\x95" + FRONT + b"\xdd\x00\x40\x00\x00" + b"\x90" * (1 << 22),
        b"\x95"
        + FRONT
        + b"\xdb\x00\x40\x00\x00"
        + b"a" * ((1 << 22) - 4)
        + "\N{HAMMER}\x01".encode(),
    ],
    ids=range(15),
)
def test_declared_sizes_are_not_believed(payload):
    """Lengths that lie and arrays in arrays are refused within a few times the
    payload's size.
    """
    tracemalloc.start()
    try:
        assert reason_of(payload) == "not-a-batch"
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 2 * len(payload) + (1 << 17)


@given(sound_batches(), st.data())
def test_a_batch_is_exactly_its_bytes(batch, data):
    """Every proper prefix of a batch, and a batch with anything after it, is
    refused.
    """
    payload = encode_batch(batch)
    cut = data.draw(st.integers(0, len(payload) - 1))
    assert reason_of(payload[:cut]) == "not-a-batch"
    assert (
        reason_of(payload + data.draw(st.binary(min_size=1, max_size=9)))
        == "not-a-batch"
    )


def test_every_reason_is_specified():
    """The table of reasons in docs/wire.md is the one that the code uses."""
    page = (ROOT / "docs" / "wire.md").read_text(encoding="utf-8")
    table = page.partition("## Reasons for rejection")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{reason}` | {meaning} |" for reason, meaning in REASONS.items()
    ]


@pytest.mark.parametrize("part", [{1: 2}, {"a": 1}, msgpack.ExtType(1, b"a")], ids=str)
def test_arrays_hold_neither_maps_nor_extensions(part):
    """What other languages disagree on is refused, however small."""
    with pytest.raises(WireError, match="expected one msgpack value"):
        unpack_array(msgpack.packb([part]), 100, "not-a-batch")


def test_arrays_may_be_as_long_as_was_said():
    """A limit is inclusive."""
    payload = pack_array([b"x" * 10])
    assert unpack_array(payload, len(payload), "not-a-batch") == [b"x" * 10]
    with pytest.raises(WireError, match=f"expected at most {len(payload) - 1} bytes"):
        unpack_array(payload, len(payload) - 1, "not-a-batch")


def test_an_unknown_version_is_named():
    """So that readers of the message know what to update."""
    with pytest.raises(WireError, match=f"expected format version {FORMAT}, got 7"):
        decode_batch(bytes((0x95, 7)))


def test_the_limits_of_the_specification():
    """What devices in the field rely on: the version, 2^24 bytes and 2^20 reports in a
    batch.
    """
    assert (FORMAT, MOST_PAYLOAD, MOST_REPORTS) == (1, 1 << 24, 1 << 20)


@pytest.mark.parametrize(
    ("count", "rows", "reason"),
    [
        (3, b"1234", "report-width"),
        (1, b"", "report-width"),
        (4, b"123", "report-width"),
        (1, bytes(MOST_PAYLOAD), "not-a-batch"),
        (True, b"1", "not-a-batch"),
        (0, b"1", "not-a-batch"),
        (MOST_REPORTS + 1, bytes(MOST_REPORTS + 1), "not-a-batch"),
    ],
    ids=range(7),
)
def test_batches_that_are_none(count, rows, reason):
    """Rows of several widths, or none, or more than the format allows."""
    payload = msgpack.packb((FORMAT, bytes(16), bytes(16), count, rows))
    assert reason_of(payload) == reason
