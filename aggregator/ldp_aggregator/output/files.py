"""Files of the command line: read whole, written whole or not at all; `-` is a standard
stream.

Whatever exists and is no regular file is written to in place: to put a file where a
device was would destroy it.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, TextIO

import click

from ldp.answers.texts import lines_of, to_nfc
from ldp.errors import LDPError, Problem, SurveyError
from ldp.survey.survey import Survey
from ldp.survey.survey_file import parse_survey
from ldp.survey.survey_text import LARGEST
from ldp.wire.wire import REPORTS_MAGIC, TALLY_MAGIC
from ldp_aggregator.output.streams import DASH, is_standard_output, standard_input

_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")
_LARGEST_SURVEY = "LDPKIT_LARGEST_SURVEY"
_ANYWHERE = "LDPKIT_FILES_ANYWHERE"
_NO_SURVEYS = {TALLY_MAGIC: "a tally", REPORTS_MAGIC: "a report file"}
_MOST_COMPARED = 1000
"""Names in a folder among which one is looked for that comes near."""
SECRETS = "CREDENTIALS_DIRECTORY"
_MOST_SECRET = 4096
_BLANKS = " \t"
_TOML_PARTS = re.compile(
    r'"""(?:\\.|[^\\])*?"""+|"(?:\\.|[^"\\\n])*"'
    r"|'''.*?'''+|'[^'\n]*'|[ \t]*#[^\n]*",
    re.DOTALL,
)
"""Texts, in which a # begins no comment, and comments."""


class FileError(LDPError):
    """A file that cannot be read or written.

    `read_survey` has an example.
    """


def read_survey(path: str | os.PathLike[str], *, for_analysis: bool = False) -> Survey:
    """The survey in a file of at most $LDPKIT_LARGEST_SURVEY (or `LARGEST`) bytes.

    `LARGEST` is that of `ldp.survey.survey_text`. Laws without a finite epsilon, which
    nobody may collect by, are taken `for_analysis` of answers that exist.

    Raises `SurveyError`, and `FileError` for a file that cannot be read.

    >>> import ldp_aggregator
    >>> survey = ldp_aggregator.read_survey("examples/commute.toml")  # doctest: +SKIP
    """
    return read_source(Path(path), for_analysis=for_analysis)[0]


def read_source(path: Path, *, for_analysis: bool = False) -> tuple[Survey, bytes]:
    """The survey in a file, and its content, as what is no regular file can be read
    only once.

    Where the survey names files, the content is one that has in itself what they say.
    """
    largest = _largest_survey()
    # One byte more shows that there are too many, in a file that has no end as well.
    content = _read(path, largest + 1)
    for magic, kind in _NO_SURVEYS.items():
        if content.startswith(magic):
            raise FileError(
                f"{path} is {kind}. SURVEY comes first, then tallies or reports: "
                "change their order"
            )
    if len(content) > largest:
        expected = (
            f"a survey file of at most {largest:,} bytes (set {_LARGEST_SURVEY} to "
            "allow more)"
        )
        raise SurveyError((Problem(str(path), expected, "a larger one"),))
    named = _Named(path.parent, largest)
    survey = parse_survey(
        content, str(path), largest, files=named, for_analysis=for_analysis
    )
    # Whoever is handed the content has no files beside it.
    return survey, survey.to_toml().encode() if named.read else content


class _Named:
    """Reads the files that a survey names, relative to it; `read` says whether it names
    any.
    """

    def __init__(self, folder: Path, largest: int) -> None:
        self.read = False
        self._folder = folder
        self._largest = largest

    def __call__(self, name: str) -> str:
        self.read = True
        path = beside(self._folder, name)
        content = read_bytes(path, self._largest)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FileError(
                f"{path}: expected UTF-8 text, got a stray byte at position "
                f"{error.start}"
            ) from None


def _largest_survey() -> int:
    chosen = os.environ.get(_LARGEST_SURVEY, str(LARGEST))
    if not re.fullmatch("[1-9][0-9]{0,11}", chosen, re.ASCII):
        raise FileError(
            f"expected {_LARGEST_SURVEY} to be a number of bytes, got {chosen[:40]!r}"
        )
    return int(chosen)


def read_whole(path: Path) -> bytes:
    """All bytes of a file. Raises `FileError`."""
    return _read(path)


def read_candidates(
    survey: Survey, survey_path: str | os.PathLike[str]
) -> dict[str, tuple[str, ...]]:
    """The texts to look for, by question: the lines of the files that the survey names,
    in NFC.

    Their paths are relative to the survey file. Raises `FileError`.

    >>> import ldp_aggregator
    >>> survey = ldp_aggregator.read_survey("examples/commute.toml")  # doctest: +SKIP
    >>> ldp_aggregator.read_candidates(survey, "examples/commute.toml")  # doctest: +SKIP
    """
    texts: dict[str, tuple[str, ...]] = {}
    for question in survey:
        if question.candidates is None:
            continue
        lines = read_lines(beside(Path(survey_path).parent, question.candidates))
        texts[question.name] = tuple(dict.fromkeys(map(to_nfc, lines)))
    return texts


