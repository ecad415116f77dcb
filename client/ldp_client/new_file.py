"""A private file that is there whole or not at all: an empty one would have lost something."""

from __future__ import annotations

import os
from collections.abc import Callable


def make(path: str, fill: Callable[[str], object]) -> None:
    """Have a new file filled under another name, then give it its own.

    Unless another process was quicker.

    Folders that are missing are made. Only the owner may read any of it. Raises `OSError`, or what
    `fill` raises.
    """
    fresh = f"{path}.{os.getpid()}.new"
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        fill(fresh)
        _sync(fresh)
        _name(fresh, path)
        if os.name == "posix":  # elsewhere the system lets no folders be synced
            _sync(folder)
    finally:
        if os.path.exists(fresh):
            os.unlink(fresh)


def _name(fresh: str, path: str) -> None:
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    # No hard links here: a moment is left in which two processes may both find nothing.
    except OSError:
        if not os.path.exists(path):
            os.replace(fresh, path)


def _sync(path: str) -> None:
    """Make a file, or a new name in a folder, last through a loss of power."""
    descriptor = os.open(path, os.O_RDWR if os.path.isfile(path) else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
