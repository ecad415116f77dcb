"""Tallies with batches in common are not added up: by the command, Python, engines."""

from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from engine_files import FILES, OVERLAPPING
from wire_samples import (
    BATCHES,
    GROUPED,
    GROUPS,
    SURVEY,
    TEXT,
    batch_of,
    file_of,
    taken,
)

from ldp import MismatchError, WireError
from ldp.wire.wire import (
    TALLY_MAGIC,
    FrameReader,
    encode_frame,
    pack_array,
    unpack_array,
)
from ldp_aggregator import (
    FileError,
    Ingest,
    Tally,
    aggregate,
    decode_tally,
    encode_tally,
)
from ldp_aggregator.commands.main import main
from ldp_aggregator.tallies.engines.parts import count_part, merge_snapshots, split
from ldp_aggregator.tallies.identity import EVER_ENDS, SIZE, Identity, OverlapError

MANY = [batch_of("symbol", 1, f"day {number}") for number in range(300)]
STORE = bytes(range(16))
HOUR = 3600


def tally_of(batches):
    return taken(file_of(*batches))


def of_store(batches, *hours, store=STORE):
    """A tally as a service hands it out, of these hours or of all times."""
    tally = tally_of(batches)
    intervals = [(hour * HOUR, (hour + 1) * HOUR) for hour in hours] or [(0, EVER_ENDS)]
    tally.identity = Identity.of_store(store, intervals)
    return tally


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Tallies of days, and the survey."""
    monkeypatch.chdir(tmp_path)
    Path("survey.toml").write_text(TEXT)
    for day, (start, stop) in enumerate(pairwise(range(0, 301, 100))):
        Path(f"day{day}").write_bytes(encode_tally(tally_of(MANY[start:stop])))
    Path("all").write_bytes(encode_tally(tally_of(MANY)))
    Path("all.reports").write_bytes(file_of(*MANY))
    return tmp_path


def run(*words, code=0):
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def test_merging_files_is_counting_their_reports(folder):
    """To the byte; and what it says."""
    result = run("aggregate", "survey.toml", "day2", "day0", "day1", "-o", "out")
    assert Path("out").read_bytes() == Path("all").read_bytes()
    assert result.stderr.startswith("out: written, ")
    assert run("aggregate", "survey.toml", "day0", "-o", "out", "-q").output == ""


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (("day0", "day1", "day0"), "those of day0 for the second time; leave one out"),
        (
            ("all", "day1"),
            "day1: expected tallies of different batches, got some that all counts",
        ),
        (
            ("day0", "day1", "all"),
            "all: expected tallies of different batches, got some that day0",
        ),
        (("day0", "nothing"), "No such file: nothing"),
    ],
)
def test_what_overlaps_is_refused_by_name(folder, paths, words):
    """With both names, what to do, and no file written."""
    result = run("aggregate", "survey.toml", *paths, "-o", "out", code=1)
    assert words in result.stderr
    assert not Path("out").exists()


def test_what_overlaps_can_be_added_up_if_it_is_meant(folder):
    """As somebody may, whom a hostile sender of the same batches hinders."""
    run("aggregate", "survey.toml", "all", "day1", "-o", "out", "--allow-equal")
    double = decode_tally(Path("out").read_bytes(), SURVEY)
    assert double.reports("symbol") == 400
    assert double.identity == tally_of(MANY).identity


def test_tallies_beside_the_reports_that_they_count_are_refused(folder):
    """By `ldp aggregate` and in Python, whichever comes first."""
    for paths in (("day0", "all.reports"), ("all.reports", "day0")):
        result = run("aggregate", "survey.toml", *paths, "-o", "out", code=1)
        assert (
            "the report files given: expected tallies of different batches"
            in result.stderr
        )
        assert "some that day0 counts as well" in result.stderr
        assert not Path("out").exists()
        with pytest.raises(FileError, match="some that day0 counts"):
            aggregate(SURVEY, paths)
    run("aggregate", "survey.toml", "day0", "all.reports", "-o", "out", "--allow-equal")
    assert decode_tally(Path("out").read_bytes(), SURVEY).reports("symbol") == 400


def test_python_refuses_as_well():
    """`merge` and `+`, unless it is said to be meant."""
    one, other = tally_of(MANY[:200]), tally_of(MANY[100:])
    for fails in (Tally.merge, Tally.__add__):
        with pytest.raises(
            OverlapError, match="expected tallies of different batches, got two"
        ):
            fails(one, other)
    assert one.merge(other, allow_equal=True).reports("symbol") == 400
    assert (tally_of(MANY[:100]) + other).reports("symbol") == 300


def test_engines_refuse_what_meets_across_parts(tmp_path):
    """A tally in one part, the reports that it counts in another."""
    (tmp_path / "a").write_bytes(OVERLAPPING)
    (tmp_path / "b").write_bytes(FILES["08-all-known"])
    paths = [str(tmp_path / name) for name in "ab"]
    snapshots = [count_part(TEXT, part).snapshot for part in split(paths, 2)]
    with pytest.raises(OverlapError):
        merge_snapshots(TEXT, snapshots)
    both = merge_snapshots(TEXT, snapshots, allow_equal=True)
    assert decode_tally(both, SURVEY) == aggregate(SURVEY, paths, allow_equal=True)


SERVICE = {
    "the same again": (of_store(MANY[:100]), of_store(MANY[:100]), "leave one out"),
    "later": (
        of_store(MANY[:100]),
        of_store(MANY),
        "leave out one: two counts what it counts",
    ),
    "later first": (
        of_store(MANY),
        of_store(MANY[:9]),
        "leave out two: one counts what it",
    ),
    "more epochs": (
        of_store(MANY[:100], 5, 6),
        of_store(MANY, 4, 5, 6, 7),
        "1970-01-01 05:00 to 1970-01-01 07:00 UTC (100 batches)",
    ),
    "other epochs": (
        of_store(MANY[:100], 3, 4),
        of_store(MANY, 4, 5),
        "download the epochs of that time one by one",
    ),
}


@pytest.mark.parametrize("case", SERVICE)
def test_downloads_of_one_time_are_refused(case, tmp_path, monkeypatch):
    """Two of one store and time; which to leave out is said, where one counts all of
    both.
    """
    monkeypatch.chdir(tmp_path)
    Path("survey.toml").write_text(TEXT)
    *tallies, words = SERVICE[case]
    for name, tally in zip(("one", "two"), tallies, strict=True):
        Path(name).write_bytes(encode_tally(tally))
    result = run("aggregate", "survey.toml", "one", "two", "-o", "out", code=1)
    assert words in result.stderr
    assert "two of one service's store, one of " in result.stderr
    with pytest.raises(OverlapError, match="the store of a service"):
        tallies[0] + tallies[1]


def test_downloads_of_other_times_or_stores_merge():
    """Epochs one by one, whichever came first, and stores that share nothing."""
    first, second = of_store(MANY[:100], 4), of_store(MANY[100:], 5)
    assert encode_tally(first + second) == encode_tally(second + first)
    assert (first + second).identity == of_store([], 4, 5).identity
    elsewhere = of_store(MANY[:100], 4, store=bytes(16))
    assert (first + elsewhere).reports("symbol") == 200


def test_what_says_nothing_of_its_batches_is_added(folder):
    """A tally of the formats without an identity is read, and added once."""
    tally = tally_of(MANY[:100])
    tally.identity = Identity()
    old = encode_tally(tally)
    assert unpack_array(payload_of(old), 1 << 20, "")[0] == 1
    assert encode_tally(decode_tally(old, SURVEY)) == old
    Path("old").write_bytes(old)
    run("aggregate", "survey.toml", "day0", "old", "-o", "out")
    assert decode_tally(Path("out").read_bytes(), SURVEY).reports("symbol") == 200
    assert (
        "--allow-equal"
        in run("aggregate", "survey.toml", "old", "old", "-o", "b", code=1).stderr
    )


def payload_of(snapshot):
    [payload] = FrameReader(TALLY_MAGIC, 1 << 20).feed(snapshot)
    return payload


@pytest.mark.parametrize(
    ("snapshot", "survey"),
    [
        (encode_tally(tally_of(MANY) + of_store(BATCHES.values(), 4, 9)), SURVEY),
        (encode_tally(taken(file_of(*GROUPS), survey=GROUPED)), GROUPED),
    ],
)
def test_forged_identities_are_refused(snapshot, survey):
    """What is too long, too short, out of order or of no time; no other error comes."""
    parts = unpack_array(payload_of(snapshot), 1 << 20, "")
    check, hashes, origins = parts[-1]
    assert encode_tally(decode_tally(snapshot, survey)) == snapshot
    store, start, end = (bytes(16), bytes(8), bytes(7) + b"\1")
    forgeries = [
        None,
        [],
        [check, hashes],
        [check[1:], hashes, origins],
        [b"", hashes, origins],
        [check, b"", origins],
        [check, hashes[1:], origins],
        [check, hashes[8:16] + hashes[:8], origins],
        [check, hashes[:8] * 2, origins],
        [check, bytes(8 * SIZE + 8), origins],
        [check, hashes, [[store, end, start]]],
        [check, hashes, [[store, start, start]]],
        [check, hashes, [[store[1:], start, end]]],
        [check, hashes, [[store, start[1:], end]]],
        [check, hashes, [[store, start, end]] * 2],
        [check, hashes, [[store, start]]],
        [check, hashes, 7],
        [b"", b"", []],
        ["text", "text", []],
    ]
    for forgery in forgeries:
        forged = encode_frame(pack_array([*parts[:-1], forgery]), TALLY_MAGIC)
        with pytest.raises((WireError, MismatchError)):
            decode_tally(forged, survey)


def test_what_is_kept_of_batches_does_not_grow():
    """A tally of 64 batches has as many bytes as one of 6,400."""
    batches = [batch_of("symbol", 1, f"more {number}") for number in range(6400)]
    ingest = Ingest(SURVEY)
    ingest.feed(file_of(*batches))
    few, many = encode_tally(tally_of(batches[:SIZE])), encode_tally(ingest.tally)
    assert len(few) == len(many)
    assert len(ingest.tally.identity.hashes) == SIZE
