"""From the queue to the collector: the same bytes at every attempt, at times that tell
nothing.
"""

import os
import shutil
import threading
import time
from unittest.mock import patch

import pytest
from broken_stores import records_of
from children import in_child
from opened_clients import opening
from surveys import DEVICE_SURVEY

from ldp import StateError
from ldp.numbers.randomness import Replay
from ldp.wire.wire import FrameReader, decode_batch
from ldp_aggregator import Ingest
from ldp_client import EmbeddedClient
from ldp_client.answering.ledger import Ledger
from ldp_client.delivery import sender
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.outbox import SLACK
from ldp_client.delivery.outcomes import ACCEPTED, REFUSED, retry
from ldp_client.delivery.schedule import LONGEST_PAUSE
from ldp_client.delivery.sender import FIRST_PAUSE
from ldp_client.keeping.database import Database
from ldp_client.testing import RecordingTransport

DAY = 86_400


class Clock:
    """Wall-clock time that moves when it is told to."""

    def __init__(self):
        self.now = 20_000.0 * DAY

    def __call__(self):
        """Seconds."""
        return self.now


@pytest.fixture
def clock():
    clock = Clock()
    with patch.object(time, "time", clock):
        yield clock


@pytest.fixture
def opened(tmp_path):
    """Opens clients whose sender has to be called, on one state file; closes them in
    the end.
    """
    with opening(tmp_path / "state") as open_client:
        yield open_client


def record(client, count):
    for number in range(count):
        client.record("mirror", f"{number % 3}")


def test_a_thousand_failures_send_one_payload(opened, clock):
    """Over 1,000 failures of a server, and restarts, the same bytes are sent.

    The aggregator counts them once.
    """
    limits = QueueLimits(days=10_000)
    client, _ = opened(limits=limits)
    record(client, 3)
    payloads = []
    for outcomes in ([retry()] * 500, [OSError("network"), TimeoutError()] * 250, []):
        client, transport = opened(outcomes, limits=limits)
        while client.waiting():
            clock.now += LONGEST_PAUSE
            client._sender.send_all()
            if len(transport.payloads) == len(outcomes) > 0:
                break
        payloads += transport.payloads
    assert len(payloads) == 1001
    assert len(set(payloads)) == 1
    ingest = Ingest(DEVICE_SURVEY)
    for payload in payloads:
        ingest.feed(payload)
        ingest.end_of_stream()
    assert (ingest.tally.reports("mirror"), ingest.tally.intake.duplicate) == (3, 1000)


def test_every_report_is_sent_once_in_batches_of_one_question(opened, clock):
    """What was recorded arrives, batch by batch, whatever the limit of a batch."""
    client, transport = opened(limits=QueueLimits(batch=10))
    record(client, 25)
    for name in ("once", "bits", "bare", "listed"):
        client.record(name, "red")
    client._sender.send_all()
    assert client.waiting() == 0
    assert sorted(batch.size for batch in transport.batches) == [1, 1, 1, 1, 5, 10, 10]
    assert len(transport.reports(DEVICE_SURVEY, "mirror")) == 25
    assert client.counts() == {"recorded": 29, "accepted": 7}


def test_refused_batches_are_not_sent_again(opened, clock):
    """A batch that the collector does not want is dropped, and counted; the next is
    sent.
    """
    client, transport = opened([REFUSED])
    client.record("once", "red")
    client.record("bits", "red")
    client._sender.send_all()
    assert client.waiting() == 0
    assert len(transport.payloads) == 2
    assert client.counts() == {"recorded": 2, "refused": 1, "accepted": 1}


def test_a_pause_is_as_long_as_the_collector_says(opened, clock):
    """Retry-After is honoured, by other processes on the same state too, up to a
    day.
    """
    client, transport = opened([retry(1000.0)])
    client.record("once", "red")
    client._sender.send_all()
    again, _ = opened()
    for waited, sent in ((0, 1), (999, 1)):
        clock.now += waited
        again._sender.send_all()
        client._sender.send_all()
        assert len(transport.payloads) == sent
    clock.now += FIRST_PAUSE * 2 + 2
    client._sender.send_all()
    assert client.waiting() == 0


@pytest.mark.parametrize("wait", [10.0**9, float("inf")])
def test_no_pause_is_longer_than_a_day(wait, opened, clock):
    """Neither a collector nor a clock that was set back can silence a device for
    long.
    """
    client, transport = opened([retry(wait)])
    client.record("once", "red")
    client._sender.send_all()
    clock.now -= 1000 * DAY
    assert client._outbox.pause() <= LONGEST_PAUSE
    clock.now += 1001 * DAY + 2
    client._sender.send_all()
    assert len(transport.payloads) == 2


