"""Fuzzing of the service, at length; the tests do less.

    python -m lab.endurance.http_fuzz 1000000            mutated requests, sent to the real server
    python -m lab.endurance.http_fuzz --bodies 10000000  mutated bodies, given to what counts them

Whatever is sent, it gets an answer that the service means to give, or none; nothing is
logged, and nothing stays in memory. Bodies are mutated as a whole, or in the payload of
a frame whose checksum is right.
"""

import random
import re
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from threading import Lock, Thread

from bad_bytes import BAD_FILES, BAD_PAYLOADS
from hostile_http import FRAMINGS, fresh
from running_service import request, started
from wire_samples import BATCHES, GROUPED, GROUPED_TEXT, GROUPS, SURVEY, TEXT, file_of

from ldp.wire.wire import REASONS, encode_batch, encode_frame
from ldp_service.counting.admission import Admission, Rules
from ldp_service.counting.served import Catalogue, Served

STATUSES = {0, 200, 202, 303, 304, 400, 401, 403, 404, 405, 411, 413, 415, 503}
"""All answers there are to a client that breaks rules; 0 is none."""
OUTCOMES = {"accepted", "duplicate", "quarantined", *REASONS}
_TELLING = (
    *(
        bytes([byte])
        for byte in b"\x00\x01\x7f\x80\x90\x95\xc0\xc1\xc4\xc6\xcb\xdc\xdd\xdf\xff\r\n\t :,;/%+-"
    ),
    b"\r\n",
    b"\r\n\r\n",
    b"\xdd\xff\xff\xff\xff",
    b"\xc6\xff\xff\xff\xff",
    b"\x91" * 600,
    b"LDPR",
    b"chunked",
    b"transfer-encoding: ",
    b"content-length: ",
    b"9" * 40,
)
_PAYLOADS = (
    *(encode_batch(batch) for batch in (*BATCHES.values(), *GROUPS)),
    *(payload for _, payload in BAD_PAYLOADS.values()),
)
_BODIES = (
    file_of(*BATCHES.values(), *GROUPS),
    *BAD_FILES.values(),
    *(encode_frame(payload) for payload in _PAYLOADS),
)
_PATHS = (
    "/",
    "/livez",
    "/metrics",
    "/version",
    "/v1/surveys",
    "/v1/surveys/example",
    "/v1/surveys/example/estimates?",
)
_REQUESTS = (
    *(
        hostile.pieces[0]
        for hostile in FRAMINGS.values()
        if len(hostile.pieces[0]) < 4096
    ),
    *(request(line=b"GET " + path.encode() + b" HTTP/1.1") for path in _PATHS),
    *(
        request(b"token=x", line=b"POST " + path + b" HTTP/1.1")
        for path in (b"/login", b"/logout")
    ),
)
_CONNECTIONS = 8
_ANSWER, _ANSWER_TO_WHOLE = 0.03, 2.0
"""Seconds until a request is taken to be incomplete, and one that looks whole: few of
these are.
"""
_TURN = 500
_SHORTEST, _WARMTH = 512, 3000


class FuzzingError(Exception):
    """Something that must not happen, in words."""


def mutated(draw, data):
    """The bytes with something wrong with them, often."""
    for _ in range(draw.choice((0, 1, 1, 1, 2, 3))):
        at, stop = sorted(
            (draw.randrange(len(data) + 1), draw.randrange(len(data) + 1))
        )
        match draw.randrange(6):
            case 0:
                data = data[:at]
            case 1:
                data = (
                    data[:at] + data[stop:] if stop - at < _SHORTEST else data[at:stop]
                )
            case 2:
                data = data[:stop] + data[at:]
            case 3:
                data = data[:at] + draw.randbytes(draw.randrange(1, 9)) + data[at + 8 :]
            case _:
                data = (
                    data[:at] + draw.choice(_TELLING) + data[at + draw.randrange(2) :]
                )
    return data[: 1 << 16]


def body_of(draw):
    """A body that is nearly one."""
    if draw.random() < 0.3:
        return mutated(draw, draw.choice(_BODIES))
    return encode_frame(mutated(draw, draw.choice(_PAYLOADS)))


def request_of(draw):
    """A request that is nearly one: sound around a mutated body, or mutated as a
    whole.
    """
    kind = draw.random()
    if kind < 0.3:
        return request(body_of(draw))
    return mutated(draw, request(fresh()) if kind < 0.6 else draw.choice(_REQUESTS))


