"""A collector on this machine that answers uploads as it is told, and remembers what
came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple

REPORTS_PATH = "/v1/reports"


class CollectorReply(NamedTuple):
    """Reply of the collector; with status 0 it hangs up."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = {}  # one that no one changes


class ReceivedUpload(NamedTuple):
    """Upload to the collector."""

    method: str
    path: str
    body: bytes


class Collector:
    """One that listens, at `address`."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.reply = CollectorReply(202)
        self.uploads: list[ReceivedUpload] = []


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector, while it listens."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            upload = ReceivedUpload(self.command, self.path, self.rfile.read(size))
            collector.uploads.append(upload)
            status, body, headers = collector.reply
            self.close_connection = True
            if not status:
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status >= 200 and status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET = do_PUT = answer  # noqa: N815  # as the library calls them

        def log_message(self, *_: object) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
