"""A register on disk: read whole and verified, added to by one writer at a time.

Whoever adds an entry locks the file, reads it anew, and writes one line behind the
last. A line that cannot be written whole is taken back; where a loss of power leaves
half of one, the register is torn, and nothing is added until someone has it mended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from ldp.errors import LDPError
from ldp.survey.survey import Survey
from ldp.transparency.entries import (
    Entry,
    Register,
    RegisterError,
    check_reason,
    check_surveys,
    parse_register,
    repair_text,
)
from ldp_aggregator.output.files import FileError, read_bytes, sync_folder, write_whole
from ldp_aggregator.versions.comparison import VersionChanges, compare_versions
from ldp_aggregator.versions.pages import page_of_hash

LARGEST = 1 << 30
"""Bytes of a register."""
BEFORE_MENDING = ".before-mending"


class WorseError(LDPError):
    """A version by which respondents can lose, and no one has said why that is
    accepted.
    """


class Added(NamedTuple):
    """Result of registering a version."""

    entry: Entry
    is_new: bool
    """Whether it was added now; False where it stood there already."""


def read_register(path: Path) -> Register:
    """The register in a file, whose chain is sound. Raises `FileError` and
    `RegisterError`.
    """
    return parse_register(read_bytes(path, LARGEST), str(path))


def entry_of(register: Register, survey: Survey, page: str, place: str) -> Entry:
    """The entry of a survey and the hash of its page file. Raises `RegisterError` for
    none.
    """
    entry = register.find(survey, page)
    if entry is not None:
        return entry
    if register.find(survey) is not None:
        raise RegisterError(
            f"{place}: expected the page file that is registered with {survey.name} "
            f"({survey.fingerprint.hex()}), got another, or none; `ldp survey register "
            "add` adds it"
        )
    raise RegisterError(
        f"{place}: expected this version of {survey.name} "
        f"({survey.fingerprint.hex()}), got {len(register.versions(survey.name))} "
        "others; `ldp survey register add` adds it"
    )


def steps(register: Register, survey: Survey, page: str) -> list[VersionChanges]:
    """Return the changes from the newest registered version; empty if there are none.

    `page` is the hash of its page file. Raises `RegisterError` if the register's
    surveys are not what it says.
    """
    entries = register.versions(survey.name)
    versions = [entry.survey() for entry in entries]
    if not versions:
        return []
    if (versions[-1].to_toml(), entries[-1].page) == (survey.to_toml(), page):
        return []
    comparison = compare_versions(survey, versions[-1], versions[:-1])
    return [comparison.with_pages(page_of_hash(page), page_of_hash(entries[-1].page))]


def missing_reasons(
    register: Register, comparison: VersionChanges, page: str
) -> list[str]:
    """Return worse changes without a reason in the newest entries of the new version.

    A reason is for one step: who goes back and takes it again needs another one.
    """
    new = comparison.new.to_toml(), page
    newest = takewhile(
        lambda entry: (entry.toml, entry.page) == new,
        reversed(register.versions(comparison.new.name)),
    )
    accepted = {
        line for entry in newest if entry.accepted is not None for line in entry.worse
    }
    return [change.line for change in comparison.worse if change.line not in accepted]


def add_version(
    path: Path,
    survey: Survey,
    reason: str | None,
    comparisons: Sequence[VersionChanges] = (),
    page: str = "",
) -> Added:
    """Register a version, behind those that are there; a first one makes the file.

    `page` is the hash of its page file. `comparisons` are further ones whose worse
    changes the reason is for. Raises `WorseError` if it is worse than the newest one of
    its name and there is no reason, `RegisterError` for a register that is not sound,
    and `FileError`.
    """
    if reason is not None:
        check_reason(reason)
    with _lock(path) as file:
        content = _content(file, path)
        register = parse_register(content, str(path))
        steps_ = [*comparisons, *steps(register, survey, page)]
        lines = dict.fromkeys(
            line for step in steps_ for line in missing_reasons(register, step, page)
        )
        known = register.find(survey, page)
        newest = register.versions(survey.name)[-1:]
        if known is not None and [known] == newest and not lines:
            return Added(known, is_new=False)
        if lines and reason is None:
            raise WorseError(
                (
                    "expected a reason (--accept) for what gets worse in "
                    f"{survey.name}, got none: "
                )
                + "; ".join(lines)
            )
        # A reason is for something: where nothing got worse, there is nothing to
        # accept.
        line = register.follow(
            survey,
            datetime.now(UTC).date(),
            tuple(lines),
            reason=reason if lines else None,
            page=page,
        ).encode()
        _append(file, path, line, size=len(content))
    register = parse_register(content + line, str(path))
    return Added(register.entries[-1], is_new=True)


def verify(register: Register) -> list[Survey]:
    """The surveys of a register, each step of which is accepted where it is worse.

    Raises `RegisterError` at the first entry that says something untrue of its survey,
    or lets something get worse in silence.
    """
    surveys = check_surveys(register)
    newest: dict[str, list[Survey]] = {}
    pages: dict[str, str] = {}
    for entry, survey in zip(register.entries, surveys, strict=True):
        before = newest.setdefault(entry.name, [])
        if before:
            comparison = compare_versions(survey, before[-1], before[:-1])
            old_page = page_of_hash(pages[entry.name])
            comparison = comparison.with_pages(page_of_hash(entry.page), old_page)
            silent = [
                change for change in comparison.worse if change.line not in entry.worse
            ]
            if silent:
                raise RegisterError(
                    f"entry {entry.number}: expected a reason for all that got worse, "
                    f"got none for: {'; '.join(change.line for change in silent)}"
                )
        if entry.worse and entry.accepted is None:
            raise RegisterError(
                f"entry {entry.number}: expected a reason for what got worse, got none"
            )
        if entry.accepted is not None:
            check_reason(entry.accepted, f"entry {entry.number}")
        before.append(survey)
        pages[entry.name] = entry.page
    return surveys


def mend(path: Path) -> str:
    """Take back what editors and torn writes did; what was done, or nothing.

    The file as it was is kept beside it. Raises `FileError`, and `RegisterError` if it
    is not sound then.
    """
    with _lock(path) as file:
        content = _content(file, path)
        better = repair_text(content)
        if better == content:
            parse_register(content, str(path))
            return ""
        parse_register(better, str(path))
        kept = path.with_name(path.name + BEFORE_MENDING)
        write_whole(kept, content)
        try:
            os.ftruncate(file, 0)
            _write(file, better)
        except OSError as error:
            raise FileError(
                f"expected to write {path}, got {error.strerror}; {kept} has what was "
                "in it"
            ) from None
        return (
            f"{len(content):,} bytes became {len(better):,}; {kept} has the file as it "
            "was"
        )


def _append(file: int, path: Path, line: bytes, *, size: int) -> None:
    try:
        _write(file, line)
    except OSError as error:
        # Half of a line would be a torn register; the file is locked, so nothing came
        # behind it.
        os.ftruncate(file, size)
        raise FileError(f"expected to write {path}, got {error.strerror}") from None


def _write(file: int, content: bytes) -> None:
    os.lseek(file, 0, os.SEEK_END)
    left = memoryview(content)
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)


def _content(file: int, path: Path) -> bytes:
    if os.fstat(file).st_size > LARGEST:
        raise FileError(f"{path}: expected at most {LARGEST:,} bytes, got more")
    with os.fdopen(os.dup(file), "rb") as reader:
        reader.seek(0)
        return reader.read()


@contextmanager
def _lock(path: Path) -> Iterator[int]:
    """The file, which no one else adds to meanwhile. Raises `FileError`."""
    # Imported here, as Windows has none: there `ldp survey register add` cannot be
    # called.
    import fcntl

    is_new = not path.exists()
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise FileError(f"expected to write {path}, got {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
        if is_new:
            sync_folder(path.parent)
    finally:
        os.close(file)
