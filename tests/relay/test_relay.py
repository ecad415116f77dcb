"""The relay: what devices are answered, when there is a batch, and what a wrong
collector does.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from pools import (
    DAILY,
    DAY,
    EVER,
    NOON,
    SIZE,
    Collector,
    envelope_in,
    envelopes_of,
    forwarder,
    give,
    look,
    message,
    relay_at,
)

from ldp import parse_survey
from ldp.numbers.randomness import Replay
from ldp.wire.sealed import decode_sealed_report, encode_sealed_report
from ldp.wire.wire import Batch, encode_batch, encode_frame, read_frames
from ldp_service.counting.submissions import EarlyError, OverloadError
from ldp_service.relay.batching import EPOCH, KEEP, Terms, mix
from ldp_service.relay.forwarding import ForwardingResult, interpret
from ldp_service.relay.pool import Crowd, Pool
from ldp_service.relay.writer import UnknownSurveyError
from ldp_service.store.errors import StoreFullError
from ldp_service.store.records import EVER as ANY_TIME

ONE, OTHER = EVER.questions
TODAY = DAILY.questions[0]
ACCEPTED, DUPLICATE = ("accepted",), ("duplicate",)


class Time:
    """A clock that is set by hand."""

    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        """What it says."""
        return self.now


@pytest.fixture
def relay(tmp_path):
    """Makes relays in one folder, and closes them."""
    writers = []

    def make(**others):
        writers.append(relay_at(tmp_path / "relay.db", **others))
        return writers[-1]

    yield make
    for writer in writers:
        writer.close()


def until(what, seconds=90.0):
    """Wait for something."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_below_n_nothing_leaves_and_at_n_all_of_it_does_once(relay):
    """Per question; each report in one batch, under a new id, and nothing of a device's
    id.
    """
    writer, collector = relay(least=3), Collector()
    forwarding = forwarder(writer, collector)
    frames = [message(ONE) for _ in range(2)] + [message(OTHER) for _ in range(2)]
    for frame in frames:
        assert give(writer, frame).told == ACCEPTED
    look(writer)
    assert (writer.parts, sum(writer.waiting.values())) == (0, 4)
    third = message(ONE)
    assert give(writer, third).told == ACCEPTED
    look(writer)
    until(lambda: collector.parts and not writer.parts)
    (part,) = collector.parts.values()
    assert (part.fingerprint, part.size, part.least, part.number) == (
        ONE.fingerprint,
        3,
        3,
        3,
    )
    sent = {envelope_in(frame) for frame in (*frames[:2], third)}
    assert set(envelopes_of([part])) == sent
    ids = {frame[-SIZE - 20 :][:20] for frame in frames}
    assert not any(part.id in id_ or part.batch in id_ for id_ in ids)
    # Later ones wait for one another, as the first did.
    assert give(writer, message(ONE)).told == ACCEPTED
    look(writer)
    assert sum(writer.waiting.values()) == 3
    assert len(collector.parts) == 1
    forwarding.close()


def test_what_comes_again_is_one_report(relay, tmp_path):
    """In one upload, in the next, after its batch has gone, and after a restart."""
    writer = relay(least=2)
    frame, other = message(ONE), message(ONE)
    assert give(writer, frame + frame).told == ("accepted", "duplicate")
    assert give(writer, frame).told == DUPLICATE
    give(writer, other)
    look(writer)
    assert writer.parts == 1
    assert give(writer, frame).told == DUPLICATE
    # The id counts, whatever was sealed under it.
    (payload,) = read_frames(frame)
    resealed = decode_sealed_report(payload)._replace(envelope=envelope_in(other))
    assert give(writer, encode_frame(encode_sealed_report(resealed))).told == DUPLICATE
    writer.close()
    again = relay(least=2)
    assert give(again, frame).told == DUPLICATE
    assert again.counts["accepted"] == 2
    assert sum(again.waiting.values()) == 0


