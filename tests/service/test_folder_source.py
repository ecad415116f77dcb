"""A folder as a source: every frame is counted once, whatever becomes of files."""

import tracemalloc
from unittest.mock import patch

import pytest
from collecting import Lagging, collecting, frame, frames, kill_often, running, wait_for
from wire_samples import batch_of

from ldp.wire.wire import encode_batch, encode_frame
from ldp_aggregator.output.files import FileError
from ldp_client.delivery.transport import FolderTransport
from ldp_service.counting.submissions import OverloadError
from ldp_service.sources import folder as folder_source
from ldp_service.sources import follower
from ldp_service.sources.folder import FolderSource
from ldp_service.store.errors import StoreError

JUNK = b"LDPR, or so it says"
MIB = 1 << 20


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(follower, "_PAUSE", 0.01)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "reports"
    path.mkdir()
    return path


@pytest.fixture
def store(tmp_path):
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def collector(store):
    with collecting(store) as running:
        yield running


def source_of(folder, collector):
    """A source that begins where the last one ended."""
    source = FolderSource(folder, collector, collector.read, every=0.01)
    source.begin()
    return source


def looked(folder, collector):
    """What was counted after one look at the folder by a new source."""
    source_of(folder, collector).look()
    return collector.outcomes


def test_a_growing_file_is_read_as_frames_become_whole(folder, collector):
    """After every byte a file grows by, its whole frames count, damage with the next
    frame.
    """
    source = source_of(folder, collector)
    parts = [frame(0), JUNK, frame(1), frame(2), JUNK, JUNK, frame(3)]
    content = b"".join(parts)
    ends = [
        len(b"".join(parts[: end + 1]))
        for end, part in enumerate(parts)
        if part != JUNK
    ]
    with (folder / "reports.ldp").open("wb") as file:
        for size in range(1, len(content) + 1):
            file.write(content[size - 1 : size])
            file.flush()
            source.look()
            whole = sum(end <= size for end in ends)
            expected = {"accepted": whole, "frame-damaged": (whole >= 2) + (whole >= 4)}
            assert collector.outcomes == {
                name: number for name, number in expected.items() if number
            }


def test_files_that_clients_append_to(folder, collector):
    """What the client's own transport writes to a folder is counted while it is
    written.
    """
    transport = FolderTransport(folder)
    with running(source_of(folder, collector)):
        for number in range(20):
            transport.send(frame(number))
            if number % 5 == 0:
                wait_for(
                    lambda number=number: (
                        collector.outcomes.get("accepted") == number + 1
                    )
                )
        wait_for(lambda: collector.outcomes == {"accepted": 20})


def test_files_in_folders_and_files_that_arrive_by_rename(folder, collector):
    """Only `*.ldp` files count, wherever they are, from when they have this name."""
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "not-one.ldp").mkdir()
    (folder / "nowhere.ldp").symlink_to(folder / "gone")
    (folder / "deep" / "er" / "a.ldp").write_bytes(frame(1))
    (folder / "short.ldp").write_bytes(frame(1)[:15])
    (folder / "later.part").write_bytes(frame(2))
    (folder / b"\xff.ldp".decode(errors="surrogateescape")).write_bytes(frame(3))
    assert looked(folder, collector) == {"accepted": 2}
    (folder / "later.part").rename(folder / "later.ldp")
    assert looked(folder, collector) == {"accepted": 3}


def test_what_was_read_is_not_read_again(folder, collector):
    """Sources go on where the last one ended: nothing comes twice, or is left out."""
    path = folder / "reports.ldp"
    for number in range(5):
        with path.open("ab") as file:
            file.write(frame(number))
        assert looked(folder, collector) == {"accepted": number + 1}
    assert looked(folder, collector) == {"accepted": 5}
    assert collector.deliveries == 5


def test_a_file_in_place_of_another_is_read_from_its_start(folder, collector):
    """Rotated, replaced or cut off, a file is read from its start, and duplicates are
    known.
    """
    path = folder / "reports.ldp"
    path.write_bytes(b"".join(frames(0, 3)))
    assert looked(folder, collector) == {"accepted": 3}
    path.rename(folder / "reports-1.ldp")
    path.write_bytes(b"".join(frames(3, 8)))
    assert looked(folder, collector) == {"accepted": 8, "duplicate": 3}
    path.write_bytes(frame(3))
    assert looked(folder, collector) == {"accepted": 8, "duplicate": 4}
    path.write_bytes(b"".join(frames(8, 20)))
    assert looked(folder, collector) == {"accepted": 20, "duplicate": 4}


def test_one_source_follows_a_folder_at_a_time(folder, collector):
    """Of two sources one follows a folder; when it stops the other goes on where it
    ended.
    """
    path = folder / "reports.ldp"
    path.write_bytes(b"".join(frames(0, 5)))
    first, second = (source_of(folder, collector) for _ in range(2))
    with running(second):
        with running(first):
            for number in range(5, 10):
                with path.open("ab") as file:
                    file.write(frame(number))
                wait_for(
                    lambda number=number: (
                        collector.outcomes.get("accepted") == number + 1
                    )
                )
            assert collector.outcomes == {"accepted": 10}
        with path.open("ab") as file:
            file.write(frame(10))
        wait_for(lambda: collector.outcomes == {"accepted": 11})