def fuzz_requests(service, count, seed):
    """How often each status was answered. Raises `FuzzingError`."""
    statuses, lock = Counter(), Lock()

    def send(share, number):
        sent = Counter(_sent(service.port, share, random.Random(f"{seed} {number}")))
        with lock:
            statuses.update(sent)

    shares = [
        count // _CONNECTIONS + (number < count % _CONNECTIONS)
        for number in range(_CONNECTIONS)
    ]
    threads = [
        Thread(target=send, args=(share, number)) for number, share in enumerate(shares)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if strange := {*statuses} - STATUSES or service.complaints():
        raise FuzzingError(
            f"expected answers of the service's own, and an empty log; got {strange}"
        )
    if sum(statuses.values()) != count or service.get("/readyz").status_code != 200:
        raise FuzzingError("expected a service that is well after all requests")
    return statuses


def fuzz_bodies(count, seed):
    """How often each outcome was given.

    Raises `FuzzingError`, or whatever was raised in counting.
    """
    draw = random.Random(seed)
    admission = Admission(
        Catalogue([Served(SURVEY, TEXT), Served(GROUPED, GROUPED_TEXT)]), Rules()
    )
    outcomes = Counter()
    for start in range(0, count, _TURN):
        turn = _FakeTurn()
        for outcome in admission.take(
            turn, [body_of(draw) for _ in range(min(_TURN, count - start))], 0.0
        ):
            outcomes.update(outcome)
        if turn.received != turn.told:
            raise FuzzingError(
                f"expected as many outcomes as batches, got {turn.told} for "
                f"{turn.received}"
            )
    if strange := {*outcomes} - OUTCOMES:
        raise FuzzingError(f"expected outcomes that there are, got {strange}")
    return outcomes


def resident():
    """MiB of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / (1 << 20)


class _FakeTurn:
    """A turn that forgets everything but how much it was told."""

    aside = 0

    def __init__(self):
        self.received = self.told = 0

    def receive(self, batches):
        self.received += batches

    def tell(self, fingerprint, epoch, outcome, batches):  # noqa: ARG002
        self.told += batches

    def is_ended(self, fingerprint):  # noqa: ARG002
        return False

    def claim(self, epoch, ids):  # noqa: ARG002
        return set(ids)

    def count(self, fingerprint, epoch, counts): ...

    def put_aside(self, day, id_, payload):  # noqa: ARG002
        return True


def _sent(port, count, draw):
    """The statuses of requests over connections that are kept for as long as the
    service does.
    """
    connection = None
    for _ in range(count):
        connection = connection or socket.create_connection(("127.0.0.1", port))
        status, stays = _exchanged(connection, request_of(draw))
        if not stays:
            connection.close()
            connection = None
        yield status
    if connection:
        connection.close()


def _exchanged(connection, data):
    """The status of the answer, and whether another request may follow."""
    answer = b""
    try:
        connection.settimeout(_ANSWER_TO_WHOLE if _looks_whole(data) else _ANSWER)
        connection.sendall(data)
        answer = connection.recv(1 << 16)
    except TimeoutError:
        pass
    except OSError:
        return 0, False
    if not answer:
        return 0, False
    # What is left of an incomplete request would be taken for the beginning of the
    # next.
    stays = answer.startswith(b"HTTP/1.1 202") and b"connection: close" not in answer
    return int(answer[9:12]), stays


def _looks_whole(data):
    """Whether a request has a head, and as much of a body as that says."""
    head, end, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\ncontent-length: *(\d{1,9})\r", head + b"\r")
    return bool(end) and len(body) >= int(length[1] if length else 0)


def _fuzz_server(count):
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as service:
        fuzz_requests(service, _WARMTH, seed=0)
        before = service.resident()
        return fuzz_requests(service, count, seed=1), service.resident() - before


def _fuzz_admission(count):
    fuzz_bodies(_WARMTH, seed=0)
    before = resident()
    return fuzz_bodies(count, seed=1), resident() - before


if __name__ == "__main__":
    *kind, number = sys.argv[1:]
    begun = time.monotonic()
    outcomes, grown = (
        _fuzz_admission(int(number))
        if kind == ["--bodies"]
        else _fuzz_server(int(number))
    )
    counts = ", ".join(f"{name}: {count:,}" for name, count in outcomes.most_common())
    print(
        f"{int(number):,} in {time.monotonic() - begun:.0f} s; memory {grown:+.1f} "
        f"MiB; {counts}"
    )
