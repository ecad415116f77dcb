"""Stores by their URLs; the library of a database is imported when a URL asks for
it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ldp_aggregator.output.files import check_writable
from ldp_service.store.errors import StoreError
from ldp_service.store.store import Snapshot, Store


def open_store(url: str) -> Store:
    """The store at `sqlite:///PATH` or `postgresql://...`, to write to; made when there
    is none.

    Or a `StoreError`.
    """
    path = file_of(url)
    if path is not None:
        from ldp_service.store.sqlite import SQLiteStore

        return SQLiteStore(path)
    with _psycopg():
        from ldp_service.store.postgres import PostgresStore

    return PostgresStore(url)


def open_snapshot(url: str) -> AbstractContextManager[Snapshot]:
    """The store there as it is now, to read, while others may write to it. Raises
    `StoreError`.
    """
    path = file_of(url)
    if path is not None:
        from ldp_service.store.sqlite import reading

        return reading(Path(path))
    with _psycopg():
        from ldp_service.store.postgres_snapshot import reading as reading_there

    return reading_there(url)


def check_store(url: str) -> None:
    """Raise `StoreError` or `FileError` unless it can be read; or made, where there is
    none.
    """
    path = file_of(url)
    if path is not None:
        check_writable(Path(path))
        if Path(path).exists():
            with open_snapshot(url) as snapshot:
                snapshot.epochs()
        return
    with _psycopg():
        from ldp_service.store.postgres_connection import connect

    connect(url, writes=True)[0].close()


@contextmanager
def _psycopg() -> Iterator[None]:
    """For imports that need it."""
    try:
        yield
    except ImportError as error:
        raise StoreError(
            f"expected psycopg for a store on PostgreSQL, got: {error}; "
            'install it with pip install "ldpkit-aggregator[postgres]"'
        ) from None


def file_of(url: str) -> str | None:
    """The file of a store in SQLite; None for one in PostgreSQL."""
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite" and rest.startswith("/") and len(rest) > 1:
        return rest[1:]
    if scheme in ("postgresql", "postgres") and rest:
        return None
    raise StoreError(
        "expected a store such as sqlite:///ldp.db (a file here), "
        "sqlite:////var/lib/ldp.db or postgresql://user@host/database, got "
        f"{scheme + '://...' if rest else url!r}"
    )


def free_bytes(path: str | Path) -> int:
    """The bytes that are free on the disk of a store's file. Raises `OSError`."""
    disk = os.statvfs(Path(path).absolute().parent)
    return disk.f_bavail * disk.f_frsize
