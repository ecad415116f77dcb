"""Metrics of what a service stands on: its store's size, the room that is left, its
process.

ldp_store_readable         whether the store can be read; if not, there is nothing else
                           of it
ldp_store_bytes            the file of a store in SQLite, with its log
ldp_disk_free_bytes        what is free on its disk, for those who are not root
ldp_epochs_open            epochs whose ids are kept
ldp_store_commits_total    commits of all processes: while they rise, something is
                           counted
process_*                  memory, processor time, open files, start
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ldp_service.store.errors import StoreError
from ldp_service.store.opening import file_of, free_bytes
from ldp_service.store.reading import commits
from ldp_service.store.records import TOKENS
from ldp_service.store.store import Snapshot

_READABLE = "Whether the store can be read"


def watch_machine(
    registry: CollectorRegistry,
    url: str,
    snapshot: Callable[[], AbstractContextManager[Snapshot]],
) -> None:
    """Let a registry have them."""
    registry.register(_Machine(url, snapshot))
    ProcessCollector(registry=registry)


class _Machine(Collector):
    def __init__(
        self, url: str, snapshot: Callable[[], AbstractContextManager[Snapshot]]
    ) -> None:
        self._file = file_of(url)
        self._snapshot = snapshot

    def describe(self) -> list[Metric]:
        """Nothing in advance: registering must not read the store."""
        return []

    def collect(self) -> Iterator[Metric]:
        """All of them."""
        yield from self._from_store()
        if self._file is None:
            return
        path = Path(self._file)
        parts = [part for part in (path, Path(f"{path}-wal")) if part.exists()]
        size = sum(part.stat().st_size for part in parts)
        yield GaugeMetricFamily(
            "ldp_store_bytes", "Bytes of the store and its log", size
        )
        yield GaugeMetricFamily(
            "ldp_disk_free_bytes", "Bytes free on the store's disk", free_bytes(path)
        )

    def _from_store(self) -> Iterator[Metric]:
        try:
            with self._snapshot() as snapshot:
                number = commits(snapshot)
                epochs = [epoch for epoch in snapshot.epochs() if epoch != TOKENS]
        except StoreError:
            yield GaugeMetricFamily("ldp_store_readable", _READABLE, 0)
            return
        yield GaugeMetricFamily("ldp_store_readable", _READABLE, 1)
        yield CounterMetricFamily(
            "ldp_store_commits", "Commits of all processes", number
        )
        yield GaugeMetricFamily(
            "ldp_epochs_open", "Epochs whose ids are kept", len(epochs)
        )
