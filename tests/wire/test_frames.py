"""Files of frames: cut anywhere they read the same, and damage costs what it
touches.
"""

import struct
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_samples import stream

import ldp.wire.wire
from ldp.wire.wire import (
    MOST_PAYLOAD,
    REPORTS_MAGIC,
    TALLY_MAGIC,
    Damage,
    FrameReader,
    encode_frame,
    read_frames,
)

FALSE_HEADERS = tuple(
    struct.pack("<4sIQ", REPORTS_MAGIC, length, 1)
    for length in (0, 5, 300, 1 << 20, 1 << 30)
)

payloads = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([REPORTS_MAGIC, b"LDP", b"L", *FALSE_HEADERS]), max_size=4
    ).map(b"".join),
)
"""Some of them look like the beginnings of frames, none of them holds a whole one."""


def read(data, chunks=(), **options):
    """All that a reader makes of the data, cut into chunks of the given sizes and a
    last one.
    """
    reader, parts, start = FrameReader(**options), [], 0
    for size in (*chunks, len(data)):
        parts += reader.feed(data[start : start + size])
        start += size
    return [*parts, *reader.close()]


def sound(parts):
    return [part for part in parts if not isinstance(part, Damage)]


def check_tiling(data, parts):
    """Frames and damage lie end to end, cover the data, and no two stretches of damage
    touch.
    """
    at = 0
    for part in parts:
        if isinstance(part, Damage):
            assert part.offset == at
            assert part.size > 0
            at += part.size
        else:
            assert data[at : at + 16 + len(part)] == encode_frame(part)
            at += 16 + len(part)
    assert at == len(data)
    assert not any(
        isinstance(one, Damage) and isinstance(next_one, Damage)
        for one, next_one in pairwise(parts)
    )


@given(st.lists(payloads, max_size=8), st.lists(st.integers(0, 40), max_size=30))
def test_frames_come_back_in_order(contents, chunks):
    """A file of frames gives back its payloads and no damage, however it is cut into
    chunks.
    """
    assert read(b"".join(map(encode_frame, contents)), chunks) == contents


@st.composite
def edits(draw, most_frames=7):
    """Payloads, their file, and that file with one span replaced by other bytes, or by
    none.
    """
    contents = draw(st.lists(payloads, min_size=1, max_size=most_frames))
    file = b"".join(map(encode_frame, contents))
    start = draw(st.integers(0, len(file)))
    end = draw(
        st.sampled_from([start, start + 1, start + 4]) | st.integers(start, len(file))
    )
    if draw(st.booleans()) and end == start + 1 <= len(file):
        junk = bytes([file[start] ^ 1 << draw(st.integers(0, 7))])
    else:
        junk = draw(payloads)
    return contents, file[:start] + junk + file[end:]


def changed_span(before, after):
    """(start, end) of the bytes that were replaced, as late as the change can be
    explained.
    """
    start = agreement(before, after)
    return start, len(before) - agreement(before[start:][::-1], after[start:][::-1])


