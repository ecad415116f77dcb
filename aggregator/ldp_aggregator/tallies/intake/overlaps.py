"""Which of several tallies have batches in common, by the names under which they came.

Each tally is compared with all that came before it, and not with their sum: of a sum
only the least hashes are left, so that a small part of it is seldom noticed. A tally of
which the other one has 1/r is noticed in 1 - (1 - 1/r)^64 of all cases: always for r =
2, half the time for r = 92.

What is kept of each tally are 64 hashes and its stores: memory grows with tallies, not
with batches.
"""

from __future__ import annotations

from datetime import UTC, datetime

from ldp_aggregator.output.files import FileError
from ldp_aggregator.tallies.identity import SIZE, Identity, Origin, Overlap, overlap
from ldp_aggregator.tallies.tally import Tally

_ALL_THE_SAME = "to add them up all the same, pass --allow-equal"


class TallyOverlaps:
    """The tallies that came so far."""

    def __init__(self) -> None:
        self._places: list[tuple[str, Identity, int]] = []
        self._by_hash: dict[int, int] = {}
        self._by_store: dict[bytes, list[int]] = {}

    def check(self, place: str, tally: Tally) -> None:
        """Raise `FileError` for a tally that has batches in common with one that came
        before.
        """
        for number in sorted(self._candidates(tally.identity)):
            earlier, identity, batches = self._places[number]
            common = overlap(identity, tally.identity)
            if common:
                raise FileError(
                    in_words((earlier, batches), (place, tally.intake.accepted), common)
                )

    def add(self, place: str, tally: Tally) -> None:
        """Remember a tally."""
        number, identity = len(self._places), tally.identity
        self._places.append((place, identity, tally.intake.accepted))
        for hash_ in identity.hashes:
            self._by_hash.setdefault(hash_, number)
        for store in {origin.store for origin in identity.origins}:
            self._by_store.setdefault(store, []).append(number)

    def _candidates(self, identity: Identity) -> set[int]:
        """The numbers of tallies that share a hash or a store."""
        numbers = {
            self._by_hash[hash_] for hash_ in identity.hashes if hash_ in self._by_hash
        }
        for store in {origin.store for origin in identity.origins}:
            numbers.update(self._by_store.get(store, ()))
        return numbers


def in_words(first: tuple[str, int], second: tuple[str, int], common: Overlap) -> str:
    """Describe the overlap of two tallies, by name and number of batches, and the
    remedy.
    """
    (one, batches), (other, others) = first, second
    expected = "expected tallies of different batches"
    if common.origins:
        return (
            f"{other}: {expected}, got {_of_one_store(first, second, common)}; "
            f"{_ALL_THE_SAME}"
        )
    if common.hashes == SIZE and batches == others:
        shared = f"those of {one} for the second time"
        return f"{other}: {expected}, got {shared}; leave one out, or {_ALL_THE_SAME}"
    return (
        f"{other}: {expected}, got some that {one} counts as well: {common.hashes} of "
        f"the {SIZE} that each is known by, about {common.share:.0%} of all; count the "
        "reports of both with one ldp aggregate, which counts each batch once, or "
        f"{_ALL_THE_SAME}"
    )


def _of_one_store(
    first: tuple[str, int], second: tuple[str, int], common: Overlap
) -> str:
    """Describe two downloads from one service, and which of them to leave out."""
    (one, batches), (other, others) = first, second
    mine, yours = common.origins[0]
    both = (
        f"two of one service's store, {one} of {_span(mine)} ({batches:,} batches) and "
        f"{other} of {_span(yours)} ({others:,} batches)"
    )
    if batches == others and mine == yours:
        return f"{both}; leave one out"
    earlier, later = (one, other) if batches < others else (other, one)
    inner, outer = (mine, yours) if batches < others else (yours, mine)
    if (
        len(common.origins) == 1
        and outer.start <= inner.start
        and inner.end <= outer.end
    ):
        return f"{both}; leave out {earlier}: {later} counts what it counts, and more"
    return (
        f"{both}; download the epochs of that time one by one (tally?epoch=N) instead"
    )


def _span(origin: Origin) -> str:
    """A store's time in words."""
    try:
        start, end = (
            datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%d %H:%M")
            for second in (origin.start, origin.end)
        )
    except (OverflowError, ValueError, OSError):
        return "all times"
    return f"{start} to {end} UTC"
