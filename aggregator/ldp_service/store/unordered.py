"""Ids in a table of SQLite's that tells no order: of one-time tokens, and of what came
to a relay.

For someone new to it: whoever takes the file must not learn which token came with which
batch, nor which device sent first. A database writes new rows behind old ones, within a
page as well, so that ids which are kept in the order of their hash still lie in the
order in which they came. Here what lies in the file depends on which ids there are, and
on nothing else.

    bucket      a number; an id belongs to that of its first bits, of as few as give
                room to all
    id          `ROOM` places of `ID_SIZE` bytes: the ids in their order, then zeros

A bucket is overwritten where it lies. Where one has no room, all ids move to twice as
many, and what was is overwritten with zeros. SQLite's log has every change in the order
of time: who commits empties it after each of these (`SQLiteStore.commit`), or keeps
none (`relay.pool`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ldp.numbers.epochs import ID_SIZE

ROOM = 63
"""Ids that a bucket holds. Four buckets fill a page, so that none is spread over
several.
"""
_NONE = bytes(ID_SIZE)
_BITS = 32
_MANY = 500

COLUMNS = "(bucket INTEGER PRIMARY KEY, id BLOB)"

Run = Callable[..., list[Any]]
"""Runs a statement with its values; its rows."""
_Buckets = dict[int, list[bytes]]


def claim(run: Run, table: str, ids: Sequence[bytes]) -> set[bytes]:
    """Keep ids, all different; those that had not been there. In a transaction."""
    run(f"CREATE TABLE IF NOT EXISTS {table} {COLUMNS}")
    [(number,)] = run(f"SELECT coalesce(max(bucket) + 1, 0) FROM {table}")  # noqa: S608
    wanted = _spread(ids, number or 1)
    buckets = _read(run, table, list(wanted))
    known = {id_ for members in buckets.values() for id_ in members}
    fresh = set(ids) - known
    for bucket, members in wanted.items():
        buckets[bucket] += fresh.intersection(members)
    if number and all(len(members) <= ROOM for members in buckets.values()):
        # Of one size, so that each is written over what it was.
        for bucket, members in buckets.items():
            run(f"UPDATE {table} SET id = ? WHERE bucket = ?", _pack(members), bucket)  # noqa: S608
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


def _read(run: Run, table: str, wanted: Sequence[int]) -> _Buckets:
    """The ids in some buckets; of a table that has none, none."""
    buckets: _Buckets = {bucket: [] for bucket in wanted}
    for start in range(0, len(wanted), _MANY):
        some = wanted[start : start + _MANY]
        places = ", ".join("?" * len(some))
        query = f"SELECT bucket, id FROM {table} WHERE bucket IN ({places})"  # noqa: S608
        for bucket, cell in run(query, *some):
            buckets[bucket] = list(parts(cell))
    return buckets


def _made_anew(run: Run, table: str, ids: Iterable[bytes], number: int) -> None:
    """The table with at least so many buckets, as many as give room to all."""
    everything = sorted(ids)
    while any(len(members) > ROOM for members in _spread(everything, number).values()):
        number *= 2
    buckets = _spread(everything, number)
    # While rows are put in as well: a page that is divided keeps copies of what went to
    # the other.
    [(secure,)] = run("PRAGMA secure_delete")
    run("PRAGMA secure_delete = ON")
    run(f"DROP TABLE {table}")
    run(f"CREATE TABLE {table} {COLUMNS}")
    for bucket in range(number):
        run(
            f"INSERT INTO {table} VALUES (?, ?)",  # noqa: S608
            bucket,
            _pack(buckets.get(bucket, [])),
        )
    run(f"PRAGMA secure_delete = {secure}")


def _spread(ids: Iterable[bytes], number: int) -> _Buckets:
    """Ids by their buckets, of which there are so many, a power of two."""
    buckets: _Buckets = {}
    for id_ in ids:
        first = int.from_bytes(id_[: _BITS // 8], "big")
        buckets.setdefault(first * number >> _BITS, []).append(id_)
    return buckets


def _pack(ids: Iterable[bytes]) -> bytes:
    return b"".join(sorted(ids)).ljust(ROOM * ID_SIZE, b"\0")
