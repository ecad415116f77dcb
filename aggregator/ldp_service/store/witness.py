"""The witness: a file beside SQLite's with the number of acknowledged commits, and a
lock.

SQLite takes a damaged end of its log for the log's end; a store with fewer commits than
its witness has lost some. Only the holder of the file, open as a `Witness`, may write
to the store.

Rules
- A witness that is behind is a weak one, but no false one, so it is not synced, and may
  stay behind on a full disk.
- It has its full length, synced, before anything is noted: a change within one sector
  lasts or not, never half.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from xxhash import xxh64_digest

from ldp_aggregator.output.files import opened_private
from ldp_service.store.errors import StoreDamagedError, StoreError

WITNESS = "-acknowledged"
_SIZE = 16


class Witness:
    """The witness of the store at `path`, locked until it is closed.

    Raises `StoreError` if another process has it.
    """

    def __init__(self, path: Path) -> None:
        import fcntl

        self._path = path
        place = witness_path(path)
        try:
            self._file = opened_private(place, os.O_RDWR)
        except OSError as error:
            raise StoreError(
                f"expected a store at {path}, in a folder that can be written to, got: "
                f"{error.strerror}"
            ) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise StoreError(
                f"expected to be the only one to write to {path}, but another process "
                "does; several share a store on PostgreSQL"
            ) from None
        try:
            if os.fstat(self._file).st_size < _SIZE:
                os.ftruncate(self._file, _SIZE)
                os.fsync(self._file)
        except OSError as error:
            self.close()
            raise StoreError(
                f"expected to write {place}, got {error.strerror}"
            ) from None

    def read(self) -> int | None:
        """How many commits were acknowledged; None where nothing was noted.

        Raises `StoreDamagedError`.
        """
        return _read(os.pread(self._file, _SIZE, 0), self._path)

    def write(self, commits: int) -> None:
        """Note the number of commits. Raises `StoreError`."""
        number = commits.to_bytes(8, "big")
        try:
            os.pwrite(self._file, number + xxh64_digest(number), 0)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise StoreError(
                    f"expected to write {witness_path(self._path)}, got "
                    f"{error.strerror}"
                ) from None

    def close(self) -> None:
        """Let others in; harmless where it was done."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def witness_path(path: Path) -> Path:
    """Where the witness of a store is."""
    return path.with_name(path.name + WITNESS)


def noted_commits(path: Path) -> int | None:
    """Return the number in a store's witness, held or not; None where there is none.

    Raises `StoreDamagedError`.
    """
    try:
        return _read(witness_path(path).read_bytes(), path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(
            f"expected to read {witness_path(path)}, got {error.strerror}"
        ) from None


def _read(noted: bytes, path: Path) -> int | None:
    if not any(noted):
        return None
    if xxh64_digest(noted[:8]) != noted[8:]:
        raise StoreDamagedError(
            f"expected the number of acknowledged commits in {witness_path(path)}, got "
            "damaged bytes; if the store is as it should be, ldp store doctor --repair "
            "writes the file anew"
        )
    return int.from_bytes(noted[:8], "big")
