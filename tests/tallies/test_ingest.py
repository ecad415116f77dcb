"""Ingest: everything received is accounted for, and sound reports count once."""

import io
import random
import tracemalloc
from collections import Counter

import pytest
from bad_bytes import BAD_FILES, BAD_PAYLOADS
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_samples import BATCHES, SURVEY, batch_of, file_of, rows_of, stream, taken

from ldp.numbers.epochs import ID_SIZE
from ldp.wire.wire import REASONS, Batch, encode_frame
from ldp_aggregator import Ingest, encode_tally
from ldp_aggregator.tallies.intake.ingest import CHUNK
from ldp_aggregator.tallies.tally import Tally

SOUND = tuple(
    batch_of(name, size, number)
    for name in BATCHES
    for number, size in enumerate((1, 2, 7))
)
SOUND += tuple(BATCHES.values())

pieces = st.one_of(
    st.sampled_from(SOUND),
    st.sampled_from(SOUND),
    st.sampled_from(tuple(BAD_PAYLOADS)),
    st.sampled_from(tuple(BAD_FILES)),
)
"""Sound batches (which come twice soon enough), and the names of bad bytes.

Some of them share their batch id.
"""


def bytes_of(piece):
    if isinstance(piece, Batch):
        return file_of(piece)
    return (
        BAD_FILES[piece] if piece in BAD_FILES else encode_frame(BAD_PAYLOADS[piece][1])
    )


def expected(files):
    """What must come of files, piece by piece: the outcomes, and the batches that
    count.
    """
    outcomes, counted = Counter(), {}
    for pieces in files:
        damaged = False
        for piece in pieces:
            if isinstance(piece, Batch):
                outcomes["duplicate" if piece.id in counted else "accepted"] += 1
                counted.setdefault(piece.id, piece)
            elif piece in BAD_PAYLOADS:
                outcomes[BAD_PAYLOADS[piece][0]] += 1
            elif not damaged:  # stretches of damage that touch are one
                outcomes["frame-damaged"] += 1
            damaged = piece in BAD_FILES if isinstance(piece, str) else False
    return outcomes, counted.values()


def only(*batches):
    """The counts of these batches, each taken in alone and put together by hand."""
    counts = Tally.empty(SURVEY).counts
    for batch in batches:
        for name, more in taken(file_of(batch)).counts.items():
            counts[name] += more
    return counts


def same(counts, others):
    return all((counts[name] == others[name]).all() for name in others)


@settings(max_examples=300)
@given(
    st.lists(st.lists(pieces, max_size=12), max_size=3),
    st.lists(st.integers(1, 200), max_size=20),
)
def test_everything_received_is_accounted_for(files, chunks):
    """Received = accepted + duplicate + rejected by reason, and sound batches count
    once.

    In whatever order good, repeated and bad bytes come, and however they are cut into
    chunks.
    """
    ingest = Ingest(SURVEY)
    for file in files:
        data, start = b"".join(map(bytes_of, file)), 0
        for size in (*chunks, len(data)):
            ingest.feed(data[start : start + size])
            start += size
        ingest.end_of_stream()
    outcomes, counted = expected(files)
    intake = ingest.tally.intake
    assert +intake.outcomes == outcomes
    assert intake.received == outcomes.total()
    assert intake.accepted == len(counted)
    assert intake.rejected == {
        reason: outcomes[reason] for reason in REASONS if outcomes[reason]
    }
    assert same(ingest.tally.counts, only(*counted))


@pytest.mark.parametrize("what", BAD_PAYLOADS)
def test_an_impossible_report_costs_its_batch_only(what):
    """Sound batches before and after a bad one count, even one that bears its id."""
    bad = encode_frame(BAD_PAYLOADS[what][1])
    before, after = batch_of("symbol", 5, "before"), BATCHES["symbol"]
    tally = taken(file_of(before) + bad + file_of(after))
    assert tally.intake.rejected == {BAD_PAYLOADS[what][0]: 1}
    assert same(tally.counts, only(before, after))


