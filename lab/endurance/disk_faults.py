"""Disks that fail during uploads, at one place in some.

At every place with `python -m lab.endurance.disk_faults 1`.

In each case one write or one sync fails, or all from one on, or the disk is full for a
while. What was acknowledged has to be there afterwards, for a process that finds the
files as they lie and for one after a loss of power; what was not can be sent again.
After any error but a full disk nothing more is acknowledged, even if the disk would
work again.
"""

import errno
import logging
import random
import subprocess
import sys
from collections import Counter

from children import in_child
from durable_work import Uploader, held, told, violation
from lost_power import LOSSES, Disk, put_files
from places import ROOT
from watched_disk import Fault, WatchedDisk, folder_in_memory

from ldp_service.counting.submissions import OverloadError
from ldp_service.store.errors import StoreError, StoreFullError

UPLOADS = 24
_LOSSES = 3
_TRIES = 3
"""Uploads that a full disk refuses before there is room again.

Those tried after the store has failed.
"""
_PATIENCE = 60


def faults(writes, syncs, every):
    """Each kind of fault, at one in n of the places there are."""
    for operation, count in ("write", writes), ("sync", syncs):
        for first in range(0, count, every):
            yield Fault(operation, first, errno.EIO, until=first + 1)
            yield Fault(operation, first, errno.EIO)
    for first in range(0, writes, every):
        yield Fault("write", first, errno.ENOSPC)
    yield Fault("write", 0, 0)


def serve(disk):
    """Take all uploads, or stop when the store cannot go on; how it ended."""
    uploader, number, refused = None, 0, 0
    try:
        while number < UPLOADS:
            try:
                uploader = uploader or Uploader(disk.files / "store")
                uploader.send(number).result(_PATIENCE)
                number += 1
            except (OverloadError, StoreFullError):
                refused += 1
                if refused == _TRIES:
                    disk.work("write")
        uploader.close()
    except StoreError:
        disk.work("write")
        disk.work("sync")
        stopped = uploader is None or all(
            _refused(uploader, number) for _ in range(_TRIES)
        )
        return "stopped" if stopped else "went on"
    return "done"


def _refused(uploader, number):
    try:
        uploader.send(number).result(_PATIENCE)
    except StoreError:
        return True
    return False


def violations(disk, fault, draw):
    """What goes wrong with one fault."""
    left = disk.beside("left")
    _clear(disk)
    disk.fail(fault)
    ended = in_child(lambda: serve(disk))
    records = list(disk.records())
    known = [(0, 0), *told(records)]
    acknowledged, sent = known[-1]
    disk.restart()
    if fault.error == errno.EIO:
        if known[_failing(disk, records)][0] < acknowledged:
            yield "acknowledged something after an error"
        if ended not in ("'stopped'", "'done'"):
            yield f"expected a service that stops, got {ended or 'another error'}"
    elif (ended, acknowledged) != ("'done'", UPLOADS):
        yield f"expected a service that goes on, got {ended or 'another error'}"

    put_files({path: path.read_bytes() for path in disk.files.iterdir()}, left)
    yield violation(left / "store", acknowledged, sent)
    yield _going_on(left / "store", sent)
    state = Disk(disk.files, draw)
    for record in records:
        state.happen(record)
    for _ in range(_LOSSES):
        put_files(state.after(draw.choice(LOSSES)), left)
        if wrong := violation(left / "store", acknowledged, sent):
            yield f"after a loss of power: {wrong}"


def _failing(disk, records):
    """Where the first file failed; how many records there are, if none did.

    Folders are synced again, by the store.
    """
    folders = {
        record.file
        for record in records
        if record.kind == "O" and record.content.decode() == str(disk.files)
    }
    failed = (
        place
        for place, record in enumerate(records)
        if record.kind in "EF" and record.file not in folders
    )
    return next(failed, len(records))


def _going_on(path, sent):
    """What goes wrong when a new process takes the uploads that are not there."""
    try:
        uploads = held(path, sent)
        uploader = Uploader(path)
        for number in range(uploads, UPLOADS):
            uploader.send(number).result(_PATIENCE)
        uploader.close()
    except StoreError as error:
        return f"a new process stopped: {error}"
    return violation(path, UPLOADS, UPLOADS)


def _clear(disk):
    for path in disk.files.iterdir():
        path.unlink()
    disk.restart()


def try_all(folder, every):
    """How many faults were tried, and what went wrong how often.

    For a process whose disk is watched.
    """
    disk = WatchedDisk(folder)
    _clear(disk)
    if in_child(lambda: serve(disk)) != "'done'":
        raise RuntimeError(
            "expected a service that takes all uploads while its disk works"
        )
    cases = list(faults(disk.count("write"), disk.count("sync"), every))
    draw = random.Random(1)
    wrong = Counter(
        (fault, violation)
        for fault in cases
        for violation in violations(disk, fault, draw)
        if violation
    )
    return len(cases), wrong


def tried(every):
    """What `try_all` found in a process whose disk is watched: is all well, and in
    words.
    """
    with folder_in_memory() as folder:
        command = [
            sys.executable,
            "-m",
            "lab.endurance.disk_faults",
            folder,
            str(every),
        ]
        process = subprocess.run(
            command,
            cwd=ROOT,
            env=WatchedDisk(folder).environment,
            check=False,
            stdout=subprocess.PIPE,
        )
    return process.returncode == 0, process.stdout.decode()


def main(folder, every):
    """Try the faults, and say what came of it; whether anything went wrong."""
    logging.disable()
    cases, wrong = try_all(folder, every)
    for (fault, what), count in wrong.items():
        print(f"{fault}: {what}" + (f" ({count} times)" if count > 1 else ""))
    print(f"{cases} faults; wrong: {wrong.total() or 'nothing'}")
    return bool(wrong)


if __name__ == "__main__":
    *folder, every = sys.argv[1:]
    if folder:
        sys.exit(main(*folder, int(every)))
    well, words = tried(int(every))
    print(words, end="")
    sys.exit(not well)
