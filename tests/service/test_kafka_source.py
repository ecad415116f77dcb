"""A topic of Kafka as a source: every message is counted once, even if collectors are
killed.
"""

from contextlib import contextmanager
from unittest.mock import Mock, patch

import pytest
from collecting import Lagging, collecting, frame, frames, kill_often, running, wait_for

from ldp_service.counting.submissions import OverloadError
from ldp_service.sources import follower
from ldp_service.sources import kafka as kafka_source
from ldp_service.sources.kafka import KafkaSource, KafkaSourceError, read_settings
from ldp_service.store.errors import StoreError
from ldp_service.store.reading import marks
from ldp_service.store.records import seal, shard_key

pytestmark = pytest.mark.needs("confluent_kafka")
TOPIC, PARTITIONS = "reports", 3
QUICK = {"heartbeat.interval.ms": "50", "session.timeout.ms": "2000"}
"""The cluster waits for as long as a session for members that may have gone."""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(follower, "_PAUSE", 0.01)


@pytest.fixture
def kafka():
    from mock_kafka import cluster

    with cluster() as running:
        running.make_topic(TOPIC, PARTITIONS)
        yield running


@pytest.fixture
def store(tmp_path):
    return f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def collector(store):
    with collecting(store) as running:
        yield running


def source_of(kafka, collector, group="one", read=None):
    """A source that reads the topic as a member of a group."""
    settings = {"group.id": group, **QUICK}
    return KafkaSource(
        f"{TOPIC}@{kafka.bootstrap}",
        collector,
        read or collector.read,
        settings=settings,
    )


@contextmanager
def little_at_a_time():
    """Deliveries of few messages."""
    with patch.object(kafka_source, "MOST_BYTES", 1000):
        yield


def test_messages_are_counted_once(kafka, collector):
    """Messages with some frames or none are counted once, whatever group reads them.

    Repetitions are duplicates.
    """
    kafka.send(TOPIC, 0, b"".join(frames(0, 3)), b"", None)
    kafka.send(TOPIC, 1, *frames(3, 9), frame(3))
    for group in ("one", "other"):
        with running(source_of(kafka, collector, group)):
            wait_for(lambda: collector.outcomes == {"accepted": 9, "duplicate": 1})
    kafka.send(TOPIC, 1, frame(9))
    with running(source_of(kafka, collector, "third")):
        wait_for(lambda: collector.outcomes == {"accepted": 10, "duplicate": 1})
    places = {
        name: int.from_bytes(place, "big") for name, place in collector.marks.items()
    }
    assert places == {f"kafka:{TOPIC}:0": 3, f"kafka:{TOPIC}:1": 8}


def killed_readers(kafka, store, messages, *altered):
    """How many collectors were killed until n messages were counted, and what was
    counted.
    """
    for number, body in enumerate(frames(0, messages)):
        kafka.send(TOPIC, number % PARTITIONS, body)

    def make_source(number, collector):
        return source_of(kafka, collector, f"life {number}")

    with little_at_a_time():
        kills = kill_often(store, make_source, messages, *altered)
    with collecting(store) as collector:
        return kills, collector.outcomes


def test_killed_collectors_count_everything_once(kafka, store):
    """Collectors killed before a delivery, or before they know of it, count each
    message once.
    """
    kills, outcomes = killed_readers(kafka, store, 60)
    assert outcomes == {"accepted": 60}
    assert kills >= 5


def test_the_kills_would_show_marks_that_lag(kafka, store):
    """Were each mark written one delivery too late, the same kills would leave
    duplicates.
    """
    _, outcomes = killed_readers(kafka, store, 20, Lagging())
    assert outcomes["duplicate"] > 0


def handed_over(kafka, one, other):
    """What is counted of messages that come while a second collector joins and
    leaves.
    """
    first, second = source_of(kafka, one), source_of(kafka, other)
    sent = 0

    def send():
        nonlocal sent
        for partition in range(PARTITIONS):
            kafka.send(TOPIC, partition, *frames(sent, sent + 20))
            sent += 20

    with little_at_a_time(), running(first):
        send()
        wait_for(lambda: one.outcomes.get("accepted", 0) > 10)
        with running(second):
            send()
            wait_for(lambda: second.failure is None)
            send()
            wait_for(lambda: one.outcomes.get("accepted") == sent)
        send()
        wait_for(lambda: one.outcomes.get("accepted") == sent)
    return one.outcomes, sent


def test_readers_that_come_and_go_share_a_topic(kafka, collector):
    """While a group's members come and go, each message is counted once."""
    outcomes, sent = handed_over(kafka, collector, collector)
    assert outcomes == {"accepted": sent}


def test_processes_with_one_store_share_a_topic(kafka, postgres_server):
    """Of two shards of one store, whichever gets a partition goes on where the other
    left it.
    """
    store = postgres_server.emptied()
    with collecting(store) as one, collecting(store) as other:
        outcomes, sent = handed_over(kafka, one, other)
        assert other.deliveries > 0
    assert outcomes == {"accepted": sent}


def test_partitions_that_go_take_what_was_read_with_them(collector):
    """Messages read, not delivered when their partition went to another, are left to
    that.
    """
    source = KafkaSource(f"{TOPIC}@127.0.0.1:1", collector, collector.read)
    message = Mock(
        **{
            "error.return_value": None,
            "value.return_value": frame(0),
            "offset.return_value": 0,
        }
    )
    message.configure_mock(**{"topic.return_value": TOPIC, "partition.return_value": 0})

    def poll(_):
        answer = answers.pop(0)
        if answer == "revoked":
            source._let_go(None, [])
        return answer if answer is message else None

    answers = [message, message, None]
    assert len(source._next(Mock(poll=poll))) == 2
    answers = [message, message, "revoked"]
    assert source._next(Mock(poll=poll)) == []


