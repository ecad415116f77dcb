"""Relays to try things on: surveys, sealed reports without a key, collectors of all
kinds.
"""

import os
from collections import defaultdict
from functools import partial
from threading import Lock

from ldp import parse_survey
from ldp.numbers.epochs import batch_id
from ldp.numbers.randomness import system
from ldp.wire.sealed import (
    Sealed,
    decode_mixed_part,
    encode_sealed_report,
    envelope_size,
)
from ldp.wire.wire import encode_frame, read_frames
from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.submissions import Submission, to_futures
from ldp_service.relay.batching import Terms
from ldp_service.relay.forwarding import Forwarder, ForwardingResult
from ldp_service.relay.pool import Pool
from ldp_service.relay.writer import RelayWriter

DAY = 86_400
QUESTIONS = """
[[question]]
name = "one"
type = "boolean"
mechanism = "grr"
epsilon = "1"

[[question]]
name = "other"
type = "category"
values = ["a", "b", "c"]
mechanism = "grr"
epsilon = "1"
"""
EVER_TEXT = f'[survey]\nname = "ever"\n{QUESTIONS}'
DAILY_TEXT = f'[survey]\nname = "daily"\nepoch = "1d"\ngrace = "12h"\n{QUESTIONS}'
EVER, DAILY = parse_survey(EVER_TEXT), parse_survey(DAILY_TEXT)
SIZE = envelope_size(1)
NOON = 20_000 * DAY + DAY / 2


def catalogue():
    """What these relays mix."""
    return Catalogue([Served(EVER, EVER_TEXT), Served(DAILY, DAILY_TEXT)])


def message(question, seconds=NOON, envelope=None):
    """A frame as a device sends it: random bytes look as ciphertext does."""
    id_ = batch_id(system, question.epoch, seconds)
    sealed = Sealed(question.fingerprint, id_, envelope or os.urandom(SIZE))
    return encode_frame(encode_sealed_report(sealed))


def envelope_in(frame):
    """The envelope of a device's frame."""
    return frame[-SIZE:]


class Collector:
    """Counts each part once, by its id, as the service does; `answer` may say something
    else.
    """

    def __init__(self, answer=None):
        self.parts = {}
        self.asked = 0
        self._answer = answer or (lambda _: None)
        self._lock = Lock()

    def send(self, frame):
        """Take a part, unless the answer is another; it may be lost on its way back."""
        with self._lock:
            self.asked += 1
            answer = self._answer(self.asked)
        if isinstance(answer, ForwardingResult) and not answer.taken:
            return answer
        (payload,) = read_frames(frame)
        mixed = decode_mixed_part(payload)
        with self._lock:
            before = self.parts.setdefault(mixed.id, mixed)
        assert before == mixed, "a part came again with other bytes"
        if isinstance(answer, Exception):
            raise answer
        return answer or ForwardingResult(True, outcomes={"accepted": 1})

    def batches(self):
        """The envelopes of each batch, in order of parts, by its id; with its parts."""
        by_batch = defaultdict(list)
        for mixed in self.parts.values():
            by_batch[mixed.batch].append(mixed)
        return by_batch


def envelopes_of(parts):
    """All envelopes that parts have."""
    return [
        mixed.envelopes[start : start + SIZE]
        for mixed in parts
        for start in range(0, len(mixed.envelopes), SIZE)
    ]


def relay_at(path, least=3, *, now=lambda: NOON, every=1e9, **others):
    """A writer that looks when it is told to (`look`)."""
    terms = Terms(
        least,
        **{name: others.pop(name) for name in ("wait", "unripe") if name in others},
    )
    return RelayWriter(
        partial(Pool, path), catalogue(), terms, every=every, clock=now, **others
    )


def look(writer):
    """Have a relay look for what can be mixed, now."""
    writer._next_look = 0.0
    writer.ask(lambda _: None)
    # The look follows the task, and the next task follows the look.
    writer.ask(lambda _: None)


def give(writer, body):
    """What a relay answers to a body: a receipt, or an error that is raised."""
    from concurrent.futures import Future

    future = Future()
    writer.submit(Submission(body, future, to_futures, waits=True))
    return future.result(10)


def forwarder(writer, collector, **others):
    """A forwarder in haste."""
    return Forwarder(writer, collector, every=0.01, **others)
