"""What a device remembers, so that it never gives fresh noise on an answer it has already randomized.

- which one-report questions it has answered (their budget is spent);
- its cohort for each question that has cohorts;
- its permanent responses, under keys that are BLAKE2b hashes of question and answer with a secret of the device.

No answer is stored. The state is kept in memory, or in a JSON file that is replaced as a whole and reaches the disk
before the report that it accounts for is handed out. Whoever holds that file holds the secret too, and can test
guesses against the keys: the file belongs in the app's private storage.
"""

from __future__ import annotations

import hashlib
import os

from ldp.domain import Value
from ldp.errors import StateError
from ldp.randomness import Random

FORMAT = 1
_SECRET_SIZE = 32


class State:
    """The memory of one device; `path` is None if it is not kept on disk."""

    __slots__ = ("answered", "cohorts", "path", "permanent", "secret")

    def __init__(self, path: str | None = None) -> None:
        self.path = path
        self.secret = b""
        self.answered: set[bytes] = set()
        self.cohorts: dict[bytes, int] = {}
        self.permanent: dict[bytes, int] = {}

    def memo_key(self, fingerprint: bytes, cohort: int, value: Value, random: Random) -> bytes:
        """The key under which the permanent response to a value is kept."""
        if not self.secret:
            self.secret = random(_SECRET_SIZE)
        told = value if isinstance(value, bytes) else value.to_bytes(4, "little")
        message = fingerprint + cohort.to_bytes(2, "little") + told
        return hashlib.blake2b(message, key=self.secret, digest_size=16).digest()

    def spend(self, fingerprint: bytes) -> None:
        """Remember that a question has its one report. Raises `StateError`; then nothing is remembered."""
        self.answered.add(fingerprint)
        try:
            self._save()
        except BaseException:
            self.answered.discard(fingerprint)
            raise

    def keep(self, fingerprint: bytes, cohort: int, key: bytes, permanent: int) -> None:
        """Remember a permanent response, and the cohort. Raises `StateError`; then nothing is remembered."""
        cohorts = dict(self.cohorts)
        self.cohorts[fingerprint], self.permanent[key] = cohort, permanent
        try:
            self._save()
        except BaseException:
            self.cohorts = cohorts
            del self.permanent[key]
            raise

    def _save(self) -> None:
        """Put the state on disk, if it has a place there. Raises `StateError`; then no report may be handed out."""
        if self.path is None:
            return
        import json

        content = {
            "secret": self.secret.hex(),
            "answered": sorted(fingerprint.hex() for fingerprint in self.answered),
            "cohorts": {fingerprint.hex(): cohort for fingerprint, cohort in self.cohorts.items()},
            "permanent": {key.hex(): f"{bits:x}" for key, bits in self.permanent.items()},
        }
        fresh = self.path + ".new"
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(descriptor, "w", encoding="ascii") as file:
                json.dump({"format": FORMAT, "checksum": _checksum(content), "state": content}, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, self.path)
            _sync_folder(os.path.dirname(self.path) or ".")
        except OSError as error:
            raise StateError(
                f"expected to write the state file {self.path}, got {error.strerror}; no report was made"
            ) from None


def load(path: str | os.PathLike[str]) -> State:
    """The state kept at `path`; a new one if there is no file yet. Raises `StateError` if the file cannot be used."""
    import json

    state = State(place := os.fspath(path))
    try:
        with open(place, encoding="ascii") as file:
            stored = json.load(file)
        if stored["format"] != FORMAT:
            raise StateError(f"expected state of format {FORMAT} in {place}, got {stored['format']!r}")
        content = stored["state"]
        if stored["checksum"] != _checksum(content):
            raise ValueError("expected a state that matches its checksum")
        state.secret = bytes.fromhex(content["secret"])
        state.answered = {bytes.fromhex(fingerprint) for fingerprint in content["answered"]}
        state.cohorts = {bytes.fromhex(fingerprint): int(cohort) for fingerprint, cohort in content["cohorts"].items()}
        state.permanent = {bytes.fromhex(key): int(bits, 16) for key, bits in content["permanent"].items()}
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StateError(f"expected to read the state file {place}, got {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise StateError(
            f"expected a state file at {place}, got something else; a damaged one is not replaced by itself, "
            "since forgetting what was answered would spend the budget twice"
        ) from None
    return state


def _checksum(content: object) -> str:
    import json

    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _sync_folder(folder: str) -> None:
    """Make the new name of a file last through a loss of power, where the system lets folders be synced."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
