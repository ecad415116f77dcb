"""What one sender of heavy uploads costs an honest client of the service.

`python -m lab.benchmarks.fairness` starts the real `ldp serve`, uploads a report at a
time over one connection, and times each: alone first, then beside another connection
that sends 16 MiB of one kind after the other, again and again: batches of one, the same
behind a head that says they are one frame, frames of nothing, and bytes that look like
the beginnings of frames. What such a sender costs is the difference of the medians, and
of the times within which 99 in 100 are answered.
"""

from __future__ import annotations

import http.client
import os
import struct
import time
from collections.abc import Iterator
from threading import Event, Thread

import numpy as np

from lab.benchmarks.figures import Figure
from lab.benchmarks.material import closed_survey, frames
from lab.benchmarks.service import Serving, serving
from lab.benchmarks.service_load import VALUES
from ldp.wire.wire import REPORTS_MAGIC, encode_frame

UPLOADS = 300
MOST = 100.0
"""Milliseconds that it may cost."""
_SIZE = 16 << 20


def heavy_bodies() -> dict[str, bytes]:
    """Bodies of 16 MiB, by what they are."""
    ones = b"".join(frames(closed_survey("grr", VALUES), 250_000, 1))
    bodies = {
        "batches of one": ones,
        "batches of one as one frame": struct.pack(
            "<4sIQ", REPORTS_MAGIC, _SIZE - 16, 0
        )
        + ones,
        "frames of nothing": encode_frame(b"") * (_SIZE // 16),
        "beginnings of frames": b"LDPR" * (_SIZE // 4),
        "noise": os.urandom(_SIZE),
    }
    return {name: body[:_SIZE] for name, body in bodies.items()}


def figures() -> Iterator[Figure]:
    """What each kind of heavy upload costs."""
    with serving() as service:
        alone = _times(service)
        yield Figure(
            "fairness: an upload alone, half within", float(np.median(alone)), "ms"
        )
        for name, body in heavy_bodies().items():
            beside = _beside(service, body)
            what = f"fairness: an upload beside 16 MiB of {name}"
            costs = float(np.median(beside) - np.median(alone))
            late = float(np.quantile(beside, 0.99) - np.quantile(alone, 0.99))
            yield Figure(f"{what}, half cost", costs, "ms", target=MOST)
            yield Figure(f"{what}, 99 % cost", late, "ms", target=MOST)


def _beside(service: Serving, body: bytes) -> list[float]:
    """The times beside a sender."""
    over = Event()

    def send() -> None:
        while not over.is_set():
            _post(
                http.client.HTTPConnection("127.0.0.1", service.port),
                service.token,
                body,
            )

    sender = Thread(target=send)
    sender.start()
    time.sleep(0.2)
    try:
        return _times(service)
    finally:
        over.set()
        sender.join()


def _times(service: Serving) -> list[float]:
    """Milliseconds until each of some honest uploads is answered, in the order of their
    length.
    """
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    times = []
    for frame in frames(closed_survey("grr", VALUES), UPLOADS, 1):
        begun = time.perf_counter()
        _post(connection, service.token, frame)
        times.append((time.perf_counter() - begun) * 1e3)
        time.sleep(0.01)
    connection.close()
    return sorted(times)


def _post(connection: http.client.HTTPConnection, token: str, body: bytes) -> None:
    connection.request(
        "POST", "/v1/reports", body, {"authorization": f"Bearer {token}"}
    )
    answer = connection.getresponse()
    answer.read()
    if answer.status != 202:
        raise RuntimeError(f"expected 202, got {answer.status}")


if __name__ == "__main__":
    for figure in figures():
        print(*figure.cells(), sep="  ", flush=True)
