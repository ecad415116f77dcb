"""Objects in stores, read as files: `s3://bucket/name`, `gs://`, `az://`.

And what else obstore knows.

Rules
- Credentials and endpoints come from where obstore takes them: environment variables,
  profiles, the machine's role.
- An object is read in ranges, each of which is retried by itself: nothing has to finish
  within one time limit.
- Whatever goes wrong with a store is an `OSError` of one line.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from ldp_aggregator.output.files import FileError

RANGE = 8 << 20
"""Bytes asked for at a time."""


def open_object(url: str) -> BinaryIO:
    """The object, to be read from its beginning.

    Raises `OSError`, or `FileError` without the package that it takes.
    """
    try:
        import obstore
        from obstore.store import from_url
    except ImportError:
        raise FileError(
            f"expected the package obstore, which reads {url}; install it with "
            f"'ldpkit-aggregator[objects]'"
        ) from None
    place, _, name = url.rpartition("/")
    with _errors_of_one_line():
        reader = obstore.open_reader(from_url(place), name)
        return cast(BinaryIO, io.BufferedReader(_Object(reader), RANGE))


class _Object(io.RawIOBase):
    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _errors_of_one_line():
            piece = memoryview(self._reader.read(len(buffer)))
        buffer[: len(piece)] = piece
        return len(piece)


@contextmanager
def _errors_of_one_line() -> Iterator[None]:
    from obstore.exceptions import BaseError

    try:
        yield
    except (OSError, BaseError) as error:
        raise OSError(str(error).partition("\n")[0]) from None
