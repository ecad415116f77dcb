"""Diagnosis of a store: defects, their meaning, and repairs without ever guessing.

    one bit changed           put back: the checksum says which; nothing is lost
    a tally may lack parts    counted anew, if all its batches are kept whole; else set
                              aside, and what its questions share batches with as well;
                              its batches are `lost`
    ids are missing           the epoch is closed with all before it: what comes late is
                              refused, not counted twice. Where there are no epochs
                              nothing can be closed, and what is sent again is counted
                              again
    an epoch was closed       and the note of it is gone: closed again, as it has
                              batches and no ids; nothing is lost
    outcomes are missing      those batches are `lost`
    commits are missing       nothing brings them back; the service goes on from what is
                              there

Rules
- A tally that may lack a part is no tally. In a shard whose root does not add up, those
  are complete of which every part is there; and those of other questions, where broken
  records of some are all that is missing.
- received = accepted + duplicate + rejected + quarantined holds afterwards as before:
  `lost` is a reason of rejection.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from ldp_service.repair.census import Census
from ldp_service.store.records import EVER, TOKENS, Epoch, Record, seal, shard_key

LOST = "lost"


class Trouble(NamedTuple):
    """One thing that is wrong, what repairing does about it, and whether it costs
    something.
    """

    problem: str
    remedy: str
    lost: bool = False


@dataclass
class Diagnosis:
    """Defects, and the changes of a repair besides leaving out broken records."""

    census: Census
    troubles: list[Trouble] = field(default_factory=list)
    put: list[Record] = field(default_factory=list)
    drop: list[tuple[str, bytes]] = field(default_factory=list)
    forget: set[Epoch] = field(default_factory=set)
    """Epochs whose ids go."""
    ids: dict[bytes, bytes] = field(default_factory=dict)
    """Ids that were mended, by what they had become."""

    def note(self, problem: str, remedy: str, *, lost: bool = False) -> None:
        """Add a trouble."""
        self.troubles.append(Trouble(problem, remedy, lost))

    def close(self, epoch: Epoch) -> None:
        """Close it, with all before it."""
        census = self.census
        census.closed[epoch.length] = max(
            epoch.number, census.closed.get(epoch.length, -1)
        )
        shard = min(census.roots, default=0)
        record = seal(
            "closed",
            epoch.length.to_bytes(4, "big") + shard_key(shard),
            epoch.number.to_bytes(4, "big"),
        )
        self.put.append(record)
        for earlier in census.claimed:
            if earlier.length == epoch.length and earlier.number <= epoch.number:
                self.forget.add(earlier)


def when(epoch: Epoch) -> str:
    """An epoch in words."""
    if epoch == EVER:
        return "all time"
    if epoch == TOKENS:
        return "one-time tokens"
    return (
        f"the epoch from {datetime.fromtimestamp(epoch.start, UTC):%Y-%m-%d %H:%M} UTC"
    )


def many(number: int, one: str, more: str | None = None) -> str:
    """A number of things, in words."""
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {more or one + 's'}"
