"""Transports: what each answer of a server, or none, is taken for.

And what a folder holds after a cut.
"""

import errno
import fcntl
import json
import os
import socket
import ssl
import stat
import sys
import time
from contextlib import contextmanager
from email.utils import formatdate
from unittest.mock import patch

import pytest
from listening import Handler, listening

from ldp.wire.wire import Damage, FrameReader, encode_frame
from ldp_client.delivery.outcomes import ACCEPTED, OFFLINE, Outcome, retry
from ldp_client.delivery.transport import FolderTransport, HTTPTransport
from ldp_client.delivery.verdicts import of_failure, seconds

PAYLOAD = encode_frame(b"a batch")


@contextmanager
def serving(status, headers=None, body=b"", delay=0.0):
    """A collector that gives one answer to everything.

    Yields its address and the requests it got.
    """
    requests = []

    class Collector(Handler):
        def do_POST(self):
            requests.append((self.path, dict(self.headers), self.body()))
            time.sleep(delay)
            self.answer(status, body, headers)

    with listening(Collector) as address:
        yield address, requests


def receipt(**outcomes):
    """A collector's body, as `docs/service-options.md` has it."""
    return json.dumps(
        {"accepted": 0, "duplicate": 0, "quarantined": 0, "rejected": {}} | outcomes
    )


def refusal(reason):
    return json.dumps({"error": "expected something else", "reason": reason})


@pytest.mark.parametrize(
    ("status", "headers", "verdict", "wait"),
    [
        (202, {}, "accepted", 0),
        (200, {}, "retry", 0),
        (204, {}, "retry", 0),
        (301, {"Location": "http://127.0.0.1:1/elsewhere"}, "retry", 0),
        (307, {"Location": "/v2/reports"}, "retry", 0),
        (399, {}, "retry", 0),
        (400, {}, "held", 0),
        (401, {}, "held", 0),
        (403, {}, "held", 0),
        (404, {}, "held", 0),
        (405, {}, "held", 0),
        (407, {}, "held", 0),
        (408, {}, "retry", 0),
        (413, {}, "held", 0),
        (415, {}, "held", 0),
        (422, {"Retry-After": "5"}, "held", 5),
        (425, {}, "retry", 0),
        (429, {"Retry-After": "120"}, "retry", 120),
        (499, {}, "held", 0),
        (500, {}, "retry", 0),
        (503, {"Retry-After": "7"}, "retry", 7),
        (503, {"Retry-After": "-7"}, "retry", 0),
        (503, {"Retry-After": "soon"}, "retry", 0),
        (503, {"Retry-After": "9" * 400}, "retry", 1e9),
        (503, {"Retry-After": "1e9"}, "retry", 0),
    ],
)
def test_outcomes(status, headers, verdict, wait):
    """202 is accepted; what can be mended holds; everything else is retried, redirects
    included.

    Nothing is dropped for a status alone.
    """
    with serving(status, headers, b"<html>an error</html>") as (address, requests):
        reason = "" if status == 202 else f"status {status}"
        assert HTTPTransport(address).send(PAYLOAD) == Outcome(verdict, wait, reason)
    assert [(path, sent) for path, _, sent in requests] == [("/v1/reports", PAYLOAD)]


@pytest.mark.parametrize(
    ("status", "body", "verdict", "reason"),
    [
        (202, receipt(accepted=1), "accepted", ""),
        (202, receipt(duplicate=1), "duplicate", ""),
        (202, receipt(quarantined=1), "quarantined", ""),
        (202, receipt(rejected={"late": 1}), "late", "late"),
        (202, receipt(rejected={"early": 1}), "early", "early"),
        (202, receipt(rejected={"report-width": 1}), "rejected", "report-width"),
        (202, receipt(rejected={"a red\nline": 1}), "rejected", "unknown"),
        (202, receipt(rejected={"x" * 41: 1}), "rejected", "unknown"),
        (202, receipt(rejected={"ä": 1}), "rejected", "unknown"),
        (202, receipt(rejected=["late"]), "accepted", ""),
        (202, "[]", "accepted", ""),
        (202, "[" * 50_000, "accepted", ""),
        (202, b"\xff", "accepted", ""),
        (400, refusal("empty"), "refused", "status 400, empty"),
        (413, refusal("too-large"), "refused", "status 413, too-large"),
        (415, refusal("encoded"), "refused", "status 415, encoded"),
        (400, refusal("too-large"), "held", "status 400"),
        (400, refusal(None), "held", "status 400"),
        (401, refusal("empty"), "held", "status 401"),
        (500, refusal("empty"), "retry", "status 500"),
    ],
)
def test_bodies(status, body, verdict, reason):
    """What the collector says of a batch counts, and only its own reason drops one."""
    body = body if isinstance(body, bytes) else body.encode()
    with serving(status, body=body) as (address, _):
        assert HTTPTransport(address).send(PAYLOAD) == Outcome(verdict, reason=reason)


