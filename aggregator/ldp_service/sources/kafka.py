"""A topic of Kafka as a source: every message is a sequence of frames.

It is what an upload or a report file is.

    mark      kafka:<topic>:<partition>
    place     the offset to read next (8, big-endian)

Rules
- Offsets are kept with the counts, in the store, and nowhere else: whenever a partition
  is assigned, it is read from its mark on. Which of several processes reads it does not
  matter: the highest mark counts.
- Sound messages are delivered together. One that holds damage is delivered by itself,
  so that each is counted, and a hostile one costs no other.
- A topic that is made anew under its old name has other messages under the old offsets:
  it needs another name.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import groupby
from pathlib import Path
from typing import Any

from ldp.answers.texts import lines_of
from ldp.errors import LDPError
from ldp.wire.wire import Damage, read_frames
from ldp_service.counting.writer import Writer
from ldp_service.sources.follower import MOST_BYTES, Follower, SourceFrames
from ldp_service.store.reading import marks
from ldp_service.store.records import Scanned

_FIXED = {
    "auto.offset.reset": "earliest",
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "partition.assignment.strategy": "range,roundrobin",
}
"""What counting exactly once depends on: no setting may change it."""
_USUAL = {"group.id": "ldp", "queued.max.messages.kbytes": "16384"}
_OVERHEAD = 256
"""Bytes that a message costs beside its own."""
_WAIT = 0.2
"""Seconds to wait for a message before looking whether to stop."""

_log = logging.getLogger("ldp.service")


class KafkaSourceError(LDPError):
    """A topic, or settings of Kafka's client, that cannot be used."""


class KafkaSource(Follower):
    """Follows `TOPIC@BOOTSTRAP`, with further settings of librdkafka. Raises
    `KafkaSourceError`.

    `read_store` opens what the store has: its marks are read from there.
    """

    def __init__(
        self,
        address: str,
        writer: Writer,
        read_store: Callable[[], AbstractContextManager[Scanned]],
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._topic, _, bootstrap = address.partition("@")
        if not self._topic or not bootstrap:
            raise KafkaSourceError(
                "--kafka: expected a topic and its brokers, such as "
                f"reports@kafka:9092, got {address!r}"
            )
        super().__init__(f"kafka {self._topic}", writer)
        self._read_store = read_store
        self._settings = _with_ours({} if settings is None else settings, bootstrap)
        self._held: list[SourceFrames] = []
        self._open().close()

    def _follow(self) -> None:
        self.failure = (
            self.failure or "expected to be assigned partitions, still waiting"
        )
        consumer = self._open()
        try:
            consumer.subscribe(
                [self._topic], on_assign=self._begin, on_revoke=self._let_go
            )
            while not self._stopping.is_set():
                for pieces in _deliveries(self._next(consumer)):
                    self._deliver(pieces)
                    self.failure = None
        finally:
            consumer.close()

    def _open(self) -> Any:
        try:
            from confluent_kafka import Consumer, KafkaException
        except ImportError:
            raise KafkaSourceError(
                "expected confluent-kafka, found none; "
                'install it with pip install "ldpkit-aggregator[kafka]"'
            ) from None
        try:
            return Consumer(self._settings, logger=_log)
        except KafkaException as error:
            raise KafkaSourceError(
                "expected settings that Kafka's client takes, got: "
                f"{error.args[0].str()}"
            ) from None

    def _begin(self, consumer: Any, partitions: list[Any]) -> None:
        """Read the partitions that were assigned from their marks on."""
        from confluent_kafka import OFFSET_BEGINNING

        with self._read_store() as snapshot:
            places = marks(snapshot)
        for partition in partitions:
            place = places.get(_mark(partition.topic, partition.partition))
            partition.offset = (
                OFFSET_BEGINNING if place is None else int.from_bytes(place, "big")
            )
        consumer.assign(partitions)
        self.failure = None

    def _let_go(self, *_: object) -> None:
        """Leave what was not delivered yet to the process that gets the partitions
        now.
        """
        self._held.clear()

    def _next(self, consumer: Any) -> list[SourceFrames]:
        """The messages that are there, up to the size of a delivery.

        Waits a moment for the first.
        """
        pieces = self._held = []
        size = 0
        while size < MOST_BYTES:
            message = consumer.poll(0 if pieces else _WAIT)
            if message is None:
                break
            error = message.error()
            if error is None:
                frames = message.value() or b""
                source = _mark(message.topic(), message.partition())
                next_offset = message.offset() + 1
                pieces.append(
                    SourceFrames(frames, source, next_offset.to_bytes(8, "big"))
                )
                size += len(frames) + _OVERHEAD
            else:
                self._fail(error.str())
        return pieces


def read_settings(path: Path) -> dict[str, str]:
    """The settings in a file of lines `key = value`.

    Raises `KafkaSourceError`, which shows no value.
    """
    try:
        lines = lines_of(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise KafkaSourceError(
            f"expected to read {path}, got "
            f"{getattr(error, 'strerror', 'no UTF-8 text')}"
        ) from None
    settings: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        key, sign, value = (part.strip() for part in line.partition("="))
        if not key or key.startswith("#"):
            continue
        if not sign or not value or key in settings:
            raise KafkaSourceError(
                f"{path}: expected key = value in line {number}, and each key once"
            )
        settings[key] = value
    return settings


def _with_ours(settings: Mapping[str, str], bootstrap: str) -> dict[str, str]:
    fixed = {**_FIXED, "bootstrap.servers": bootstrap}
    refused = sorted(fixed.keys() & settings.keys())
    if refused:
        raise KafkaSourceError(
            f"expected no setting of {', '.join(refused)}: the service sets that itself"
        )
    return {**_USUAL, **settings, **fixed}


def _deliveries(pieces: list[SourceFrames]) -> Iterator[list[SourceFrames]]:
    """Sound pieces in a row together, those with damage one by one."""
    for sound, run in groupby(pieces, lambda piece: _is_sound(piece.frames)):
        if sound:
            yield list(run)
        else:
            yield from ([piece] for piece in run)


def _mark(topic: str, partition: int) -> str:
    return f"kafka:{topic}:{partition}"


def _is_sound(frames: bytes) -> bool:
    return not any(isinstance(frame, Damage) for frame in read_frames(frames))
