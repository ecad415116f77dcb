"""Ids that came to a relay, by epoch: nothing is mixed twice, in tables that tell no
order.

For someone new to it: a retry has the id that its report had before. But whoever
watches a device may send its envelope again, under ids of their own, a thousand times;
if the relay mixed all of these, they would stand out in the collector's counts, and
what the device said with them. So a relay knows envelopes as well as ids.

    seen_L_E      marks of what came in an epoch, in no order (`store.unordered`)
    secrets       the key of this store

Rules
- A mark is a hash, under the key of the store, of an id, or of an envelope and what it
  is for. Its beginning says where it lies; nobody who lacks the key can fill one place
  on purpose.
- Which mark of an id belongs to which of an envelope is nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain

from ldp.numbers.epochs import ID_SIZE
from ldp.numbers.randomness import Random, system
from ldp_service.store import unordered
from ldp_service.store.records import Epoch

TABLE = "secrets (name TEXT PRIMARY KEY, content BLOB)"
_KEY_SIZE = 32


class SeenIds:
    """The marks of what came, in the tables of one store."""

    def __init__(self, run: unordered.Run, random: Random = system) -> None:
        self._run = run
        run("INSERT OR IGNORE INTO secrets VALUES ('marks', ?)", random(_KEY_SIZE))
        [(self._key,)] = run("SELECT content FROM secrets WHERE name = 'marks'")

    def claim(self, epoch: Epoch, names: Sequence[tuple[bytes, ...]]) -> list[bool]:
        """Note what came under which names; whether nothing of that name had come
        before.

        Also not among those that stand before it. All names of what came again are
        noted as well.
        """
        marks = [[self._mark(name) for name in those] for those in names]
        different = list(dict.fromkeys(chain.from_iterable(marks)))
        known = set(different) - unordered.claim(self._run, _table(epoch), different)
        is_fresh: list[bool] = []
        for those in marks:
            is_fresh.append(known.isdisjoint(those))
            known.update(those)
        return is_fresh

    def forget(self, epoch: Epoch) -> None:
        """Forget what came in an epoch."""
        self._run(f"DROP TABLE IF EXISTS {_table(epoch)}")

    def epochs(self) -> list[Epoch]:
        """Return the epochs with known ids."""
        rows = self._run(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'seen!_%' ESCAPE '!'"
        )
        return sorted(Epoch(*map(int, name.split("_")[1:])) for (name,) in rows)

    def _mark(self, name: bytes) -> bytes:
        return blake2b(name, digest_size=ID_SIZE, key=self._key).digest()


def _table(epoch: Epoch) -> str:
    return f"seen_{epoch.length}_{epoch.number}"