@pytest.mark.parametrize("place", [0, 499, 999])
def test_one_impossible_report_rejects_its_whole_batch(place):
    """Of a batch of a thousand reports with one impossible symbol, none counts."""
    batch = batch_of("symbol", 1000, "mostly sound")
    rows = bytearray(batch.rows)
    rows[place] = 4
    tally = taken(file_of(batch._replace(rows=bytes(rows))))
    assert tally.intake.rejected == {"symbol-range": 1}
    assert tally.reports("symbol") == 0


@pytest.mark.parametrize("name", BATCHES)
def test_batch_sizes_do_not_matter(name):
    """Reports in one batch, in batches of one, and in batches of seven give the same
    counts.
    """
    width = SURVEY[name].width
    rows = rows_of(SURVEY[name].layout, 200, "batch sizes")
    tallies = []
    for size in (200, 1, 7):
        chunks = [
            rows[start : start + size * width]
            for start in range(0, len(rows), size * width)
        ]
        batches = [
            Batch(
                SURVEY[name].fingerprint,
                stream(f"{size} {place}", ID_SIZE),
                len(chunk) // width,
                rows=chunk,
            )
            for place, chunk in enumerate(chunks)
        ]
        tallies.append(taken(file_of(*batches)))
    assert tallies[0].reports(name) == 200
    assert same(tallies[0].counts, tallies[1].counts)
    assert same(tallies[0].counts, tallies[2].counts)


def test_a_file_is_read_to_its_end():
    """A file larger than a chunk, whose frames straddle the chunk's end, is taken in
    whole.
    """
    size, sample = 50_000, BATCHES["wide"]
    batches = [
        sample._replace(id=bytes([number]) * 16, size=size, rows=bytes(2 * size))
        for number in range(45)
    ]
    file = file_of(*batches)
    assert len(file) > CHUNK
    ingest = Ingest(SURVEY)
    ingest.file(io.BytesIO(file))
    assert ingest.tally.intake.received == ingest.tally.intake.accepted == 45
    assert ingest.tally.reports("wide") == 45 * size


def test_a_stream_ends_where_it_ends():
    """What one file lacks the next does not make up for: two halves are two
    rejections.
    """
    frame = file_of(BATCHES["bits"])
    assert taken(frame[:40], frame[40:]).intake.rejected == {"frame-damaged": 2}
    assert taken(frame).intake.accepted == 1


def test_memory_does_not_grow_with_the_number_of_reports():
    """Six hundred times the reports, in as many batches: a snapshot of the same length.

    There is one chunk of them in memory at most, and as much again to count it.
    """
    few, many = (
        [
            file_of(batch_of(name, size, number))
            for name in BATCHES
            for number in range(10)
        ]
        for size in (10, 6000)
    )
    sizes, peaks = [], []
    for files in (few, many):
        taken(*files)
        tracemalloc.start()
        tally = taken(*files)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        sizes.append(len(encode_tally(tally)))
    assert sum(map(len, many)) > 4 * CHUNK
    assert sizes[0] == sizes[1]
    assert peaks[1] < peaks[0] + 2 * CHUNK


@pytest.mark.parametrize("place", range(ID_SIZE))
def test_ids_that_differ_in_one_byte_are_of_two_batches(place):
    """Every byte of an id counts, whichever it is."""
    batch = BATCHES["symbol"]
    other = bytearray(batch.id)
    other[place] ^= 1
    tally = taken(file_of(batch, batch._replace(id=bytes(other))))
    assert (tally.intake.accepted, tally.intake.duplicate) == (2, 0)


def test_the_order_of_batches_does_not_matter():
    """Any order of the same batches gives the same tally."""
    draw, batches = random.Random(1), list(SOUND)
    first = taken(file_of(*batches))
    for _ in range(5):
        draw.shuffle(batches)
        assert taken(file_of(*batches)) == first
