"""The books of a shard: what its records say, held in memory, and changed in turns that
last.

Rules
- The root has the number of the shard's records and the exclusive or of their
  checksums, so that a record which is lost with everything around it is missed; `IdSum`
  does so for ids.
- Nothing is opened that does not check out (`verification`); where ids are too many to
  be read at a start, these are still to be checked then (`proof`).
- Memory: the tallies of open epochs, and a checksum for each of their records; nothing
  grows with reports.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from ldp.survey.survey import Envelope
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.joint_counting import empty_counts_of
from ldp_service.store.combinations import KnownQuestions
from ldp_service.store.records import (
    PART,
    SHOWN,
    TALLY,
    Epoch,
    IdSum,
    Record,
    Root,
    ended_in,
    last_closed_epochs,
    last_seen,
    read_id_sum,
    read_intake_key,
    read_outcomes,
    read_root,
    read_tally_key,
    shard_key,
    shard_of,
)
from ldp_service.store.store import Snapshot, Store
from ldp_service.store.verification import check, is_large

HELD = (
    TALLY,
    SHOWN,
    "intake",
    "ids",
    "closed",
    "seen",
    "sent",
    "mark",
    "survey",
    "least",
    "ended",
)
"""Kinds whose checksums the books hold in memory, because their records are written
again.
"""

Statistic = tuple[bytes, Epoch]
"""A question or group, or a combination of one, by its fingerprint, in an epoch."""


class Books:
    """The books of the shard that a store is.

    Raises `StoreError` if anything is not in order, unless it is `sound`.
    """

    def __init__(
        self, store: Store, envelopes: Mapping[bytes, Envelope], *, sound: bool = False
    ) -> None:
        self.store = store
        self.envelopes = envelopes
        self._known = KnownQuestions.of(envelopes)
        self.unproven = False
        """Whether the ids are still to be checked."""
        with store.snapshot() as snapshot:
            if not sound:
                self.unproven = is_large(snapshot)
                check(snapshot, store.acknowledged_commits(), ids=not self.unproven)
            self._load(snapshot)

    def _load(self, snapshot: Snapshot) -> None:
        shard = self.store.shard
        self.root = Root()
        self.sums: dict[tuple[str, bytes], int] = {}
        self.tallies: dict[Statistic, Counts] = {}
        self.outcomes: dict[Statistic, Counter[str]] = {}
        self.ids: dict[Epoch, IdSum] = {}
        self.closed = last_closed_epochs(snapshot)
        self.seen = last_seen(snapshot)
        self.ended = ended_in(snapshot)
        self.marks: dict[str, bytes] = {}
        self.sent: dict[bytes, int] = {}
        self.aside = sum(
            len(record.content)
            for record in snapshot.scan("aside")
            if shard_of(record) == shard
        )
        for record in snapshot.scan("root", shard_key(shard)):
            self.root = read_root(record.content)
        for kind in HELD:
            for record in snapshot.scan(kind):
                if shard_of(record) == shard:
                    self.sums[kind, record.key] = record.checksum
                    self._take(record)
        self.let_go()

    def _take(self, record: Record) -> None:
        if record.kind == TALLY:
            fingerprint, epoch, _, part = read_tally_key(record.key)
            if self._known.get(fingerprint) is not None:
                # A record holds one part of the flattened array: (PART,), the last one
                # shorter.
                cells = slice(part * PART, (part + 1) * PART)
                counts = self.tally(fingerprint, epoch).reshape(-1)
                counts[cells] = np.frombuffer(record.content, dtype="<i8")
        elif record.kind == "intake":
            fingerprint, epoch, _ = read_intake_key(record.key)
            self.outcomes[fingerprint, epoch] = read_outcomes(record.content)
        elif record.kind == "ids":
            self.ids[Epoch.read(record.key)] = read_id_sum(record.content)
        elif record.kind == "sent":
            self.sent[record.key[:-2]] = int.from_bytes(record.content, "big")
        elif record.kind == "mark":
            self.marks[record.key[:-2].decode()] = record.content

    def let_go(self) -> None:
        """Hold in memory what may still change, and no more: nothing of closed
        epochs.
        """

        def past(epoch: Epoch) -> bool:
            return epoch.number <= self.closed.get(epoch.length, -1)

        self.tallies = {
            (fingerprint, epoch): counts
            for (fingerprint, epoch), counts in self.tallies.items()
            if not past(epoch)
        }
        self.ids = {epoch: ids for epoch, ids in self.ids.items() if not past(epoch)}
        self.sums = {
            (kind, key): total
            for (kind, key), total in self.sums.items()
            if kind not in (TALLY, SHOWN) or not past(read_tally_key(key)[1])
        }

    def tally(self, fingerprint: bytes, epoch: Epoch) -> Counts:
        """The shard's counts of a question or group, or of a combination, in an epoch.

        An array that lives with the books.
        """
        if (fingerprint, epoch) not in self.tallies:
            envelope = self._known.get(fingerprint)
            if envelope is None:
                raise KeyError(fingerprint)
            self.tallies[fingerprint, epoch] = empty_counts_of(envelope)
        return self.tallies[fingerprint, epoch]
