"""From paths to a tally: report files and tally files, told apart by how they begin.

Local ones, and objects by URL.
"""

from __future__ import annotations

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


def count_paths(
    survey: Survey,
    paths: Iterable[str],
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
    before = frozenset(seen)
    ingest = Ingest(survey, before)
    snapshots = Tally.empty(survey)
    for path in paths:
        try:
            with opened(path) as file:
                beginning = file.read(CHUNK)
                if beginning.startswith(TALLY_MAGIC):
                    tally = decode_tally(beginning + file.read(), survey)
                    if not allow_equal and any(counts.any() for counts in tally.counts.values()):
                        _take_note(path, tally, ingest.seen)
                    snapshots = snapshots.merge(tally)
                else:
                    ingest.feed(beginning)
                    ingest.file(file)
        except OSError as error:
            raise FileError(f"expected to read {path}, got {error.strerror or error}") from None
        except (MismatchError, WireError) as error:
            raise FileError(f"{path}: {error}") from None
    ingest.seen -= before
    return ingest.tally.merge(snapshots), ingest.seen


def _take_note(path: str, tally: Tally, seen: set[bytes]) -> None:
    """Raise `FileError` for counts that were added already.

    There is nothing else by which two tallies could be told apart.

    What became of the batches does not count: duplicates among them do not make for other reports.
    """
    digest = blake2b(encode_tally(Tally(tally.survey, tally.counts)), digest_size=ID_SIZE).digest()
    if digest in seen:
        raise FileError(
            f"{path}: expected tallies of different reports, got the same counts for the second "
            "time; leave it out, or if it really counts other reports, pass --allow-equal"
        )
    seen.add(digest)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The file or object, or standard input, to be read from its beginning. Raises `OSError`."""
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
