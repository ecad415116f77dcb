"""Transports: what each answer of a server, or none, is taken for.

And what a folder holds after a cut.
"""

import os
import ssl
import stat
import threading
import time
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from unittest.mock import patch

import pytest

from ldp.wire import Damage, FrameReader, encode_frame
from ldp_client.transport import ACCEPTED, REFUSED, FolderTransport, HTTPTransport, _seconds, retry

PAYLOAD = encode_frame(b"a batch")


@contextmanager
def serving(status, headers=None, body=b"", delay=0.0):
    """A collector that gives one answer to everything.

    Yields its address and the requests it got.
    """
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            requests.append((self.path, dict(self.headers), sent))
            time.sleep(delay)
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "headers", "outcome"),
    [
        (202, {}, ACCEPTED),
        (200, {}, retry()),
        (204, {}, retry()),
        (301, {"Location": "http://127.0.0.1:1/elsewhere"}, retry()),
        (307, {"Location": "/v2/reports"}, retry()),
        (400, {}, REFUSED),
        (401, {}, REFUSED),
        (404, {}, REFUSED),
        (399, {}, retry()),
        (499, {}, REFUSED),
        (408, {}, retry()),
        (413, {}, REFUSED),
        (422, {"Retry-After": "5"}, REFUSED),
        (429, {"Retry-After": "120"}, retry(120.0)),
        (500, {}, retry()),
        (503, {"Retry-After": "7"}, retry(7.0)),
        (503, {"Retry-After": "-7"}, retry()),
        (503, {"Retry-After": "soon"}, retry()),
        (503, {"Retry-After": "9" * 400}, retry()),
        (503, {"Retry-After": "1e9"}, retry()),
    ],
)
def test_outcomes(status, headers, outcome):
    """202 is accepted; a status that no retry can change refuses.

    Everything else is retried, redirects included.
    """
    with serving(status, headers) as (address, requests):
        assert HTTPTransport(address).send(PAYLOAD) == outcome
    assert [(path, sent) for path, _, sent in requests] == [("/v1/reports", PAYLOAD)]


def test_a_date_to_retry_after():
    """Retry-After may be a date."""
    with serving(503, {"Retry-After": formatdate(time.time() + 100, usegmt=True)}) as (address, _):
        outcome = HTTPTransport(address).send(PAYLOAD)
    assert outcome.verdict == "retry"
    assert 90 < outcome.wait <= 100


def test_a_request_tells_nothing_about_the_device():
    """Headers hold the address, the length, the type, a constant name, and any token."""
    with serving(202) as (address, requests):
        HTTPTransport(f"{address}/prefix/").send(PAYLOAD)
        HTTPTransport(address, token="secret").send(PAYLOAD)  # noqa: S106
    (path, plain, _), (_, with_token, _) = requests
    assert path == "/prefix/v1/reports"
    assert plain.keys() == {
        "Host",
        "Accept-Encoding",
        "Content-Length",
        "Content-Type",
        "User-Agent",
    }
    assert plain["User-Agent"] == "ldpkit"
    assert with_token["Authorization"] == "Bearer secret"


def test_endless_answers_are_not_read():
    """Of a long answer only the beginning is read."""
    with (
        serving(202, body=bytes(1 << 22)) as (address, _),
        patch("http.client.HTTPResponse.read") as read,
    ):
        assert HTTPTransport(address).send(PAYLOAD) == ACCEPTED
    read.assert_called_once_with(1 << 16)


def test_no_answer_is_retried():
    """No one listens, no one answers in time, or something that is not HTTP does."""
    with serving(202, delay=0.5) as (address, _):
        assert HTTPTransport(address, timeout=0.05).send(PAYLOAD) == retry()
    assert HTTPTransport(address).send(PAYLOAD) == retry()
    assert HTTPTransport("https://no-such-host.invalid").send(PAYLOAD) == retry()


def test_certificates_are_checked():
    """The TLS context is the one that verifies host and chain.

    A server without TLS gets nothing.
    """
    contexts = []
    genuine = ssl._create_default_https_context

    def watched():
        contexts.append(genuine())
        return contexts[-1]

    with serving(202) as (address, requests), patch("ssl._create_default_https_context", watched):
        assert HTTPTransport(address.replace("http", "https")).send(PAYLOAD) == retry()
    assert requests == []
    assert [(context.verify_mode, context.check_hostname) for context in contexts] == [
        (ssl.CERT_REQUIRED, True)
    ]


@pytest.mark.parametrize(
    "address",
    [
        "http://collect.example",
        "ftp://collect.example",
        "collect.example",
        "https://",
        "https://user:word@collect.example",
        "https://collect.example/?a=b",
        "http://localhost.example",
        "",
    ],
)
def test_addresses_that_are_refused(address):
    """Reports travel over TLS, unless to this very machine."""
    with pytest.raises(ValueError, match="https://"):
        HTTPTransport(address)


def test_a_folder_collects_frames(tmp_path):
    """Frames are appended whole.

    One that a full disk cut short is retried, and costs nothing but itself.
    """
    transport = FolderTransport(tmp_path)
    assert transport.send(PAYLOAD) == ACCEPTED
    genuine = os.write
    with patch("os.write", lambda descriptor, payload: genuine(descriptor, payload[:-3])):
        assert transport.send(PAYLOAD) == retry()
    assert transport.send(PAYLOAD) == ACCEPTED
    reader = FrameReader()
    parts = [*reader.feed((tmp_path / "reports.ldp").read_bytes()), *reader.close()]
    assert [part for part in parts if isinstance(part, bytes)] == [b"a batch"] * 2
    assert [part.size for part in parts if isinstance(part, Damage)] == [len(PAYLOAD) - 3]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    """Which the sender counts, and retries."""
    with pytest.raises(OSError, match="No such file"):
        FolderTransport(tmp_path / "missing").send(PAYLOAD)


def test_what_a_folder_collects_is_private(tmp_path):
    """Only the owner may read it, whatever the umask."""
    before = os.umask(0)
    try:
        FolderTransport(tmp_path).send(b"abc")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "reports.ldp").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("999999999", 999_999_999, 999_999_999),
        ("1000000000", 0, 0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0, 0),
        ("Thu, 31 Dec 2099 23:59:59 GMT", 1e9, 1e10),
        (" 7 ", 7, 7),
        ("٣", 0, 0),
        (None, 0, 0),
    ],
)
def test_what_a_header_asks_for(header, least, most):
    """Seconds of up to nine digits, or a date that is not past."""
    assert least <= _seconds(header) <= most
