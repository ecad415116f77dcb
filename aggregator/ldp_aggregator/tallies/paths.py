"""From what people have at hand to a tally: reports, tallies, files, objects and bytes.

Report files and tally files are told apart by how they begin; they are local, objects by URL, or
their bytes. Tallies are taken as they are.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from ldp.epochs import ID_SIZE
from ldp.errors import MismatchError, WireError
from ldp.survey import Survey
from ldp.wire import TALLY_MAGIC
from ldp_aggregator.files import FileError
from ldp_aggregator.streams import DASH, standard_input
from ldp_aggregator.tallies.ingest import CHUNK, Ingest
from ldp_aggregator.tallies.tally import Tally
from ldp_aggregator.tallies.tally_file import decode_tally, encode_tally

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

    A tally has no id. What tells it from others are its counts, the digest of which is among the
    ids. Raises `FileError` for the first path that cannot be read, or is a tally that cannot be
    merged, or is one that came before, unless `allow_equal`.
    """
    known = frozenset(seen)
    ingest, snapshots = Ingest(survey, known), Tally.empty(survey)
    for number, source in enumerate(paths, 1):
        place = _place(source, number)
        try:
            tally = source if isinstance(source, Tally) else _taken_in(source, ingest)
            if tally is not None:
                snapshots = snapshots.merge(tally)
                if not allow_equal and any(counts.any() for counts in tally.counts.values()):
                    _take_note(place, tally, ingest.seen)
        except OSError as error:
            raise FileError(f"expected to read {place}, got {error.strerror or error}") from None
        except (MismatchError, WireError) as error:
            raise FileError(f"{place}: {error}") from None
    ingest.seen -= known
    return ingest.tally.merge(snapshots), ingest.seen


def _taken_in(source: File, ingest: Ingest) -> Tally | None:
    """Let reports be counted; what is the file of a tally is returned instead."""
    with opened(source) as file:
        beginning = file.read(CHUNK)
        if beginning.startswith(TALLY_MAGIC):
            return decode_tally(beginning + file.read(), ingest.tally.survey)
        ingest.feed(beginning)
        ingest.file(file)
    return None


def _place(source: Source, number: int) -> str:
    """What messages call a source. Raises `TypeError` for what is none."""
    if not isinstance(source, SOURCES):
        raise TypeError(
            "expected reports as the bytes of a report file or tally file, the path or URL of one, "
            f"a tally, or several of these; got something of type {type(source).__name__}"
        )
    return os.fspath(source) if isinstance(source, str | os.PathLike) else f"source {number}"


def _take_note(path: str, tally: Tally, seen: set[bytes]) -> None:
    """Raise `FileError` for counts that were added already.

    There is nothing else by which two tallies could be told apart.

    What became of the batches does not count: duplicates among them do not make for other reports.
    """
    alone = Tally(tally.survey, tally.counts, combinations=tally.combinations)
    digest = blake2b(encode_tally(alone), digest_size=ID_SIZE).digest()
    if digest in seen:
        raise FileError(
            f"{path}: expected tallies of different reports, got the same counts for the second "
            "time; leave it out, or if it really counts other reports, pass --allow-equal"
        )
    seen.add(digest)


@contextmanager
def opened(source: File) -> Iterator[BinaryIO]:
    """What a path, a URL, a dash or bytes stand for, to be read from its beginning.

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
        from ldp_aggregator.tallies.object_stores import open_object

        with open_object(path) as file:
            yield file
        return
    with Path(path).open("rb") as file:
        yield file


def is_url(path: str) -> bool:
    """Whether a path names an object in a store rather than a local file."""
    return "://" in path