def test_pauses_grow_with_failures_and_are_random(opened, clock):
    """The pause after n failures is uniform up to a limit that doubles.

    40 pauses are not all alike (chance 2^-39).
    """
    client, _ = opened([retry()] * 60, limits=QueueLimits(days=100))
    client.record("once", "red")
    pauses = []
    for _ in range(60):
        client._sender.send_all()
        pauses.append(client._outbox.pause())
        clock.now += LONGEST_PAUSE + 1
    for failures, pause in enumerate(pauses, 1):
        assert pause <= FIRST_PAUSE * 2 ** min(failures, 12) + 1
    assert len(set(pauses[20:])) > 1
    assert max(pauses[20:]) > 1000
    assert min(pauses[20:]) < FIRST_PAUSE * 2**12 / 2


def test_pauses_need_no_randomness(opened, clock):
    """Where none can be had a pause is as long as it may be, and what was made before
    is sent.
    """
    client, transport = opened([retry()])
    client.record("once", "red")

    with patch.object(client._sender, "_random", Replay(b"")):
        client._sender.send_all()
        assert client._outbox.pause() == pytest.approx(FIRST_PAUSE * 2, abs=1)
        clock.now += FIRST_PAUSE * 2 + 1
        client._sender.send_all()
    assert len(transport.payloads) == 2


def test_the_oldest_go_first(opened, clock):
    """The queue keeps the newest reports, within `SLACK` of its bound, and counts what
    it drops.
    """
    client, transport = opened(limits=QueueLimits(reports=100))
    for _ in range(4):
        record(client, 100)
        clock.now += DAY
    assert 100 <= client.waiting() <= 100 + SLACK
    client._sender.send_all()
    counts = client.counts()
    assert counts["queue-full"] == 300
    assert len(transport.reports(DEVICE_SURVEY, "mirror")) == 100


def test_limits_of_a_queue():
    """What an app gets that names none, as the documentation has them."""
    assert QueueLimits() == (10_000, 4_194_304, 30, 1_000)


def test_the_bound_is_looked_at_once_in_64_reports(opened):
    """With the first, and then with each 64th: at most 63 more than the bound wait."""
    client, _ = opened(limits=QueueLimits(reports=100))
    record(client, 192)
    assert client.waiting() == 163
    record(client, 1)
    assert client.waiting() == 100


def test_the_queue_is_bounded_in_bytes(opened, clock):
    """Long reports are fewer."""
    client, transport = opened(limits=QueueLimits(bytes=1000))
    record(client, 200)
    client._sender.send_all()
    assert (
        10
        < len(transport.reports(DEVICE_SURVEY, "mirror"))
        < 1000 / DEVICE_SURVEY["mirror"].width
    )


def test_old_reports_are_dropped(opened, clock):
    """After `days` without a collector reports are dropped, also those that were tried
    already.
    """
    client, transport = opened([retry()] * 100, limits=QueueLimits(days=5))
    client.record("once", "red")
    client._sender.send_all()
    client.record("bits", "red")
    for _ in range(6):
        clock.now += DAY
        client._sender.send_all()
    assert client.waiting() == 0
    assert len(transport.payloads) == 6
    assert client.counts()["too-old"] == 2
    assert client.status().dropped == {"too-old": 2}


def test_what_waits_is_randomized_and_unordered(opened, clock, tmp_path):
    """Keys hold the day and random bytes: neither the hour nor the order of answers.

    20 reports that repeat three answers in turn stay in that order with a chance of 7!
    7! 6! / 20!, below 1e-8.
    """
    client, _ = opened()
    record(client, 20)
    waiting = records_of(client._store, "report")
    keys = [key for key, _ in waiting]
    rows = [row for _, (_, row) in waiting]
    assert {key[8:12] for key in keys} == {(20_000).to_bytes(4, "big")}
    assert {len(key) for key in keys} == {20}
    # No part of it tells the time: that a random byte is the same in all 20 has a
    # chance of 2^-152.
    assert all(len({key[place] for key in keys}) > 1 for place in range(12, 20))
    assert rows != [rows[0], rows[1], rows[2]] * 6 + rows[:2]


def test_one_process_does_not_drop_the_batch_of_another(opened, clock):
    """Two processes that send the same batch send it twice, and forget it once.

    The next batch is not lost.
    """
    client, _ = opened()
    client.record("once", "red")
    other, _ = opened()
    first = client._outbox.take()
    assert other._outbox.take() == first
    client._outbox.decide(first, ACCEPTED, bytes)
    client.record("bits", "red")
    second = client._outbox.take()
    other._outbox.decide(first, ACCEPTED, bytes)
    assert client._outbox.take() == second != first


