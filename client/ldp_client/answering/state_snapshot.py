"""State for randomizing while others write to the state file: the last one read of it.

Reading alone would not do: whether an answer may be charged for is decided where it is
written. All that randomizing takes is the person's word, the device's secret, its
cohorts, and which questions it drew; a copy of these is made whenever they may have
changed. What they were is checked again where the draft is charged for.
"""

from __future__ import annotations

from typing import NamedTuple

from ldp.numbers.randomness import Random
from ldp_client.answering.memory import COHORT, DRAW, SECRET, Memory
from ldp_client.keeping.store import ProcessStore, Record


class StateSnapshot(NamedTuple):
    """Consent when the store was read, and the memory of it that drafts are made by.

    The memory's store is a copy, in which the secret is as it is.
    """

    said: str
    memory: Memory

    @classmethod
    def read(cls, memory: Memory, said: str, random: Random) -> StateSnapshot:
        """Copy what a memory holds. Called in a transaction of its store."""
        records: list[tuple[str, bytes, Record]] = [
            (SECRET, b"", (memory.secret(random),))
        ]
        for kind in (COHORT, DRAW):
            records += [
                (kind, key, record) for key, record in memory.store.records(kind)
            ]
        copy = ProcessStore()

        def fill() -> None:
            for record in records:
                copy.put(*record)

        copy.transact(fill)
        return cls(said, Memory(copy, memory.scope))
