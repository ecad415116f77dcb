"""Uploads to a store, and what it has to hold after each: work for disks that fail.

Uploads go to a real writer; each holds new batches of questions with epochs and
without, and many repeat one of the upload before, or hold bytes that are no batch.
Within some dozens of them epochs close, and the log of the store is copied into its
file again and again.
"""

import random
from collections import Counter
from concurrent.futures import Future
from functools import cache
from typing import NamedTuple

import numpy as np
from watched_disk import mark
from wire_samples import rows_of

from ldp import LDPError, parse_survey
from ldp.numbers.epochs import batch_id, epoch_of
from ldp.wire.wire import Batch, encode_batch, encode_frame
from ldp_aggregator.tallies.counting.joint_counting import count_parts, empty_counts_of
from ldp_aggregator.tallies.intake.screening import rows_of as rows_in
from ldp_service.counting.admission import Rules
from ldp_service.counting.books import Books
from ldp_service.counting.served import Catalogue, Served
from ldp_service.counting.submissions import Receipt, Submission, to_futures
from ldp_service.counting.writer import Writer
from ldp_service.store import sqlite as sqlite_store
from ldp_service.store.opening import open_store
from ldp_service.store.records import (
    EVER,
    PART,
    Epoch,
    last_closed_epochs,
    read_outcomes,
    read_tally_key,
)

_TIMED = """
[survey]
name = "timed"
epoch = "10m"
[[question]]
name = "transport"
type = "category"
values = ["car", "bus", "bike", "walk"]
mechanism = "grr"
epsilon = "1"
[[question]]
name = "homepage"
type = "text"
mechanism = "rappor"
bloom_bits = 128
hashes = 2
cohorts = 8
p = "0.5"
q = "0.75"
f = "0.5"
"""
_TIMELESS = """
[survey]
name = "timeless"
[[question]]
name = "smoker"
type = "boolean"
mechanism = "warner"
epsilon = "1"
"""
CATALOGUE = Catalogue(Served(parse_survey(text), text) for text in (_TIMED, _TIMELESS))
START = 1_800_000_000
_STEP = 20
"""Seconds between two uploads."""
_DAMAGED = b"no frame"
_LOG = 20
"""Pages of SQLite's log, so few that it is copied into the file again and again."""


class Upload(NamedTuple):
    """A body, the batches that are new in it, and what becomes of all that it holds."""

    body: bytes
    batches: tuple[Batch, ...]
    outcomes: Counter


class Holding(NamedTuple):
    """What a store holds: outcomes of all batches, counts by question and epoch, ids by
    epoch.
    """

    outcomes: Counter
    tallies: dict
    ids: dict


class Uploader:
    """Sends uploads to a writer, and logs on its watched disk which were sent and
    acknowledged.

    `settings` are pragmas for SQLite. Raises `StoreError` as the writer does.
    """

    def __init__(self, path, *settings):
        def opened():
            store = open_store(f"sqlite:///{path}")
            for setting in settings:
                store._connection.execute(f"PRAGMA {setting}")
            return store

        sqlite_store._LOG = _LOG
        self._now = START
        self._writer = Writer(
            opened, CATALOGUE, Rules(kept_days=1), clock=lambda: self._now
        )
        self.close = self._writer.close

    def send(self, number):
        """The future of a receipt for the upload of a number."""
        self._now = _time(number)
        future = Future()
        mark(f"sent {number}")
        self._writer.submit(Submission(upload(number).body, (number, future), _answer))
        return future


def _answer(answers):
    for (number, _), answer in answers:
        if isinstance(answer, Receipt):
            mark(f"acknowledged {number}")
    to_futures([(future, answer) for (_, future), answer in answers])


@cache
def upload(number):
    """The upload of a number."""
    draw = random.Random(number)
    batches = tuple(_batch(draw, number) for _ in range(draw.randrange(1, 5)))
    outcomes = Counter(accepted=len(batches))
    frames = [encode_frame(encode_batch(batch)) for batch in batches]
    if number and draw.random() < 0.5:
        outcomes["duplicate"] = 1
        frames.insert(0, encode_frame(encode_batch(upload(number - 1).batches[-1])))
    if draw.random() < 0.2:
        outcomes["frame-damaged"] = 1
        frames.append(_DAMAGED)
    return Upload(b"".join(frames), batches, outcomes)


