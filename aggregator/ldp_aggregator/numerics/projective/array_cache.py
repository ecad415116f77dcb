"""Arrays that took a while to compute, kept on disk.

This is a convenience that may fail at any time, and then says nothing.

One file for each name, in $LDPKIT_CACHE, or else ldpkit in $XDG_CACHE_HOME (`~/.cache`
where that is not set): the array in numpy's format, then the XXH3 (128 bits) of all
that. A file that is damaged, or of another shape, counts as none; so does a folder that
cannot be used.
"""

from __future__ import annotations

import io
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import DTypeLike, NDArray

_DIGEST = 16


def folder() -> Path:
    """Where arrays are kept."""
    if chosen := os.environ.get("LDPKIT_CACHE"):
        return Path(chosen)
    user = os.environ.get("XDG_CACHE_HOME")
    return (Path(user) if user else Path.home() / ".cache") / "ldpkit"


def load(name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any] | None:
    """The array of that name, if a sound one is there."""
    try:
        content = memoryview((folder() / f"{name}.npy").read_bytes())
    except (OSError, RuntimeError):
        return None
    whole, digest = content[:-_DIGEST], content[-_DIGEST:]
    if digest != xxhash.xxh3_128_digest(whole):
        return None
    try:
        array: NDArray[Any] = np.load(io.BytesIO(whole), allow_pickle=False)
    except ValueError:  # not an array, but a pickled object
        return None
    if array.shape == shape and array.dtype == dtype:
        return array
    return None


def store(name: str, array: NDArray[Any]) -> None:
    """Keep an array, if possible.

    A file is replaced whole, so that other processes never see half of one.
    """
    with suppress(OSError, RuntimeError):
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        fresh = place / f".{name}.{os.getpid()}.{threading.get_ident()}.new"
        try:
            content = io.BytesIO()
            np.save(content, array, allow_pickle=False)
            content.write(xxhash.xxh3_128_digest(content.getbuffer()))
            fresh.write_bytes(content.getbuffer())
            fresh.replace(place / f"{name}.npy")
        finally:
            fresh.unlink(missing_ok=True)
