"""Files of the command line: read whole, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ldp.errors import LDPError
from ldp.survey import Survey
from ldp.survey_file import parse_survey


class FileError(LDPError):
    """A file that cannot be read or written."""


def read_survey(path: Path) -> Survey:
    """The survey in a file."""
    return parse_survey(_read(path), str(path))


def read_candidates(survey: Survey, survey_path: Path) -> dict[str, tuple[str, ...]]:
    """The texts to look for, by question: the lines of the files that the survey names, relative to the survey file."""
    found: dict[str, tuple[str, ...]] = {}
    for question in survey:
        if question.candidates is None:
            continue
        found[question.name] = read_lines(survey_path.parent / question.candidates)
    return found


def read_lines(path: Path) -> tuple[str, ...]:
    """The candidates in a file, one a line; blank lines and repetitions do not count."""
    try:
        lines = [line.strip() for line in _read(path).decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: expected UTF-8 text, one candidate a line, got a stray byte at position {error.start}"
        ) from None
    return tuple(dict.fromkeys(line for line in lines if line))


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes its place only when all went well; on any error, Ctrl-C included, nothing changes."""
    # What a link points to is replaced, never the link: it may be called /dev/stdout.
    place = Path(os.path.realpath(path))
    fresh = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        with fresh.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(place)
    except OSError as error:
        raise FileError(f"expected to write {path}, got {error.strerror or error}") from None
    finally:
        fresh.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last: of files that were made, renamed or removed. Raises `OSError`."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file in one go."""
    with written_whole(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def make_folder(path: Path) -> None:
    """A folder to write to, with those above it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"expected to make the folder {path}, got {error.strerror or error}") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"expected to read {path}, got {error.strerror or error}") from None
