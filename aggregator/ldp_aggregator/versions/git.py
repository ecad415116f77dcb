"""Git history of a repository's files: revisions, and files as they were there.

git is asked about a revision by its commit, so that nothing in a name is taken for an
option.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ldp.errors import LDPError
from ldp.survey.survey_text import LARGEST
from ldp_aggregator.output.files import FileError

_SECONDS = 60
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
"""What git tells its hooks of where they run: relative to a folder that may not be
ours.
"""


class NoVersionError(LDPError):
    """Error for a name that is no older version."""


def commit_of(folder: Path, revision: str) -> str | None:
    """The commit of a revision; None if there is none, or no repository."""
    if not revision or revision.startswith("-"):
        return None
    try:
        commit = git(
            folder,
            *(
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                f"{revision}^{{commit}}",
            ),
        )
    except NoVersionError:
        return None
    return commit.decode().strip()


def file_of(
    folder: Path, commit: str, path: str, largest: int = LARGEST
) -> bytes | None:
    """Return a file at a commit; None if there was none. Raises `FileError` for large
    ones.
    """
    name = f"{commit}:{path}"
    try:
        size = int(git(folder, "cat-file", "-s", name))
        if size > largest:
            raise FileError(f"{name}: expected at most {largest:,} bytes, got {size:,}")
        return git(folder, "cat-file", "blob", name)
    except NoVersionError:
        return None


def files_of(
    folder: Path, commit: str, ending: str, *, largest: int
) -> Iterator[tuple[str, bytes]]:
    """The files of a commit whose names end so, from the top of the repository, and
    what they hold.

    Larger ones are passed over.
    """
    top = Path(git(folder, "rev-parse", "--show-toplevel").decode().removesuffix("\n"))
    listed = git(top, "ls-tree", "-r", "-l", "-z", commit).decode(
        errors="surrogateescape"
    )
    paths = []
    for item in listed.split("\0"):
        of_object, _, path = item.partition("\t")
        mode, kind, name, size = (of_object.split() + [""] * 4)[:4]
        is_file = kind == "blob" and mode != "120000"
        if is_file and path.endswith(ending) and int(size) <= largest:
            paths.append((path, name))
    asked = "".join(f"{name}\n" for _, name in paths).encode()
    objects = git(top, "cat-file", "--batch", asked=asked)
    at = 0
    for path, _ in paths:
        begins = objects.index(b"\n", at) + 1
        ends = begins + int(objects[at : begins - 1].rsplit(b" ", 1)[1])
        yield path, objects[begins:ends]
        at = ends + 1


def git(folder: Path, *words: str, asked: bytes = b"") -> bytes:
    """Run git. Raises `NoVersionError` where it finds nothing, or is not there."""
    environment = {
        name: value for name, value in os.environ.items() if name not in _OF_A_HOOK
    }
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", str(folder), *words],  # noqa: S607
            input=asked,
            capture_output=True,
            env=environment,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoVersionError(f"git {words[0]}: {type(error).__name__}") from None
    return done.stdout
