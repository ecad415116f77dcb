"""A device that is killed at any moment: `python -m lab.endurance.kills 1000`.

Each life of the device answers a question that it may answer once, repeats one of three
answers to another, and sends through a transport that delivers and then often says that
it did not. Now and then it closes its client and opens another, is interrupted by a
signal whose handler records, forks a child that records, or finds that its clock has
jumped. It is killed within moments of a step that is drawn beforehand, however busy the
machine is.

A fifth as many lives begin, at times, from a copy of the state file that an earlier one
had: their answers are always the same, and what was answered once must still count
once.
"""

import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from children import forked
from surveys import MIRROR

from ldp import parse_survey
from ldp.wire.wire import FrameReader, decode_batch
from ldp_client import EmbeddedClient
from ldp_client.answering.ledger import DAY, Ledger
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.schedule import LONGEST_PAUSE
from ldp_client.delivery.transport import ACCEPTED, FolderTransport, retry
from ldp_client.keeping.database import Database

ONCE = 400
VALUES = ("a telling answer", "another answer that tells", "a third one, telling too")
_TEXTS = ", ".join(f'"{value}"' for value in VALUES)
SURVEY = parse_survey(
    (
        '[survey]\nname = "killed"\n[[question]]\nname = "again"\ntype = '
        '"text"\nbloom_bits = 64\n'
    )
    + MIRROR
    + "".join(
        f'[[question]]\nname = "once{number}"\ntype = "category"\n'
        f'values = [{_TEXTS}]\nmechanism = "grr"\nepsilon = 1\n'
        for number in range(ONCE)
    )
)
_MOST_STEPS = 12
_SHARE_OF_EVENTS = 0.4
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


class Life:
    """One life of a device: what it does at each step is drawn."""

    def __init__(self, folder, draw, step, *, settled):
        self._folder = folder
        self._draw = draw
        self._step = step
        self._settled = settled
        self._client = self._opened()
        signal.signal(signal.SIGALRM, lambda *_: self._record())

    def go_on(self):
        """Record and send, with what comes between."""
        events = [self._session, self._interrupted, self._jumped]
        if not self._settled:
            events.append(self._forked)
        while True:
            self._step()
            self._record()
            self._client._sender.send_all()
            if self._draw.random() < _SHARE_OF_EVENTS:
                self._draw.choice(events)()

    def _opened(self):
        return EmbeddedClient(
            SURVEY,
            state=self._folder / "state",
            transport=Unsure(self._folder, self._draw, self._step),
            interval=None,
            limits=QueueLimits(days=100_000),
        )

    def _record(self):
        client, draw = self._client, self._draw
        client.record("again", draw.choice(VALUES))
        self._step()
        number = draw.randrange(ONCE)
        client.record(
            f"once{number}",
            VALUES[number % 3] if self._settled else draw.choice(VALUES),
        )

    def _session(self):
        self._client.close()
        self._client = self._opened()

    def _interrupted(self):
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + self._draw.random() * 2e-3)
        self._record()

    def _forked(self):
        child = forked(self._record)
        os.waitpid(child, 0)

    def _jumped(self):
        jump = self._draw.choice((-1, 1)) * self._draw.choice((60, 3600, 40 * DAY))
        now = time.time() + jump
        time.time = lambda: now


def live(folder, seed, number, step, *, settled=False):
    """Answer and send until killed, saying so at every step."""
    draw = random.Random(seed * 1_000_003 + number)
    # No life begins within the pause that the one before was told to make.
    today = time.time() + number * 2 * LONGEST_PAUSE
    time.time = lambda: today
    logging.disable()
    Life(folder, draw, step, settled=settled).go_on()


def kill_often(folder, times, seed, *, rollbacks=False):
    """Let n devices live on one folder, one after the other, and kill each."""
    draw = random.Random(seed)
    backup = folder / "backup"
    for number in range(times):
        reading, writing = os.pipe()
        step = partial(os.write, writing, b".")
        child = forked(partial(live, folder, seed, number, step, settled=rollbacks))
        os.close(writing)
        for _ in range(draw.randrange(_MOST_STEPS)):
            os.read(reading, 1)
        time.sleep(draw.random() * _MOMENTS)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(reading)
        if not os.WIFSIGNALED(status):
            raise AssertionError("expected a device that lives until it is killed")
        if rollbacks and (folder / "state").exists():
            _roll_back(folder, backup, draw)


def _roll_back(folder, backup, draw):
    """Copy the state, or put back what was copied before."""
    chance = draw.random()
    if not backup.exists() or chance < _SHARE_OF_EVENTS / 4:
        shutil.rmtree(backup, ignore_errors=True)
        backup.mkdir()
        for path in folder.glob("state*"):
            shutil.copy(path, backup)
    elif chance < _SHARE_OF_EVENTS:
        for path in folder.glob("state*"):
            path.unlink()
        for path in backup.iterdir():
            shutil.copy(path, folder)


def violations(folder, *, rollbacks=False):
    """What is wrong with what was sent and kept.

    After rollbacks the ledger does not know everything: then there are as many reports
    as there might be charges.
    """
    frames = {}
    problems = []
    for frame in FrameReader().feed((folder / "reports.ldp").read_bytes()):
        if isinstance(frame, bytes):
            batch = decode_batch(frame)
            if frames.setdefault(batch.id, batch) != batch:
                problems.append("one id, two batches")
    ledger = Ledger.read(Database(folder / "state"))
    for question in SURVEY:
        sent = [
            batch
            for batch in frames.values()
            if batch.fingerprint == question.fingerprint
        ]
        rows = b"".join(batch.rows for batch in sent)
        reports = [
            rows[at : at + question.width] for at in range(0, len(rows), question.width)
        ]
        charged = sum(charge.question == question.name for charge in ledger.charges)
        distinct = len(set(reports)) if question.memoizes else len(reports)
        most = len(VALUES) if question.memoizes else 1
        if distinct > (most if rollbacks else charged) or charged > most:
            problems.append(
                f"{question.name}: {distinct} reports for {charged} charges"
            )
    for path in folder.rglob("*"):
        if path.is_dir():
            continue
        content = path.read_bytes()
        problems += [
            f"{path.name} holds an answer"
            for value in VALUES
            if value.encode() in content
        ]
    return problems, sum(batch.size for batch in frames.values()), len(ledger.charges)


def _main(times):
    wrong = []
    for kills, rollbacks in ((times, False), (times // 5, True)):
        with tempfile.TemporaryDirectory() as name:
            kill_often(Path(name), kills, seed=1, rollbacks=rollbacks)
            problems, sent, charged = violations(Path(name), rollbacks=rollbacks)
        way = " with rollbacks" if rollbacks else ""
        print(
            f"{kills} kills{way}, {sent} reports sent, {charged} charges; violations: "
            f"{problems or 'none'}"
        )
        wrong += problems
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(_main(int(sys.argv[1])))
