"""A folder of report files as a source: all `*.ldp` files in it and below.

Those that still grow are among them.

    mark      folder:<path of the file, as the folder was given>
    place     bytes read (8, big-endian) and the first 16 bytes of the file: the header
              of its first frame

Rules
- One process follows a folder, by a lock on it; others wait until it is gone. Where a
  folder cannot be locked all of them read it, and what one counted is a duplicate to
  the others.
- A file is known by its path and its first frame, whose checksum covers a random id:
  one that takes another's place, or another name, is read from its start. Batches that
  were read before are duplicates then.
- What is behind the last sound frame of a file waits: a frame may still be growing
  there. So damage is counted once, with the frame behind it; of a long stretch without
  any, some 16 MiB at a time.
- Links are passed over; a hole of a sparse file is waited for where
  nothing is behind it, and else damage, which is not read where it is long.
- Memory: some times the largest frame, for all files together.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from ldp.wire.wire import MOST_PAYLOAD, Damage, FrameReader, encode_frame
from ldp_aggregator.output.files import FileError
from ldp_aggregator.output.safe_cells import printable
from ldp_service.counting.writer import Writer
from ldp_service.sources.follower import MOST_BYTES, Follower, SourceFrames
from ldp_service.store.reading import marks
from ldp_service.store.records import Scanned

EVERY = 1.0
"""Seconds between two looks at the folder."""

_HEADER = len(encode_frame(b""))
_LARGEST = _HEADER + MOST_PAYLOAD
_LONG = 256 << 20
"""Bytes of a hole that are passed over unread."""
_DAMAGE = b"\0"
"""Damage of any size, in one byte."""


class FolderSource(Follower):
    """Follows the report files of a folder.

    `read_store` opens what the store has: its marks are read from there.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        writer: Writer,
        read_store: Callable[[], AbstractContextManager[Scanned]],
        *,
        every: float = EVERY,
    ) -> None:
        super().__init__(f"folder {folder}", writer)
        self._folder = Path(folder)
        self._read_store = read_store
        self._every = every
        self._places: dict[str, bytes] = {}
        self._seen: dict[Path, tuple[int, ...]] = {}

    def _follow(self) -> None:
        with _open(self._folder) as descriptor:
            while not _is_ours(descriptor):
                if self._stopping.wait(self._every):
                    return
            self.begin()
            while True:
                self.look()
                if self._stopping.wait(self._every):
                    return

    def begin(self) -> None:
        """Go on from where the marks of the store are."""
        with self._read_store() as snapshot:
            self._places = marks(snapshot)
        self._seen = {}

    def look(self) -> None:
        """Deliver what has come since the last look."""
        if not self._folder.is_dir():
            raise _missing(self._folder)
        signatures: dict[Path, tuple[int, ...]] = {}
        trouble = None
        for path in sorted(self._folder.rglob("*.ldp")):
            try:
                # Links are not followed: they may lead anywhere, or in a circle.
                status = path.lstat()
                signature = status.st_ino, status.st_size, status.st_mtime_ns
                if stat.S_ISREG(status.st_mode) and self._seen.get(path) != signature:
                    self._read(path)
                signatures[path] = signature
            except FileNotFoundError:  # it went while we looked
                continue
            except OSError as error:
                trouble = (
                    f"expected to read {printable(str(path))}, got {error.strerror}"
                )
        self._seen = signatures
        if trouble is None:
            self.failure = None
        else:
            self._fail(trouble)

    def _read(self, path: Path) -> None:
        """Deliver what a file has behind its mark."""
        source = f"folder:{path}".encode(errors="backslashreplace").decode()
        with path.open("rb") as file:
            header = file.read(_HEADER)
            if len(header) < _HEADER:
                return
            place = self._places.get(source, b"")
            at = 0
            if place[8:] == header:
                at = int.from_bytes(place[:8], "big")
            if at > os.fstat(file.fileno()).st_size:
                at = 0
            file.seek(at)
            while parts := _next(file, at):
                pieces = []
                for frames, size in parts:
                    at += size
                    pieces.append(
                        SourceFrames(frames, source, at.to_bytes(8, "big") + header)
                    )
                self._deliver(pieces)
                self._places[source] = pieces[-1].place
                file.seek(at)


@contextmanager
def _open(folder: Path) -> Iterator[int]:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        raise _missing(folder) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_ours(descriptor: int) -> bool:
    """Whether no other process follows the folder, or no file system can tell."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _missing(folder: Path) -> FileError:
    return FileError(f"expected a folder of report files at {folder}, found none")


def _hole(file: BinaryIO, at: int) -> int | None:
    """The bytes of a hole that begins there; None if it reaches to the end of the
    file.
    """
    # Where the file is read on, behind what Python has read ahead.
    here = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    try:
        return os.lseek(file.fileno(), at, os.SEEK_DATA) - at
    except OSError as error:
        # Other errors are those of file systems that have no holes, or do not tell.
        if error.errno == errno.ENXIO:
            return None
        return 0
    finally:
        os.lseek(file.fileno(), here, os.SEEK_SET)


def _next(file: BinaryIO, at: int) -> list[tuple[bytes, int]]:
    """The next part of a file, as far as it is certain: frames and damage.

    Each with the bytes that it takes there.
    """
    hole = _hole(file, at)
    if hole is None or hole > _LONG:
        if hole:
            return [(_DAMAGE, hole)]
        return []
    reader = FrameReader()
    size = 0
    while size < 2 * _LARGEST and (chunk := file.read(MOST_BYTES)):
        size += len(chunk)
        parts = [_with_size(part) for part in reader.feed(chunk)]
        if parts:
            return parts
    if size >= 2 * _LARGEST:
        return [(_DAMAGE, size - _LARGEST)]
    return []


def _with_size(part: bytes | Damage) -> tuple[bytes, int]:
    """Return the deliverable of a part of a file, and the bytes that it takes there."""
    if isinstance(part, Damage):
        return _DAMAGE, part.size
    return encode_frame(part), _HEADER + len(part)
