"""Where the older version of a survey comes from: a file, a folder, a register, a git
revision.

    older.toml           a survey file
    versions/            a folder of survey files: those of the same name, in the order
                         of their names, in which 2 comes before 10; the last one is
                         compared with, and those before it are known
    surveys.register     a register: its versions of the survey, the same way
    HEAD~1               a git revision: the file as it was there, under its own path
                         or, if it was moved or is a new version beside the older ones,
                         all surveys of its name
    origin/main:old.toml the file of that path in a revision

The page file beside an older version comes from the same place; registers keep its hash
alone.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import NamedTuple

from ldp.survey.survey import Survey
from ldp.survey.survey_file import parse_survey
from ldp.survey.survey_text import LARGEST
from ldp.transparency.entries import parse_register
from ldp_aggregator.output.files import FileError, read_survey, read_whole, toml_in
from ldp_aggregator.versions.git import (
    NoVersionError,
    commit_of,
    file_of,
    files_of,
    git,
)
from ldp_aggregator.versions.pages import (
    ENDING,
    LARGEST_PAGE,
    Page,
    page_beside,
    page_name,
    page_of_hash,
    parse_page,
)

_REGISTER_BEGINS = b'{"entry"'
_ENDING = ".toml"
_ADVICE = (
    "a survey file, a folder of versions, a register, or a git revision such as HEAD~1 "
    "or origin/main:survey.toml (a shallow clone has few: fetch-depth: 0 in a checkout "
    "of GitHub)"
)


class Older(NamedTuple):
    """The older versions of a survey, the oldest first; none if it is a first
    version.
    """

    versions: tuple[Survey, ...]
    place: str
    """Where the last of them is from."""
    page: Page | None = None
    """What the page file beside the last says; None where there is no older version."""
    is_hash: bool = False
    """Whether no more than its hash is known of it."""


def older_versions(path: Path, survey: Survey, against: str) -> Older:
    """The versions before the survey in a file that `against` names.

    There are none where a git revision has no survey of the name, nor a register.
    Raises `NoVersionError` for what names nothing, `FileError`, `SurveyError` and
    `RegisterError`.
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
    page = None
    if entries:
        page = page_of_hash(entries[-1].page)
    return Older(tuple(entry.survey() for entry in entries), place, page, is_hash=True)


def _of_folder(folder: Path, path: Path, survey: Survey) -> Older:
    """The versions in a folder, without the file that is compared, if it is in there
    too.
    """
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
            f"--against {folder}: expected versions of the survey {survey.name} in "
            f"files *.toml, got none among {len(files)} files"
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
    commit = commit_of(folder, revision)
    if commit is None:
        raise NoVersionError(f"--against: expected {_ADVICE}; got {against!r}")
    prefix = git(folder, "rev-parse", "--show-prefix").decode().strip()
    where = prefix + path.name
    if colon:
        where = asked
        if asked.startswith("./"):
            where = posixpath.normpath(prefix + asked)
    content = file_of(folder, commit, where)
    if content is not None and _is_register(content):
        return _of_register(content, survey, f"{revision}:{where}")
    if content is not None:
        older = _parse(folder, commit, where, content=content)
        return Older((older,), f"{revision}:{where}", _page(folder, commit, where))
    if colon:
        raise NoVersionError(
            f"--against: expected a file in {revision}, got {asked!r}, which it has not"
        )
    named = [
        name for name, content in surveys_of(folder, commit) if content == survey.name
    ]
    if not named:
        return Older((), f"{revision}:{where}")
    # A file that was moved, or the next one beside v1.toml and v2.toml.
    named.sort(key=_natural)
    versions = tuple(survey_at(folder, commit, name) for name in named)
    return Older(versions, f"{revision}:{named[-1]}", _page(folder, commit, named[-1]))


def survey_at(folder: Path, commit: str, path: str) -> Survey:
    """The survey in a file of a commit. Raises `SurveyError` and `FileError`."""
    return _parse(folder, commit, path, content=file_of(folder, commit, path) or b"")


def surveys_of(folder: Path, commit: str) -> list[tuple[str, str]]:
    """The survey files of a commit, from the top of the repository: path, and name of
    the survey.

    All files are read, since a name may be spelled in many ways.
    """
    return [
        (path, name)
        for path, content in files_of(folder, commit, _ENDING, largest=LARGEST)
        if (name := name_in(content)) is not None
    ]


def name_in(content: bytes) -> str | None:
    """The name of the survey in a file; None if it is none, or no TOML."""
    try:
        table = toml_in(content)
    except ValueError:
        return None
    head = table.get("survey")
    name = None
    if isinstance(head, dict):
        name = head.get("name")
    if isinstance(name, str) and "question" in table:
        return name
    return None


def _page(folder: Path, commit: str, path: str) -> Page:
    """The page file beside a survey file of a commit; empty if there was none."""
    name = page_name(path)
    content = file_of(folder, commit, name, largest=LARGEST_PAGE)
    if content is None:
        return {}
    return parse_page(content, f"{name} of that revision")


def _parse(folder: Path, commit: str, path: str, *, content: bytes) -> Survey:
    """The survey in a file of a commit, with the files that it names from that commit
    as well.
    """

    def beside(name: str) -> str:
        named = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        text = file_of(folder, commit, named)
        if text is None:
            raise FileError(
                f"{path} of that revision names {name!r}, expected it there, got none"
            )
        return text.decode("utf-8-sig", errors="replace")

    return parse_survey(content, path, files=beside)
