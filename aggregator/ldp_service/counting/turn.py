"""Turns: what one transaction changes, in the store and in the books at once, or in
neither.

Rules
- A turn writes everything that it changes in one transaction: sums, outcomes, ids, and
  the root that adds all of it up. What is in memory changes after the commit, or not at
  all.
- Ids are claimed at once, since the store alone knows whether another process has;
  records are written at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ldp_aggregator.numerics.arrays import Counts
from ldp_service.counting.books import Books
from ldp_service.counting.changes import TurnChanges, commit
from ldp_service.store.records import (
    NO_QUESTION,
    PART,
    SHOWN,
    Epoch,
    IdSum,
    Record,
    checksum,
    ended_in,
    last_closed_epochs,
    last_seen,
    sent_key,
    shard_key,
    tally_key,
)


def begin(books: Books, *, alone: bool = False) -> Turn:
    """Begin a transaction, committed at the end of a `with` that raises nothing.

    One that closes epochs has to be `alone`.
    """
    books.store.begin(alone=alone)
    if books.store.shared:
        books.closed = last_closed_epochs(books.store)
        books.seen = last_seen(books.store)
        books.ended = ended_in(books.store)
    return Turn(books)


class EpochTurn:
    """Epochs in a turn: which are closed, and which the clock was in."""

    def __init__(self, books: Books, changes: TurnChanges) -> None:
        self._books = books
        self._changes = changes

    def last_closed(self, length: int) -> int:
        """The last epoch of this length that is closed; -1 if none is."""
        return self._books.closed.get(length, -1)

    def furthest(self, length: int) -> int:
        """The last epoch of this length that is closed, or that the clock was in."""
        return max(self.last_closed(length), self._books.seen.get(length, -1))

    def close(self, length: int, number: int) -> None:
        """Close all epochs up to this one: their ids are forgotten, and late batches
        refused.
        """
        # Another process may have been faster.
        self._changes.closed[length] = max(number, self.last_closed(length))
        store = self._books.store
        for epoch in store.epochs():
            if epoch.length == length and epoch.number <= number:
                store.forget(epoch)

    def reopen(self, length: int, number: int) -> None:
        """Let this be the last epoch that is closed; -1 for none. Ids are not brought
        back.
        """
        self._changes.closed[length] = number

    def see(self, length: int, number: int) -> None:
        """Note the epoch that the clock is in."""
        self._changes.seen[length] = number


class Turn:
    """Changes of one transaction. Records are written at its end; ids are claimed at
    once.
    """

    def __init__(self, books: Books) -> None:
        self._books = books
        self._changes = TurnChanges()
        self._shard = shard_key(books.store.shard)
        self.epochs = EpochTurn(books, self._changes)

    @property
    def aside(self) -> int:
        """Bytes of the batches that are put aside."""
        return self._books.aside + self._changes.put_aside

    def is_ended(self, fingerprint: bytes) -> bool:
        """Whether a question or group takes no more reports: its survey was closed."""
        return fingerprint in self._books.ended

    def claim(self, epoch: Epoch, ids: Sequence[bytes]) -> set[bytes]:
        """Claim ids, all different; return those that were never claimed before."""
        fresh = self._books.store.claim(epoch, ids)
        if fresh:
            self._changes.ids[epoch] = self._changes.ids.get(epoch, IdSum()).plus(fresh)
        return fresh

    def count(self, fingerprint: bytes, epoch: Epoch, counts: Counts) -> None:
        """Add to the tally of a question or group."""
        sofar = self._changes.counts.get((fingerprint, epoch))
        self._changes.counts[fingerprint, epoch] = (
            counts if sofar is None else sofar + counts
        )

    def show(self, fingerprint: bytes, epoch: Epoch, counts: Counts) -> None:
        """Let these counts be looked at; of a turn that counts nothing."""
        # Flattened, (cells,), in parts of PART cells; those that are as they were are
        # not written.
        flat = counts.reshape(-1).astype("<i8")
        for part in np.unique(np.flatnonzero(flat) // PART).tolist():
            key = tally_key(fingerprint, epoch, self._books.store.shard, part=part)
            content = flat[part * PART : (part + 1) * PART].tobytes()
            if checksum(SHOWN, key, content) != self._books.sums.get((SHOWN, key)):
                self._changes.written[SHOWN, key] = content

    def tell(
        self, fingerprint: bytes | None, epoch: Epoch, outcome: str, batches: int
    ) -> None:
        """Count batches of a known question, or of none, by what became of them."""
        counter = self._changes.outcomes.setdefault(
            (fingerprint or NO_QUESTION, epoch), Counter()
        )
        counter[outcome] += batches

    def receive(self, batches: int) -> None:
        """Count batches as received, whatever becomes of them."""
        self._changes.received += batches

    def write(self, kind: str, key: bytes, content: bytes) -> None:
        """Keep a record of this shard.

        Its kind is `survey`, `store`, `least`, `ended`, `kept` or `mixed`.

        Those of kind `store` and `least` in a turn that is alone.
        """
        self._changes.written[kind, key + self._shard] = content

    def mark(self, source: str, place: bytes) -> None:
        """Remember how far a source has been read."""
        self._changes.marks[source] = place

    def put_aside(self, day: int, id_: bytes, payload: bytes) -> bool:
        """Keep the bytes of a batch that cannot be counted yet; False if they are there
        already.
        """
        key = day.to_bytes(4, "big") + id_ + self._shard
        if ("aside", key) in self._changes.written or any(
            self._books.store.scan("aside", key)
        ):
            return False
        self._changes.written["aside", key] = payload
        self._changes.put_aside += len(payload)
        return True

    def drop(self, records: Iterable[Record]) -> None:
        """Forget records of this shard, of kind `kept`, `aside` or `sent`."""
        self._changes.dropped += records

    def reports_of_day(self, day: int, token: str) -> int:
        """Reports that a token has sent on a day, before this turn."""
        key = sent_key(day, token)
        if self._books.store.shared:
            records = self._books.store.scan("sent", key)
            return sum(int.from_bytes(record.content, "big") for record in records)
        return self._books.sent.get(key, 0)

    def send(self, day: int, token: str, reports: int) -> None:
        """Count reports of a token."""
        self._changes.sent[sent_key(day, token)] += reports

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        try:
            if error is None:
                commit(self._books, self._changes)
                return
        except BaseException:
            self._books.store.roll_back()
            raise
        self._books.store.roll_back()
