"""Identity of a tally: the batches in it, in a size that does not grow.

For someone new to it: a tally has forgotten its batches, and two that count the same
ones add up to estimates that claim more than anyone knows. So it keeps the 64 least
hashes of their ids, a bottom-k sketch. These are those of the same 64 batches wherever
they are counted, so that a hash which two tallies share is a batch that both have. Of a
service's store it says which one it was, and of what time, since that is known exactly.

    sketch(A + B)  = the 64 least of sketch(A) and sketch(B)       commutative, associative, unit {}
    share in both  ~ |sketch(A), sketch(B) and sketch(A + B)| / |sketch(A + B)|

Rules
- Hashes are keyed (`counting.siphash`). Without `LDPKIT_TALLY_KEY` the key is known to
  all: then senders may choose ids that have small hashes, which docs/trust.md weighs.
- Only sketches under one key are compared, or added up.
- Of a store the times are intervals, and those that touch are one.

Source: Cohen, Kaplan, "Summarizing data using bottom-k sketches", PODC 2007, section 2;
Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 3.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from ldp.errors import MismatchError
from ldp_aggregator.tallies.counting.siphash import KEY_SIZE, siphashes

SIZE = 64
"""Hashes that a sketch has at most."""
HASH_SIZE, CHECK_SIZE, STORE_SIZE = 8, 8, 16
EVER_ENDS = (1 << 64) - 1
KEY = "LDPKIT_TALLY_KEY"


class OverlapError(MismatchError):
    """Two tallies that count some batches both.

    `Tally` has an example.
    """


class Origin(NamedTuple):
    """The store of a service, by its id, and an interval of time: seconds since 1970,
    without end.

    What a store counts without epochs is of all times.
    """

    store: bytes
    start: int
    end: int


@dataclass(frozen=True)
class Identity:
    """The least hashes of ids of batches, in ascending order; and of which stores
    counts are.

    `check` tells the key of the hashes from others; without hashes there is none.
    """

    hashes: tuple[int, ...] = ()
    check: bytes = b""
    origins: tuple[Origin, ...] = ()

    @classmethod
    def of_store(cls, store: bytes, intervals: Iterable[tuple[int, int]]) -> Identity:
        """Return the identity of counts out of a store, of these times."""
        return cls(origins=_unite(Origin(store, *interval) for interval in intervals))

    def plus(self, ids: Sequence[bytes]) -> Identity:
        """With further batches."""
        if not ids:
            return self
        key, check = _key_and_check()
        hashes = siphashes(key, ids)
        if len(self.hashes) == SIZE and check == self.check:
            hashes = hashes[hashes < self.hashes[-1]]
        if not len(hashes):
            return self
        hashes.sort()
        return self.join(Identity(_least(hashes[: 2 * SIZE].tolist()), check))

    def join(self, other: Identity) -> Identity:
        """Join both. Raises `MismatchError` for sketches under two keys."""
        check_keys(self, other)
        return Identity(
            _least(self.hashes + other.hashes),
            self.check or other.check,
            _unite(self.origins + other.origins),
        )


class Overlap(NamedTuple):
    """Common part of two identities.

    Equal hashes among both sketches; about which share of all batches, of 1, both
    count; and the pairs of origins that are of one store and time.
    """

    hashes: int
    share: float
    origins: tuple[tuple[Origin, Origin], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.hashes or self.origins)


def overlap(one: Identity, other: Identity) -> Overlap:
    """Return the common part of two identities. Raises `MismatchError` for two keys."""
    check_keys(one, other)
    common = set(one.hashes).intersection(other.hashes)
    least = _least(one.hashes + other.hashes)
    share = len(common.intersection(least)) / max(1, len(least))
    origins = tuple(
        (first, second)
        for first in one.origins
        for second in other.origins
        if first.store == second.store
        and first.start < second.end
        and second.start < first.end
    )
    return Overlap(len(common), share, origins)


def check_keys(one: Identity, other: Identity) -> None:
    """Raise `MismatchError` for sketches that cannot be compared."""
    if one.check and other.check and one.check != other.check:
        raise MismatchError(
            "expected tallies whose batches are hashed under one key, got two; count "
            f"the reports anew with the {KEY} of the others"
        )


def _least(hashes: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(hashes))[:SIZE])


def _unite(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    """In order, each store's intervals apart from each other."""
    united: list[Origin] = []
    for origin in sorted(origins):
        last = None
        if united:
            last = united[-1]
        if last is not None and last.store == origin.store and origin.start <= last.end:
            united[-1] = last._replace(end=max(last.end, origin.end))
        else:
            united.append(origin)
    return tuple(united)


def _key_and_check() -> tuple[bytes, bytes]:
    """The key of this process, and what tells it from others."""
    return _derive_key(os.environ.get(KEY, ""))


@lru_cache(maxsize=8)
def _derive_key(text: str) -> tuple[bytes, bytes]:
    key = blake2b(text.encode(), digest_size=KEY_SIZE, person=b"ldp tally key").digest()
    return key, blake2b(key, digest_size=CHECK_SIZE, person=b"ldp tally check").digest()
