"""From paths to a tally: report files and tally files, told apart by how they begin; local ones, and objects by URL."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from ldp.errors import MismatchError, WireError
from ldp.survey import Survey
from ldp.wire import TALLY_MAGIC
from ldp_aggregator.files import FileError
from ldp_aggregator.ingest import CHUNK, Ingest
from ldp_aggregator.snapshot import decode_tally
from ldp_aggregator.tally import Tally


def count_paths(survey: Survey, paths: Iterable[str], seen: Iterable[bytes] = ()) -> tuple[Tally, set[bytes]]:
    """The tally of all, and the ids of the batches accepted; batches under ids that are `seen` are duplicates.

    Raises `FileError` for the first path that cannot be read, or is a tally that cannot be merged.
    """
    known = frozenset(seen)
    ingest, snapshots = Ingest(survey, known), Tally.empty(survey)
    for path in paths:
        try:
            with opened(path) as file:
                beginning = file.read(CHUNK)
                if beginning.startswith(TALLY_MAGIC):
                    snapshots = snapshots.merge(decode_tally(beginning + file.read(), survey))
                else:
                    ingest.feed(beginning)
                    ingest.file(file)
        except OSError as error:
            raise FileError(f"expected to read {path}, got {error.strerror or error}") from None
        except (MismatchError, WireError) as error:
            raise FileError(f"{path}: {error}") from None
    ingest.seen -= known
    return ingest.tally.merge(snapshots), ingest.seen


def opened(path: str) -> BinaryIO:
    """The file or object, to be read from its beginning. Raises `OSError`."""
    if is_url(path):
        from ldp_aggregator.objects import open_object

        return open_object(path)
    return Path(path).open("rb")


def is_url(path: str) -> bool:
    """Whether a path names an object in a store rather than a local file."""
    return "://" in path
