"""Bits that turn over in a store, one at a time: `python -m lab.endurance.bit_flips
100000`.

A service was killed, with a part of what it wrote in SQLite's log and the rest in its
file; or it was closed, with all in the file. One bit of file, log or witness turns
over, wherever it is, and the store is opened as a service opens it. Either that is
refused with a `StoreError`; or all estimates are what they were, and what is uploaded
next is counted as it should be: all batches that were accepted before are known again,
new ones are counted, and the store is sound after that.
"""

import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from durable_work import CATALOGUE, START, upload

from ldp_service.counting.admission import Admission, Rules
from ldp_service.counting.books import Books
from ldp_service.counting.housekeeping import define, tidy
from ldp_service.counting.turn import begin
from ldp_service.store.errors import StoreError
from ldp_service.store.reading import outcomes_by_question, tally_of
from ldp_service.store.sqlite import SQLiteStore
from ldp_service.store.witness import WITNESS

SILENT, UNTYPED, REFUSED, HARMLESS = "silent", "untyped", "refused", "harmless"
WRONG = (SILENT, UNTYPED)
STORE = "store"
_LOG = f"{STORE}-wal"
_FILES = {STORE: 45, _LOG: 45, STORE + WITNESS: 10}
"""How often the bit is in which file, in a hundred."""
_STEP = 20
_COPIED, _UPLOADS, _ALL = 96, 112, 128
"""Uploads whose changes are in SQLite's file; those before the kill.

Those that are sent once it is open again.
"""
_TOGETHER = 4
_RULES, _NOTHING_KEPT = Rules(kept_days=1), Rules(kept_days=-1)


class Left(NamedTuple):
    """What a service left; what it knew, and will know once more has been uploaded."""

    files: dict
    known: object
    later: object


def left():
    """What a service left, before any bit turned over: killed; closed.

    Closed with pages that are free again.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for first, last in ((0, _COPIED), (_COPIED, _UPLOADS)):
            # Closed after the first ones, which copies the log into the file.
            with closing(SQLiteStore(folder / STORE)) as store:
                books = Books(store, CATALOGUE.tally_parts)
                define(books, CATALOGUE)
                for number in range(first, last, _TOGETHER):
                    take(books, range(number, number + _TOGETHER))
                killed = _files(folder)
        closed = _files(folder)
        with closing(SQLiteStore(folder / STORE)) as store:
            tidy(
                Books(store, CATALOGUE.tally_parts), CATALOGUE, _NOTHING_KEPT, now=START
            )
        emptied = _files(folder)
        return [
            Left(files, *_known(files, folder)) for files in (killed, closed, emptied)
        ]


def turned(files, draw):
    """Files with one bit turned over; the name of the one that it was in, and where."""
    [name] = draw.choices(list(files), [_FILES[name] for name in files])
    content = bytearray(files[name])
    place = draw.randrange(8 * len(content))
    content[place // 8] ^= 1 << place % 8
    return files | {name: bytes(content)}, name, place


def became_of(files, left, folder):
    """Whether files are refused, or hold and do what the others would, or something
    else.
    """
    try:
        return HARMLESS if _known(files, folder) == (left.known, left.later) else SILENT
    except StoreError:
        return REFUSED
    except Exception:
        return UNTYPED


def turn_bits(states, times, seed):
    """What became of n bits in what services left, by the file that they were in."""
    draw, fates = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(times):
            left = states[number % len(states)]
            files, name, place = turned(left.files, draw)
            fate = became_of(files, left, Path(folder))
            fates[name, fate] += 1
            if fate in WRONG:
                print(
                    f"state {number % len(states)}, {name}: bit {place} {fate}",
                    flush=True,
                )
    return fates


def _files(folder):
    return {
        path.name: content
        for path in folder.iterdir()
        if path.name in _FILES and (content := path.read_bytes())
    }


def _known(files, folder):
    """What the store says when it is opened.

    And after more uploads, all those before among them.
    """
    for path in folder.iterdir():
        path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    path = folder / STORE
    with closing(SQLiteStore(path)) as store:
        books = Books(store, CATALOGUE.tally_parts)
        known = said(store)
        again = take(books, range(_ALL))
    with closing(SQLiteStore(path)) as store:
        Books(store, CATALOGUE.tally_parts)
        return known, (said(store), again)


def said(store):
    """All that estimates are made of."""
    with store.snapshot() as snapshot:
        tallies = [
            {
                name: counts.tobytes()
                for name, counts in tally_of(snapshot, served.survey).counts.items()
            }
            for served in CATALOGUE.all
        ]
        return tallies, outcomes_by_question(snapshot)


def take(books, numbers):
    """What becomes of some uploads in one turn, at the time of the last."""
    now = START + _STEP * numbers[-1]
    tidy(books, CATALOGUE, _RULES, now=now)
    with begin(books) as turn:
        return Admission(CATALOGUE, _RULES).take(
            turn, [upload(number).body for number in numbers], now
        )


if __name__ == "__main__":
    times, workers, states = int(sys.argv[1]), 2, left()
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        fates = sum(
            pool.map(partial(turn_bits, states, times // workers), range(workers)),
            Counter(),
        )
    for (name, fate), count in sorted(fates.items()):
        print(f"{name}: {count:,} {fate}")
    sys.exit(any(fate in WRONG for _, fate in fates))
