"""Kafka for tests: the cluster that Kafka's C client has within it, at an address of
this machine.

It is made through the C library, of which the Python package shows a cluster's clients
only.
"""

import ctypes
from contextlib import contextmanager
from pathlib import Path

import confluent_kafka

_PRODUCER = 0


class Cluster:
    """A cluster at `bootstrap`, and a producer for it."""

    def __init__(self, bootstrap, make_topic):
        self.bootstrap = bootstrap
        self.make_topic = make_topic
        self._producer = confluent_kafka.Producer(
            {"bootstrap.servers": bootstrap, "log_level": 0}
        )

    def send(self, topic, partition, *values):
        """Put messages at the end of a partition."""
        for value in values:
            self._producer.produce(topic, value, partition=partition)
        assert self._producer.flush(60) == 0


@contextmanager
def cluster():
    """A cluster of one broker, in which consumers need not wait for others to join
    their group.
    """
    library = _library()
    settings = library.rd_kafka_conf_new()
    library.rd_kafka_conf_set(settings, b"log_level", b"0", None, 0)
    client = library.rd_kafka_new(_PRODUCER, settings, None, 0)
    mock = library.rd_kafka_mock_cluster_new(client, 1)
    try:
        library.rd_kafka_mock_group_initial_rebalance_delay_ms(mock, 0)
        bootstrap = library.rd_kafka_mock_cluster_bootstraps(mock).decode()

        def make_topic(name, partitions):
            assert (
                library.rd_kafka_mock_topic_create(mock, name.encode(), partitions, 1)
                == 0
            )

        yield Cluster(bootstrap, make_topic)
    finally:
        library.rd_kafka_mock_cluster_destroy(mock)
        library.rd_kafka_destroy(client)


def _library():
    paths = sorted(
        Path(confluent_kafka.__file__)
        .parents[1]
        .glob("confluent_kafka.libs/librdkafka*")
    )
    assert paths, "this build of confluent-kafka has its C library elsewhere"
    library = ctypes.CDLL(str(paths[0]))
    handle, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, arguments, result in (
        ("rd_kafka_conf_new", [], handle),
        ("rd_kafka_conf_set", [handle, text, text, text, ctypes.c_size_t], number),
        ("rd_kafka_new", [number, handle, text, ctypes.c_size_t], handle),
        ("rd_kafka_destroy", [handle], None),
        ("rd_kafka_mock_cluster_new", [handle, number], handle),
        ("rd_kafka_mock_cluster_destroy", [handle], None),
        ("rd_kafka_mock_cluster_bootstraps", [handle], text),
        (
            "rd_kafka_mock_group_initial_rebalance_delay_ms",
            [handle, ctypes.c_int32],
            None,
        ),
        ("rd_kafka_mock_topic_create", [handle, text, number, number], number),
    ):
        getattr(library, name).argtypes = arguments
        getattr(library, name).restype = result
    return library