def test_an_envelope_that_somebody_sends_again_is_one_report(relay):
    """Under ids of their own: in one upload, later, after its batch has gone, after a
    restart.

    A thousand copies of one report would stand out in what the collector counts.
    """
    writer = relay(least=2)
    victim = message(ONE)
    copies = [message(ONE, envelope=envelope_in(victim)) for _ in range(20)]
    assert give(writer, b"".join(copies[:9])).told == (*ACCEPTED, *DUPLICATE * 8)
    # Whoever is quicker than the device: its report is mixed all the same, once.
    assert give(writer, victim).told == DUPLICATE
    assert give(writer, b"".join(copies[9:])).told == DUPLICATE * 11
    give(writer, message(ONE))
    look(writer)
    assert (writer.counts["mixed"], writer.parts) == (2, 1)
    assert give(writer, message(ONE, envelope=envelope_in(victim))).told == DUPLICATE
    writer.close()
    again = relay(least=2)
    assert give(again, message(ONE, envelope=envelope_in(victim))).told == DUPLICATE
    # Under another question, where it opens for no one, it takes nobody's place.
    sealed = os.urandom(SIZE)
    assert give(again, message(OTHER, envelope=sealed)).told == ACCEPTED
    assert give(again, message(ONE, envelope=sealed)).told == ACCEPTED
    # A device that was rolled back seals anew what has the same id: known by both from
    # then on.
    first, anew = message(ONE), os.urandom(SIZE)
    (payload,) = read_frames(first)
    resealed = encode_frame(
        encode_sealed_report(decode_sealed_report(payload)._replace(envelope=anew))
    )
    assert give(again, first + resealed).told == (*ACCEPTED, *DUPLICATE)
    assert give(again, message(ONE, envelope=anew)).told == DUPLICATE


def test_what_cannot_be_mixed_gets_a_reason(relay):
    """And costs nothing but itself; what is not known here is told to come again,
    whole.
    """
    writer = relay()
    plain = encode_frame(encode_batch(Batch(ONE.fingerprint, bytes(16), 1, rows=b"\0")))
    short = message(ONE, envelope=os.urandom(SIZE - 1))
    body = plain + short + b"junk" + message(ONE)
    assert give(writer, body).told == (
        "format-version",
        "report-width",
        "frame-damaged",
        "accepted",
    )
    stranger = parse_survey(
        '[survey]\nname = "else"\n[[question]]\nname = "one"\ntype = "boolean"\n'
        'mechanism = "grr"\nepsilon = "1"\n'
    ).questions[0]
    known = message(ONE)
    with pytest.raises(UnknownSurveyError) as caught:
        give(writer, known + message(stranger))
    assert caught.value.wait == 600
    assert give(writer, known).told == ACCEPTED


def test_epochs_are_mixed_apart_and_close(relay):
    """By the id's epoch; early ones wait, late ones are refused, too few are
    discarded.
    """
    clock = Time()
    writer = relay(least=2, now=clock)
    yesterday, today = NOON - DAY + 3600, NOON
    # Half of the grace of 12 hours: yesterday closes at 6.
    clock.now = NOON - DAY / 2 + 5 * 3600
    look(writer)
    for seconds in (yesterday, yesterday, today, yesterday):
        assert give(writer, message(TODAY, seconds)).told == ACCEPTED
    with pytest.raises(EarlyError):
        give(writer, message(TODAY, NOON + DAY))
    look(writer)
    assert writer.counts["mixed"] == 3
    assert give(writer, message(TODAY, yesterday)).told == ACCEPTED
    clock.now += 2 * 3600
    look(writer)
    assert (writer.counts["mixed"], writer.counts["discarded"]) == (3, 1)
    assert give(writer, message(TODAY, yesterday)).told == ("late",)
    assert give(writer, message(TODAY, today)).told == ACCEPTED
    look(writer)
    assert writer.counts["mixed"] == 5
    # The ids of what is closed are forgotten.
    assert writer.ask(lambda pool: [epoch.number for epoch in pool.epochs()]) == [
        20_000
    ]


def test_what_is_too_few_can_be_kept(relay):
    """Then its epoch stays open until there are enough, and closes after that."""
    clock = Time()
    writer = relay(least=2, now=clock, unripe=KEEP)
    look(writer)
    first = message(TODAY)
    give(writer, first)
    clock.now += DAY
    look(writer)
    assert writer.counts["discarded"] == 0
    assert give(writer, first).told == DUPLICATE
    assert give(writer, message(TODAY)).told == ACCEPTED
    look(writer)
    assert writer.counts["mixed"] == 2
    look(writer)
    assert give(writer, message(TODAY)).told == ("late",)


