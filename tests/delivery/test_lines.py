"""Uploads over real sockets: deadlines, proxies, certificates and headers of an app's
own.
"""

import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from unittest.mock import patch

import pytest
from surveys import survey_of, yes_no

from ldp_client import EmbeddedClient
from ldp_client.delivery.outcomes import ACCEPTED
from ldp_client.delivery.transport import HTTPTransport

PAYLOAD = b"a batch"
ANSWER = b"HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\n{}"
_LONG = 60
"""Seconds that it takes whoever is not to be waited for, and more."""


@contextmanager
def listening(serve):
    """Calls `serve` with each connection, in a thread; yields the port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=served, args=(connection,), daemon=True).start()

        def served(connection):
            with connection, suppress(OSError):
                serve(connection)

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]


def head_of(connection):
    """A request's head. Raises `ConnectionError` where the connection ends before."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            raise ConnectionError("expected a request, got the end of the connection")
        head += byte
    return head.decode()


def dripping(parts):
    """A server that sends a byte every 20 ms, once it has a request."""

    def serve(connection):
        head_of(connection)
        for byte in parts:
            connection.sendall(bytes([byte]))
            time.sleep(0.02)

    return serve


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER.replace(b"Length: 2", b"Length: 9999") + b" " * 9999,
        b"HTTP/1.1 202 Accepted\r\n" + b"X: " + b"y" * 9999,
        b"H" * 9999,
    ],
    ids=["body", "head", "line"],
)
def test_an_answer_that_drips_ends_in_time(answer):
    """An upload has a deadline as a whole: no byte that comes puts it off."""
    with listening(dripping(answer)) as port:
        begin = time.monotonic()
        outcome = HTTPTransport(f"http://127.0.0.1:{port}", timeout=0.4).send(PAYLOAD)
        assert 0.35 < time.monotonic() - begin < _LONG / 2
    assert (outcome.verdict, outcome.reason) == ("retry", "TimeoutError")


@pytest.mark.parametrize("secure", [False, True])
def test_a_collector_that_reads_nothing_ends_in_time(secure):
    """Nor one that takes the connection and no more, with TLS or without."""
    with listening(lambda _: time.sleep(_LONG)) as port:
        begin = time.monotonic()
        scheme = "https" if secure else "http"
        outcome = HTTPTransport(f"{scheme}://127.0.0.1:{port}", timeout=0.3).send(
            bytes(1 << 24)
        )
        assert time.monotonic() - begin < _LONG / 2
    assert outcome.verdict == "retry"


def test_a_resolver_that_takes_its_time_is_not_waited_for():
    """It has no deadline of its own, and cannot be told of ours."""
    with patch("socket.getaddrinfo", lambda *_, **__: time.sleep(_LONG)):
        begin = time.monotonic()
        outcome = HTTPTransport("https://collect.example", timeout=0.2).send(PAYLOAD)
        assert time.monotonic() - begin < _LONG / 2
    assert (outcome.verdict, outcome.reason) == ("retry", "TimeoutError")


def test_the_second_address_is_tried():
    """Of a host with two addresses, one of which leads nowhere, the other has time
    left.
    """
    with (
        listening(
            lambda connection: (head_of(connection), connection.sendall(ANSWER))
        ) as port,
        socket.socket() as silent,
    ):
        # Taken, so that no one else listens there.
        silent.bind(("127.0.0.1", 0))
        places = (silent.getsockname(), ("127.0.0.1", port))
        rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]
        with patch("socket.getaddrinfo", return_value=rows):
            assert HTTPTransport(f"http://localhost:{port}").send(PAYLOAD) == ACCEPTED


@pytest.mark.parametrize(("a_connection", "connections"), [(6, 1), (4, 2), (1, 6)])
def test_reports_travel_by_one_connection(a_connection, connections):
    """One-time reports go alone, and yet no connection has one each; nor is one lost
    with it.

    A collector may end a connection that is kept, and does not say so.
    """
    bodies, met = [], []

    def serve(connection):
        met.append(connection)
        for _ in range(a_connection):
            head = head_of(connection)
            size = int(head.lower().split("content-length:")[1].split()[0])
            bodies.append(connection.recv(size, socket.MSG_WAITALL))
            connection.sendall(ANSWER)

    survey = survey_of(*(yes_no(name) for name in "abcdef"))
    with (
        listening(serve) as port,
        EmbeddedClient(
            survey, state=None, collector=f"http://127.0.0.1:{port}", interval=None
        ) as client,
    ):
        assert all(client.record(question.name, True) for question in survey)
        assert client.flush(20)
    assert (len(set(bodies)), len(bodies), len(met)) == (6, 6, connections)


