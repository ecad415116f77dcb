"""Records of a store: by kind and key, under checksums; ids of batches, by epoch.

    kind      key                                content
    root      shard                              see `Root`
    store     shard                              the id that tells the store from others
    survey    fingerprint, shard                 the survey file
    least     fingerprint, shard                 see `Least`
    ended     fingerprint, shard                 nothing: it takes no more reports
    tally     fingerprint, epoch, shard, part    `PART` counts of a question or group, in order
    shown     as of tally                        what of these may be looked at
    intake    fingerprint, epoch, shard          how many batches had which outcome
    ids       epoch, shard                       see `IdSum`
    closed    length, shard                      the last epoch of this length that is closed
    seen      length, shard                      the last epoch of this length that the clock was in
    sent      day, token's name, shard           how many reports it has sent on the day
    mark      source, shard                      how far a source has been read
    kept      day, fingerprint, id, shard        the rows of a batch
    aside     day, id, shard                     a batch of a question that is not known
    mixed     fingerprint, epoch, batch, id, shard   a part of a relay's batch (`mixing.batches`)

The counts of a combination of attributes are a tally as well, under a fingerprint of
their own (`combinations`). A shard is a process that writes; it changes no other's
records. A fingerprint of zeros stands for no known question. Days and epochs are all
there is of time, and keys are in no order of arrival. Numbers in keys are big-endian.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from xxhash import xxh64_intdigest

from ldp.numbers.epochs import ID_SIZE, epoch_of
from ldp.survey.survey import FINGERPRINT_SIZE
from ldp.wire.wire import pack_array, unpack_array

FORMAT = 1
TALLY, SHOWN = "tally", "shown"
KINDS = (
    "root",
    "store",
    "survey",
    "least",
    "ended",
    TALLY,
    SHOWN,
    "intake",
    "ids",
    "closed",
    "seen",
    "sent",
    "mark",
    "kept",
    "aside",
    "mixed",
)
PART = 512
DAY = 86_400
NO_QUESTION = bytes(FINGERPRINT_SIZE)
DAMAGED = "store-damaged"

_EPOCH = struct.Struct(">II")
_SHARD = struct.Struct(">H")
_ROOT = struct.Struct(">IQQQQ")
_ID_SUM = struct.Struct(">QQQQ")
_LEAST = struct.Struct(">II")
_MOST_CONTENT = 1 << 25


class Epoch(NamedTuple):
    """An epoch by its length in seconds and its number since 1970.

    `EVER` for a survey without epochs.
    """

    length: int
    number: int

    @classmethod
    def read(cls, key: bytes) -> Epoch:
        """The epoch that a key begins with."""
        return cls(*_EPOCH.unpack(key[:8]))

    @classmethod
    def at(cls, id_: bytes, length: int) -> Epoch:
        """Return the epoch of a batch's id, of a survey with epochs of `length`
        seconds.
        """
        return cls(length, epoch_of(id_))

    @property
    def key(self) -> bytes:
        """Eight bytes, in the order of time."""
        return _EPOCH.pack(self.length, self.number)

    @property
    def start(self) -> int:
        """Seconds since 1970."""
        return self.length * self.number


EVER = Epoch(0, 0)
TOKENS = Epoch(0, 1)
"""What stands for one-time tokens that were spent lies beside the ids of batches, as an
epoch's.
"""


class Scanned(Protocol):
    """Source of records."""

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        """Yield the records whose keys begin with the prefix, in their order."""


class Record(NamedTuple):
    """One record; the checksum is what it was sealed with, whether or not it still
    fits.
    """

    kind: str
    key: bytes
    content: bytes
    checksum: int

    @property
    def sound(self) -> bool:
        """Whether nothing has changed since it was sealed."""
        return self.checksum == checksum(self.kind, self.key, self.content)


class Root(NamedTuple):
    """Totals of a shard.

    Commits so far, its records, the exclusive or of their checksums, and batches
    received.
    """

    commits: int = 0
    records: int = 0
    digest: int = 0
    received: int = 0

    def pack(self) -> bytes:
        """Pack the content of a record."""
        return _ROOT.pack(FORMAT, *self)


class Least(NamedTuple):
    """The reports that a group of a question needs: by the survey that came first, and
    at most.

    Several surveys, or versions of one, may have the question.
    """

    first: int
    highest: int

    def pack(self) -> bytes:
        """Pack the content of a record."""
        return _LEAST.pack(*self)


class IdSum(NamedTuple):
    """Sum of a set of ids, in whatever order.

    Their number, the exclusive ors of both halves, and the sum of the products of the
    halves.
    """

    ids: int = 0
    high: int = 0
    low: int = 0
    products: int = 0

    def plus(self, ids: Iterable[bytes]) -> IdSum:
        """With further ids."""
        # A row an id: (ids, 2), each half a number of 64 bits.
        halves = np.frombuffer(b"".join(ids), dtype="<u8").reshape(-1, 2)
        if not len(halves):
            return self
        # One number for each column, (2,); products wrap at 2^64, as sums of them do.
        high, low = (int(half) for half in np.bitwise_xor.reduce(halves, axis=0))
        products = int((halves[:, 0] * halves[:, 1]).sum(dtype=np.uint64))
        return self.join(IdSum(len(halves), high, low, products=products))

    def join(self, other: IdSum) -> IdSum:
        """Join two sets that have nothing in common."""
        products = (self.products + other.products) & ((1 << 64) - 1)
        return IdSum(
            self.ids + other.ids,
            self.high ^ other.high,
            self.low ^ other.low,
            products=products,
        )

    def pack(self) -> bytes:
        """Pack the content of a record."""
        return _ID_SUM.pack(*self)


def checksum(kind: str, key: bytes, content: bytes) -> int:
    """The XXH64 of all that a record is."""
    return xxh64_intdigest(b"%b:%d:%b%b" % (kind.encode(), len(key), key, content))


def seal(kind: str, key: bytes, content: bytes) -> Record:
    """A record under its checksum."""
    return Record(kind, key, content, checksum=checksum(kind, key, content))


def shard_key(shard: int) -> bytes:
    """Two bytes."""
    return _SHARD.pack(shard)


def tally_key(fingerprint: bytes, epoch: Epoch, shard: int, part: int) -> bytes:
    """The key of one part of a tally."""
    return fingerprint + epoch.key + _SHARD.pack(shard) + part.to_bytes(4, "big")


def read_tally_key(key: bytes) -> tuple[bytes, Epoch, int, int]:
    """Fingerprint, epoch, shard and part."""
    fingerprint, rest = key[:FINGERPRINT_SIZE], key[FINGERPRINT_SIZE:]
    return (
        fingerprint,
        Epoch.read(rest),
        *_SHARD.unpack(rest[8:10]),
        int.from_bytes(rest[10:], "big"),
    )


def intake_key(fingerprint: bytes, epoch: Epoch, shard: int) -> bytes:
    """The key of the outcomes of a question's batches."""
    return fingerprint + epoch.key + _SHARD.pack(shard)


