"""A device that is killed at any moment: `python tests/endurance/kills.py 1000`.

Each life of the device answers a question that it may answer once, repeats one of three answers to
another, and sends through a transport that delivers and then often says that it did not. It is
killed within moments of a step that is drawn beforehand, however busy the machine is.
"""

import logging
import os
import random
import signal
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import rooms  # noqa: F401
from children import forked
from surveys import MIRROR

from ldp import parse_survey
from ldp.wire import FrameReader, decode_batch
from ldp_client import EmbeddedClient
from ldp_client.database import Database
from ldp_client.ledger import Ledger
from ldp_client.outbox import QueueLimits
from ldp_client.schedule import LONGEST_PAUSE
from ldp_client.transport import ACCEPTED, FolderTransport, retry

ONCE = 400
VALUES = ("a telling answer", "another answer that tells", "a third one, telling too")
_TEXTS = ", ".join(f'"{value}"' for value in VALUES)
SURVEY = parse_survey(
    '[survey]\nname = "killed"\n[[question]]\nname = "again"\ntype = "text"\nbloom_bits = 64\n'
    + MIRROR
    + "".join(
        f'[[question]]\nname = "once{number}"\ntype = "category"\n'
        f'values = [{_TEXTS}]\nmechanism = "grr"\nepsilon = 1\n'
        for number in range(ONCE)
    )
)
_MOST_STEPS = 12
_MOMENTS = 0.003
"""Seconds."""


class Unsure:
    """Delivers every time, and mostly says so."""

    def __init__(self, folder, draw, step):
        self._folder = FolderTransport(folder)
        self._draw = draw
        self._step = step

    def send(self, payload):
        """Accepted, or so it may be."""
        self._step()
        self._folder.send(payload)
        self._step()
        return ACCEPTED if self._draw.random() < 0.75 else retry()


def live(folder, seed, number, step):
    """Answer and send until killed, saying so at every step."""
    draw = random.Random(seed * 1_000_003 + number)
    # No life begins within the pause that the one before was told to make.
    today = time.time() + number * 2 * LONGEST_PAUSE
    time.time = lambda: today
    logging.disable()
    client = EmbeddedClient(
        SURVEY,
        state=folder / "state",
        transport=Unsure(folder, draw, step),
        interval=None,
        limits=QueueLimits(days=100_000),
    )
    while True:
        step()
        client.record("again", draw.choice(VALUES))
        step()
        client.record(f"once{draw.randrange(ONCE)}", draw.choice(VALUES))
        client._sender.send_all()


def kill_often(folder, times, seed):
    """Let n devices live on one folder, one after the other, and kill each."""
    draw = random.Random(seed)
    for number in range(times):
        reading, writing = os.pipe()
        step = partial(os.write, writing, b".")
        child = forked(partial(live, folder, seed, number, step))
        os.close(writing)
        for _ in range(draw.randrange(_MOST_STEPS)):
            os.read(reading, 1)
        time.sleep(draw.random() * _MOMENTS)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(reading)
        if not os.WIFSIGNALED(status):
            raise AssertionError("expected a device that lives until it is killed")


def violations(folder):
    """What is wrong with what was sent and kept."""
    frames = {}
    problems = []
    for frame in FrameReader().feed((folder / "reports.ldp").read_bytes()):
        if isinstance(frame, bytes):
            batch = decode_batch(frame)
            if frames.setdefault(batch.id, batch) != batch:
                problems.append("one id, two batches")
    ledger = Ledger.read(Database(folder / "state"))
    for question in SURVEY:
        sent = [batch for batch in frames.values() if batch.fingerprint == question.fingerprint]
        rows = b"".join(batch.rows for batch in sent)
        reports = [rows[at : at + question.width] for at in range(0, len(rows), question.width)]
        charged = sum(charge.question == question.name for charge in ledger.charges)
        distinct = len(set(reports)) if question.memoizes else len(reports)
        if distinct > charged or charged > (len(VALUES) if question.memoizes else 1):
            problems.append(f"{question.name}: {distinct} reports for {charged} charges")
    for path in folder.iterdir():
        content = path.read_bytes()
        problems += [
            f"{path.name} holds an answer" for value in VALUES if value.encode() in content
        ]
    return problems, sum(batch.size for batch in frames.values()), len(ledger.charges)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        kill_often(Path(name), int(sys.argv[1]), seed=1)
        problems, sent, charged = violations(Path(name))
        print(
            f"{sys.argv[1]} kills, {sent} reports sent, {charged} charges; violations: "
            f"{problems or 'none'}"
        )
        sys.exit(bool(problems))
