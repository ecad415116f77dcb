"""Changes of one transaction, and how they are written and taken into the books."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ldp.survey.survey import FINGERPRINT_SIZE
from ldp_aggregator.numerics.arrays import Counts
from ldp_service.counting.books import HELD, Books, Statistic
from ldp_service.store.records import (
    PART,
    Epoch,
    IdSum,
    Record,
    Root,
    intake_key,
    pack_outcomes,
    seal,
    shard_key,
    tally_key,
)


@dataclass
class TurnChanges:
    """What a transaction changes, until it is committed."""

    counts: dict[Statistic, Counts] = field(default_factory=dict)
    outcomes: dict[Statistic, Counter[str]] = field(default_factory=dict)
    ids: dict[Epoch, IdSum] = field(default_factory=dict)
    closed: dict[int, int] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    sent: Counter[bytes] = field(default_factory=Counter)
    marks: dict[str, bytes] = field(default_factory=dict)
    written: dict[tuple[str, bytes], bytes] = field(default_factory=dict)
    dropped: list[Record] = field(default_factory=list)
    received: int = 0
    put_aside: int = 0


def commit(books: Books, changes: TurnChanges) -> None:
    """Write everything, and return when it is there to stay."""
    store = books.store
    closed = books.closed | changes.closed
    _write_sums(books, changes)
    written = [
        seal(kind, key, content) for (kind, key), content in changes.written.items()
    ]
    dropped = [*changes.dropped, *_stale(books, closed)]
    root = _root(books, changes, written, dropped=dropped)
    store.put([*written, seal("root", shard_key(books.store.shard), root.pack())])
    for kind in {record.kind for record in dropped}:
        store.drop(kind, [record.key for record in dropped if record.kind == kind])
    store.commit()
    _apply(books, changes, root, written=written, dropped=dropped, closed=closed)
    store.acknowledge(root.commits)


def _root(
    books: Books, changes: TurnChanges, written: list[Record], dropped: list[Record]
) -> Root:
    """The root that adds up to the records after this turn."""
    commits, records, digest, received = books.root
    for record in written:
        before = books.sums.get((record.kind, record.key))
        records += before is None
        digest ^= (before or 0) ^ record.checksum
    for record in dropped:
        records -= 1
        digest ^= record.checksum
    return Root(commits + 1, records, digest, received=received + changes.received)


def _write_sums(books: Books, changes: TurnChanges) -> None:
    shard = books.store.shard
    for (fingerprint, epoch), counts in changes.counts.items():
        # Both flattened, (cells,); only parts in which something was counted are
        # written.
        before = books.tally(fingerprint, epoch).reshape(-1)
        new = counts.reshape(-1)
        for part in np.unique(np.flatnonzero(new) // PART).tolist():
            cells = slice(part * PART, (part + 1) * PART)
            content = (before[cells] + new[cells]).astype("<i8").tobytes()
            changes.written[
                "tally", tally_key(fingerprint, epoch, shard, part=part)
            ] = content
    for (fingerprint, epoch), outcomes in changes.outcomes.items():
        # Not a sum of counters: batches that were aside are taken out of the count
        # of those that are.
        outcomes.update(books.outcomes.get((fingerprint, epoch), {}))
        changes.written["intake", intake_key(fingerprint, epoch, shard)] = (
            pack_outcomes(outcomes)
        )
    for epoch, ids in changes.ids.items():
        changes.ids[epoch] = ids.join(books.ids.get(epoch, IdSum()))
        changes.written["ids", epoch.key + shard_key(shard)] = changes.ids[epoch].pack()
    for kind, numbers in (("closed", changes.closed), ("seen", changes.seen)):
        for length, number in numbers.items():
            key = length.to_bytes(4, "big") + shard_key(shard)
            if number >= 0:
                changes.written[kind, key] = number.to_bytes(4, "big")
            elif (kind, key) in books.sums:
                changes.dropped.append(
                    Record(kind, key, b"", checksum=books.sums[kind, key])
                )
    for key, reports in changes.sent.items():
        changes.sent[key] = reports + books.sent.get(key, 0)
        changes.written["sent", key + shard_key(shard)] = changes.sent[key].to_bytes(
            8, "big"
        )
    for source, place in changes.marks.items():
        changes.written["mark", source.encode() + shard_key(shard)] = place


def _stale(books: Books, closed: Mapping[int, int]) -> list[Record]:
    """The sums of ids that have been forgotten, by this process or another."""
    stale = [
        epoch for epoch in books.ids if epoch.number <= closed.get(epoch.length, -1)
    ]
    keys = [epoch.key + shard_key(books.store.shard) for epoch in stale]
    return [Record("ids", key, b"", checksum=books.sums["ids", key]) for key in keys]


def _apply(
    books: Books,
    changes: TurnChanges,
    root: Root,
    written: list[Record],
    dropped: list[Record],
    closed: dict[int, int],
) -> None:
    for statistic, counts in changes.counts.items():
        books.tally(*statistic).__iadd__(counts)
    books.root = root
    books.closed = closed
    books.seen = books.seen | changes.seen
    books.outcomes |= changes.outcomes
    books.ids |= changes.ids
    books.marks |= changes.marks
    books.sent |= changes.sent
    for record in written:
        if record.kind == "ended":
            books.ended.add(record.key[:FINGERPRINT_SIZE])
        if record.kind in HELD:
            books.sums[record.kind, record.key] = record.checksum
    books.aside += changes.put_aside
    for record in dropped:
        books.sums.pop((record.kind, record.key), None)
        books.sent.pop(record.key[:-2], None)
        if record.kind == "aside":
            books.aside -= len(record.content)
    if changes.closed or any(record.kind == "ids" for record in dropped):
        books.let_go()
