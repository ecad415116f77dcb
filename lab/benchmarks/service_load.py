"""Load for the service, or for a relay: unique uploads over connections that are kept.

Each upload is sent once the one before is answered.

Run as a program, `python -m lab.benchmarks.service_load PORT TOKEN BATCH_SIZE REQUESTS
CONNECTIONS` makes all requests beforehand, sends them, and prints the seconds that took
and the 50th, 99th and 100th percentile of the answers' times in milliseconds. It speaks
just enough HTTP to leave the cores to the service. A batch size of 0 stands for sealed
reports, to a relay.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import cast

import uvloop

from lab.benchmarks.material import closed_survey, frames, sealed_frames

VALUES = 4
_END = b"\r\n\r\n"
_LENGTH = b"content-length: "


class LoadError(Exception):
    """An upload that was not taken."""


class _Connection(asyncio.Protocol):
    """Sends one request after the other, and notes how long each answer took."""

    def __init__(
        self, requests: Iterator[bytes], times: list[float], done: asyncio.Future[None]
    ) -> None:
        self._requests = requests
        self._times = times
        self._done = done
        self._answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._next()

    def data_received(self, data: bytes) -> None:
        self._answer += data
        head, end, body = self._answer.partition(_END)
        if not end or len(body) < int(
            head.partition(_LENGTH)[2].partition(b"\r\n")[0] or 0
        ):
            return
        if not head.startswith((b"HTTP/1.1 202", b"HTTP/1.1 204")):
            self._fail()
            return
        self._answer = b""
        self._times.append(time.perf_counter() - self._sent)
        self._next()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002
        if not self._done.done():
            self._fail()

    def _fail(self) -> None:
        if not self._done.done():
            self._done.set_exception(
                LoadError(f"expected 202, got {self._answer[:300]!r}")
            )

    def _next(self) -> None:
        request = next(self._requests, None)
        if request is None:
            if not self._done.done():
                self._done.set_result(None)
            self._transport.close()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)


async def _run(
    port: int, requests: list[bytes], connections: int
) -> tuple[float, list[float]]:
    loop = asyncio.get_running_loop()
    waiting = iter(requests)
    times: list[float] = []
    ends = [loop.create_future() for _ in range(connections)]
    begun = time.perf_counter()
    for end in ends:
        await loop.create_connection(
            partial(_Connection, waiting, times, end), "127.0.0.1", port
        )
    await asyncio.gather(*ends)
    return time.perf_counter() - begun, sorted(times)


def _requests(token: str, size: int, count: int) -> Iterator[bytes]:
    survey = closed_survey("grr", VALUES)
    path, bodies = "reports", frames(survey, size * count, max(size, 1))
    if not size:
        path, bodies = "sealed", sealed_frames(survey, count)
    lines = (
        f"POST /v1/{path} HTTP/1.1",
        "host: service",
        f"authorization: Bearer {token}",
        "",
    )
    head = "\r\n".join(lines).encode()
    for frame in bodies:
        yield head + _LENGTH + b"%d" % len(frame) + _END + frame


def main() -> None:
    """See the module."""
    port, token, size, count, connections = sys.argv[1:]
    requests = [*_requests(token, int(size), int(count))]
    seconds, times = uvloop.run(_run(int(port), requests, int(connections)))
    print(
        seconds,
        *(times[int(share * (len(times) - 1))] * 1e3 for share in (0.5, 0.99, 1)),
    )


if __name__ == "__main__":
    main()