def test_a_whole_epoch_can_be_waited_for(relay):
    """With the largest crowd that there is; a survey without epochs waits for n
    alone.
    """
    clock = Time()
    writer = relay(least=2, now=clock, wait=EPOCH)
    look(writer)
    for _ in range(5):
        give(writer, message(TODAY))
        give(writer, message(ONE))
        look(writer)
    assert writer.counts["mixed"] == 4
    clock.now += DAY
    look(writer)
    assert (writer.counts["mixed"], writer.counts["batches"]) == (9, 3)


def test_a_clock_that_jumps_closes_nothing(relay):
    """Neither ahead nor back, until it is confirmed: reports would be discarded for
    good.
    """
    clock = Time()
    writer = relay(least=2, now=clock)
    look(writer)
    give(writer, message(TODAY))
    clock.now += 400 * DAY
    look(writer)
    assert "clock" in writer.clock_trouble
    assert (writer.counts["discarded"], sum(writer.waiting.values())) == (0, 1)
    writer.close()
    confirmed = relay(least=2, now=clock, confirm_clock=True)
    look(confirmed)
    assert confirmed.clock_trouble is None
    assert confirmed.counts["discarded"] == 1
    confirmed.close()
    # That was the wrong one: reports wait until the right one is confirmed.
    clock.now = NOON + 2
    early = relay(least=2, now=clock)
    look(early)
    with pytest.raises(EarlyError):
        give(early, message(TODAY))
    early.close()
    right = relay(least=2, now=clock, confirm_clock=True)
    look(right)
    assert give(right, message(TODAY)).told == ("late",)
    clock.now += DAY
    assert give(right, message(TODAY, clock.now)).told == ACCEPTED


def test_a_clock_that_is_wrong_at_the_very_first_look_closes_nothing(relay):
    """A new relay has nothing to compare it with, and must not refuse all reports of a
    year.
    """
    clock = Time()
    clock.now += 400 * DAY
    writer = relay(least=2, now=clock)
    look(writer)
    give(writer, message(TODAY))
    look(writer)
    assert "clock" in writer.clock_trouble
    clock.now -= 400 * DAY
    give(writer, message(TODAY))
    look(writer)
    assert writer.clock_trouble is None
    assert (writer.counts["discarded"], writer.counts["mixed"]) == (0, 2)


def test_batches_are_mixed_by_fisher_and_yates():
    """From the bytes that are drawn: the same tape, the same order; every order is
    drawn.
    """
    crowd, terms = Crowd(ONE.fingerprint, ANY_TIME), Terms(3)
    envelopes = [bytes((number,)) * SIZE for number in range(3)]
    orders = set()
    for tape in range(6):
        first, second = divmod(tape, 2)
        # One byte each: below 3, then below 2; then the ids of the batch and of its
        # part.
        (part,) = mix(
            crowd, envelopes, terms, random=Replay(bytes((first, second, *bytes(32))))
        )
        orders.add(bytes(part.frame[part.frame.index(envelopes[0][:9]) :][:1]))
        orders.add(part.frame)
    assert len(orders) == 7


def test_a_large_batch_goes_in_parts(monkeypatch):
    """Each report in one, of nearly equal sizes, and each says of how many it is."""
    monkeypatch.setattr("ldp_service.relay.batching.MOST_IN_PART", 10)
    envelopes = [os.urandom(SIZE) for _ in range(43)]
    parts = mix(Crowd(ONE.fingerprint, ANY_TIME), envelopes, Terms(20))
    collector = Collector()
    for part in parts:
        collector.send(part.frame)
    ((_, those),) = collector.batches().items()
    assert sorted(part.number for part in those) == [8, 8, 9, 9, 9]
    assert {(part.size, part.least) for part in those} == {(43, 20)}
    assert sorted(envelopes_of(those)) == sorted(envelopes)
    assert len({part.id for part in parts}) == 5