class Slow:
    """A transport that takes its time, unless it is told to end."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.began, self.ended = threading.Event(), threading.Event()

    def send(self, _payload):
        """Wait."""
        self.began.set()
        self.ended.wait(self.seconds)
        return retry()


def test_the_thread_goes_on_whatever_happens():
    """An error is counted, and all who wait for a round are told that it is over."""
    with EmbeddedClient(
        DEVICE_SURVEY, state=None, transport=RecordingTransport()
    ) as client:
        client.record("once", "red")
        with patch.object(client._outbox, "take", side_effect=MemoryError):
            assert [client.flush(30.0) for _ in range(3)] == [False] * 3
        assert client.counts()["unexpected"] == 3
        assert client.flush(30.0)


def test_recording_wakes_no_one():
    """Recording sends nothing: the thread is not told, and `record` does not send."""
    transport = RecordingTransport()
    with EmbeddedClient(
        DEVICE_SURVEY, state=None, transport=transport, interval=1e6
    ) as client:
        client.record("once", "red")
        sender = client._sender
        with patch.object(sender, "_bell", None):
            client.record("bits", "red")
            client.record("mirror", "red")
        assert sender._bell.empty()
        assert transport.payloads == []


def test_a_batch_is_handed_over_only_once_it_has_settled(opened, clock):
    """A disk that fails to sync keeps a batch from the transport until it fails no
    more.
    """
    client, transport = opened()
    client.record("once", "red")
    for _ in range(3):
        with (
            patch.object(client._store, "settle", side_effect=StateError("no sync")),
            pytest.raises(StateError),
        ):
            client._sender.send_all()
        assert transport.payloads == []
        clock.now += DAY
    with patch.object(client._store, "settle", wraps=client._store.settle) as settle:
        client._sender.send_all()
        assert settle.call_count == 1
    assert len(transport.payloads) == 1


def test_flush_returns_in_time(tmp_path):
    """`flush` waits for as long as it is told, even if a transport hangs; so does an
    exit.
    """
    transport = Slow(120)
    client = EmbeddedClient(DEVICE_SURVEY, state=None, transport=transport)
    client.record("once", "red")
    begin = time.monotonic()
    assert client.flush(timeout=0.2) is False
    assert transport.began.wait(60)
    client.close()
    assert time.monotonic() - begin < 100
    transport.ended.set()


def test_flush_sends(tmp_path):
    """`flush` is over when all is sent, long before its time-out, with or without a
    thread.
    """
    for interval in (3600.0, None):
        transport = RecordingTransport()
        with EmbeddedClient(
            DEVICE_SURVEY, state=None, transport=transport, interval=interval
        ) as client:
            for name in ("once", "bits"):
                client.record(name, "red")
                assert client.flush(timeout=30.0) is True
            assert len(transport.batches) == 2


def test_the_thread_sends_by_itself(tmp_path):
    """Without any flush reports are sent, at random times of the mean that was asked
    for.
    """
    transport = RecordingTransport()
    with EmbeddedClient(
        DEVICE_SURVEY, state=tmp_path / "state", transport=transport, interval=0.01
    ) as client:
        client.record("once", "red")
        end = time.monotonic() + 90
        while client.waiting() and time.monotonic() < end:
            time.sleep(0.01)
        assert len(transport.batches) == 1


def test_a_forked_child_sends_with_a_thread_of_its_own(tmp_path):
    """A child that was forked while the thread ran records and sends.

    Parent and child send different reports.
    """
    folder = tmp_path / "sent"
    folder.mkdir()

    class ByProcess:
        """Writes each payload to a file of the process."""

        def send(self, payload):
            """Accepted."""
            with (folder / str(os.getpid())).open("ab") as file:
                file.write(payload)
            return ACCEPTED

    client = EmbeddedClient(
        DEVICE_SURVEY, state=tmp_path / "state", transport=ByProcess(), interval=3600.0
    )
    client.record("once", "red")
    assert client.flush(30.0)

    def work():
        client.record("bits", "red")
        return client.flush(30.0)

    assert in_child(work) == "True"
    client.record("bare", "red")
    assert client.flush(30.0)
    client.close()
    sent = [
        decode_batch(frame)
        for file in folder.iterdir()
        for frame in FrameReader().feed(file.read_bytes())
    ]
    assert len(list(folder.iterdir())) == 2
    assert {batch.fingerprint for batch in sent} == {
        DEVICE_SURVEY[name].fingerprint for name in ("once", "bits", "bare")
    }
    assert len(sent) == 3


def test_a_transport_that_returns_nonsense_is_retried(opened, clock, caplog):
    """What is no outcome is no reason to forget a batch."""
    client, _ = opened([None])
    client.record("once", "red")
    client._sender.send_all()
    assert client.waiting() == 1
    assert client.counts() == {"recorded": 1, "transport": 1, "retry": 1}
    clock.now += DAY
    client._sender.send_all()
    assert client.waiting() == 0


def test_charges_are_on_disk_before_anything_is_sent(opened, tmp_path):
    """When a transport is called, the synced file, without its log, accounts for what
    is sent.
    """
    charged = []

    class Looking(RecordingTransport):
        """Looks at a copy of the file while it sends."""

        def send(self, payload):
            """Accepted."""
            shutil.copy(tmp_path / "state", tmp_path / "copy")
            charged.append(len(Ledger.read(Database(tmp_path / "copy")).charges))
            return super().send(payload)

    client, _ = opened()
    client._sender._transport = Looking()
    record(client, 5)
    shutil.copy(tmp_path / "state", tmp_path / "copy")
    assert Ledger.read(Database(tmp_path / "copy")).charges == ()
    client._sender.send_all()
    assert charged == [3]


def test_what_comes_later_leaves_a_batch_as_it_is(opened, clock):
    """Whatever is recorded in between, a retry has the same bytes; then comes what was
    recorded.
    """
    client, transport = opened([retry()])
    client.record("once", "red")
    client._sender.send_all()
    client.record("bits", "red")
    clock.now += DAY
    client._sender.send_all()
    first, again, second = transport.payloads
    assert first == again != second
    assert client.waiting() == 0


@pytest.mark.parametrize(
    ("most", "days", "left"), [(5, 5, 2), (5, 6, 0), (100_000, 6, 2)]
)
def test_reports_wait_for_as_many_days_as_was_said(most, days, left, opened, clock):
    """That many days old they still wait, in a batch or not; a day later none does."""
    client, _ = opened([retry()] * 100, limits=QueueLimits(days=most))
    client.record("once", "red")
    client._sender.send_all()
    client.record("bits", "red")
    for _ in range(days):
        clock.now += DAY
        client._sender.send_all()
    assert client.waiting() == left


def test_the_oldest_go_first_from_both_queues(tmp_path, clock):
    """What was recorded before there was a collector is older, whatever its queue is
    called.
    """
    state, limits = tmp_path / "state", QueueLimits(reports=10)
    with EmbeddedClient(
        DEVICE_SURVEY, state=state, strict=True, limits=limits
    ) as client:
        record(client, 10)
    clock.now += DAY
    transport = RecordingTransport()
    with EmbeddedClient(
        DEVICE_SURVEY,
        state=state,
        transport=transport,
        strict=True,
        interval=None,
        limits=limits,
    ) as client:
        record(client, 10)
        client._outbox._store.transact(client._outbox._trim)
        waiting = [key for key, _ in records_of(client._store, "report")]
    assert {key[8:12] for key in waiting} == {(20_001).to_bytes(4, "big")}


def test_a_collector_by_its_address_gets_the_reports(tmp_path):
    """Without a transport of its own, an app has the one for HTTPS."""
    with EmbeddedClient(
        DEVICE_SURVEY, state=None, collector="https://collect.example", interval=None
    ) as client:
        client.record("once", "red")
        (charge,) = client.ledger().charges
        assert charge.collector == "https://collect.example/v1/reports"
        assert client._sender is not None


def test_flush_without_a_collector_says_whether_anything_waits():
    """There is no one to send to."""
    with EmbeddedClient(DEVICE_SURVEY, state=None) as client:
        assert client.flush()
        client.record("once", "red")
        assert not client.flush()


@pytest.mark.parametrize(
    "interval", [0, -1, -0.5, float("nan"), float("inf"), 1e12, 2_592_001, True, False]
)
def test_an_interval_takes_time(interval):
    """A thread that never waits would send by the second of each answer; one that
    waits, never.
    """
    with pytest.raises(ValueError, match="expected an interval above 0 seconds"):
        EmbeddedClient(
            DEVICE_SURVEY, state=None, transport=RecordingTransport(), interval=interval
        )


def test_closing_waits_for_what_is_being_sent():
    """For half a second at most; and an exit does not wait for a thread that no one
    closed.
    """
    assert sender._FAREWELL == 0.5
    client = EmbeddedClient(DEVICE_SURVEY, state=None, transport=Slow(0.1))
    client.record("once", "red")
    assert not client.flush(0.01)
    thread = client._sender._thread
    assert thread.daemon
    assert thread.is_alive()
    with patch.object(sender, "_FAREWELL", 60):  # a machine that is busy takes longer
        client.close()
    assert not thread.is_alive()
