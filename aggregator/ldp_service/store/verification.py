"""Whether a store holds what was written to it.

For someone new to it: nothing that is read from a disk is believed because it is there.
Each of the checks below compares it with something that was written apart from it.

database     finds its own structure in order: the next changes are made by it
record       fits its checksum
root         each shard has as many records as its root says, and their checksums add up
ids          the ids of each open epoch add up to what the shards say they claimed
intake       received = accepted + duplicate + rejected + quarantined, in each shard
witness      no commit that was acknowledged is missing
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ldp.errors import WireError
from ldp_service.store.errors import StoreDamagedError
from ldp_service.store.records import (
    KINDS,
    Epoch,
    IdSum,
    Record,
    Root,
    last_closed_epochs,
    read_id_sum,
    read_outcomes,
    read_root,
    shard_of,
)
from ldp_service.store.store import Snapshot


class Finding(NamedTuple):
    """Something wrong: which of the checks above, and in words; the record, where it is
    one.
    """

    check: str
    problem: str
    record: Record | None = None

    def __str__(self) -> str:
        return f"{self.check}: {self.problem}"


AT_ONCE = 1_000_000
"""Ids that are checked before a store is opened: half a second for all of them."""


def is_large(snapshot: Snapshot) -> bool:
    """Whether a store has more ids than a start can wait for.

    Nothing has been checked yet: a store with a record that does not fit its checksum
    is not large, so that all of it is checked at once.
    """
    known = [record for kind in ("ids", "closed") for record in snapshot.scan(kind)]
    if not all(record.sound for record in known):
        return False
    closed = last_closed_epochs(snapshot)
    claimed = (
        read_id_sum(record.content).ids
        for record in known
        if record.kind == "ids"
        and (epoch := Epoch.read(record.key)).number > closed.get(epoch.length, -1)
    )
    return sum(claimed) > AT_ONCE


def check(snapshot: Snapshot, acknowledged: int | None, *, ids: bool = True) -> None:
    """Raise `StoreDamagedError` for the first thing that is wrong.

    Without `ids` neither these nor the structure of the database, most of which is for
    them.
    """
    for finding in findings(snapshot, acknowledged, ids=ids):
        raise StoreDamagedError(
            f"expected a sound store, got one with damage ({finding}); run ldp store "
            "doctor on it"
        )


def findings(
    snapshot: Snapshot, acknowledged: int | None, *, ids: bool = True
) -> Iterator[Finding]:
    """Everything wrong with a store, of which `acknowledged` commits have to be
    there.
    """
    if ids:
        yield from (
            Finding("database", complaint) for complaint in snapshot.complaints()
        )
    roots: dict[int, Root] = {}
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    outcomes: dict[int, int] = defaultdict(int)
    claimed: dict[Epoch, IdSum] = {}
    closed = last_closed_epochs(snapshot)
    for record in (record for kind in KINDS for record in snapshot.scan(kind)):
        if not record.sound:
            yield Finding(
                "record", f"one of kind {record.kind} does not fit its checksum", record
            )
            continue
        try:
            shard = shard_of(record)
            if record.kind == "root":
                roots[shard] = read_root(record.content)
                continue
            if record.kind == "intake":
                outcomes[shard] += sum(read_outcomes(record.content).values())
            elif record.kind == "ids":
                epoch = Epoch.read(record.key)
                # The ids of closed epochs are forgotten.
                if epoch.number > closed.get(epoch.length, -1):
                    of_shard = read_id_sum(record.content)
                    claimed[epoch] = claimed.get(epoch, IdSum()).join(of_shard)
        except (ValueError, TypeError, WireError) as error:
            yield Finding(
                "record", f"one of kind {record.kind} cannot be read: {error}", record
            )
        sums[shard][0] += 1
        sums[shard][1] ^= record.checksum
    for shard in sorted(roots.keys() | sums.keys()):
        root = roots.get(shard)
        if root is None:
            yield Finding(
                "root", f"shard {shard} has {sums[shard][0]:,} records, but no root"
            )
        elif [root.records, root.digest] != sums[shard]:
            yield Finding(
                "root",
                f"shard {shard} should have {root.records:,} records, and has "
                f"{sums[shard][0]:,}, or others",
            )
        elif root.received != outcomes[shard]:
            yield Finding(
                "intake",
                f"shard {shard} received {root.received:,} batches, but knows of "
                f"{outcomes[shard]:,}",
            )
    if ids:
        yield from _ids(snapshot, claimed)
    commits = max((root.commits for root in roots.values()), default=0)
    if acknowledged is not None and acknowledged > commits:
        yield Finding(
            "witness",
            f"{acknowledged:,} commits were acknowledged, and {commits:,} are there",
        )


def _ids(snapshot: Snapshot, claimed: dict[Epoch, IdSum]) -> Iterator[Finding]:
    open_epochs = snapshot.epochs()
    for epoch in sorted(claimed.keys() | set(open_epochs)):
        total = IdSum()
        for ids in snapshot.ids(epoch) if epoch in open_epochs else ():
            total = total.plus(ids)
        expected = claimed.get(epoch, IdSum())
        if total != expected:
            yield Finding(
                "ids",
                f"epoch {epoch.number} should have {expected.ids:,} ids, and has "
                f"{total.ids:,}, or others",
            )
