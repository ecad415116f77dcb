"""The server of `ldp serve`: when it says that it serves, and how it ends.

SIGTERM, SIGINT   first the service is not ready, so that whoever sends it work stops
                  doing so; it goes on for some seconds; then it takes no more
                  connections, and answers what it has begun; a second signal ends the
                  first part. In all it takes at most ten seconds.
SIGHUP            `renew` is asked whether what would be read is in order; then what has
                  begun is finished, and `renewing` says that another server should
                  follow on the socket
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import cast

from uvicorn import Config
from uvicorn import Server as Uvicorn

from ldp_service.http.protocol import LAST, Ends

DRAIN = 2.0
GRACE = 6
"""Seconds for what is not ready yet to be noticed, and for answers that are due."""


class Server(Uvicorn):
    """A server that says when it serves, by `tell`; `leave` is called when it is to
    end.
    """

    def __init__(
        self,
        config: Config,
        tell: Callable[[], None],
        leave: Callable[[], None],
        *,
        renew: Callable[[], bool],
        drain: float = DRAIN,
    ) -> None:
        super().__init__(config)
        self.renewing = False
        self._tell = tell
        self._leave = leave
        self._renew = renew
        self._drain = drain
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, and say so."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if not self.should_exit:
            signal.signal(signal.SIGHUP, self._hang_up)
            self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; connections that are accepted by now, and begin later, are to know of
        it.
        """
        cast(Ends, self.config.loaded_app).ending = True
        if self.config.is_ssl:
            # A handshake that is under way is no connection yet, and would not be
            # waited for.
            for listening in self.servers:
                listening.close()
            await asyncio.sleep(LAST)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, at the second signal at once."""
        again = bool(self._captured_signals)
        if again or self._loop is None or not self._drain:
            super().handle_exit(sig, frame)
            return
        self._captured_signals.append(sig)
        self._leave()
        self._loop.call_soon_threadsafe(self._loop.call_later, self._drain, self._end)

    def _end(self) -> None:
        self.should_exit = True

    def _hang_up(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if not self.should_exit and not self._captured_signals and self._renew():
            self.renewing = True
            self.should_exit = True
