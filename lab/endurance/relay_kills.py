"""A relay that is killed at any moment: `python -m lab.endurance.relay_kills 1000`.

With `1000 1 jumps` its clock jumps all the while as well (1 is the seed). Tests kill
some dozens.

Each life of the relay is a process with the real writer, pool and forwarder on one
file. Devices send over pipes, repeat what was not acknowledged in the next life, and
some of what was; others send envelopes of theirs again, under ids of their own. The
collector, in this process, now and then refuses, or loses its answer; it counts a part
once, by its id. In the end devices send until nothing waits, and every acknowledged
report has to be in exactly one batch, none twice, none below the least number.
"""

import logging
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from threading import Thread

from children import forked
from pools import (
    DAILY,
    DAY,
    EVER,
    NOON,
    Collector,
    envelope_in,
    envelopes_of,
    forwarder,
    message,
    relay_at,
)

from ldp_service.counting.submissions import Receipt, Submission
from ldp_service.relay.forwarding import ForwardingResult

LEAST = 12
_SHORTEST, _LONGEST = 0.005, 0.15
_AT_ONCE = 25
_LAST = 300.0
_COPIES = 3
JUMPS = (0, 0, 0, 4 * DAY, 400 * DAY, -4 * DAY, -400 * DAY)
"""By how many seconds a clock is wrong, each time that it is looked at: more than may
be believed.

That is what two epochs and ten minutes may be (`counting.clock`).
"""


def _copy(frame):
    """What somebody sends who has seen a device's envelope."""
    (question,) = (one for one in (*EVER, *DAILY) if one.fingerprint in frame)
    return message(question, envelope=envelope_in(frame))


class _Way:
    """The collector as the relay's process sees it: frames over a pipe."""

    def __init__(self, pipe):
        self._pipe = pipe

    def send(self, frame):
        """Send it, and wait for what is said of it."""
        self._pipe.send_bytes(frame)
        answer = self._pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer


def _live(path, devices, collector, jumps):
    """One life: take what devices send, tell them, mix and forward, until killed."""
    logging.disable()
    draw = random.Random(os.urandom(8))
    writer = relay_at(path, LEAST, every=0.02, now=lambda: NOON + draw.choice(jumps))
    forwarder(writer, _Way(collector))
    while True:
        number, frame = devices.recv()

        def answer(answers, number=number):
            ((_, outcome),) = answers
            devices.send((number, isinstance(outcome, Receipt) and outcome.told[0]))

        writer.submit(Submission(frame, None, answer, waits=True))


def _collecting(pipe, collector):
    """Answer what the relay forwards, until it is dead."""
    with suppress(EOFError, OSError):
        while True:
            frame = pipe.recv_bytes()
            try:
                answer = collector.send(frame)
            except OSError as error:
                answer = error
            pipe.send(answer)


