"""Where the older version of a survey comes from: a file, a folder, a register, a git revision.

    older.toml           a survey file
    versions/            a folder of survey files: those of the same name, in the order of their
                         names, in which 2 comes before 10; the last one is compared with, and those
                         before it are known
    surveys.register     a register: its versions of the survey, the same way
    HEAD~1               a git revision: the file as it was there, under its own path or, if it was
                         moved, wherever a survey of its name was
    origin/main:old.toml the file of that path in a revision

The page file beside an older version comes from the same place; registers have none.

git is asked about a revision by its commit, so that nothing in a name is taken for an option.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ldp.errors import LDPError, SurveyError
from ldp.survey import Survey
from ldp.survey_file import parse_survey
from ldp.survey_text import LARGEST
from ldp.transparency.entries import parse_register
from ldp_aggregator.files import FileError, read_survey, read_whole
from ldp_aggregator.versions.pages import (
    ENDING,
    LARGEST_PAGE,
    Page,
    page_beside,
    page_name,
    parse_page,
)

_REGISTER_BEGINS = b'{"entry"'
_ENDING = ".toml"
_SECONDS = 60
_MOST_MOVED = 100
"""Files of a revision that are read to find one that was moved."""
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""What git tells its hooks of where they run: relative to a folder that may not be ours."""
_ADVICE = (
    "a survey file, a folder of versions, a register, or a git revision such as HEAD~1 or "
    "origin/main:survey.toml (a shallow clone has few: fetch-depth: 0 in a checkout of GitHub)"
)


class NoVersionError(LDPError):
    """What was named as an older version is none."""


class Older(NamedTuple):
    """The older versions of a survey, the oldest first; none if it is a first version."""

    versions: tuple[Survey, ...]
    place: str
    """Where the last of them is from."""
    page: Page | None = None
    """What the page file beside the last says; None where nobody keeps page files."""


def older_versions(path: Path, survey: Survey, against: str) -> Older:
    """The versions before the survey in a file that `against` names.

    There are none where a git revision has no survey of the name, nor a register. Raises
    `NoVersionError` for what names nothing, `FileError`, `SurveyError` and `RegisterError`.
    """
    place = Path(against)
    if place.is_dir():
        return _of_folder(place, path, survey)
    if place.exists():
        content = read_whole(place)
        if _is_register(content):
            return _of_register(content, survey, against)
        return Older((read_survey(place),), against, page_beside(place))
    return _of_revision(path, survey, against)


def _is_register(content: bytes) -> bool:
    return content.removeprefix(b"\xef\xbb\xbf").startswith(_REGISTER_BEGINS)


def _of_register(content: bytes, survey: Survey, place: str) -> Older:
    entries = parse_register(content, place).versions(survey.name)
    return Older(tuple(entry.survey() for entry in entries), place)


def _of_folder(folder: Path, path: Path, survey: Survey) -> Older:
    """The versions in a folder, without the file that is compared, if it is in there too."""
    files = sorted(folder.glob(f"*{_ENDING}"), key=lambda file: _natural(file.name))
    versions = [
        (older, file)
        for file in files
        if not file.name.endswith(ENDING)
        and not file.samefile(path)
        and (older := read_survey(file)).name == survey.name
    ]
    if not versions:
        raise NoVersionError(
            f"--against {folder}: expected versions of the survey {survey.name} in files *.toml, "
            f"got none among {len(files)} files"
        )
    last = versions[-1][1]
    return Older(tuple(older for older, _ in versions), str(last), page_beside(last))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A name such that numbers in it count as numbers."""
    parts = re.split(r"([0-9]+)", name)
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in parts]


def _of_revision(path: Path, survey: Survey, against: str) -> Older:
    revision, colon, asked = against.partition(":")
    folder = path.resolve().parent
    commit = _commit(folder, revision)
    if commit is None:
        raise NoVersionError(f"--against: expected {_ADVICE}; got {against!r}")
    prefix = _git(folder, "rev-parse", "--show-prefix").decode().strip()
    where = prefix + path.name
    if colon:
        where = posixpath.normpath(prefix + asked) if asked.startswith("./") else asked
    content = _file(folder, commit, where)
    if content is not None and _is_register(content):
        return _of_register(content, survey, f"{revision}:{where}")
    if content is not None:
        older = _parsed(folder, commit, where, content=content)
        return Older((older,), f"{revision}:{where}", _page(folder, commit, where))
    if colon:
        raise NoVersionError(
            f"--against: expected a file in {revision}, got {asked!r}, which it has not"
        )
    for moved in _moved(folder, commit, survey.name):
        content = _file(folder, commit, moved)
        try:
            older = _parsed(folder, commit, moved, content=content or b"")
        except SurveyError:
            continue  # another file that has the name in it
        if older.name == survey.name:
            return Older((older,), f"{revision}:{moved}", _page(folder, commit, moved))
    return Older((), f"{revision}:{where}")


def _commit(folder: Path, revision: str) -> str | None:
    """The commit of a revision; None if there is none, or no repository."""
    if not revision or revision.startswith("-"):
        return None
    try:
        commit = _git(
            folder,
            *("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"),
        )
    except NoVersionError:
        return None
    return commit.decode().strip()


def _file(folder: Path, commit: str, path: str, largest: int = LARGEST) -> bytes | None:
    """What a file held at a commit; None if there was none. Raises `FileError` for large ones."""
    name = f"{commit}:{path}"
    try:
        size = int(_git(folder, "cat-file", "-s", name))
        if size > largest:
            raise FileError(f"{name}: expected at most {largest:,} bytes, got {size:,}")
        return _git(folder, "cat-file", "blob", name)
    except NoVersionError:
        return None


def _page(folder: Path, commit: str, path: str) -> Page:
    """The page file beside a survey file of a commit; empty if there was none."""
    name = page_name(path)
    content = _file(folder, commit, name, largest=LARGEST_PAGE)
    return {} if content is None else parse_page(content, f"{name} of that revision")


def _parsed(folder: Path, commit: str, path: str, *, content: bytes) -> Survey:
    """The survey in a file of a commit, with the files that it names from that commit as well."""

    def beside(name: str) -> str:
        named = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        text = _file(folder, commit, named)
        if text is None:
            raise FileError(f"{path} of that revision names {name!r}, expected it there, got none")
        return text.decode("utf-8-sig", errors="replace")

    return parse_survey(content, path, files=beside)


def _moved(folder: Path, commit: str, name: str) -> Iterator[str]:
    """The survey files of a commit that have a name in them, from the top of the repository."""
    top = Path(_git(folder, "rev-parse", "--show-toplevel").decode().strip())
    try:
        listed = _git(top, "grep", "-lzF", "-e", name, commit, "--", f"*{_ENDING}")
    except NoVersionError:
        return
    for item in listed.decode(errors="surrogateescape").split("\0")[:_MOST_MOVED]:
        if item:
            yield item.partition(":")[2]


def _git(folder: Path, *words: str) -> bytes:
    """What git says. Raises `NoVersionError` where it finds nothing, or is not there."""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", str(folder), *words],  # noqa: S607
            capture_output=True,
            env=environment,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoVersionError(f"git {words[0]}: {type(error).__name__}") from None
    return done.stdout
