"""Sizes of a store, a few numbers that two stores can be compared by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ldp_aggregator.tallies.tally import ACCEPTED
from ldp_service.store.reading import commits, count_received, outcomes_in_all
from ldp_service.store.store import Snapshot


class Sizes(NamedTuple):
    """Commits of all shards; batches received and accepted."""

    commits: int
    received: int
    accepted: int

    @classmethod
    def of(cls, snapshot: Snapshot) -> Sizes:
        """Return the sizes of a store, at one moment. Raises `StoreDamagedError`."""
        outcomes = outcomes_in_all(snapshot)
        return cls(commits(snapshot), count_received(snapshot), outcomes[ACCEPTED])

    def to_dict(self) -> Mapping[str, int]:
        """Ready for JSON."""
        return self._asdict()

    def __str__(self) -> str:
        return (
            f"{self.commits:,} commits, {self.received:,} batches received, "
            f"{self.accepted:,} of them accepted"
        )
