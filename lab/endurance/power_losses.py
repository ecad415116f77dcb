"""Losses of power, simulated: `python -m lab.endurance.power_losses 10000` tries ten
thousand.

The tests try a tenth. With "synchronous = OFF" as a second word, a pragma for SQLite,
acknowledged uploads are lost, as they should be.

A writer takes uploads on a watched disk, some of them together, and is closed and
opened again in between. Then power is lost, again and again, at a moment drawn from all
that happened to the disk, in one of the ways in which disks lose what was not synced.
What is left is opened as a service opens it, and has to hold every upload that was
acknowledged by then, whole uploads only, and each of them once.
"""

import random
import subprocess
import sys
import time
from collections import Counter

from durable_work import Uploader, told, violation
from lost_power import LOSSES, Disk, put_files
from places import ROOT
from watched_disk import WatchedDisk, folder_in_memory

UPLOADS = 200
_MOST_TOGETHER = 4
_MOST_SAID = 10
_LIFE = 70
"""Uploads between two restarts of the service."""


def serve(path, settings):
    """Take all uploads, some of them together. For a process whose disk is watched."""
    draw = random.Random(0)
    for first in range(0, UPLOADS, _LIFE):
        uploader, last = Uploader(path, *settings), min(first + _LIFE, UPLOADS)
        while first < last:
            together = range(
                first, min(first + draw.randrange(1, _MOST_TOGETHER + 1), last)
            )
            for future in [uploader.send(number) for number in together]:
                future.result()
            first = together.stop
        uploader.close()


def watched(folder, *settings):
    """The disk in a folder after all uploads have been taken, by SQLite with some
    settings.
    """
    disk = WatchedDisk(folder)
    command = [
        sys.executable,
        "-m",
        "lab.endurance.power_losses",
        str(disk.files / "store"),
        *settings,
    ]
    subprocess.run(command, cwd=ROOT, check=True, env=disk.environment)
    return disk


def lose_power(disk, times, seed):
    """What was wrong after n losses of power, and how often."""
    draw = random.Random(seed)
    folder = disk.beside("left")
    records = list(disk.records())
    known = [(0, 0), *told(records)]
    state, happened = Disk(disk.files, draw), 0
    wrong = Counter()
    for moment in sorted(draw.randrange(len(records) + 1) for _ in range(times)):
        for record in records[happened:moment]:
            state.happen(record)
        happened = moment
        put_files(state.after(draw.choice(LOSSES)), folder)
        wrong[violation(folder / "store", *known[moment])] += 1
    del wrong[None]
    return wrong


def main(times, settings):
    """Lose power n times, and say what came of it; whether anything was wrong."""
    with folder_in_memory() as folder:
        started = time.monotonic()
        wrong = lose_power(watched(folder, *settings), times, seed=1)
        print(
            f"{times} losses of power in {time.monotonic() - started:.0f} s; wrong: "
            f"{wrong.total()}"
        )
    for what, count in wrong.most_common(_MOST_SAID):
        print(f"{count} times: {what}")
    return bool(wrong)


if __name__ == "__main__":
    first, *settings = sys.argv[1:]
    if first.isdecimal():
        sys.exit(main(int(first), settings))
    serve(first, settings)