def agreement(one, other):
    """How many bytes two strings have in common before they differ."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


@settings(max_examples=2000)
@given(edits())
def test_damage_costs_only_what_it_touches(edit):
    """Flip, cut, insert or overwrite a span: frames outside it come back in order, no
    other.
    """
    contents, file = edit
    start, end = changed_span(b"".join(map(encode_frame, contents)), file)
    spared, at = [], 0
    for payload in contents:
        stop = at + 16 + len(payload)
        if stop <= start or at >= end:
            spared.append(payload)
        at = stop
    parts = read(file)
    check_tiling(file, parts)
    remaining = iter(sound(parts))
    assert all(payload in remaining for payload in spared)
    assert not Counter(sound(parts)) - Counter(contents)


@settings(max_examples=500)
@given(edits(), st.lists(st.integers(0, 30), max_size=40))
def test_chunks_do_not_matter(edit, chunks):
    """A damaged file reads the same in one piece, in any pieces, and byte by byte."""
    file = edit[1]
    for most in (20, 300, MOST_PAYLOAD):
        whole = read(file, most_payload=most)
        assert read(file, chunks, most_payload=most) == whole
        assert read(file, [1] * len(file), most_payload=most) == whole


@given(edits())
def test_whole_files_read_the_same_in_one_go(edit):
    """Of sound files and of damaged ones, `read_frames` makes what a reader does."""
    contents, file = edit
    assert read_frames(file) == read(file)
    assert read_frames(b"".join(map(encode_frame, contents))) == contents


def test_sound_files_are_read_without_a_search(monkeypatch):
    """The largest payload there may be among them.

    One byte more is damage, and the reader is asked.
    """
    contents = [b"a", b"", bytes(MOST_PAYLOAD), b""]
    too_large = b"".join(map(encode_frame, (b"a", bytes(MOST_PAYLOAD + 1), b"c")))
    assert sound(read_frames(too_large)) == [b"a", b"c"]
    monkeypatch.setattr(ldp.wire.wire, "FrameReader", None)
    assert read_frames(b"".join(map(encode_frame, contents))) == contents
    assert read_frames(b"") == []


def test_a_frame_is_given_as_soon_as_it_is_whole():
    """However large it is, its last byte completes it; so it does behind any junk, cut
    anywhere.
    """
    payload = b"x" * 100
    for junk in (b"", *(stream("junk", size) for size in range(1, 40))):
        file = junk + encode_frame(payload)
        for cut in range(1, len(file)):
            reader = FrameReader()
            first = sound(reader.feed(file[:cut]))
            assert first + sound(reader.feed(file[cut:])) == [payload]


@given(st.lists(payloads, min_size=1, max_size=4), st.integers(1, 60))
def test_a_cut_frame_costs_itself(contents, cut):
    """A frame cut off in the middle loses itself, and nothing of the frames behind
    it.
    """
    broken = encode_frame(b"x" * 60)[:-cut]
    parts = read(
        b"".join([encode_frame(b"before"), broken, *map(encode_frame, contents)])
    )
    assert sound(parts) == [b"before", *contents]
    assert [part for part in parts if isinstance(part, Damage)] == [
        Damage(22, len(broken))
    ]


@pytest.mark.parametrize(
    "junk",
    [b"\x00", b"LDP", REPORTS_MAGIC, *FALSE_HEADERS, b"LDPR" * 9, stream("junk")],
    ids=len,
)
def test_junk_between_frames_is_skipped(junk):
    """Junk before, between and after frames is damage, and takes no frame with it."""
    frames = [encode_frame(payload) for payload in (b"a", b"", b"c" * 100)]
    parts = read(junk + junk.join(frames) + junk)
    assert sound(parts) == [b"a", b"", b"c" * 100]
    assert [part.size for part in parts if isinstance(part, Damage)] == [len(junk)] * 4


def test_limits_are_inclusive():
    """A payload of the largest size is read; one byte more is damage."""
    assert read(encode_frame(b"x" * 100), most_payload=100) == [b"x" * 100]
    assert sound(read(encode_frame(b"x" * 101), most_payload=100)) == []


def test_report_files_and_tally_files_do_not_mix():
    """A frame under another magic is damage."""
    assert sound(read(encode_frame(b"x", TALLY_MAGIC))) == []
    assert read(encode_frame(b"x", TALLY_MAGIC), magic=TALLY_MAGIC) == [b"x"]


MOST = 1 << 12
HOSTILE = {
    "longest": struct.pack("<4sIQ", REPORTS_MAGIC, MOST, 1) * 20_000,
    "shortest": struct.pack("<4sIQ", REPORTS_MAGIC, 0, 1) * 20_000,
    "halving": b"".join(
        struct.pack("<4sIQ", REPORTS_MAGIC, MOST >> i % 12, 1) for i in range(20_000)
    ),
    "magics": REPORTS_MAGIC * 80_000,
    "near-magics": b"LDP" * 100_000,
}


@pytest.mark.parametrize("chunk", [1 << 20, 1000], ids=["whole", "chunks"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_work_is_linear_on_hostile_input(hostile, chunk, monkeypatch):
    """Files made for hashing cost at most eight bytes hashed for each byte, and a
    constant.

    Sound frames that follow are still read, all but the few that pay for the search.
    """
    hashed = 0
    digest = ldp.wire.wire.xxh64_intdigest

    def counted(payload, seed):
        nonlocal hashed
        hashed += len(payload)
        return digest(payload, seed)

    monkeypatch.setattr(ldp.wire.wire, "xxh64_intdigest", counted)
    contents = [b"%d" % number * 50 for number in range(200)]
    file = HOSTILE[hostile] + b"".join(map(encode_frame, contents))
    hashed = 0
    parts = read(file, [chunk] * (len(file) // chunk), most_payload=MOST)
    assert hashed <= 9 * len(file) + 8 * MOST
    assert sound(parts) == contents[-len(sound(parts)) :]
    assert len(sound(parts)) >= 199
