"""A sync that outlives a loss of power.

On macOS `fsync` leaves bytes in the disk's own cache: only `F_FULLFSYNC` empties that.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def sync(descriptor: int) -> None:
    """Write a file, or the names in a folder, to the disk. Raises `OSError`."""
    if sys.platform == "darwin":
        from fcntl import F_FULLFSYNC, fcntl

        with suppress(OSError):  # network volumes do not know it
            fcntl(descriptor, F_FULLFSYNC)
            return
    os.fsync(descriptor)
