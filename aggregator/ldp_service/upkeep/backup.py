"""Backups: a copy of a store that is served meanwhile, and a store made of one.

A backup is a store of its own, one SQLite file with its witness beside it, whatever the
store is in: SQLite's own way of copying for a file (its log included), record by record
for PostgreSQL; all of one moment. So a backup can be looked at with `ldp store doctor`,
exported, and served. A restore goes record by record: a backup brings nothing else
along.

Rules
- Nothing is called a backup that was not read back and checked, as a service checks its
  store.
- A file appears under its name when it is whole and synced; nothing is written over,
  unless a restore was told to, and then what was there is kept.
- A restore needs the store for itself: a service that writes to it is noticed by its
  lock.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from ldp_aggregator.output.files import hand_over, opened_private, sync_folder
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import file_of, open_snapshot, open_store
from ldp_service.store.records import KINDS, read_root
from ldp_service.store.sqlite import ROWS, SQLiteStore, connect, reading
from ldp_service.store.store import Snapshot, Store
from ldp_service.store.verification import check
from ldp_service.store.witness import Witness, witness_path
from ldp_service.upkeep.sizes import Sizes

_LOGS = ("-wal", "-shm")


def back_up(url: str, place: Path) -> Sizes:
    """Write a backup of the store at a URL to a new file; what it holds. Raises
    `StoreError`.
    """
    if place.is_dir():
        raise StoreError(
            f"expected a new file at {place}, got a folder; --keep 48h,14d keeps "
            "backups in one"
        )
    if place.exists():
        raise StoreError(
            f"expected no file at {place}, found one; a backup has a name of its own"
        )
    source = file_of(url)
    with _appearing(place) as fresh:
        if source is None:
            with open_snapshot(url) as snapshot, closing(SQLiteStore(fresh)) as store:
                _copy(snapshot, store)
        else:
            _copy_file(_existing(source), fresh)
        _forget_logs(fresh)
        with reading(fresh) as copied:
            check(copied, None)
            sizes = Sizes.of(copied)
            with closing(Witness(fresh)) as witness:
                witness.write(_commits(copied))
    return sizes


def restore(
    backup: Path, url: str, *, replaces: bool
) -> tuple[Sizes, Sizes | None, Path | None]:
    """Make the store at a URL of a backup, which is checked first.

    What it holds; what the store held that it replaces, if that can be told; and under
    which name that is kept.
    """
    with reading(_existing(str(backup))) as snapshot:
        check(snapshot, None)
        sizes = Sizes.of(snapshot)
    source = file_of(url)
    if source is None:
        with closing(open_store(url)) as store, reading(backup) as snapshot:
            if any(any(store.scan(kind)) for kind in KINDS):
                raise StoreError(
                    "expected an empty database to restore to, found a store in it"
                )
            _copy(snapshot, store)
            with store.snapshot() as copy:
                check(copy, None)
        return sizes, None, None
    place = Path(source).absolute()
    if place.exists() and not replaces:
        raise StoreError(
            f"expected no store at {place}, found one; --replace keeps and replaces it"
        )
    before = _sizes_of(place)
    fresh = place.with_name(f"{place.name}.restoring")
    with closing(Witness(place)) as witness:
        with _appearing(fresh) as copied:
            with reading(backup) as snapshot, closing(SQLiteStore(copied)) as store:
                _copy(snapshot, store)
            _forget_logs(copied)
            witness_path(copied).unlink()
        if place.exists():
            hand_over(fresh, place.stat())
        kept = _move_aside(place)
        fresh.replace(place)
        sync_folder(place.parent)
        with reading(place) as snapshot:
            check(snapshot, None)
            witness.write(_commits(snapshot))
    return sizes, before, kept


def _copy(snapshot: Snapshot, store: Store) -> None:
    """All records and ids of a snapshot, in one transaction of an empty store."""
    store.begin(alone=True)
    for kind in KINDS:
        records = snapshot.scan(kind)
        while some := list(islice(records, ROWS)):
            store.put(some)
    for epoch in snapshot.epochs():
        for ids in snapshot.ids(epoch):
            store.claim(epoch, ids)
    store.commit()


def _copy_file(source: Path, fresh: Path) -> None:
    """All of a database at one moment, what is in its log included; others may go on
    writing.
    """
    os.close(opened_private(fresh, os.O_RDWR | os.O_EXCL))
    try:
        with (
            closing(connect(source.absolute(), "ro")) as there,
            closing(connect(fresh.absolute(), "rwc")) as here,
        ):
            there.backup(here)
    except sqlite3.Error as error:
        raise StoreError(f"expected to copy {source}, got: {error}") from None


def _commits(snapshot: Snapshot) -> int:
    """Return the number of commits that the witness of a store notes."""
    roots = [read_root(record.content) for record in snapshot.scan("root")]
    return max((root.commits for root in roots), default=0)


@contextmanager
def _appearing(place: Path) -> Iterator[Path]:
    """A new file under another name, which gets its own when all went well."""
    fresh = place.with_name(f"{place.name}.new")
    try:
        _remove(fresh)
        yield fresh
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        witness = witness_path(fresh)
        if witness.exists():
            witness.replace(witness_path(place))
        fresh.replace(place)
        sync_folder(place.parent)
    except OSError as error:
        raise StoreError(f"expected to write {place}, got {error.strerror}") from None
    finally:
        _remove(fresh)


def _move_aside(place: Path) -> Path | None:
    """Keep the store that is there under a name that says when; where, if there was
    one.
    """
    if not place.exists():
        return None
    kept = place.with_name(f"{place.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    for ending in ("", *_LOGS):
        part = Path(f"{place}{ending}")
        if part.exists():
            part.replace(f"{kept}{ending}")
    witness = witness_path(place)
    if witness.exists():
        witness_path(kept).write_bytes(witness.read_bytes())
    return kept


def _sizes_of(place: Path) -> Sizes | None:
    """Return the sizes of a store; None where there is none, or it cannot be read."""
    if not place.exists():
        return None
    try:
        with reading(place) as snapshot:
            return Sizes.of(snapshot)
    except StoreError:
        return None


def _existing(path: str) -> Path:
    if not Path(path).exists():
        raise StoreError(f"expected a store at {path}, found no such file")
    return Path(path)


def _forget_logs(place: Path) -> None:
    for ending in _LOGS:
        Path(f"{place}{ending}").unlink(missing_ok=True)


def _remove(place: Path) -> None:
    for path in (
        place,
        witness_path(place),
        *(Path(f"{place}{ending}") for ending in _LOGS),
    ):
        path.unlink(missing_ok=True)
