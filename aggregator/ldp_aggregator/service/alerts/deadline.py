"""An end to waiting for a receiver that answers, but byte by byte.

The timeout of a socket is that of one read: whoever sends a byte now and then would be waited for
without end, and nobody else would be told of anything meanwhile.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Timer


class Deadline(Timer):
    """Cuts a connection after some seconds, for those who read from it, unless it is cancelled.

    `passed` is true by the time at which they notice.
    """

    def __init__(self, seconds: float, connected: Callable[[], socket.socket | None]) -> None:
        super().__init__(seconds, self._cut)
        self.daemon = True
        self.passed = False
        self._connected = connected

    def _cut(self) -> None:
        self.passed = True
        own = self._connected()
        if own is not None:
            with suppress(OSError):
                # Also of TLS, whose own way would wait for the other side.
                socket.socket.shutdown(own, socket.SHUT_RDWR)


def cut_after(seconds: float, connected: Callable[[], socket.socket | None]) -> Deadline:
    """A deadline that has begun."""
    deadline = Deadline(seconds, connected)
    deadline.start()
    return deadline
