"""All surveys of a folder beside those of a git revision: which there are, and which
are gone.

A survey is whatever file *.toml has the tables of one, however they are spelled: who
looks at the files that a change names alone misses those whose values stand in another
file.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ldp.errors import LDPError
from ldp.survey.survey import Survey
from ldp.transparency.entries import RegisterError, parse_register
from ldp.transparency.proofs import head_of
from ldp_aggregator.output.files import read_bytes
from ldp_aggregator.versions.git import commit_of, file_of, git
from ldp_aggregator.versions.pages import ENDING
from ldp_aggregator.versions.published import check_grown
from ldp_aggregator.versions.register_file import LARGEST, read_register, verify
from ldp_aggregator.versions.sources import name_in, survey_at, surveys_of

_MOST = 1 << 24
_FOREIGN = "node_modules"


def surveys_below(folder: Path) -> list[Path]:
    """The survey files of a folder and those in it; hidden ones are passed over."""
    files = []
    for path in sorted(folder.rglob("*.toml")):
        inside = path.relative_to(folder).parts
        if any(part.startswith(".") or part == _FOREIGN for part in inside):
            continue
        is_page = path.name.endswith(ENDING)
        if (
            path.is_file()
            and not is_page
            and name_in(read_bytes(path, _MOST)) is not None
        ):
            files.append(path)
    return files


def surveys_before(
    folder: Path, revision: str, files: list[Path]
) -> tuple[dict[str, Survey], dict[str, Survey]]:
    """The surveys of a revision, by where they stood: those that are gone, and the
    others.

    Gone are those whose names none of these files has. What cannot be read any more is
    passed over.
    """
    gone: dict[str, Survey] = {}
    others: dict[str, Survey] = {}
    commit = None if Path(revision).exists() else commit_of(folder, revision)
    if commit is None:
        return gone, others
    left = {name_in(read_bytes(path, _MOST)) for path in files}
    prefix = git(folder, "rev-parse", "--show-prefix").decode().strip()
    for path, name in surveys_of(folder, commit):
        if path.startswith(prefix) and not path.endswith(ENDING):
            with suppress(LDPError):
                kept = others if name in left else gone
                kept[f"{revision}:{path}"] = survey_at(folder, commit, path)
    return gone, others


def succeeds(new: Survey, old: Survey) -> bool:
    """Whether a survey of another name asks something that an older one asked."""
    names = {question.name for question in old}
    texts = {question.text for question in old if question.text}
    return any(question.name in names or question.text in texts for question in new)


def asks_again(new: Survey, other: Survey) -> bool:
    """Whether a survey asks something that another one asks as well, of the same
    answers.

    Devices know questions by their surveys, so whoever takes part in both pays for
    both.
    """
    return any(
        tuple(question.domain.parts()) == tuple(same.domain.parts())
        and (
            question.name == same.name or (question.text and question.text == same.text)
        )
        for question in new
        for same in other
    )


def check_register(folder: Path, revision: str, register: Path) -> None:
    """Raise `RegisterError` unless a register is sound, and goes on from that of a
    revision.
    """
    commit = None if Path(revision).exists() else commit_of(folder, revision)
    old = None
    if commit is not None and register.resolve().is_relative_to(folder.resolve()):
        prefix = git(folder, "rev-parse", "--show-prefix").decode().strip()
        name = prefix + register.resolve().relative_to(folder.resolve()).as_posix()
        old = file_of(folder, commit, name, largest=LARGEST)
    if not register.exists():
        if old is not None:
            raise RegisterError(
                f"{register}: expected the register that {revision} has, got no such "
                "file: it may be added to, and nothing else"
            )
        return
    log = read_register(register)
    verify(log)
    if old is not None:
        check_grown(log, head_of(parse_register(old, f"{revision}:{register.name}")))
