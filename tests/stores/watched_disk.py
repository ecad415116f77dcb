"""A disk that is watched and fails when told to: `watched_disk.c`, preloaded into a
process.

A log is a sequence of records: kind (a letter), file, offset, length, and its bytes.

    O  the file is opened under the path in the bytes       S  the file, or folder, is synced
    W  the bytes are written at the offset                  F  its sync failed
    T  the file ends at the offset                          E  a write, or a change of size, failed
    U  the path in the bytes is unlinked                    M  what the process says about itself

A file's number is that of one opening: it may be opened several times, under several
numbers.
"""

import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

_SOURCE = Path(__file__).with_name("watched_disk.c")
_COMPILER = shutil.which("cc")
_RECORD = struct.Struct("=IIQQ")
_FAULT = struct.Struct("=QQQ")
_FAULTS_AT = {"write": 0, "sync": 32}
FOREVER = (1 << 64) - 1


class Record(NamedTuple):
    """One thing that happened, in the order in which it did."""

    kind: str
    file: int
    offset: int
    content: bytes


class Fault(NamedTuple):
    """Operations number `first` up to `until` of a kind fail with an error.

    If that is 0, writes are cut short.
    """

    operation: str
    first: int
    error: int
    until: int = FOREVER


class WatchedDisk:
    """The folder `files`: what processes with this `environment` did to it, and which
    fails.
    """

    def __init__(self, folder):
        self._folder = Path(folder).resolve()
        self.files = self.beside("files")
        self._log, self._faults = self._folder / "log", self._folder / "faults"
        if not self._faults.exists():
            self.restart()

    @property
    def environment(self):
        """What a process needs in its environment to be watched."""
        built = self._folder / "watched_disk.so"
        if not built.exists():
            subprocess.run(
                [
                    _COMPILER,
                    "-O1",
                    "-shared",
                    "-fPIC",
                    "-pthread",
                    "-o",
                    built,
                    _SOURCE,
                ],
                check=True,
            )
        places = {"FOLDER": self.files, "LOG": self._log, "FAULTS": self._faults}
        return (
            os.environ
            | {"LD_PRELOAD": str(built)}
            | {f"LDP_DISK_{name}": str(at) for name, at in places.items()}
        )

    def beside(self, name):
        """A folder of a name that is not watched, beside the one that is."""
        folder = self._folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def restart(self):
        """Forget what was recorded and counted, and every fault."""
        self._log.write_bytes(b"")
        self._write_faults(0, bytes(2 * 32))

    def fail(self, fault):
        """Let a fault happen from now on; operations are counted from the last
        `restart`.
        """
        self._write_faults(
            _FAULTS_AT[fault.operation] + 8,
            _FAULT.pack(fault.first, fault.until, fault.error),
        )

    def work(self, operation):
        """Let no operation of a kind fail any more."""
        self.fail(Fault(operation, 0, 0, until=0))

    def count(self, operation):
        """How many operations of a kind there have been."""
        return int.from_bytes(
            self._faults.read_bytes()[_FAULTS_AT[operation] :][:8], sys.byteorder
        )

    def records(self):
        """What happened so far."""
        log, at = self._log.read_bytes(), 0
        while at < len(log):
            kind, file, offset, length = _RECORD.unpack_from(log, at)
            at += _RECORD.size + length
            yield Record(chr(kind), file, offset, content=log[at - length : at])

    def _write_faults(self, offset, content):
        # In place: processes have the file mapped.
        with self._faults.open("r+b" if self._faults.exists() else "xb") as file:
            file.seek(offset)
            file.write(content)


def folder_in_memory():
    """A folder for the time of a `with`.

    Where there can be one in memory, so that syncs take no time.
    """
    shared = Path("/dev/shm")  # noqa: S108
    return tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None)


def mark(text):
    """Put a word into the log of the disk of this process, which has to be a watched
    one.
    """
    content = text.encode()
    ctypes.CDLL(None).watched_mark(content, ctypes.c_size_t(len(content)))
