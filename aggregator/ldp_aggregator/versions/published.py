"""The register that a service shows to everyone: read anew as it grows, and never as it
shrinks.

A service knows which surveys it serves, so it knows that they have to be in there; and
it knows which head it has shown, so that a file that does not go on from that one is
not shown any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import Lock

from ldp.survey.survey import Survey
from ldp.transparency.entries import Register, RegisterError
from ldp.transparency.proofs import Head, check_consistency, head_of, prove_consistency
from ldp_aggregator.versions.register_file import read_register, verify


class PublishedRegister:
    """The register in a file, which has all these surveys.

    Raises `RegisterError` if it is not sound or lacks one of them, and `FileError`.
    """

    def __init__(self, path: Path, surveys: Iterable[Survey]) -> None:
        self._path = path
        self._lock = Lock()
        self._stamp = self._read_stamp()
        self._register = read_register(path)
        verify(self._register)
        for survey in surveys:
            if self._register.find(survey) is None:
                raise RegisterError(
                    f"{path}: expected {survey.name} ({survey.fingerprint.hex()}), "
                    "which is served, got no entry of this version; `ldp survey "
                    "register add` adds it"
                )

    def read(self) -> Register:
        """The register as it is now.

        Raises `RegisterError` if it does not go on from what was shown before, and
        `FileError`.
        """
        with self._lock:
            stamp = self._read_stamp()
            if stamp != self._stamp:
                register = read_register(self._path)
                check_grown(register, head_of(self._register))
                self._stamp, self._register = stamp, register
            return self._register

    def _read_stamp(self) -> tuple[int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return 0, 0  # reading it says why
        return status.st_mtime_ns, status.st_size


def check_grown(register: Register, old: Head) -> None:
    """Raise `RegisterError` unless a register goes on from an older head."""
    if old.size == 0:
        return
    if old.size > len(register.entries):
        raise RegisterError(
            f"expected {old.size} entries or more, as there were before, got "
            f"{len(register.entries)}"
        )
    check_consistency(prove_consistency(register, old.size), first=old)