def test_addresses_share_the_time():
    """Each may take an even part of what is left: of three that fail at once a third,
    half, all.
    """
    nowhere = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 9))
    with (
        patch("socket.getaddrinfo", return_value=[nowhere] * 3),
        patch("socket.socket") as bare,
    ):
        bare.return_value.connect.side_effect = ConnectionRefusedError
        outcome = HTTPTransport("https://collect.example", timeout=3000).send(PAYLOAD)
    assert (outcome.verdict, outcome.reason) == ("retry", "ConnectionRefusedError")
    taken = [call.args[0] for call in bare.return_value.settimeout.call_args_list]
    assert taken == pytest.approx([1000, 1500, 3000], rel=0.02)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 1e12, True])
def test_time_outs_are_times(timeout):
    """Of a length that ends."""
    with pytest.raises(ValueError, match="expected a timeout"):
        HTTPTransport("https://collect.example", timeout=timeout)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for localhost, with its key, that no system trusts."""
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command += ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@contextmanager
def secure_collector(certificate, requests):
    """One that keeps the heads and bodies that it gets."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")

    def serve(connection):
        with context.wrap_socket(connection, server_side=True) as secure:
            requests.append((head_of(secure), secure.recv(len(PAYLOAD))))
            secure.sendall(ANSWER)

    with listening(serve) as port:
        yield port


def test_certificates_of_an_apps_own(certificate):
    """`ca` and `context` vouch for a collector that the system does not know; neither
    by default.

    A name that the certificate is not for is refused all the same.
    """
    requests, path = [], certificate / "cert.pem"
    with secure_collector(certificate, requests) as port:
        address = f"https://localhost:{port}"
        stranger = HTTPTransport(address).send(PAYLOAD)
        assert stranger.verdict == "retry"
        assert stranger.reason.startswith("SSLCertVerificationError")
        assert (
            HTTPTransport(f"https://127.0.0.1:{port}", ca=path).send(PAYLOAD).verdict
            == "retry"
        )
        assert HTTPTransport(address, ca=path).send(PAYLOAD) == ACCEPTED
        context = ssl.create_default_context(cafile=path)
        assert HTTPTransport(address, context=context).send(PAYLOAD) == ACCEPTED
    assert [body for _, body in requests] == [PAYLOAD] * 2
    assert f"Host: localhost:{port}\r\n" in requests[0][0]


def test_settings_that_check_nothing_are_refused(certificate):
    """A context that trusts anyone, two kinds of trust, and certificates that are not
    there.
    """
    careless = ssl.create_default_context()
    careless.check_hostname = False
    for settings, expected in (
        ({"context": careless}, "checks certificates"),
        (
            {"context": ssl.create_default_context(), "ca": certificate / "cert.pem"},
            "got both",
        ),
        ({"ca": certificate / "missing.pem"}, "FileNotFoundError"),
        ({"ca": certificate / "key.pem"}, "SSLError"),
    ):
        with pytest.raises(ValueError, match=expected):
            HTTPTransport("https://collect.example", **settings)
    for settings in (
        {"ca": certificate / "cert.pem"},
        {"proxy": "http://proxy.example"},
    ):
        with pytest.raises(ValueError, match="over https://"):
            HTTPTransport("http://localhost:8000", **settings)


@contextmanager
def proxying(port, heads, status="200 fine"):
    """A proxy that connects to a port here, whatever it is asked for."""

    def serve(connection):
        heads.append(head_of(connection))
        connection.sendall(f"HTTP/1.1 {status}\r\n\r\n".encode())
        if not status.startswith("200"):
            return
        with socket.create_connection(("127.0.0.1", port)) as onward:
            threading.Thread(
                target=pumped, args=(onward, connection), daemon=True
            ).start()
            pumped(connection, onward)

    def pumped(source, sink):
        with suppress(OSError):
            while data := source.recv(4096):
                sink.sendall(data)

    with listening(serve) as own:
        yield own


