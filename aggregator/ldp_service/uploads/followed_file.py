"""A file that may change at any time, and is read anew when it does.

One that cannot be used leaves in force what it said before; the log says why, once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from ldp.errors import LDPError

PAUSE = 1.0
"""Seconds after which the file is looked at again, at the earliest."""

_log = logging.getLogger("ldp.service")


class FollowedFile:
    """`read` brings the content of a file, `use` takes over a new one; both raise
    `LDPError`.

    `kept` names what stays in force, for the log.
    """

    def __init__(
        self, read: Callable[[], bytes], use: Callable[[bytes], None], kept: str
    ) -> None:
        self._read, self._use, self._kept = read, use, kept
        self._trouble = ""
        self._looked = float("-inf")
        self.content = read()

    def is_current(self, now: float) -> bool:
        """Look at the file, and return whether what is in force is what it says."""
        if not 0 <= now - self._looked < PAUSE:
            self._looked = now
            self._look()
        return not self._trouble

    def _look(self) -> None:
        # Read rather than asked for its time of change: two changes may share one, and
        # a few lines cost no more.
        try:
            content = self._read()
            if content != self.content:
                self._use(content)
                self.content = content
            self._trouble = ""
        except LDPError as error:
            if self._trouble != str(error):
                _log.error(
                    "%s\nthe %s that it had before stay in force", error, self._kept
                )
            self._trouble = str(error)