@pytest.mark.parametrize(
    "answer",
    [
        OSError("no route"),
        TimeoutError(),
        ForwardingResult(False, "status 503", 0.01),
        ForwardingResult(False, "status 401"),
        ForwardingResult(False, "status 200"),
    ],
)
def test_a_wrong_collector_gets_the_same_bytes_until_it_takes_them(
    relay, answer, monkeypatch
):
    """Whatever it says meanwhile, also where it has taken them and its answer was
    lost.
    """
    monkeypatch.setattr("ldp_service.relay.forwarding.LONGEST_PAUSE", 0.01)
    writer = relay(least=2)
    collector = Collector(lambda number: answer if number < 4 else None)
    forwarding = forwarder(writer, collector)
    for _ in range(2):
        give(writer, message(ONE))
    look(writer)
    until(lambda: not writer.parts and forwarding.trouble is None)
    assert collector.asked == 4
    assert len(collector.parts) == 1
    assert writer.counts["forwarded"] == writer.counts["collector-accepted"] == 1
    forwarding.close()


def test_one_part_that_is_refused_keeps_no_other_waiting(relay):
    """Every part is tried by itself."""
    writer = relay(least=2)
    refused = []

    class Choosy(Collector):
        def send(self, frame):
            """Refuse the first that came, and it alone."""
            refused[:] = refused or [frame]
            if frame == refused[0]:
                return ForwardingResult(False, "status 400")
            return super().send(frame)

    collector = Choosy()
    forwarding = forwarder(writer, collector)
    for question in (ONE, OTHER):
        for _ in range(2):
            give(writer, message(question))
    look(writer)
    until(lambda: collector.parts)
    assert writer.parts >= 1
    forwarding.close()


def test_what_a_collector_says():
    """202 with its JSON is taken, and nothing else: a page of something in between is
    not.
    """
    said = (
        b'{"accepted": 1, "duplicate": 0, "quarantined": 0, "rejected": {"sealed": 2}}'
    )
    answer = interpret(202, None, said)
    assert answer.taken
    assert answer.outcomes == {
        "accepted": 1,
        "duplicate": 0,
        "quarantined": 0,
        "sealed": 2,
    }
    assert not interpret(200, None, said).taken
    assert not interpret(202, None, b"<html>").taken
    assert not interpret(202, None, b"{}").taken
    refused = interpret(503, "600", b'{"error": "expected a key"}')
    assert (refused.taken, refused.reason, refused.wait) == (
        False,
        "status 503: expected a key",
        600,
    )
    assert interpret(503, "x" * 9, b"[" * 100_000).wait == 0


def test_a_full_disk_is_said_and_loses_nothing(relay, monkeypatch):
    """No one gets a receipt; the next one does, once there is room."""
    writer = relay(least=2)
    whole = Pool.add

    def full(*_):
        raise StoreFullError("full")

    monkeypatch.setattr(Pool, "add", full)
    frame = message(ONE)
    with pytest.raises(OverloadError) as caught:
        give(writer, frame)
    assert caught.value.wait == 30
    assert "full" in writer.trouble
    monkeypatch.setattr(Pool, "add", whole)
    assert give(writer, frame).told == ACCEPTED
    assert writer.trouble is None


def test_many_devices_at_once(relay):
    """Uploads of many threads share commits, and each is in the pool once."""
    writer = relay(least=10_000)
    frames = [message(ONE) for _ in range(400)]
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda frame: give(writer, frame).told, frames * 2))
    assert sorted(answers) == [ACCEPTED] * 400 + [DUPLICATE] * 400
    waiting = writer.ask(lambda pool: pool.take_out(Crowd(ONE.fingerprint, ANY_TIME)))
    assert sorted(waiting) == sorted(map(envelope_in, frames))


def test_a_relay_that_stops_answers_what_it_has_and_takes_no_more(relay):
    """As the service does."""
    writer = relay()
    frame = message(ONE)
    assert give(writer, frame).told == ACCEPTED
    writer.close()
    with pytest.raises(OverloadError):
        give(writer, message(ONE))
    assert "stops" in writer.trouble
