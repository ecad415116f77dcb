"""Ids in a table of SQLite's that tells no order: those of one-time tokens that were spent.

For someone new to it: whoever takes the file must not learn which token came with which batch. A
database writes new rows behind old ones, within a page as well, so that ids which are kept in the
order of their hash still lie in the order in which they came. Here what lies in the file depends on
which ids there are, and on nothing else.

    bucket      a number; an id belongs to that of its first bits, of as few as give room to all
    id          `_ROOM` places of `ID_SIZE` bytes: the ids in their order, then zeros

A bucket is overwritten where it lies. Where one has no room, all ids move to twice as many, and
what was is overwritten with zeros. SQLite's log has every change in the order of time: the store
empties it after each of these (`SQLiteStore.commit`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ldp.epochs import ID_SIZE

_ROOM = 63
"""Four buckets fill a page, so that none is spread over several."""
_NONE = bytes(ID_SIZE)
_BITS = 32

Run = Callable[..., list[Any]]
"""Runs a statement with its values; its rows."""
_Buckets = dict[int, list[bytes]]


def claim(run: Run, table: str, ids: Sequence[bytes]) -> set[bytes]:
    """Keep ids, all different; those that had not been there. In a transaction."""
    run(f"CREATE TABLE IF NOT EXISTS {table} (bucket INTEGER PRIMARY KEY, id BLOB)")
    [(number,)] = run(f"SELECT coalesce(max(bucket) + 1, 0) FROM {table}")  # noqa: S608
    wanted = _spread(ids, number or 1)
    buckets: _Buckets = {}
    for bucket in wanted:
        rows = run(f"SELECT id FROM {table} WHERE bucket = ?", bucket)  # noqa: S608
        buckets[bucket] = [id_ for (cell,) in rows for id_ in parts(cell)]
    known = {id_ for members in buckets.values() for id_ in members}
    fresh = set(ids) - known
    for bucket, members in wanted.items():
        buckets[bucket] += fresh.intersection(members)
    if number and all(len(members) <= _ROOM for members in buckets.values()):
        # Of one size, so that each is written over what it was.
        for bucket, members in buckets.items():
            run(f"UPDATE {table} SET id = ? WHERE bucket = ?", _packed(members), bucket)  # noqa: S608
    elif fresh:
        rows = run(f"SELECT id FROM {table}")  # noqa: S608
        before = {id_ for (cell,) in rows for id_ in parts(cell)}
        _made_anew(run, table, before | fresh, number=number or 1)
    return fresh


def parts(cell: bytes) -> Iterator[bytes]:
    """The ids in a cell: one, whichever it is, or all of a bucket."""
    if len(cell) == ID_SIZE:
        yield cell
        return
    for start in range(0, len(cell), ID_SIZE):
        id_ = cell[start : start + ID_SIZE]
        if id_ != _NONE:
            yield id_


def _made_anew(run: Run, table: str, ids: Iterable[bytes], number: int) -> None:
    """The table with at least so many buckets, as many as give room to all."""
    everything = sorted(ids)
    while any(len(members) > _ROOM for members in _spread(everything, number).values()):
        number *= 2
    buckets = _spread(everything, number)
    # While rows are put in as well: a page that is divided keeps copies of what went to the other.
    run("PRAGMA secure_delete = ON")
    run(f"DROP TABLE {table}")
    run(f"CREATE TABLE {table} (bucket INTEGER PRIMARY KEY, id BLOB)")
    for bucket in range(number):
        run(f"INSERT INTO {table} VALUES (?, ?)", bucket, _packed(buckets.get(bucket, [])))  # noqa: S608
    run("PRAGMA secure_delete = OFF")


def _spread(ids: Iterable[bytes], number: int) -> _Buckets:
    """Ids by their buckets, of which there are so many, a power of two."""
    buckets: _Buckets = {}
    for id_ in ids:
        first = int.from_bytes(id_[: _BITS // 8], "big")
        buckets.setdefault(first * number >> _BITS, []).append(id_)
    return buckets


def _packed(ids: Iterable[bytes]) -> bytes:
    return b"".join(sorted(ids)).ljust(_ROOM * ID_SIZE, b"\0")