def beside(folder: Path, name: str) -> Path:
    """A file that a survey in a folder names: one of the folder, or below it.

    A survey may come from someone who should not choose what is read here, so that
    others are refused with `FileError`, unless $LDPKIT_FILES_ANYWHERE is 1.
    """
    path = folder / name
    inside = path.resolve().is_relative_to(folder.resolve())
    if not inside and os.environ.get(_ANYWHERE) != "1":
        raise FileError(
            f"expected a file in the survey's own folder, got {name!r}, which leads "
            f"out of it; {_ANYWHERE}=1 allows that"
        )
    return path


def read_bytes(path: Path, largest: int) -> bytes:
    """Read a file of at most so many bytes."""
    content = _read(path, largest + 1)
    if len(content) > largest:
        raise FileError(f"{path}: expected at most {largest:,} bytes, got more")
    return content


def toml_in(content: bytes) -> dict[str, Any]:
    """The tables of a file in UTF-8, also as editors save it. Raises `ValueError`."""
    try:
        # Some put a byte order mark before it.
        return tomllib.loads(content.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError(str(error)) from None


def without_comments(source: str) -> str:
    """A TOML file without its comments, which are its author's own."""
    return _TOML_PARTS.sub(lambda part: "" if part[0][0] in " \t#" else part[0], source)


def secret_of(name: str, environment: Mapping[str, str]) -> str:
    """A secret, plain or in a file; nothing where it is not given. Raises `FileError`.

    The file is named by a variable of its own, or lies in the folder of all secrets,
    named as the variable in lower case. systemd says where that is.
    """
    plain, path = environment.get(name), environment.get(f"{name}_FILE")
    if plain and path:
        raise FileError(f"expected {name} or {name}_FILE, got both")
    if not plain and not path and environment.get(SECRETS):
        in_folder = Path(environment[SECRETS], name.lower())
        path = None
        if in_folder.exists():
            path = str(in_folder)
    if path:
        try:
            return read_bytes(Path(path), _MOST_SECRET).decode().strip()
        except UnicodeDecodeError:
            raise FileError(
                f"{name}_FILE: expected text, got bytes that are none"
            ) from None
    return (plain or "").strip()


def read_lines(path: Path) -> tuple[str, ...]:
    """The candidates in a file, one a line; blank lines and repetitions do not
    count.
    """
    try:
        lines = lines_of(_read(path).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: expected UTF-8 text, one candidate a line, got a stray byte at "
            f"position {error.start}"
        ) from None
    return tuple(dict.fromkeys(line.strip(_BLANKS) for line in lines if line.strip()))


@contextmanager
def written_whole(
    path: Path, mode: int | None = None, *, for_folder: bool = False
) -> Iterator[BinaryIO]:
    """A file to write that takes its place only when all went well.

    On any error, Ctrl-C included, nothing changes.

    A file that it replaces leaves it its owner and its permissions. Those of a new one
    are `mode`, and with `for_folder` its owner is that of its folder. What exists and
    is no regular file (a pipe, a device) is never replaced: it is written to, as is
    standard output, and gets things as they come.
    """
    try:
        status = _status(path)
        if is_standard_output(path):
            with _standard_output() as file:
                yield file
        elif (
            status is not None and (already := _already_open(path, status)) is not None
        ):
            with os.fdopen(os.dup(already), "wb") as file:
                yield file
        elif status is not None and not stat.S_ISREG(status.st_mode):
            with os.fdopen(os.open(path, os.O_WRONLY), "wb") as file:
                yield file
        else:
            owner = status
            if status is None and for_folder:
                owner = path.parent.stat()
            with _replacement(path, owner, mode if status is None else None) as file:
                yield file
    except BrokenPipeError:
        raise  # the reader has enough: no error, and nothing to say
    except OSError as error:
        raise FileError(
            f"expected to write {path}, got {error.strerror or error}"
        ) from None


def check_writable(path: Path) -> None:
    """Raise `FileError` for a path that `written_whole` would not be able to write.

    Nothing is written, nor made.
    """
    if is_standard_output(path):
        return
    try:
        status = _status(path)
    except OSError as error:
        raise FileError(
            f"expected to write {path}, got {error.strerror or error}"
        ) from None
    if status is not None and stat.S_ISDIR(status.st_mode):
        raise FileError(f"expected to write {path}, got {os.strerror(errno.EISDIR)}")
    if status is not None and not stat.S_ISREG(status.st_mode):
        return
    # Files are replaced by new ones, for which their folder has to be there.
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise FileError(f"expected to write {path}, got {os.strerror(errno.ENOENT)}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"expected to write {path}, got {os.strerror(errno.EACCES)}")


def _status(path: Path) -> os.stat_result | None:
    """Return the status of a file, links followed; None if there is none."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _already_open(path: Path, status: os.stat_result) -> int | None:
    """The descriptor that we were started with, if the path means it.

    What else it holds must not be replaced.
    """
    named = _DESCRIPTOR.fullmatch(str(path))
    if named is not None:
        return int(named[1])
    for descriptor in (1, 2):
        try:
            if os.path.samestat(status, os.fstat(descriptor)):
                return descriptor
        except OSError:
            continue  # it was closed before we started
    return None


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    _check_standard_output()
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.flush()


def _check_standard_output() -> None:
    """Python has none where it was closed before we started."""
    if sys.stdout is None:
        raise FileError(
            "expected a standard output to write to, got a closed one; name a file "
            "instead"
        )


@contextmanager
def _replacement(
    path: Path, owner: os.stat_result | None, mode: int | None
) -> Iterator[BinaryIO]:
    """A new file beside the old one, which it replaces in the end."""
    # What a link points to is replaced, never the link.
    place = Path(os.path.realpath(path))
    fresh = place.with_name(f".{os.getpid()}.{token_hex(4)}.new")
    try:
        with fresh.open("xb") as file:
            if owner is not None:
                hand_over(fresh, owner)
            if mode is not None:
                fresh.chmod(mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(place)
    finally:
        fresh.unlink(missing_ok=True)


def hand_over(path: Path, like: os.stat_result) -> None:
    """Let a new file belong to the owner of a folder, or of another file, with its
    permissions.

    Only root can: it writes for a service that runs as a user, who has to read it.
    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        os.chown(path, like.st_uid, like.st_gid)
    if stat.S_ISREG(like.st_mode):
        path.chmod(stat.S_IMODE(like.st_mode))


def opened_private(path: Path, flags: int) -> int:
    """A descriptor of a file; where there is none, of a new one for the owner of its
    folder alone.

    Raises `OSError`.
    """
    flags |= os.O_CREAT | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags | os.O_EXCL, 0o600)
    except FileExistsError:
        if flags & os.O_EXCL:
            raise
        return os.open(path, flags, 0o600)
    hand_over(path, path.parent.stat())
    return descriptor


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last: of files that were made, renamed or removed.

    Raises `OSError`.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes | str | Iterable[str]) -> None:
    """Write a file in one go; text as UTF-8, and in pieces if it comes in such."""
    pieces = [content] if isinstance(content, bytes | str) else content
    with written_whole(path) as file:
        for piece in pieces:
            file.write(piece.encode() if isinstance(piece, str) else piece)