def test_folders_do_not_mix(folder, collector):
    """Files of one name in two folders are two files."""
    for number, name in enumerate("ab"):
        (folder / name).mkdir()
        (folder / name / "reports.ldp").write_bytes(frame(number))
    for _ in range(2):
        for name in "ab":
            looked(folder / name, collector)
    assert collector.outcomes == {"accepted": 2}


@pytest.mark.parametrize(
    "trouble", [OverloadError(0), StoreError("no store at the moment")]
)
def test_nothing_is_lost_while_nothing_is_taken(folder, store, trouble):
    """A delivery that is not taken is tried again until it is, and counted once."""
    (folder / "reports.ldp").write_bytes(b"".join(frames(0, 3)))
    with (
        collecting(store, troubles=[trouble] * 3) as collector,
        running(source_of(folder, collector)),
    ):
        wait_for(lambda: collector.outcomes == {"accepted": 3})


def test_a_frame_that_makes_us_fail_is_skipped_alone(folder, store):
    """Of a file's frames the one that cannot be counted is skipped, once, and that is
    said.
    """
    path = folder / "reports.ldp"
    path.write_bytes(b"".join(frames(0, 9)))
    with collecting(store, poison=frame(4)) as collector:
        source = source_of(folder, collector)
        source.look()
        assert (collector.outcomes, source.skipped) == ({"accepted": 8}, 1)
        collector.poison = None
        assert looked(folder, collector) == {"accepted": 8}


def test_a_folder_that_is_missing_is_waited_for(folder, collector):
    """Without its folder a source says why it stands still; when the folder is there it
    goes on.
    """
    missing = folder / "missing"
    source = source_of(missing, collector)
    with pytest.raises(FileError):
        source.look()
    with running(source):
        wait_for(lambda: str(missing) in (source.failure or ""))
        missing.mkdir()
        (missing / "reports.ldp").write_bytes(frame(0))
        wait_for(
            lambda: collector.outcomes == {"accepted": 1} and source.failure is None
        )


def test_a_source_stops_in_the_middle(folder, store):
    """Told to stop, a source leaves what is undelivered to the next, and no store
    waits.
    """
    (folder / "reports.ldp").write_bytes(b"".join(frames(0, 3)))
    with collecting(store, troubles=[OverloadError(600)]) as collector:
        with running(source_of(folder, collector)):
            wait_for(lambda: not collector.troubles)
        assert collector.outcomes == {}
        assert looked(folder, collector) == {"accepted": 3}


def test_a_huge_file_takes_little_memory(folder, collector):
    """A file of 100 MiB, damaged in one stretch, takes a few times the largest frame's
    room.
    """
    with (folder / "reports.ldp").open("wb") as file:
        file.write(frame(0))
        file.seek(100 * MIB)
        file.write(frame(1))
    source = source_of(folder, collector)
    tracemalloc.start()
    try:
        source.look()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert collector.outcomes == {"accepted": 2, "frame-damaged": 5}
    assert peak < 70 * MIB


def test_the_largest_frames_pass_through(folder, collector):
    """Frames larger than what is read at a time, between small ones, are all
    counted.
    """
    big = batch_of("bits", 1, "big")
    reports = (3 * MIB) // len(big.rows)
    large = [
        encode_batch(
            big._replace(id=bytes([number]) * 16, size=reports, rows=big.rows * reports)
        )
        for number in (1, 2)
    ]
    content = [frame(0), *(encode_frame(payload) for payload in large), frame(1)]
    (folder / "reports.ldp").write_bytes(b"".join(content))
    assert looked(folder, collector) == {"accepted": 4}


def killed_readers(folder, store, *altered):
    """How many collectors were killed until three files were counted, and what was
    counted.
    """
    for number in range(0, 150, 50):
        content = [*frames(number, number + 49), JUNK, frame(number + 49)]
        (folder / f"{number}.ldp").write_bytes(b"".join(content))

    def make_source(number, collector):
        return source_of(folder, collector)

    with patch.object(folder_source, "MOST_BYTES", 1000):
        kills = kill_often(store, make_source, 150, *altered)
    with collecting(store) as collector:
        return kills, collector.outcomes


def test_killed_collectors_count_everything_once(folder, store):
    """Collectors killed before a delivery, or before they know of it, count each frame
    once.
    """
    kills, outcomes = killed_readers(folder, store)
    assert outcomes == {"accepted": 150, "frame-damaged": 3}
    assert kills >= 5


def test_the_kills_would_show_marks_that_lag(folder, store):
    """Were each mark written one delivery too late, the same kills would leave
    duplicates.
    """
    _, outcomes = killed_readers(folder, store, Lagging())
    assert outcomes["duplicate"] > 0
