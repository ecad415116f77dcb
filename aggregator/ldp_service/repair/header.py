"""Header of a store's SQLite file: the bytes that are known in advance, and are put
back.

SQLite believes the first hundred bytes of its file. A bit of them may make it read
nothing, or refuse to write; most of them say the same in every store of ours.

    0    "SQLite format 3" and a zero byte
    16   pages of 4,096 bytes
    18   a log for writing and for reading (2, 2), no bytes left free at the ends of
         pages, and the fractions of payload that every file has (64, 32, 32)
    44   schema format 4
    52   no pages that vacuum themselves
    56   texts in UTF-8
    60   our version, or an earlier one
    64   nothing of vacuums, no application, and zeros up to 92

How many pages there are (28) is seen from the file, where it has no log: more than that
are not. The rest (counters, free pages) is for SQLite to find right or wrong. Where
there is a log, zeros are what was there before anything was copied into the file.
Source: SQLite, "Database File Format", 1.3.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ldp_service.store.sqlite import PAGE, VERSION

SIZE = 100
_FORM = slice(60, 64)
_KNOWN = {
    0: b"SQLite format 3\0",
    16: PAGE.to_bytes(2, "big"),
    18: bytes([2, 2, 0, 64, 32, 32]),
    44: (4).to_bytes(4, "big"),
    52: bytes(4),
    56: (1).to_bytes(4, "big"),
    _FORM.start: VERSION.to_bytes(4, "big"),
    64: bytes(28),
}

_PAGES = slice(28, 32)


def changed_places(path: Path) -> list[int]:
    """The bytes of a file's header that are others than every store has there."""
    with path.open("rb") as file:
        header = file.read(SIZE)
    both = zip(header, _mend(header, path), strict=True)
    return [place for place, (there, before) in enumerate(both) if there != before]


@contextmanager
def with_sound_header(path: Path) -> Iterator[Path]:
    """A path under which the store can be read: its own, or a copy's whose header was
    put back.
    """
    if not changed_places(path):
        yield path
        return
    with TemporaryDirectory(dir=path.parent, prefix=f"{path.name}.") as folder:
        copy = Path(folder) / path.name
        for ending in ("", "-wal"):
            if Path(f"{path}{ending}").exists():
                shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
        with copy.open("r+b") as file:
            header = _mend(file.read(SIZE), path)
            file.seek(0)
            file.write(header)
        yield copy


def _mend(header: bytes, path: Path) -> bytes:
    mended = bytearray(header)
    known = dict(_KNOWN)
    if 0 < int.from_bytes(header[_FORM], "big") < VERSION:
        # Of an earlier form, which is good as well.
        del known[_FORM.start]
    log = Path(f"{path}-wal")
    pages = path.stat().st_size // PAGE
    has_log = log.exists() and log.stat().st_size > 0
    if not has_log and int.from_bytes(header[_PAGES], "big") > pages:
        known[_PAGES.start] = pages.to_bytes(4, "big")
    for place, content in known.items():
        # What was set last may still be in the log alone.
        if has_log and not any(header[place : place + len(content)]):
            continue
        mended[place : place + len(content)] = content
    return bytes(mended[: len(header)])
