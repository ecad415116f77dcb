"""Uploads that are made to exhaust memory: a hundred at a time, of the greatest
size.
"""

import os
import socket
import struct
import time
from contextlib import ExitStack, closing
from threading import Thread
from urllib.parse import urlsplit

import pytest
from hostile_http import fresh
from pages import serving
from running_service import RunningService, received, request, running_service
from wire_samples import BATCHES, SURVEY, TEXT, file_of

from ldp.wire.wire import Batch, encode_frame
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.service import Service, Settings, UploadSettings
from ldp_service.uploads.room import SMALL, UploadLimits

_MOST = 1 << 24
_ONCE = b"connection: close"
_BOMBS, _MOST_RESIDENT = 100, 512
_FILTER = BATCHES["filter"]
_NESTED = struct.pack(">I", _MOST - 64)


def _many(frame):
    return frame * (_MOST // len(frame))


def bombs():
    """Uploads of the greatest size, by what they are."""
    return {
        "garbage": os.urandom(_MOST),
        "nothing but beginnings": _many(b"LDPR"),
        "a million tiny frames": _many(encode_frame(b"")),
        "a hundred thousand batches": b"".join(fresh() for _ in range(100_000)),
        "one giant batch": file_of(
            Batch(
                _FILTER.fingerprint,
                os.urandom(16),
                900_000,
                rows=_FILTER.rows[:18] * 900_000,
            )
        ),
        "nested arrays": encode_frame(b"\x91" * (_MOST - 64)),
        "an array of arrays": encode_frame(b"\xdd" + _NESTED + b"\x90" * (_MOST - 64)),
        "a batch of arrays": encode_frame(
            b"\x95\x01\xdd" + _NESTED + b"\x90" * (_MOST - 64)
        ),
    }


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service that is well in the end."""
    with running_service(tmp_path_factory.mktemp("bombs")) as service:
        yield service
        assert service.get("/readyz").status_code == 200
        assert service.complaints() == []


def test_a_hundred_at_a_time(service):
    """They are taken or told to come back, others are served, and memory stays in its
    bound.
    """
    bodies, statuses = list(bombs().values()), []

    def send(number):
        statuses.append(
            service.exchange(
                request(bodies[number % len(bodies)], _ONCE), patience=60
            ).status
        )

    threads = [Thread(target=send, args=(number,)) for number in range(_BOMBS)]
    for bomb in threads:
        bomb.start()
    small = []
    while any(thread.is_alive() for thread in threads):
        small.append(service.exchange(request(fresh(), _ONCE), patience=60).status)
        time.sleep(0.05)
    assert {*statuses} <= {0, 202, 503}, (
        "0 is for a refusal that was overtaken by what was still being sent"
    )
    assert 202 in statuses
    assert len(statuses) == _BOMBS
    assert {*small} == {202}
    assert service.peak() < _MOST_RESIDENT


@pytest.mark.parametrize("sent", [0, 60_000])
def test_uploads_that_are_never_whole_keep_no_one_out(tmp_path, sent):
    """They are told so in the end; and where they fill their room, the slowest makes
    way.
    """
    limits = UploadLimits(patience=4.0, held_small=600_010)
    settings = Settings(
        uploads=UploadSettings(open_uploads=True, limits=limits), publication=LIVE
    )
    service = Service(
        [Served(SURVEY, TEXT)], f"sqlite:///{tmp_path}/store.db", settings
    )
    with closing(service), serving(service) as url:
        running = RunningService(None, urlsplit(url).port, None)
        address = ("127.0.0.1", running.port)
        length = SMALL if sent else _MOST
        announced = request(bytes(length))[: sent - length]
        with ExitStack() as stack:
            connections = [
                stack.enter_context(socket.create_connection(address))
                for _ in range(40)
            ]
            for waiting in connections:
                waiting.sendall(announced)
            large = request(fresh() + bytes(_MOST >> 1), _ONCE)
            for body in (request(fresh(), _ONCE), large):
                assert running.exchange(body, patience=20).status == 202
            answers = {
                received(connection, patience=20)[::2] for connection in connections
            }
        assert answers == ({(408, True), (503, True)} if sent else {(408, True)})
