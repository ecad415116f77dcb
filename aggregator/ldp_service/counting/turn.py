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
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ldp.survey.survey import FINGERPRINT_SIZE
from ldp_aggregator.numerics.arrays import Counts
from ldp_service.counting.books import HELD, Books, Statistic
from ldp_service.store.records import (
    NO_QUESTION,
    PART,
    SHOWN,
    Epoch,
    IdSum,
    Least,
    Record,
    Root,
    checksum,
    ended_in,
    intake_key,
    kept_key,
    last_closed_epochs,
    last_seen,
    pack_outcomes,
    seal,
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


class Turn:
    """Changes of one transaction. Records are written at its end; ids are claimed at
    once.
    """

    def __init__(self, books: Books) -> None:
        self._books = books
        self._shard = books.store.shard
        self._counts: dict[Statistic, Counts] = {}
        self._outcomes: dict[Statistic, Counter[str]] = {}
        self._ids: dict[Epoch, IdSum] = {}
        self._closed: dict[int, int] = {}
        self._seen: dict[int, int] = {}
        self._sent: Counter[bytes] = Counter()
        self._marks: dict[str, bytes] = {}
        self._written: dict[tuple[str, bytes], bytes] = {}
        self._dropped: list[Record] = []
        self._received = 0
        self._put_aside = 0

    @property
    def aside(self) -> int:
        """Bytes of the batches that are put aside."""
        return self._books.aside + self._put_aside

    def last_closed_epoch(self, length: int) -> int:
        """The last epoch of this length that is closed; -1 if none is."""
        return self._books.closed.get(length, -1)

    def is_ended(self, fingerprint: bytes) -> bool:
        """Whether a question or group takes no more reports: its survey was closed."""
        return fingerprint in self._books.ended

    def end(self, fingerprint: bytes) -> None:
        """Take no more reports to a question or group."""
        self._written["ended", fingerprint + shard_key(self._shard)] = b""

    def furthest(self, length: int) -> int:
        """The last epoch of this length that is closed, or that the clock was in."""
        return max(self.last_closed_epoch(length), self._books.seen.get(length, -1))

    def claim(self, epoch: Epoch, ids: Sequence[bytes]) -> set[bytes]:
        """Claim ids, all different; return those that were never claimed before."""
        fresh = self._books.store.claim(epoch, ids)
        if fresh:
            self._ids[epoch] = self._ids.get(epoch, IdSum()).plus(fresh)
        return fresh

    def count(self, fingerprint: bytes, epoch: Epoch, counts: Counts) -> None:
        """Add to the tally of a question or group."""
        sofar = self._counts.get((fingerprint, epoch))
        self._counts[fingerprint, epoch] = counts if sofar is None else sofar + counts

    def show(self, fingerprint: bytes, epoch: Epoch, counts: Counts) -> None:
        """Let these counts be looked at; of a turn that counts nothing."""
        # Flattened, (cells,), in parts of PART cells; those that are as they were are
        # not written.
        flat = counts.reshape(-1).astype("<i8")
        for part in np.unique(np.flatnonzero(flat) // PART).tolist():
            key = tally_key(fingerprint, epoch, self._shard, part=part)
            content = flat[part * PART : (part + 1) * PART].tobytes()
            if checksum(SHOWN, key, content) != self._books.sums.get((SHOWN, key)):
                self._written[SHOWN, key] = content

    def tell(
        self, fingerprint: bytes | None, epoch: Epoch, outcome: str, batches: int
    ) -> None:
        """Count batches of a known question, or of none, by what became of them."""
        counter = self._outcomes.setdefault(
            (fingerprint or NO_QUESTION, epoch), Counter()
        )
        counter[outcome] += batches

    def receive(self, batches: int) -> None:
        """Count batches as received, whatever becomes of them."""
        self._received += batches

    def name_store(self, id_: bytes) -> None:
        """Give the store an id; in a turn that is alone, and of a store that has
        none.
        """
        self._written["store", shard_key(self._shard)] = id_

    def define(self, fingerprint: bytes, source: str) -> None:
        """Keep the file of a survey, so that anyone who has the store can read its
        tallies.
        """
        self._written["survey", fingerprint + shard_key(self._shard)] = source.encode()

    def promise(self, fingerprint: bytes, least: Least) -> None:
        """Note how many reports groups of a question need; in a turn that is alone."""
        self._written["least", fingerprint + shard_key(self._shard)] = least.pack()

    def mark(self, source: str, place: bytes) -> None:
        """Remember how far a source has been read."""
        self._marks[source] = place

    def keep(self, day: int, fingerprint: bytes, id_: bytes, payload: bytes) -> None:
        """Keep the bytes of a batch, for a time."""
        self._written["kept", kept_key(day, fingerprint, id_, shard=self._shard)] = (
            payload
        )

    def put_aside(self, day: int, id_: bytes, payload: bytes) -> bool:
        """Keep the bytes of a batch that cannot be counted yet; False if they are there
        already.
        """
        key = day.to_bytes(4, "big") + id_ + shard_key(self._shard)
        if ("aside", key) in self._written or any(self._books.store.scan("aside", key)):
            return False
        self._written["aside", key] = payload
        self._put_aside += len(payload)
        return True

    def mix(self, key: bytes, content: bytes) -> None:
        """Keep what a part of a relay's batch was."""
        self._written["mixed", key + shard_key(self._shard)] = content

    def drop(self, records: Iterable[Record]) -> None:
        """Forget records of this shard, of kind `kept`, `aside` or `sent`."""
        self._dropped += records

    def close(self, length: int, number: int) -> None:
        """Close all epochs up to this one: their ids are forgotten, and late batches
        refused.
        """
        books = self._books
        # Another process may have been faster.
        self._closed[length] = max(number, self.last_closed_epoch(length))
        for epoch in books.store.epochs():
            if epoch.length == length and epoch.number <= number:
                books.store.forget(epoch)

    def reopen(self, length: int, number: int) -> None:
        """Let this be the last epoch that is closed; -1 for none. Ids are not brought
        back.
        """
        self._closed[length] = number

    def see(self, length: int, number: int) -> None:
        """Note the epoch that the clock is in."""
        self._seen[length] = number

    def reports_of_day(self, day: int, token: str) -> int:
        """Reports that a token has sent on a day, before this turn."""
        key = sent_key(day, token)
        if self._books.store.shared:
            records = self._books.store.scan("sent", key)
            return sum(int.from_bytes(record.content, "big") for record in records)
        return self._books.sent.get(key, 0)

    def send(self, day: int, token: str, reports: int) -> None:
        """Count reports of a token."""
        self._sent[sent_key(day, token)] += reports

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        try:
            if error is None:
                self._commit()
                return
        except BaseException:
            self._books.store.roll_back()
            raise
        self._books.store.roll_back()

    def _commit(self) -> None:
        """Write everything, and return when it is there to stay."""
        books, store = self._books, self._books.store
        closed = books.closed | self._closed
        self._write_sums()
        written = [
            seal(kind, key, content) for (kind, key), content in self._written.items()
        ]
        dropped = [*self._dropped, *self._stale(closed)]
        root = self._root(written, dropped)
        store.put([*written, seal("root", shard_key(self._shard), root.pack())])
        for kind in {record.kind for record in dropped}:
            store.drop(kind, [record.key for record in dropped if record.kind == kind])
        store.commit()
        self._apply(root, written, dropped, closed=closed)
        store.acknowledge(root.commits)

    def _root(self, written: list[Record], dropped: list[Record]) -> Root:
        """The root that adds up to the records after this turn."""
        commits, records, digest, received = self._books.root
        for record in written:
            before = self._books.sums.get((record.kind, record.key))
            records += before is None
            digest ^= (before or 0) ^ record.checksum
        for record in dropped:
            records -= 1
            digest ^= record.checksum
        return Root(commits + 1, records, digest, received=received + self._received)

    def _write_sums(self) -> None:
        books, shard = self._books, self._shard
        for (fingerprint, epoch), counts in self._counts.items():
            # Both flattened, (cells,); only parts in which something was counted are
            # written.
            before = books.tally(fingerprint, epoch).reshape(-1)
            new = counts.reshape(-1)
            for part in np.unique(np.flatnonzero(new) // PART).tolist():
                cells = slice(part * PART, (part + 1) * PART)
                content = (before[cells] + new[cells]).astype("<i8").tobytes()
                self._written[
                    "tally", tally_key(fingerprint, epoch, shard, part=part)
                ] = content
        for (fingerprint, epoch), outcomes in self._outcomes.items():
            # Not a sum of counters: batches that were aside are taken out of the count
            # of those that are.
            outcomes.update(books.outcomes.get((fingerprint, epoch), {}))
            self._written["intake", intake_key(fingerprint, epoch, shard)] = (
                pack_outcomes(outcomes)
            )
        for epoch, ids in self._ids.items():
            self._ids[epoch] = ids.join(books.ids.get(epoch, IdSum()))
            self._written["ids", epoch.key + shard_key(shard)] = self._ids[epoch].pack()
        for kind, numbers in (("closed", self._closed), ("seen", self._seen)):
            for length, number in numbers.items():
                key = length.to_bytes(4, "big") + shard_key(shard)
                if number >= 0:
                    self._written[kind, key] = number.to_bytes(4, "big")
                elif (kind, key) in books.sums:
                    self._dropped.append(
                        Record(kind, key, b"", checksum=books.sums[kind, key])
                    )
        for key, reports in self._sent.items():
            self._sent[key] = reports + books.sent.get(key, 0)
            self._written["sent", key + shard_key(shard)] = self._sent[key].to_bytes(
                8, "big"
            )
        for source, place in self._marks.items():
            self._written["mark", source.encode() + shard_key(shard)] = place

    def _stale(self, closed: Mapping[int, int]) -> list[Record]:
        """The sums of ids that have been forgotten, by this process or another."""
        books = self._books
        stale = [
            epoch for epoch in books.ids if epoch.number <= closed.get(epoch.length, -1)
        ]
        keys = [epoch.key + shard_key(self._shard) for epoch in stale]
        return [
            Record("ids", key, b"", checksum=books.sums["ids", key]) for key in keys
        ]

    def _apply(
        self,
        root: Root,
        written: list[Record],
        dropped: list[Record],
        closed: dict[int, int],
    ) -> None:
        books = self._books
        for statistic, counts in self._counts.items():
            books.tally(*statistic).__iadd__(counts)
        books.root = root
        books.closed = closed
        books.seen = books.seen | self._seen
        books.outcomes |= self._outcomes
        books.ids |= self._ids
        books.marks |= self._marks
        books.sent |= self._sent
        for record in written:
            if record.kind == "ended":
                books.ended.add(record.key[:FINGERPRINT_SIZE])
            if record.kind in HELD:
                books.sums[record.kind, record.key] = record.checksum
        books.aside += self._put_aside
        for record in dropped:
            books.sums.pop((record.kind, record.key), None)
            books.sent.pop(record.key[:-2], None)
            if record.kind == "aside":
                books.aside -= len(record.content)
        if self._closed or any(record.kind == "ids" for record in dropped):
            books.let_go()
