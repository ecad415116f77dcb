"""A small server of the standard library for a while, which answers as a test's handler
does.
"""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Says nothing by itself; tests say what is answered."""

    def body(self):
        """What was sent."""
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def answer(self, status, content=b"", headers=None):
        """A status, headers, and a body of known length."""
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Tests say nothing."""


class _Server(ThreadingHTTPServer):
    """One whose callers may go away."""

    def handle_error(self, *_):
        """A test that closes a connection does so on purpose."""


@contextmanager
def listening(handler):
    """The server's address, while it answers."""
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
