"""Sources of tallies: reports, tallies, files, objects and bytes.

Report files and tally files are told apart by how they begin; they are local, objects
by URL, or their bytes. Tallies are taken as they are.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from ldp.errors import MismatchError, WireError
from ldp.numbers.epochs import ID_SIZE
from ldp.survey.survey import Survey
from ldp.wire.wire import TALLY_MAGIC
from ldp_aggregator.output.files import FileError, unreadable
from ldp_aggregator.output.streams import DASH, standard_input
from ldp_aggregator.tallies.intake.ingest import CHUNK, Ingest
from ldp_aggregator.tallies.intake.overlaps import TallyOverlaps
from ldp_aggregator.tallies.tally import Tally
from ldp_aggregator.tallies.tally_file import decode_tally

File = str | os.PathLike[str] | bytes | bytearray | memoryview
"""The path or URL of a report file or tally file, or the bytes of such a file."""

Source = File | Tally

SOURCES = (str, os.PathLike, bytes, bytearray, memoryview, Tally)


def count_paths(
    survey: Survey,
    paths: Iterable[Source],
    seen: Iterable[bytes] = (),
    *,
    allow_equal: bool = False,
) -> tuple[Tally, set[bytes]]:
    """The tally of all, and the ids of the batches accepted.

    Batches under ids that are `seen` are duplicates.

    A tally has no id. What tells it from others is its identity (`overlaps`), and where
    it has none its counts, the digest of which is among the ids. Raises `FileError` for
    the first path that cannot be read, or is a tally that cannot be merged, or is one
    that came before, in whole or in part, unless `allow_equal`.
    """
    known = frozenset(seen)
    ingest = Ingest(survey, known)
    total = _Total(survey, ingest.seen, allow_equal=allow_equal)
    for number, source in enumerate(paths, 1):
        place = _place(source, number)
        with _name_errors(place):
            tally = source if isinstance(source, Tally) else _taken_in(source, ingest)
            if tally is not None:
                total.add(place, tally)
    ingest.seen -= known
    return total.beside(ingest.tally), ingest.seen


def has_reports(tally: Tally) -> bool:
    """Whether a tally has any reports."""
    return any(counts.any() for counts in tally.counts.values())


class _Total:
    """The sum of tallies, and what is known of each."""

    def __init__(self, survey: Survey, seen: set[bytes], *, allow_equal: bool) -> None:
        self.tally = Tally.empty(survey)
        self._seen = seen
        self._allow_equal = allow_equal
        self._known = TallyOverlaps()

    def add(self, place: str, tally: Tally) -> None:
        """Add a tally, unless it was added already. Raises `FileError`,
        `MismatchError`.
        """
        if not self._allow_equal and has_reports(tally):
            self._known.check(place, tally)
            _take_note(place, tally, self._seen)
            self._known.add(place, tally)
        self.tally = self.tally.merge(tally, allow_equal=True)

    def beside(self, tally: Tally) -> Tally:
        """The sum with the tally of all report files. Raises `FileError`."""
        if not self._allow_equal:
            self._known.check("the report files given", tally)
        return tally.merge(self.tally, allow_equal=True)


@contextmanager
def _name_errors(place: str) -> Iterator[None]:
    """Raise errors of a source as a `FileError` that names it."""
    try:
        yield
    except OSError as error:
        raise FileError(unreadable(place, error)) from None
    except (MismatchError, WireError) as error:
        raise FileError(f"{place}: {error}") from None


def _taken_in(source: File, ingest: Ingest) -> Tally | None:
    """Let reports be counted; what is the file of a tally is returned instead."""
    with open_source(source) as file:
        beginning = file.read(CHUNK)
        if beginning.startswith(TALLY_MAGIC):
            return decode_tally(beginning + file.read(), ingest.tally.survey)
        ingest.feed(beginning)
        ingest.file(file)
    return None


def _place(source: Source, number: int) -> str:
    """Return the name of a source in messages. Raises `TypeError` for other objects."""
    if not isinstance(source, SOURCES):
        raise TypeError(
            "expected reports as the bytes of a report file or tally file, the path or "
            "URL of one, a tally, or several of these; got something of type "
            f"{type(source).__name__}"
        )
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return f"source {number}"


def _take_note(path: str, tally: Tally, seen: set[bytes]) -> None:
    """Raise `FileError` for counts that were added already.

    There is nothing else by which two tallies without an identity could be told apart.

    What became of the batches does not count: duplicates among them do not make for
    other reports.
    """
    hashed = blake2b(repr(tally.identity).encode(), digest_size=ID_SIZE)
    for _, counts in sorted(tally.counts.items()):
        hashed.update(counts.astype("<i8").tobytes())
    for name, by_number in sorted(tally.combinations.items()):
        for number, counts in sorted(by_number.items()):
            hashed.update(f"{name} {number}".encode())
            hashed.update(counts.astype("<i8").tobytes())
    digest = hashed.digest()
    if digest in seen:
        raise FileError(
            f"{path}: expected tallies of different reports, got the same counts for "
            "the second time; leave it out, or if it really counts other reports, pass "
            "--allow-equal"
        )
    seen.add(digest)


@contextmanager
def open_source(source: File) -> Iterator[BinaryIO]:
    """Open a path, a URL, a dash or bytes, to be read from the beginning.

    Raises `OSError`.
    """
    if not isinstance(source, str | os.PathLike):
        yield io.BytesIO(source)
        return
    path = os.fspath(source)
    if path == DASH:
        yield standard_input()
        return
    if is_url(path):
        from ldp_aggregator.tallies.intake.object_stores import open_object

        with open_object(path) as file:
            yield file
        return
    with Path(path).open("rb") as file:
        yield file


def is_url(path: str) -> bool:
    """Whether a path names an object in a store rather than a local file."""
    return "://" in path