class Trial:
    """A relay in a folder, with its devices and its collector; its clock may jump.

    Of a survey with epochs, where it jumps: that is what a clock decides about.
    """

    def __init__(self, folder, seed, jumps=(0,)):
        self._jumps = jumps
        self._survey = EVER if jumps == (0,) else DAILY
        self._path = Path(folder) / "relay.db"
        self._draw = random.Random(seed)
        self.collector = Collector(self._said)
        self.frames = []
        self.acknowledged = set()
        self.again = Counter()

    def live(self, seconds, fresh, questions=()):
        """One life, in which devices have so many new reports to some questions, or to
        all.
        """
        questions = questions or self._survey.questions
        start = len(self.frames)
        self.frames += [message(self._draw.choice(questions)) for _ in range(fresh)]
        self.frames += map(_copy, self._draw.choices(self.frames, k=_COPIES))
        open_ones = [
            number for number in range(start) if number not in self.acknowledged
        ]
        known = self._draw.sample(
            sorted(self.acknowledged), min(3, len(self.acknowledged))
        )
        coming = [*open_ones, *known, *range(start, len(self.frames))]
        self._draw.shuffle(coming)
        (devices, theirs), (collecting, their_way) = Pipe(), Pipe()
        child = forked(lambda: _live(self._path, theirs, their_way, jumps=self._jumps))
        theirs.close()
        their_way.close()
        thread = Thread(
            target=_collecting, args=(collecting, self.collector), daemon=True
        )
        thread.start()
        self._exchange(devices, coming, time.monotonic() + seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        # What it had written before it died was said.
        with suppress(EOFError, OSError):
            while devices.poll():
                self._note(*devices.recv())
        devices.close()
        thread.join()
        collecting.close()

    def finish(self):
        """Let devices send until what was acknowledged has left, one question after the
        other.
        """
        end, life = time.monotonic() + _LAST, 0.4
        self._jumps = (0,)
        while questions := self.unfinished():
            assert time.monotonic() < end, "what was acknowledged does not leave"
            self.live(life, LEAST, questions[:1])
            # A machine that is busy with other things needs longer ones.
            life = min(life * 1.2, 3.0)

    def unfinished(self):
        """The questions of which something has been acknowledged and has not arrived;
        or all.
        """
        parts = self.collector.parts.values()
        if not parts:
            return self._survey.questions
        arrived = set(envelopes_of(parts))
        waiting = [self.frames[number] for number in self.acknowledged]
        waiting = [frame for frame in waiting if envelope_in(frame) not in arrived]
        return [
            one
            for one in self._survey
            if any(one.fingerprint in frame for frame in waiting)
        ]

    def check(self):
        """Raise unless everything is as it has to be; how many batches there are."""
        arrived = Counter(envelopes_of(self.collector.parts.values()))
        assert not [envelope for envelope, times in arrived.items() if times != 1], (
            "came twice"
        )
        sent = {envelope_in(frame) for frame in self.frames}
        assert arrived.keys() <= sent, "what no device has sent"
        lost = {
            envelope_in(self.frames[number]) for number in self.acknowledged
        } - arrived.keys()
        assert not lost, f"{len(lost)} acknowledged reports were lost"
        batches = self.collector.batches()
        for parts in batches.values():
            number = len(envelopes_of(parts))
            assert number >= LEAST, "a batch below the least number"
            assert {(part.size, part.least) for part in parts} == {(number, LEAST)}
            assert len({part.fingerprint for part in parts}) == 1
        return len(batches)

    def _exchange(self, devices, coming, end):
        with suppress(EOFError, OSError):
            under_way = 0
            while (left := end - time.monotonic()) > 0:
                while coming and under_way < _AT_ONCE:
                    number = coming.pop()
                    devices.send((number, self.frames[number]))
                    under_way += 1
                if devices.poll(left):
                    self._note(*devices.recv())
                    under_way -= 1

    def _note(self, number, outcome):
        if outcome is False and self._jumps != (0,):
            # Too early, by a clock that went back: it is asked again.
            return
        assert outcome in ("accepted", "duplicate"), outcome
        if number in self.acknowledged:
            assert outcome == "duplicate"
        self.again[outcome] += 1
        self.acknowledged.add(number)

    def _said(self, _):
        """What the collector says: mostly that it took a part."""
        said = [
            None,
            None,
            ForwardingResult(False, "status 503", 0.0),
            OSError("the answer was lost"),
        ]
        return self._draw.choice(said)


def trial(kills, seed=1, jumps=(0,)):
    """Kill a relay so many times; acknowledged reports, batches, and retries known."""
    with tempfile.TemporaryDirectory() as folder:
        running = Trial(folder, seed, jumps)
        draw = random.Random(seed)
        for _ in range(kills):
            running.live(draw.uniform(_SHORTEST, _LONGEST), draw.randrange(2, 40))
        running.finish()
        batches = running.check()
        reports = {
            envelope_in(running.frames[number]) for number in running.acknowledged
        }
        return len(reports), batches, running.again["duplicate"]


if __name__ == "__main__":
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    begun = time.monotonic()
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    jumps = JUMPS if "jumps" in sys.argv else (0,)
    reports, batches, known = trial(kills, seed=seed, jumps=jumps)
    print(
        f"{kills:,} kills in {time.monotonic() - begun:.0f} s: {reports:,} "
        f"acknowledged reports, each in exactly one of {batches:,} batches of at least "
        f"{LEAST}; 0 lost, 0 twice; {known:,} retries and copies known"
    )
