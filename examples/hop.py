"""A hop of Oblivious HTTP (RFC 9458), to try one out: `python examples/hop.py GATEWAY`.

It listens on this machine, and passes the content of each request on to a relay's
gateway, and the answer back: with its type, and nothing else of what a device said over
HTTP. Hops that are rented do the same, over HTTPS, for many. It prints the address that
devices are to be told.
"""

import sys
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

MOST = 1 << 20
PATIENCE = 20.0
TYPES = {"message/ohttp-req", "message/ohttp-res"}


class Hop(BaseHTTPRequestHandler):
    """Passes on what is encapsulated, and keeps nothing."""

    gateway = urlsplit("")

    def do_POST(self):
        """Pass it on, and the answer back."""
        size = int(self.headers.get("Content-Length", 0))
        if self.headers.get("Content-Type") not in TYPES or not 0 < size <= MOST:
            self.send_error(400, "expected an encapsulated request")
            return
        kind = HTTPSConnection if self.gateway.scheme == "https" else HTTPConnection
        there = kind(self.gateway.netloc, timeout=PATIENCE)
        try:
            body = self.rfile.read(size)
            there.request(
                "POST", self.gateway.path, body, {"Content-Type": "message/ohttp-req"}
            )
            answer = there.getresponse()
            content = answer.read(MOST)
        except (OSError, HTTPException):
            self.send_error(502, "expected an answer of the gateway, got none")
            return
        finally:
            there.close()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.getheader("Content-Type", "text/plain"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Who sent what when is nobody's business."""


if __name__ == "__main__":
    Hop.gateway = urlsplit(sys.argv[1])
    with ThreadingHTTPServer(("127.0.0.1", 0), Hop) as server:
        print(
            f"passing on at http://127.0.0.1:{server.server_port}",
            file=sys.stderr,
            flush=True,
        )
        server.serve_forever()