def hand_out(
    path: Path | None, content: bytes | str | Iterable[str], *, data: bool = True
) -> None:
    """Write a result to a file, or print it if there is no path or the path is `-`.

    `data` is for machines, and so are bytes.
    """
    if is_standard_output(path):
        _check_standard_output()
    to_people = is_standard_output(path) and (not data or sys.stdout.isatty())
    if to_people and not isinstance(content, bytes):
        click.echo("".join(content), nl=False)
    else:
        write_whole(path or Path(DASH), content)


def make_folder(path: Path) -> None:
    """A folder to write to, with those above it. Raises `FileError`, also if it is
    read-only.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"expected to make the folder {path}, got {error.strerror or error}"
        ) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise FileError(f"expected to write to {path}, got {os.strerror(errno.EACCES)}")


@contextmanager
def opened_text(path: Path) -> Iterator[TextIO]:
    """A table to read: UTF-8, from a file or standard input.

    What is wrong with it comes as the caller reads it.
    """
    if str(path) == DASH:
        # Not closed: others in the same process may need it.
        yield io.TextIOWrapper(
            io.BytesIO(standard_input().read()), encoding="utf-8-sig", newline=""
        )
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield file


@contextmanager
def opened_twice(path: Path) -> Iterator[BinaryIO]:
    """A file whose bytes can be read again from the start; of what cannot, in
    memory.
    """
    if str(path) == DASH:
        yield io.BytesIO(standard_input().read())
        return
    with path.open("rb") as file:
        yield file if file.seekable() else io.BytesIO(file.read())


def _read(path: Path, most: int = -1) -> bytes:
    """Read a file, or its first bytes."""
    try:
        if str(path) == DASH:
            return standard_input().read(most)
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise FileError(unreadable(path, error)) from None


def unreadable(path: str | Path, error: OSError) -> str:
    """Say why a file cannot be read; of one that is not there, which name comes
    near.
    """
    if not isinstance(error, FileNotFoundError) or "://" in str(path):
        return f"expected to read {path}, got {error.strerror or error}"
    place = Path(path)
    try:
        there = [entry.name for entry in islice(place.parent.iterdir(), _MOST_COMPARED)]
    except OSError:
        return f"No such file: {path}. There is no folder {place.parent}"
    near = get_close_matches(place.name, there, 1)
    return f"No such file: {path}" + "".join(
        f". Did you mean {place.parent / n}?" for n in near
    )
