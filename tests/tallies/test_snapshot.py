"""Snapshots: a tally as bytes, without loss, and refused whole if anything is wrong."""

from collections import Counter

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_samples import BATCHES, SURVEY, TEXT, file_of, taken

from ldp import MismatchError, WireError, parse_survey
from ldp.wire.wire import REASONS, TALLY_MAGIC, encode_frame
from ldp_aggregator import Intake, Tally, decode_tally, encode_tally

SMALL = parse_survey(TEXT[: TEXT.index("[[question]]", TEXT.index("[[question]]") + 1)])
"""The first question alone, so that every bit of a snapshot can be tried."""


@st.composite
def tallies(draw):
    counts = {
        name: np.array(
            draw(
                st.lists(
                    st.integers(0, (1 << 60) - 1),
                    min_size=empty.size,
                    max_size=empty.size,
                )
            ),
            dtype=np.int64,
        ).reshape(empty.shape)
        for name, empty in Tally.empty(SMALL).counts.items()
    }
    outcomes = draw(
        st.dictionaries(
            st.sampled_from(["accepted", "duplicate", *REASONS]),
            st.integers(0, 1 << 62),
        )
    )
    return Tally(SMALL, counts, Intake(Counter(outcomes)))


def small_snapshot():
    tally = Tally.empty(SMALL)
    tally.counts["symbol"] += np.arange(4)
    tally.intake.outcomes.update(["accepted", "frame-damaged"])
    return encode_tally(tally)


@settings(max_examples=200)
@given(tallies())
def test_a_tally_comes_back_as_it_was(tally):
    """Counts and intake survive exactly, and the tally that came back has the same
    bytes.
    """
    data = encode_tally(tally)
    back = decode_tally(data, SMALL)
    assert back == tally
    assert {name: counts.dtype for name, counts in back.counts.items()} == {
        "symbol": np.dtype(np.int64)
    }
    assert encode_tally(back) == data


@given(tallies(), tallies())
def test_equal_tallies_and_only_they_have_equal_bytes(one, two):
    """Bytes can be compared in place of tallies, where these are of the same
    batches.
    """
    assert (encode_tally(one) == encode_tally(two)) == (one == two)


def test_every_layout_comes_back_and_can_be_added_to():
    """Symbols, bits and cohorts survive; a tally that came back counts on."""
    first = taken(file_of(*BATCHES.values()))
    back = decode_tally(encode_tally(first), SURVEY)
    assert back == first
    double = [
        encode_tally(part.merge(first, allow_equal=True)) for part in (back, first)
    ]
    assert double[0] == double[1]
    question = SURVEY["bits"]
    back.add(question, np.zeros((1, question.width), dtype=np.uint8))
    assert back.reports("bits") == first.reports("bits") + 1


def test_intake_that_never_happened_leaves_no_trace():
    """A count of zero and no count are the same."""
    tally = Tally.empty(SMALL)
    tally.intake.outcomes["duplicate"] = 0
    assert encode_tally(tally) == encode_tally(Tally.empty(SMALL))


def test_every_flipped_bit_is_refused():
    """A snapshot with any one bit flipped is a WireError, and nothing else."""
    data = small_snapshot()
    for place in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        with pytest.raises(WireError):
            decode_tally(bytes(flipped), SMALL)


def test_every_truncation_and_addition_is_refused():
    """A snapshot cut off anywhere, or with anything before or after it, is a
    WireError.
    """
    data = small_snapshot()
    for size in range(len(data)):
        with pytest.raises(WireError):
            decode_tally(data[:size], SMALL)
    for padded in (data + b"\x00", b"\x00" + data, data + data):
        with pytest.raises(WireError):
            decode_tally(padded, SMALL)


def test_the_wrong_survey_is_a_mismatch():
    """A sound snapshot of other parameters is refused with both fingerprints."""
    other = parse_survey(TEXT.replace('epsilon = "1"', 'epsilon = "2"', 1))
    with pytest.raises(MismatchError) as refused:
        decode_tally(encode_tally(Tally.empty(SURVEY)), other)
    for survey in (SURVEY, other):
        assert survey["symbol"].fingerprint.hex() in str(refused.value)
    with pytest.raises(MismatchError, match="no such question"):
        decode_tally(encode_tally(Tally.empty(SURVEY)), SMALL)


def test_a_report_file_is_no_snapshot():
    """Reports and tallies are told apart by their magic."""
    with pytest.raises(WireError):
        decode_tally(file_of(BATCHES["symbol"]), SURVEY)


ALIENS = (
    None,
    True,
    False,
    1.0,
    "x",
    b"x",
    -1,
    1 << 63,
    [],
    [[]],
    {},
    {"a": 1},
    msgpack.ExtType(1, b""),
    ["x", b"y"],
)
ALLOWED = (((1,), "x"), ((3,), []))
"""A survey may have another name if its questions are the same, and nothing but counts
need be there.
"""
PLACES = (
    (),
    (0,),
    (1,),
    (2,),
    (2, 0),
    *((2, 0, part) for part in range(5)),
    (3,),
    (3, 0),
    (3, 0, 0),
    (3, 0, 1),
)


def forged(content, place, alien):
    """The content with the part at a place (a path of indices) replaced."""
    if not place:
        return alien
    copy = list(content)
    copy[place[0]] = forged(content[place[0]], place[1:], alien)
    return copy


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_every_part_has_one_type(place):
    """Behind a sound checksum, a part of another type is refused, even if Python calls
    it equal.
    """
    content = msgpack.unpackb(small_snapshot()[16:])
    for alien in ALIENS:
        if (place, alien) in ALLOWED:
            continue
        data = encode_frame(msgpack.packb(forged(content, place, alien)), TALLY_MAGIC)
        with pytest.raises((WireError, MismatchError)):
            decode_tally(data, SMALL)


_ONE = (1).to_bytes(8, "little")
FORGERIES = {
    "another version": [2, "example", [], []],
    "no version": ["example", [], []],
    "a negative count": {"counts": np.array([1, -1, 0, 0], dtype="<i8").tobytes()},
    "a count too few": {"counts": bytes(24)},
    "a byte too few": {"counts": bytes(31)},
    "no counts": {"counts": b""},
    "another shape": {"shape": [4, 1]},
    "the question twice": {"times": 2},
    "an unknown outcome": {"outcomes": [["lost", bytes(8)]]},
    "an outcome twice": {"outcomes": [["accepted", _ONE]] * 2},
    "outcomes out of order": {"outcomes": [["duplicate", _ONE], ["accepted", _ONE]]},
    "an outcome of zero": {"outcomes": [["accepted", bytes(8)]]},
    "a wide outcome": {"outcomes": [["accepted", bytes(7) + b"\x01\x01"]]},
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forgeries_behind_a_sound_checksum_are_refused(forgery):
    """A checksum does not make counts plausible: impossible ones are refused as
    well.
    """
    content = FORGERIES[forgery]
    if isinstance(content, dict):
        question = SMALL["symbol"]
        counts = content.get("counts", bytes(32))
        row = [
            question.name,
            question.fingerprint,
            *content.get("shape", [1, 4]),
            counts,
        ]
        content = [
            1,
            "example",
            [row] * content.get("times", 1),
            content.get("outcomes", []),
        ]
    with pytest.raises(WireError):
        decode_tally(encode_frame(msgpack.packb(content), TALLY_MAGIC), SMALL)
