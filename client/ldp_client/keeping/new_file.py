"""A private file that is there whole or not at all: an empty one would have lost
something.

Rules
- Each maker fills a file of its own, whose name no thread and no other process has:
  what has its name at last is never written to by someone who is still filling.
- Makers that were killed leave such files. They are swept once the file is there: a
  maker that still works on one finds that it was not quick enough.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from threading import RLock

from ldp.numbers.randomness import system
from ldp_client.keeping.syncing import sync

_FILLED = re.compile(r"\.[0-9a-f]{16}\.new(-\w+)?")
_making = RLock()
"""One maker at a time in a process. Reentrant, since a signal handler may open a
client, too.
"""


def make(path: str, fill: Callable[[str], object]) -> None:
    """Have a new file filled under another name, then give it its own.

    Unless another thread or process was quicker.

    Folders that are missing are made. Only the owner may read any of it. Raises
    `OSError`, or what `fill` raises.
    """
    with _making:
        if not os.path.exists(path):
            _make(path, fill)


def sweep(path: str) -> None:
    """Remove what makers of a file left that were killed. Called once the file is
    there.
    """
    folder, name = os.path.split(path)
    with suppress(OSError):
        for other in os.listdir(folder or "."):
            if other.startswith(name) and _FILLED.fullmatch(other, len(name)):
                os.unlink(os.path.join(folder, other))


def _make(path: str, fill: Callable[[str], object]) -> None:
    fresh = f"{path}.{system(8).hex()}.new"
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        fill(fresh)
        _sync(fresh)
        _name(fresh, path)
        if os.name == "posix":  # elsewhere the system lets no folders be synced
            _sync(folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(fresh)


def _name(fresh: str, path: str) -> None:
    try:
        os.link(fresh, path)
    except OSError:
        if not os.path.exists(path):
            # No hard links here: for a moment two processes may both find nothing.
            os.replace(fresh, path)


def _sync(path: str) -> None:
    """Make a file, or a new name in a folder, last through a loss of power."""
    descriptor = os.open(path, os.O_RDWR if os.path.isfile(path) else os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)
