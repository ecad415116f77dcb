"""Results kept as they come, so that a long run can be taken up again.

A file of JSON lines: each result is appended under the key of all that it depends on.
What a run that was killed left half written counts as not there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ldp.answers.texts import lines_of
from ldp_aggregator.output.files import FileError, write_whole


class Archive:
    """Results by key; without a path they are only remembered."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._results: dict[str, Any] = {}
        if path is not None and path.exists():
            if not path.is_file():
                raise FileError(
                    f"expected a file for results in {path}, got something else; "
                    "choose another folder"
                )
            self._read(path)

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def __getitem__(self, key: str) -> Any:
        return self._results[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def keep(self, key: str, result: Any) -> None:
        """Remember a result. Raises `FileError` if it cannot be written."""
        self._results[key] = result
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, result], allow_nan=False) + "\n")
        except OSError as error:
            raise FileError(
                f"expected to write {self._path}, got {error.strerror or error}"
            ) from None

    def _read(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(
                f"expected to read the results of an earlier run in {path}, got {error}"
            ) from None
        if text and not text.endswith("\n"):
            text = text[: text.rfind("\n") + 1]
            write_whole(path, text)
        for number, line in enumerate(lines_of(text), 1):
            try:
                key, result = json.loads(line)
            except ValueError:
                raise FileError(
                    f"{path}, line {number}: expected a result of an earlier run, got "
                    "something else; remove the file"
                ) from None
            self._results[key] = result


def digest(files: Iterable[Path], *words: str) -> str:
    """Hash the code that a result depends on, and further words."""
    sha = hashlib.sha256("\n".join(words).encode())
    for path in files:
        sha.update(path.read_bytes())
    return sha.hexdigest()[:16]
