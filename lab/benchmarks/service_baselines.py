"""What a single upload costs the service, beside servers that do less or do it plainly.

`python -m lab.benchmarks.service --baselines` gives each of them the same load in the
same run:

    ours      `ldp serve`: checked, counted exactly once, acknowledged after the sync
    nothing   uvicorn, whose application reads the body and says 202
    commits   the same, which keeps the body in SQLite, and commits and syncs for each
              request
    nginx     answers 204, where it is installed

Processor time is that of the server, user's and system's; it depends on neighbours on
the machine far less than the requests a second do.
"""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

from lab.benchmarks.figures import Figure
from lab.benchmarks.processes import printed, processor_seconds

MOST = 70.0
"""Microseconds of the processor that a durable single report may cost."""
LEAST = 15_000.0
"""Single reports a second, on two cores that are idle."""
_CONNECTIONS = 200
_PATIENCE = 60
_NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
    access_log off; keepalive_requests 100000000;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{ listen 127.0.0.1:{port}; location / {{ return 204; }} }}
}}
"""

Receive = Callable[[], Any]
Send = Callable[[MutableMapping[str, Any]], Any]


class Answering(NamedTuple):
    """A server that takes uploads."""

    process: int
    port: int
    token: str = ""

    def costs(self, requests: int) -> tuple[float, float]:
        """Requests a second, and microseconds of its processor time for each."""
        self._load(requests // 10)
        before = processor_seconds(self.process)
        seconds = self._load(requests)
        spent = processor_seconds(self.process) - before
        return requests / seconds, spent / requests * 1e6

    def _load(self, requests: int) -> float:
        return printed(
            "lab.benchmarks.service_load",
            self.port,
            self.token,
            1,
            requests,
            _CONNECTIONS,
        )[0]


def figures(ours: Answering, requests: int) -> Iterator[Figure]:
    """Those of the service, and of each baseline that there is."""
    name = "service: a single report, durable"
    speed, microseconds = ours.costs(requests)
    yield Figure(f"{name}, processor time", microseconds, "us", target=MOST)
    yield Figure(
        f"{name}, with the load beside it",
        speed,
        "reports/s",
        target=LEAST,
        at_least=True,
    )
    for kind, (what, command) in BASELINES.items():
        if kind == "nginx" and shutil.which("nginx") is None:
            print("nginx is not installed, and was left out", file=sys.stderr)
            continue
        with _serving(command) as server:
            # A sync for each request is slow, and known after few.
            speed, microseconds = server.costs(
                requests // 10 if kind == "commits" else requests
            )
        yield Figure(
            f"service: for comparison, {what}, processor time", microseconds, "us"
        )
        yield Figure(f"service: for comparison, {what}", speed, "requests/s")


@contextmanager
def _serving(command: Callable[[Path, int], list[str]]) -> Iterator[Answering]:
    """A baseline that takes requests."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        with subprocess.Popen(command(Path(folder), port)) as process:
            try:
                _wait_for(port)
                yield Answering(process.pid, port)
            finally:
                process.terminate()
                process.wait(_PATIENCE)


def _wait_for(port: int) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError("expected a server to compare with, got none")


def _python(kind: str) -> Callable[[Path, int], list[str]]:
    def command(folder: Path, port: int) -> list[str]:
        return [sys.executable, "-m", __name__, kind, str(port), str(folder)]

    return command


def _nginx(folder: Path, port: int) -> list[str]:
    file = folder / "nginx.conf"
    file.write_text(_NGINX.format(folder=folder, port=port))
    return [shutil.which("nginx") or "nginx", "-p", str(folder), "-c", str(file)]


BASELINES = {
    "nothing": ("uvicorn that says 202", _python("nothing")),
    "commits": ("a commit for each request", _python("commits")),
    "nginx": ("nginx that says 204", _nginx),
}
"""What each is called, and how it is started in a folder, at a port."""


def application(kept: sqlite3.Connection | None) -> Callable[..., Any]:
    """An ASGI application that says 202, after a commit where something is kept."""

    async def answer(
        scope: MutableMapping[str, Any], receive: Receive, send: Send
    ) -> None:
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        if kept is not None:
            kept.execute("INSERT INTO uploads VALUES (?)", (body,))
            kept.commit()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 202, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})

    return answer


def main() -> None:
    """Be a baseline: `python -m lab.benchmarks.service_baselines nothing|commits PORT
    FOLDER`.
    """
    kind, port, folder = sys.argv[1:]
    kept = None
    if kind == "commits":
        kept = sqlite3.connect(Path(folder) / "uploads.db")
        kept.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE "
            "uploads (body BLOB)"
        )
    uvicorn.run(application(kept), port=int(port), log_level="error", access_log=False)


if __name__ == "__main__":
    main()
