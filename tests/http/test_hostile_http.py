"""The service over HTTP, by clients that break its rules: the real server, plain
sockets.
"""

import socket
import time
from contextlib import ExitStack

import pytest
from hostile_http import FRAMINGS, SLOW, fresh
from pages import TOKEN, UPLOADING
from running_service import received, request, running_service, started

from ldp_service.http.protocol import HEAD

_ACCEPTED = 'ldp_batches_total{outcome="accepted",reason=""}'


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service that has to stay healthy whatever the tests of this module do, and log
    nothing.
    """
    with running_service(tmp_path_factory.mktemp("hostile")) as service:
        yield service
        assert service.get("/readyz").status_code == 200
        assert service.exchange(request(fresh()), patience=1).status == 202
        assert service.complaints() == []


def test_hostile_framings(service):
    """Each of a hundred hostile framings is refused, closes its connection, and counts
    nowhere.
    """
    before = service.accounts()
    assert len(FRAMINGS) >= 100
    failed = {}
    for name, hostile in FRAMINGS.items():
        answer = service.exchange(*hostile.pieces, half_close=hostile.half_close)
        if answer.status not in hostile.statuses or not answer.closed:
            failed[name] = answer
    assert failed == {}
    assert service.accounts() == before


def test_sound_requests_are_counted(service):
    """What the hostile framings are made of is counted if framed well: the frames were
    refused.
    """
    before = service.accounts().get(_ACCEPTED, 0)
    sound = {
        "at once": [request(fresh())],
        "in pieces": [bytes([byte]) for byte in request(fresh())],
        "HTTP/1.0, which keeps no connection": [
            request(fresh(), line=b"POST /v1/reports HTTP/1.0")
        ],
        "asking first": [request(fresh(), b"expect: 100-continue")],
        "a length with blanks and zeros": [
            request(fresh())
            .replace(b"content-length: ", b"content-length: " + b"0" * 24)
            .replace(b"58\r\n", b"58 \t\r\n")
        ],
    }
    for name, pieces in sound.items():
        answer = service.exchange(*pieces, patience=1, pause=0.001)
        assert b" 202 " in answer.content, name
        assert answer.closed == ("1.0" in name), name
    assert service.accounts()[_ACCEPTED] == before + len(sound)


def test_second_request_before_the_answer(service):
    """What comes behind a request that waits for its answer is dropped, the connection
    closed.
    """
    before = service.accounts().get(_ACCEPTED, 0)
    for pause in (0.0, 0.001, 0.01):
        service.exchange(request(fresh()), request(fresh()), pause=pause)
    assert service.accounts()[_ACCEPTED] - before <= 6
    answer = service.exchange(request(fresh()) + request(fresh()))
    assert (answer.status, answer.closed, answer.content.count(b"HTTP/1.1")) == (
        400,
        True,
        1,
    )


def test_a_head_that_comes_again_means_the_same(service):
    """Heads of one connection, the last one byte for byte among them: as if read anew
    each time.
    """
    before = service.accounts().get(_ACCEPTED, 0)
    sound = [request(fresh()) for _ in range(4)]
    other = request(fresh(), b"x-other: 1")
    duplicate, cut = sound[1], (sound[3][:-9], sound[3][-9:])
    answer = service.converse(*sound[:3], duplicate, other, cut)
    assert answer.content.count(b"HTTP/1.1 202") == 6
    assert answer.content.count(b'"duplicate": 1') == 1
    assert service.accounts()[_ACCEPTED] == before + 5
    for bad in (
        sound[0] + b"x",
        sound[0] + sound[1],
        sound[0].replace(b"POST", b"PUT "),
    ):
        answer = service.converse(request(fresh()), bad)
        assert (answer.content.count(b" 202 "), answer.closed) == (1, True), bad
        assert b"HTTP/1.1 40" in answer.content, bad
    assert service.accounts()[_ACCEPTED] == before + 8


def test_heads_have_to_come_in_time(service):
    """A connection whose head is not whole in time is closed, however busy, and idle
    ones too.

    A body that comes more slowly than it has to is told so.
    """
    address = ("127.0.0.1", service.port)
    connections = {name: socket.create_connection(address) for name in SLOW}
    slow_bodies = [socket.create_connection(address) for _ in range(2)]
    for connection, size in zip(slow_bodies, (100, 1 << 24), strict=True):
        connection.sendall(request(bytes(size))[:-size])
    begun = time.monotonic()
    for name, beginning in SLOW.items():
        connections[name].sendall(beginning)
    while time.monotonic() < begun + HEAD - 1:
        time.sleep(1)
        for connection in (connections["a letter a second"], *slow_bodies):
            connection.sendall(b"a")
    for name, connection in connections.items():
        with connection:
            answer = received(connection, patience=20)
            assert (answer.status, answer.closed) == (0, True), name
    for connection in slow_bodies:
        with connection:
            assert received(connection, patience=20)[::2] == (408, True)


@pytest.mark.needs("prlimit")
def test_too_many_connections(tmp_path):
    """Connections beyond what the system allows are closed at once.

    Those that are there are served.
    """
    with (
        started(tmp_path, within=("prlimit", "--nofile=200")) as service,
        ExitStack() as stack,
    ):
        address = ("127.0.0.1", service.port)
        connections = [
            stack.enter_context(socket.create_connection(address)) for _ in range(150)
        ]
        connections[0].sendall(request(fresh(), b"connection: close"))
        assert received(connections[0], patience=5).status == 202
        late = [received(connection, patience=20) for connection in connections[100:]]
        assert {(answer.status, answer.closed) for answer in late} == {(0, True)}
        assert service.complaints() == []


def test_wrong_tokens_hold_no_bytes(service):
    """A body that is announced with a token that is not good is refused before it is
    sent.
    """
    for token, status in (
        ("", 401),
        ("x" * 47, 401),
        ("x" * 600, 401),
        (TOKEN, 403),
        (f"{UPLOADING}x", 401),
    ):
        answer = service.exchange(request(bytes(1 << 20), token=token)[: -1 << 20])
        assert (answer.status, answer.closed) == (status, True), token