def test_a_date_to_retry_after():
    """Retry-After may be a date."""
    with serving(503, {"Retry-After": formatdate(time.time() + 1000, usegmt=True)}) as (
        address,
        _,
    ):
        outcome = HTTPTransport(address).send(PAYLOAD)
    assert outcome.verdict == "retry"
    assert 900 < outcome.wait <= 1000


def test_a_request_tells_nothing_about_the_device():
    """Headers hold the address, the length, the type, a constant name, and any
    token.
    """
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
        patch("http.client.HTTPResponse.read", return_value=b"") as read,
    ):
        assert HTTPTransport(address).send(PAYLOAD) == ACCEPTED
    read.assert_called_once_with(1 << 16)


def test_no_answer_is_retried():
    """No one listens, no one answers in time, or something that is not HTTP does."""
    with serving(202, delay=0.5) as (address, _):
        late = HTTPTransport(address, timeout=0.05).send(PAYLOAD)
    assert (late.verdict, late.reason) == ("retry", "TimeoutError")
    # Taken, so that no one else listens there.
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        nobody = HTTPTransport(f"http://127.0.0.1:{silent.getsockname()[1]}").send(
            PAYLOAD
        )
    assert nobody == retry(reason="ConnectionRefusedError: Connection refused")


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "offline"),
        (OSError(101, "Network is unreachable"), "offline"),
        (OSError(113, "No route to host"), "offline"),
        (ConnectionRefusedError(111, "Connection refused"), "retry"),
        (TimeoutError(), "retry"),
        (ValueError("a secret"), "retry"),
    ],
)
def test_without_a_network_no_one_was_reached(error, verdict):
    """That is told apart from a collector that does not answer; what an error says is
    not kept.
    """
    outcome = of_failure(error)
    assert outcome.verdict == verdict
    assert "secret" not in outcome.reason
    with patch("socket.getaddrinfo", side_effect=error):
        sent = HTTPTransport("https://collect.example")
        if isinstance(error, OSError):
            assert sent.send(PAYLOAD) == outcome
    assert OFFLINE.verdict == "offline"


def test_certificates_are_checked():
    """The TLS context is the one that verifies host and chain.

    A server without TLS gets nothing.
    """
    contexts = []
    genuine = ssl.create_default_context

    def watched(**settings):
        contexts.append(genuine(**settings))
        return contexts[-1]

    with (
        serving(202) as (address, requests),
        patch("ssl.create_default_context", watched),
    ):
        transport = HTTPTransport(address.replace("http", "https"))
        assert [transport.send(PAYLOAD).verdict for _ in range(2)] == ["retry"] * 2
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
    with patch(
        "os.write", lambda descriptor, payload: genuine(descriptor, payload[:-3])
    ):
        assert transport.send(PAYLOAD) == retry()
    assert transport.send(PAYLOAD) == ACCEPTED
    reader = FrameReader()
    parts = [*reader.feed((tmp_path / "reports.ldp").read_bytes()), *reader.close()]
    assert [part for part in parts if isinstance(part, bytes)] == [b"a batch"] * 2
    assert [part.size for part in parts if isinstance(part, Damage)] == [
        len(PAYLOAD) - 3
    ]


def test_a_folder_gets_the_bytes_as_they_are_on_windows(tmp_path):
    """There a file takes text, with two bytes for each 0x0A, unless it is opened as
    binary.
    """
    with (
        patch.object(os, "O_BINARY", 1 << 40, create=True),
        patch("os.open", side_effect=OSError("seen")) as opened,
        pytest.raises(OSError, match="seen"),
    ):
        FolderTransport(tmp_path).send(PAYLOAD)
    assert opened.call_args.args[1] & (1 << 40)


@pytest.mark.parametrize("knows", [True, False])
def test_a_folder_is_synced_through_the_cache_of_a_disk_on_macos(tmp_path, knows):
    """By `F_FULLFSYNC`; where a volume does not know that, by `fsync`."""
    answer = None if knows else OSError(errno.ENOTSUP, "not supported")
    with (
        patch.object(sys, "platform", "darwin"),
        patch.object(fcntl, "F_FULLFSYNC", 51, create=True),
        patch.object(fcntl, "fcntl", side_effect=answer) as full,
        patch("os.fsync") as plain,
    ):
        assert FolderTransport(tmp_path).send(PAYLOAD) == ACCEPTED
    assert [call.args[1] for call in full.call_args_list] == [51]
    assert plain.called != knows


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
        ("1" * 11, 1e9, 1e9),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0, 0),
        ("Thu, 31 Dec 2099 23:59:59 GMT", 1e9, 1e10),
        (" 7 ", 7, 7),
        ("٣", 0, 0),
        (None, 0, 0),
    ],
)
def test_what_a_header_asks_for(header, least, most):
    """Seconds, however many digits they have, or a date that is not past."""
    assert least <= seconds(header) <= most