def test_the_shard_that_read_furthest_counts():
    """Of the marks that several processes left for a source the highest is where to go
    on.
    """

    class Shards:
        def scan(self, kind, _=b""):
            for source, shard, place in (
                ("t:1", 0, 255),
                ("t:1", 1, 256),
                ("t:1", 2, 9),
                ("t:10", 0, 1000),
            ):
                yield seal(
                    kind, source.encode() + shard_key(shard), place.to_bytes(8, "big")
                )

    assert {
        name: int.from_bytes(place, "big") for name, place in marks(Shards()).items()
    } == {
        "t:1": 256,
        "t:10": 1000,
    }


def test_damaged_messages_cost_themselves_only(kafka, collector):
    """Of sound and damaged messages in a row each is counted as what it is."""
    hostile = b"LDPR" + (1 << 20).to_bytes(4, "little")
    values = [
        frame(0),
        b"junk",
        b"more junk",
        frame(1),
        frame(2)[:-1],
        hostile * 5000,
        *frames(3, 6),
    ]
    kafka.send(TOPIC, 0, *values)
    with running(source_of(kafka, collector)):
        wait_for(lambda: collector.outcomes == {"accepted": 5, "frame-damaged": 4})


def test_a_message_that_makes_us_fail_is_skipped_alone(kafka, store):
    """Of all messages the one that cannot be counted is skipped, once, and the source
    says so.
    """
    kafka.send(TOPIC, 0, *frames(0, 9))
    with collecting(store, poison=frame(4)) as collector:
        source = source_of(kafka, collector)
        with running(source):
            wait_for(
                lambda: collector.outcomes == {"accepted": 8} and source.skipped == 1
            )
        collector.poison = None
        kafka.send(TOPIC, 0, frame(9))
        with running(source_of(kafka, collector, "other")):
            wait_for(lambda: collector.outcomes == {"accepted": 9})


@pytest.mark.parametrize(
    "trouble", [OverloadError(0), StoreError("no store at the moment")]
)
def test_nothing_is_lost_while_nothing_is_taken(kafka, store, trouble):
    """Deliveries that are not taken are tried again until they are, and counted
    once.
    """
    kafka.send(TOPIC, 0, *frames(0, 9))
    with collecting(store, troubles=[trouble] * 3) as collector:
        source = source_of(kafka, collector)
        with running(source):
            wait_for(
                lambda: collector.outcomes == {"accepted": 9} and source.failure is None
            )


def test_without_its_marks_nothing_is_read(kafka, collector):
    """A source that cannot read its marks says so, and reads nothing until it can."""
    kafka.send(TOPIC, 0, *frames(0, 9))
    troubles = [StoreError("no marks at the moment")] * 2

    def read():
        if troubles:
            raise troubles[0]
        return collector.read()

    source = source_of(kafka, collector, read=read)
    with running(source):
        wait_for(lambda: source.failure == "no marks at the moment")
        assert collector.outcomes == {}
        troubles.clear()
        wait_for(
            lambda: collector.outcomes == {"accepted": 9} and source.failure is None
        )


def test_a_source_without_brokers_says_that_it_waits(collector):
    """As long as no broker assigns partitions, a source is not ready, and can be
    stopped.
    """
    source = KafkaSource(f"{TOPIC}@127.0.0.1:1", collector, collector.read)
    with running(source):
        wait_for(lambda: "waiting" in (source.failure or ""))


@pytest.mark.parametrize("address", ["reports", "@kafka:9092", "reports@", ""])
def test_an_address_is_a_topic_and_its_brokers(collector, address):
    """An address that lacks one of them is refused."""
    with pytest.raises(KafkaSourceError, match="reports@kafka:9092"):
        KafkaSource(address, collector, collector.read)


@pytest.mark.parametrize(
    "name",
    ["enable.auto.commit", "bootstrap.servers", "auto.offset.reset", "no.such.setting"],
)
def test_settings_that_would_change_what_is_counted_are_refused(collector, name):
    """Settings that counting once depends on, or that do not exist, are refused by
    name.
    """
    with pytest.raises(KafkaSourceError, match=name):
        KafkaSource(
            "reports@127.0.0.1:1", collector, collector.read, settings={name: "true"}
        )


def test_settings_are_read_from_a_file(tmp_path):
    """A file has a setting a line.

    One that has not is refused, by line, without what stands there.
    """
    path = tmp_path / "kafka.properties"
    path.write_text(
        "# for the broker\n\nsecurity.protocol = SASL_SSL\nsasl.password=a=b # c\n"
    )
    assert read_settings(path) == {
        "security.protocol": "SASL_SSL",
        "sasl.password": "a=b # c",
    }
    for text in ("hunter2", "sasl.password =", "hunter2=1\nhunter2=2"):
        path.write_text(text)
        with pytest.raises(KafkaSourceError) as caught:
            read_settings(path)
        assert "hunter2" not in str(caught.value)
    path.write_bytes(b"\xff")
    for bad in (path, tmp_path / "missing"):
        with pytest.raises(KafkaSourceError, match=str(bad)):
            read_settings(bad)
