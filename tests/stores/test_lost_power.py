"""The disk that loses power, in small: what it keeps, and what it may lose."""

import random

import pytest
from lost_power import LOSSES, Disk, Loss
from watched_disk import Record

FOLDER = "/disk"
CREATED = [
    Record("O", 1, 0, content=b"/disk"),
    Record("O", 2, 0, content=b"/disk/file"),
]
SYNCED = Record("S", 2, 0, content=b"")
NAMED = Record("S", 1, 0, content=b"")
OLD, NEW = b"a" * 1536, b"b" * 1536
WRITTEN, OVERWRITTEN = (Record("W", 2, 0, content=content) for content in (OLD, NEW))


def left_of(*records, losses=LOSSES):
    """What may be in the file after these records; None where there is no file."""
    disk = Disk(FOLDER, random.Random(0))
    for record in records:
        disk.happen(record)
    return {disk.after(loss).get("/disk/file") for _ in range(200) for loss in losses}


def test_what_is_synced_is_there():
    """A synced file in a synced folder holds what was written to it, whatever is
    lost.
    """
    assert left_of(*CREATED, WRITTEN, SYNCED, NAMED) == {OLD}


def test_a_file_without_a_synced_folder_may_be_gone():
    """A synced file is of no use as long as its name is not."""
    assert left_of(*CREATED, WRITTEN, SYNCED) == {OLD, None}


@pytest.mark.parametrize(("block", "states"), [(512, 8), (4096, 2)])
def test_every_block_is_old_or_new(block, states):
    """Of three sectors each is old or new, whatever the others are.

    A block of 4,096 bytes is kept as one.
    """
    losses = [Loss(block, 0.5, b"\0")]
    left = left_of(*CREATED, WRITTEN, SYNCED, NAMED, OVERWRITTEN, losses=losses)
    assert len(left) == states
    assert {OLD, NEW} <= left
    assert {file[start : start + 512] for file in left for start in (0, 512, 1024)} == {
        OLD[:512],
        NEW[:512],
    }


def test_a_file_that_has_grown_may_hold_anything():
    """Where a file has grown, there is what was written, nothing, zeros, or what was
    there.
    """
    left = left_of(*CREATED, NAMED, Record("W", 2, 0, content=b"b" * 512))
    assert {b"", bytes(512), b"b" * 512} < left
    assert len(left) == 4


def test_files_are_cut_and_unlinked_at_once():
    """A file cut short or unlinked, and not synced, is as it was or as it is, not in
    between.
    """
    changes = [*CREATED, WRITTEN, SYNCED, NAMED]
    assert left_of(*changes, Record("T", 2, 100, content=b"")) == {OLD, OLD[:100]}
    assert left_of(*changes, Record("U", 0, 0, content=b"/disk/file")) == {OLD, None}


def test_what_a_failed_sync_lost_is_lost():
    """What was written before a sync that failed need not be there after one that did
    not.
    """
    changes = [*CREATED, WRITTEN, SYNCED, NAMED, OVERWRITTEN]
    after = {
        file for seed in range(100) for file in [left_after_failure(changes, seed)]
    }
    assert {OLD, NEW} < after


def left_after_failure(records, seed):
    disk = Disk(FOLDER, random.Random(seed))
    for record in [*records, Record("F", 2, 0, content=b""), SYNCED]:
        disk.happen(record)
    return disk.after(LOSSES[0])["/disk/file"]
