"""An end to waiting for a receiver that answers, but byte by byte.

The timeout of a socket is that of one read: whoever sends a byte now and then would be waited for
without end, and nobody else would be told of anything meanwhile.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Timer


def cut_after(seconds: float, connected: Callable[[], socket.socket | None]) -> Timer:
    """Cut a connection after some seconds, for those who read from it; to be cancelled."""

    def cut() -> None:
        own = connected()
        if own is not None:
            with suppress(OSError):
                # Also of TLS, whose own way would wait for the other side.
                socket.socket.shutdown(own, socket.SHUT_RDWR)

    timer = Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    return timer