@cache
def expected(uploads):
    """What a store has to hold after n uploads, apart from ids of epochs that are
    closed.
    """
    if not uploads:
        return Holding(Counter(), {}, {})
    before, new = expected(uploads - 1), upload(uploads - 1)
    tallies, ids = dict(before.tallies), dict(before.ids)
    for batch in new.batches:
        envelope = CATALOGUE.envelopes[batch.fingerprint]
        epoch = Epoch(envelope.epoch, epoch_of(batch.id)) if envelope.epoch else EVER
        ids[epoch] = ids.get(epoch, frozenset()) | {batch.id}
        for question, counts in count_parts(envelope, rows_in([batch], envelope.width)):
            place = question.fingerprint, epoch
            tallies[place] = tallies.get(place, 0) + counts
    return Holding(before.outcomes + new.outcomes, tallies, ids)


class WrongError(Exception):
    """A store holds something else than whole uploads, each once, and those without
    gaps.
    """


def held(path, sent):
    """How many uploads a store holds, of n sent.

    Raises `WrongError`, or `StoreError` if it cannot be opened.
    """
    state, closed = _found(path)
    received = [expected(uploads).outcomes.total() for uploads in range(sent + 1)]
    if state.outcomes.total() not in received:
        raise WrongError(
            "expected whole uploads that were sent, found a part of one, or more"
        )
    uploads = received.index(state.outcomes.total())
    due = expected(uploads)
    ids = {
        epoch: ids
        for epoch, ids in due.ids.items()
        if epoch.number > closed.get(epoch.length, -1)
    }
    tallies = {place: counts.tolist() for place, counts in due.tallies.items()}
    if state != Holding(due.outcomes, tallies, ids):
        raise WrongError("expected what was uploaded, found something else")
    return uploads


def told(records):
    """After each record of a disk: how many uploads were acknowledged by then, and
    sent.
    """
    acknowledged = sent = 0
    for record in records:
        if record.kind == "M":
            word, number = record.content.decode().split()
            if word == "sent":
                sent = max(sent, int(number) + 1)
            else:
                acknowledged = max(acknowledged, int(number) + 1)
        yield acknowledged, sent


def violation(path, acknowledged, sent):
    """What is wrong with a store after some uploads were acknowledged and more sent.

    None if all is well.
    """
    try:
        uploads = held(path, sent)
    except (LDPError, WrongError) as error:
        return f"{type(error).__name__}: {error}"
    if uploads < acknowledged:
        return f"lost {acknowledged - uploads} acknowledged uploads"
    return None


def _found(path):
    """What a store holds that is opened, recovered and verified as at the start of a
    service.

    Closed epochs.
    """
    store = open_store(f"sqlite:///{path}")
    try:
        Books(store, CATALOGUE.tally_parts)
        with store.snapshot() as snapshot:
            outcomes = Counter()
            for record in snapshot.scan("intake"):
                outcomes.update(read_outcomes(record.content))
            tallies = {}
            for record in snapshot.scan("tally"):
                fingerprint, epoch, _, part = read_tally_key(record.key)
                counts = tallies.setdefault(
                    (fingerprint, epoch),
                    empty_counts_of(CATALOGUE.tally_parts[fingerprint]),
                )
                counts.reshape(-1)[part * PART : (part + 1) * PART] = np.frombuffer(
                    record.content, "<i8"
                )
            tallies = {place: counts.tolist() for place, counts in tallies.items()}
            ids = {
                epoch: frozenset(id_ for some in snapshot.ids(epoch) for id_ in some)
                for epoch in snapshot.epochs()
            }
            return Holding(outcomes, tallies, ids), last_closed_epochs(snapshot)
    finally:
        store.close()


def _batch(draw, number):
    """A batch of some reports to one question, made on a device in the last five
    minutes.
    """
    envelope = draw.choice(list(CATALOGUE.envelopes.values()))
    size, seconds = draw.randrange(1, 6), _time(number) - draw.randrange(300)
    rows = rows_of(envelope.layout, size, f"upload {number} {draw.random()}")
    return Batch(
        envelope.fingerprint,
        batch_id(draw.randbytes, envelope.epoch, seconds),
        size,
        rows=rows,
    )


def _time(number):
    return START + _STEP * number
