"""A service that is killed at any moment: `python -m lab.endurance.service_kills 1000`.

Tests kill some dozens.

Each life of the service is the real command, on the same store and port. Clients in
threads of another process upload without a break, repeat each upload until it is
acknowledged, and some after that. After each death the store's accounts have to add up;
in the end it has to hold what was acknowledged, each batch once, and nothing else.

The lives are forked from a process that has imported everything, so that they do more
than start.
"""

import http.client
import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread

import httpx
from calling import run
from children import forked
from pages import UPLOADING, write_tokens
from wire_samples import BATCHES, SURVEY, TEXT, file_of

from ldp.wire.wire import FrameReader, decode_batch
from ldp_aggregator import Ingest
from ldp_service.commands.serve import serve
from ldp_service.store.opening import open_snapshot
from ldp_service.store.reading import count_received, outcomes_in_all, tally_of

_CLIENTS = 6
_SHORTEST, _LONGEST = 0.01, 0.3
_PATIENCE, _HOPE = 120, 400


class Place:
    """The folder of a store, and the port of those who serve it, `altered` before they
    begin.
    """

    def __init__(self, folder, altered):
        self.folder, self.port, self._altered = folder, _port(), altered
        self.url, self.stop = f"sqlite:///{folder}/store.db", folder / "stop"
        (folder / "survey.toml").write_text(TEXT)
        write_tokens(folder)

    def live(self):
        """Serve until killed."""
        os.chdir(self.folder)
        with Path("log").open("a") as log:
            os.dup2(log.fileno(), 2)
        self._altered()
        serve.main(
            ["survey.toml", "--store", self.url, "--port", str(self.port)],
            standalone_mode=False,
        )

    def wait(self):
        """Return once it serves."""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            try:
                ready = httpx.get(
                    f"http://127.0.0.1:{self.port}/readyz", timeout=_PATIENCE
                )
                if ready.status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.005)
        raise AssertionError(
            f"expected a service, got {(self.folder / 'log').read_text()}"
        )


def kill_often(folder, times, seed, altered=lambda: None):
    """What was wrong after n kills, each a sentence.

    And how many uploads were acknowledged.
    """
    place, draw, problems = Place(folder, altered), random.Random(seed), []
    clients = forked(partial(_upload, place))
    try:
        for _ in range(times):
            server = forked(place.live)
            place.wait()
            time.sleep(draw.uniform(_SHORTEST, _LONGEST))
            os.kill(server, signal.SIGKILL)
            os.waitpid(server, 0)
            problems += _imbalance(place)
        server = forked(place.live)
        place.wait()
        place.stop.touch()
        os.waitpid(clients, 0)
        os.kill(server, signal.SIGTERM)
        os.waitpid(server, 0)
    finally:
        place.stop.touch()
    failed = [path.read_text() for path in folder.glob("failed-*")]
    if failed:
        raise AssertionError(f"expected clients that upload to the end, got {failed}")
    acknowledged = [
        line
        for log in folder.glob("acknowledged-*")
        for line in log.read_text().split()
    ]
    problems += _imbalance(place) + _differences(
        place, [bytes.fromhex(number) for number in acknowledged]
    )
    run("store", "doctor", place.url)
    return problems, len(acknowledged)


def acknowledging_early():
    """Have a service answer before it commits."""
    from dataclasses import replace

    from ldp_service.counting.submissions import Receipt
    from ldp_service.counting.writer import Writer

    genuine = Writer.submit

    def submit(self, submission):
        genuine(self, replace(submission, answer=lambda _: None))
        submission.answer([(submission.ticket, Receipt(("accepted",)))])

    Writer.submit = submit


def _port():
    """A free port that the system does not let clients connect from.

    While no service listens, a client that got this one would meet itself, and keep the
    service out.
    """
    for port in random.SystemRandom().sample(range(20_000, 30_000), 100):
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port
    raise AssertionError("expected a free port")


def _upload(place):
    """Upload from several threads until told to stop, and to the end of what was begun
    then.
    """
    threads = [
        Thread(target=_upload_alone, args=(place, number)) for number in range(_CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _upload_alone(place, number):
    try:
        _upload_all(place, number)
    except Exception as error:
        (place.folder / f"failed-{number}").write_text(repr(error))


def _upload_all(place, number):
    draw = random.Random(number)
    connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=_PATIENCE)
    before = None
    with (place.folder / f"acknowledged-{number}").open("w", buffering=1) as log:
        while not place.stop.exists():
            body = file_of(*[_fresh(draw) for _ in range(draw.randrange(1, 4))])
            _deliver(connection, body)
            log.write(f"{body.hex()}\n")
            if before is not None and draw.random() < 0.2:
                _deliver(connection, before)
            before = body


def _fresh(draw):
    return draw.choice(list(BATCHES.values()))._replace(id=draw.randbytes(16))


def _deliver(connection, body):
    """Send the same bytes until they are acknowledged, or for as long as there is any
    hope.
    """
    end, last = time.monotonic() + _HOPE, None
    while time.monotonic() < end:
        try:
            connection.request(
                "POST", "/v1/reports", body, {"authorization": f"Bearer {UPLOADING}"}
            )
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            last = error
            connection.close()
            time.sleep(0.005)
            continue
        if answer.status == 202 and not json.loads(content)["rejected"]:
            return
        last = answer.status, content
    raise AssertionError(f"expected an acknowledgement within {_HOPE} s, got {last!r}")


def _imbalance(place):
    """Whether batches received are not those that had an outcome."""
    with open_snapshot(place.url) as snapshot:
        batches, outcomes = count_received(snapshot), outcomes_in_all(snapshot)
    if (
        batches
        == sum(outcomes.values())
        == outcomes["accepted"] + outcomes["duplicate"]
    ):
        return []
    return [f"received {batches}, but {dict(outcomes)}"]


def _differences(place, bodies):
    """What the store holds else than the batches acknowledged, each once."""
    batches = {
        decode_batch(payload).id
        for body in bodies
        for payload in FrameReader().feed(body)
    }
    ingest = Ingest(SURVEY)
    for body in bodies:
        ingest.feed(body)
        ingest.end_of_stream()
    with open_snapshot(place.url) as snapshot:
        accepted = outcomes_in_all(snapshot)["accepted"]
        tally = tally_of(snapshot, SURVEY)
    problems = []
    if accepted != len(batches):
        problems.append(f"accepted {accepted} batches, of {len(batches)} acknowledged")
    differ = [
        name
        for name, counts in tally.counts.items()
        if (counts != ingest.tally.counts[name]).any()
    ]
    return [
        *problems,
        *(f"{name}: other counts than of what was acknowledged" for name in differ),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        begun = time.monotonic()
        problems, acknowledged = kill_often(Path(name), int(sys.argv[1]), seed=1)
        took = f"{sys.argv[1]} kills in {time.monotonic() - begun:.0f} s"
        print(
            f"{took}, {acknowledged} uploads acknowledged; wrong: "
            f"{problems or 'nothing'}"
        )
        sys.exit(bool(problems))
