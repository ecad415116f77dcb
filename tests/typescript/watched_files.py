"""A server of the repository's files that notes all requests, and can be slow or
strict.
"""

import json
import threading
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from places import ROOT


class WatchedFiles(ThreadingHTTPServer):
    """The log has the first line and the body of every request.

    `policy` is the Content-Security-Policy of every answer, if there is any; what ends
    in one of the names in `slow` is not answered before `go` is set, and what ends in
    `missing` is not there. `answer` makes a status and a JSON body for what is posted,
    of the log so far: 204 without one.
    """

    daemon_threads = True

    def __init__(self, answer=None):
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(ROOT)))
        self.port = self.server_address[1]
        self.log = []
        self.answer = answer
        self.policy, self.missing = None, None
        self.slow, self.go = (), threading.Event()

    def url(self, path, host="127.0.0.1"):
        """Where a file is."""
        return f"http://{host}:{self.port}/{path}"


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self):
        self._note()
        if self.path.endswith(self.server.slow):
            self.server.go.wait(60)
        if self.server.missing is not None and self.path.endswith(self.server.missing):
            self.send_error(404)
        else:
            with suppress(BrokenPipeError):
                super().do_GET()

    def do_POST(self):
        self._note()
        if self.server.answer is None:
            self.send_response(204)
            self.end_headers()
            return
        status, body = self.server.answer(self.server.log)
        # A tab that was closed does not wait for it.
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

    def _note(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.log.append((self.requestline, body))

    def end_headers(self):
        if self.server.policy is not None:
            self.send_header("Content-Security-Policy", self.server.policy)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_):
        pass


@contextmanager
def watched_files(answer=None):
    """A server in a thread of its own."""
    with WatchedFiles(answer) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.go.set()
            server.shutdown()
            thread.join()