def test_a_proxy_connects(certificate):
    """TLS is with the collector; the proxy learns its name, and the app's name and
    password.
    """
    requests, heads = [], []
    with (
        secure_collector(certificate, requests) as port,
        proxying(port, heads) as proxy,
    ):
        transport = HTTPTransport(
            "https://localhost",
            proxy=f"http://us%3Aer:w%40rd@127.0.0.1:{proxy}",
            ca=certificate / "cert.pem",
            token="secret",  # noqa: S106
        )
        assert transport.send(PAYLOAD) == ACCEPTED
    assert transport.destination == HTTPTransport("https://localhost").destination
    assert heads == [
        "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n"
        "Proxy-Authorization: Basic dXM6ZXI6d0ByZA==\r\n\r\n"
    ]
    [(head, body)] = requests
    assert "Host: localhost\r\n" in head
    assert "Proxy-Authorization" not in head
    assert body == PAYLOAD


@pytest.mark.parametrize(
    ("status", "verdict"),
    [("407 who?", "held"), ("502 no", "retry"), ("300 which?", "retry")],
)
def test_a_proxy_that_does_not_connect(status, verdict):
    """Its password can be mended; its trouble passes."""
    with proxying(1, [], status) as proxy:
        outcome = HTTPTransport(
            "https://localhost", proxy=f"http://127.0.0.1:{proxy}"
        ).send(b"x")
    assert (outcome.verdict, outcome.reason) == (
        verdict,
        f"status {status[:3]} of the proxy",
    )


def test_a_proxy_that_drips_ends_in_time():
    """The deadline is for the way through as well."""
    with listening(dripping(b"HTTP/1.1 200 " + b"f" * 9999)) as proxy:
        begin = time.monotonic()
        transport = HTTPTransport(
            "https://localhost", proxy=f"http://127.0.0.1:{proxy}", timeout=0.3
        )
        assert transport.send(b"x").verdict == "retry"
        assert time.monotonic() - begin < _LONG / 2


@pytest.mark.parametrize(
    "proxy",
    [
        "proxy.example:3128",
        "https://proxy.example",
        "socks5://proxy.example",
        "http://",
        "http://proxy.example:99999",
        "http://proxy.example/path",
        "",
    ],
)
def test_proxies_that_cannot_be_used(proxy):
    """Only those of plain HTTP that connect."""
    with pytest.raises(ValueError, match="expected a proxy"):
        HTTPTransport("https://collect.example", proxy=proxy)


def test_headers_of_an_apps_own():
    """They are sent with each request."""
    heads = []

    def serve(connection):
        heads.append(head_of(connection))
        connection.sendall(ANSWER)

    with listening(serve) as port:
        transport = HTTPTransport(
            f"http://127.0.0.1:{port}", headers={"X-App": "notes 7"}
        )
        assert transport.send(PAYLOAD) == ACCEPTED
    assert "X-App: notes 7\r\n" in heads[0]


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Authorization": "Bearer sesame"}, "ours to set"),
        ({"content-LENGTH": "7"}, "ours to set"),
        ({"Transfer-Encoding": "chunked"}, "ours to set"),
        ({"Host": "elsewhere"}, "ours to set"),
        ({"User-Agent": "me"}, "ours to set"),
        ({"X-App": "sesame\r\nX-Other: 7"}, "printable"),
        ({"X-App": "sesäme"}, "printable"),
        ({"X-App": "sesame\0"}, "printable"),
        ({"X App": "7"}, "name of a header"),
        ({"X-App\r\nX-Other": "7"}, "name of a header"),
        ({"": "7"}, "name of a header"),
        ({"X-App": "7", "x-app": "8"}, "twice"),
    ],
)
def test_headers_that_are_refused(headers, expected):
    """Those that are ours, and those that would end a line; what they say is not
    repeated.
    """
    with pytest.raises(ValueError, match=expected) as caught:
        HTTPTransport("https://collect.example", headers=headers)
    assert "ses" not in str(caught.value)


@pytest.mark.parametrize("token", ["a\r\nX: y", "ä", "tab\t"])
def test_tokens_that_are_refused(token):
    """A token that would end the header; it is not repeated."""
    with pytest.raises(ValueError, match="expected a token") as caught:
        HTTPTransport("https://collect.example", token=token)
    assert token not in str(caught.value)
