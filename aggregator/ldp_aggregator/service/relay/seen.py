"""What came to a relay, by epoch: so that nothing is mixed twice, in tables that tell no order.

For someone new to it: a retry has the id that its report had before. But whoever watches a device
may send its envelope again, under ids of their own, a thousand times; if the relay mixed all of
these, they would stand out in the collector's counts, and what the device said with them. So a
relay knows envelopes as well as ids. A table of what came would tell in which order, though: a
database writes what is new behind what is old. These do not:

    seen          how many buckets the table of an epoch has
    seen_L_E      the buckets, rows of one size that are overwritten where they stand
    secrets       the key of this store

Rules
- A mark is a hash, under the key of the store, of an id, or of an envelope and what it is for. Its
  beginning says which bucket it is in; nobody who lacks the key can fill one bucket on purpose.
- A bucket has its marks in ascending order, then zeros. There are as few buckets, a power of two,
  as hold all marks. So what is in the file depends on which marks there are, and on no order.
- Which mark of an id belongs to which of an envelope is nowhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import Any

from ldp.randomness import Random, system
from ldp_aggregator.service.store.records import Epoch

TABLES = (
    "seen (length INTEGER, number INTEGER, buckets INTEGER, PRIMARY KEY (length, number))",
    "secrets (name TEXT PRIMARY KEY, content BLOB)",
)
MARK_SIZE = 16
CAPACITY = 32
"""Marks that a bucket holds."""
_FEWEST = 8
_KEY_SIZE = 32
_SELECTED = 500
_NONE = bytes(MARK_SIZE)

Run = Callable[..., list[Any]]
"""Runs a statement with values, and gives its rows."""
RunMany = Callable[[str, Iterable[tuple[object, ...]]], None]
"""Runs a statement for each row of values."""


class Seen:
    """The marks of what came, in the tables of one store."""

    def __init__(self, run: Run, run_many: RunMany, random: Random = system) -> None:
        self._run = run
        self._run_many = run_many
        run(
            "INSERT OR IGNORE INTO secrets VALUES ('marks', ?)",
            random(_KEY_SIZE),
        )
        [(self._key,)] = run("SELECT content FROM secrets WHERE name = 'marks'")

    def claim(self, epoch: Epoch, names: Sequence[tuple[bytes, ...]]) -> list[bool]:
        """Note what came under which names; whether nothing of that name had come before.

        Also not among those that stand before it. All names of what came again are noted as well.
        """
        marks = [[self._mark(name) for name in those] for those in names]
        buckets = self._buckets(epoch)
        wanted = {_place(mark, buckets) for those in marks for mark in those}
        content = self._read(epoch, wanted)
        known = {mark for those in content.values() for mark in those}
        is_fresh: list[bool] = []
        changed: set[int] = set()
        for those in marks:
            is_fresh.append(known.isdisjoint(those))
            for mark in those:
                if mark not in known:
                    known.add(mark)
                    place = _place(mark, buckets)
                    content[place].add(mark)
                    changed.add(place)
        if any(len(content[place]) > CAPACITY for place in changed):
            self._grow(epoch, content, buckets)
        else:
            self._write(epoch, {place: content[place] for place in changed})
        return is_fresh

    def forget(self, epoch: Epoch) -> None:
        """Forget what came in an epoch."""
        self._run(f"DROP TABLE IF EXISTS {_table(epoch)}")
        self._run("DELETE FROM seen WHERE length = ? AND number = ?", *epoch)

    def epochs(self) -> list[Epoch]:
        """Those of which something is known."""
        return sorted(Epoch(*row) for row in self._run("SELECT length, number FROM seen"))

    def _mark(self, name: bytes) -> bytes:
        return blake2b(name, digest_size=MARK_SIZE, key=self._key).digest()

    def _buckets(self, epoch: Epoch) -> int:
        """How many buckets an epoch has, which are made if there are none."""
        rows = self._run("SELECT buckets FROM seen WHERE length = ? AND number = ?", *epoch)
        if rows:
            return int(rows[0][0])
        self._make(epoch, _FEWEST, {})
        return _FEWEST

    def _read(self, epoch: Epoch, places: set[int]) -> defaultdict[int, set[bytes]]:
        """The marks in some buckets."""
        content: defaultdict[int, set[bytes]] = defaultdict(set)
        listed = sorted(places)
        for start in range(0, len(listed), _SELECTED):
            some = listed[start : start + _SELECTED]
            asked = ", ".join("?" * len(some))
            query = f"SELECT bucket, marks FROM {_table(epoch)} WHERE bucket IN ({asked})"  # noqa: S608
            for place, packed in self._run(query, *some):
                content[place] = _unpacked(packed)
        return content

    def _write(self, epoch: Epoch, content: dict[int, set[bytes]]) -> None:
        # Rows of one size are overwritten where they stand.
        update = f"UPDATE {_table(epoch)} SET marks = ? WHERE bucket = ?"  # noqa: S608
        self._run_many(update, [(_packed(marks), place) for place, marks in content.items()])

    def _grow(self, epoch: Epoch, content: dict[int, set[bytes]], buckets: int) -> None:
        """Make a table of so many buckets that each holds its marks."""
        rows = self._run(f"SELECT bucket, marks FROM {_table(epoch)}")  # noqa: S608
        marks = {mark for those in content.values() for mark in those}
        for place, packed in rows:
            if place not in content:
                marks |= _unpacked(packed)
        spread: dict[int, set[bytes]] = {0: marks}
        while max(map(len, spread.values())) > CAPACITY:
            buckets *= 2
            spread = defaultdict(set)
            for mark in marks:
                spread[_place(mark, buckets)].add(mark)
        self._run(f"DROP TABLE {_table(epoch)}")
        self._make(epoch, buckets, spread)

    def _make(self, epoch: Epoch, buckets: int, content: dict[int, set[bytes]]) -> None:
        self._run(f"CREATE TABLE {_table(epoch)} (bucket INTEGER PRIMARY KEY, marks BLOB)")
        rows = ((place, _packed(content.get(place, set()))) for place in range(buckets))
        self._run_many(f"INSERT INTO {_table(epoch)} VALUES (?, ?)", rows)  # noqa: S608
        self._run("INSERT OR REPLACE INTO seen VALUES (?, ?, ?)", *epoch, buckets)


def _table(epoch: Epoch) -> str:
    return f"seen_{epoch.length}_{epoch.number}"


def _place(mark: bytes, buckets: int) -> int:
    return int.from_bytes(mark[:8], "big") % buckets


def _packed(marks: set[bytes]) -> bytes:
    return b"".join(sorted(marks)).ljust(CAPACITY * MARK_SIZE, b"\0")


def _unpacked(packed: bytes) -> set[bytes]:
    marks = {packed[at : at + MARK_SIZE] for at in range(0, len(packed), MARK_SIZE)}
    # Of a hash nobody ever sees that it is all zeros.
    return marks - {_NONE}