def read_intake_key(key: bytes) -> tuple[bytes, Epoch, int]:
    """Fingerprint, epoch and shard."""
    fingerprint, rest = key[:FINGERPRINT_SIZE], key[FINGERPRINT_SIZE:]
    return fingerprint, Epoch.read(rest), *_SHARD.unpack(rest[8:10])


def kept_key(day: int, fingerprint: bytes, id_: bytes) -> bytes:
    """The key of a batch that is kept whole, without a shard."""
    return day.to_bytes(4, "big") + fingerprint + id_


def mixed_key(fingerprint: bytes, epoch: Epoch, batch: bytes, id_: bytes) -> bytes:
    """The key of a part of a relay's batch, without a shard."""
    return fingerprint + epoch.key + batch + id_


def read_mixed_key(key: bytes) -> tuple[bytes, Epoch, bytes]:
    """Fingerprint, epoch and batch."""
    rest = key[FINGERPRINT_SIZE:]
    return key[:FINGERPRINT_SIZE], Epoch.read(rest), rest[8 : 8 + ID_SIZE]


def read_kept_key(key: bytes) -> tuple[int, bytes, bytes]:
    """Day, fingerprint and id."""
    return (
        int.from_bytes(key[:4], "big"),
        key[4 : 4 + FINGERPRINT_SIZE],
        key[4 + FINGERPRINT_SIZE :][:ID_SIZE],
    )


def sent_key(day: int, token: str) -> bytes:
    """Return the first bytes of the key of a token's count on a day."""
    return b"%b%b\0" % (day.to_bytes(4, "big"), token.encode())


def shard_of(record: Record) -> int:
    """Return the shard of a record."""
    at = -6 if record.kind in (TALLY, SHOWN) else -2
    shard: int = _SHARD.unpack(record.key[at : at + 2 or None])[0]
    return shard


def read_root(content: bytes) -> Root:
    """Raises `ValueError` for another format."""
    version, *rest = _ROOT.unpack(content)
    if version != FORMAT:
        raise ValueError(f"expected a store of format {FORMAT}, got format {version}")
    return Root(*rest)


def read_id_sum(content: bytes) -> IdSum:
    """The content of a record of kind `ids`."""
    return IdSum(*_ID_SUM.unpack(content))


def read_least(content: bytes) -> Least:
    """The content of a record of kind `least`."""
    return Least(*_LEAST.unpack(content))


def pack_outcomes(outcomes: Counter[str]) -> bytes:
    """The content of a record of kind `intake`."""
    return pack_array(
        [
            [name, count.to_bytes(8, "little")]
            for name, count in sorted(outcomes.items())
            if count
        ]
    )


def read_outcomes(content: bytes) -> Counter[str]:
    """Read the outcomes of a record."""
    parts = unpack_array(content, _MOST_CONTENT, DAMAGED)
    return Counter({name: int.from_bytes(count, "little") for name, count in parts})


def last_closed_epochs(snapshot: Scanned) -> dict[int, int]:
    """The last epoch of each length that any process has closed."""
    return _last(snapshot, "closed")


def last_seen(snapshot: Scanned) -> dict[int, int]:
    """The last epoch of each length in which any process has written something."""
    return _last(snapshot, "seen")


def ended_in(snapshot: Scanned) -> set[bytes]:
    """The questions and groups that take no more reports."""
    return {record.key[:FINGERPRINT_SIZE] for record in snapshot.scan("ended")}


def _last(snapshot: Scanned, kind: str) -> dict[int, int]:
    last: dict[int, int] = {}
    for record in snapshot.scan(kind):
        length, number = (
            int.from_bytes(part, "big") for part in (record.key[:4], record.content)
        )
        last[length] = max(number, last.get(length, -1))
    return last
