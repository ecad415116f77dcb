"""Connections to PostgreSQL: how they are made and set, and the meaning of errors.

Rules
- Of a URL only host and database are ever shown, since anything else may be a password,
  or a part of one.
- A commit is on the disk of the server before it is answered, whatever the role or the
  database say.
- No one waits long for the dead. The server ends a session that does nothing within a
  transaction before those that wait for it give up; either side ends one whose other
  side is gone.
- A session ends at whatever leaves open what became of its last transaction; the books
  are then read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ldp_aggregator.output.files import secret_of
from ldp_service.store.errors import (
    StoreDamagedError,
    StoreDeniedError,
    StoreError,
    StoreFullError,
    StoreLostError,
)

PASSWORD = "LDP_DATABASE_PASSWORD"  # noqa: S105  # a name
_LINK: dict[str, Any] = {
    "application_name": "ldp",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""What the URL may say otherwise."""
_SETTINGS = {
    "client_encoding": "UTF8",
    "statement_timeout": "0",
    "transaction_timeout": "0",
    "idle_session_timeout": "0",
    "lock_timeout": "30s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "20s",
}
"""What the role may say otherwise, and must not; servers know most of them.

Any role may set each of these: a store belongs to an ordinary one, which owns its
database.
"""
FILLING = """
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
CREATE TABLE ldp.room (filling integer);
INSERT INTO ldp.room SELECT generate_series(1, 2000)
"""
"""Numbers of some 64 KiB, in a table that no one else sees: without a place for long
values, of which the catalog would have to keep account.
"""
_SILENCE = {True: "20s", False: "5min"}
"""How long a transaction that writes, or one that reads, may do nothing."""
_DURABLE = ("on", "remote_apply")

_MEANINGS = {
    "08": StoreLostError,  # connection exceptions
    "25006": StoreLostError,  # read-only: the server that answers is no longer the first
    "25P": StoreLostError,  # silent for too long
    "40": StoreLostError,  # deadlocks among them
    "42501": StoreDeniedError,
    "53": StoreFullError,  # disk, memory
    "53300": StoreLostError,  # too many connections
    "55P03": StoreLostError,  # waited too long for a lock
    "57": StoreLostError,  # shut down, or ended by an administrator
    "XX001": StoreDamagedError,
    "XX002": StoreDamagedError,
}
"""By the beginning of the code that the server gives; the longest counts."""


def connect(url: str, *, writes: bool) -> tuple[psycopg.Connection[Any], str]:
    """A connection on which nothing has begun, and how to call the store. Raises
    `StoreError`.
    """
    options = _read(url)
    password = secret_of(PASSWORD, os.environ)
    if password:
        options.setdefault("password", password)
    place = f"postgresql://{options.get('host', '')}/{options.get('dbname', '')}"
    with translate_errors(place):
        connection = psycopg.connect("", autocommit=True, **(_LINK | options))
    try:
        with translate_errors(place):
            _set(
                connection,
                _SETTINGS | {"idle_in_transaction_session_timeout": _SILENCE[writes]},
            )
            if writes:
                _make_durable(connection, place)
    except BaseException:
        connection.close()
        raise
    return connection, place


def look_for_room(url: str) -> None:
    """Raise `StoreFullError` if the server has no room on its disk, with nothing
    changed.
    """
    connection, place = connect(url, writes=False)
    with closing(connection), translate_errors(place):
        connection.execute(FILLING)


@contextmanager
def translate_errors(place: str) -> Iterator[None]:
    """Turns what PostgreSQL says into what it means for the store at a place."""
    try:
        yield
    except psycopg.Error as error:
        code = error.sqlstate or (
            "08" if isinstance(error, psycopg.OperationalError) else ""
        )
        beginnings = [prefix for prefix in _MEANINGS if code.startswith(prefix)]
        meaning = StoreError
        if beginnings:
            meaning = _MEANINGS[max(beginnings, key=len)]
        # The first line alone: details quote rows.
        message = error.diag.message_primary or str(error).partition("\n")[0]
        raise meaning(f"expected to use the store at {place}, got: {message}") from None


def _read(url: str) -> dict[str, Any]:
    """The parts of a URL."""
    _, _, rest = url.partition("://")
    user, at, _ = rest.partition("@")
    try:
        # libpq reads such URLs in other ways than they are meant, and quotes what it
        # then takes for a host or a port.
        if rest.count("@") > 1 or (at and "/" in user):
            raise ValueError
        options: dict[str, Any] = conninfo_to_dict(url)
    except (psycopg.Error, ValueError):
        raise StoreError(
            "expected a URL such as postgresql://user:password@host:5432/database, got "
            "one that cannot be read; write %40, %2F and %25 for @, / and % in a "
            "password"
        ) from None
    return options


def _set(connection: psycopg.Connection[Any], settings: dict[str, str]) -> None:
    """Set what the server knows of these."""
    connection.execute(
        "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS "
        "ours (name, value) WHERE name IN (SELECT name FROM pg_settings)",
        [list(settings), list(settings.values())],
    )


def _make_durable(connection: psycopg.Connection[Any], place: str) -> None:
    rows = connection.execute(
        "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', "
        "'synchronous_commit')"
    )
    settings = dict(rows.fetchall())
    if settings["fsync"] != "on":
        raise StoreError(
            f"expected a server that syncs, got one with fsync = {settings['fsync']} "
            f"at {place}; turn it on"
        )
    if settings["synchronous_commit"] not in _DURABLE:
        _set(connection, {"synchronous_commit": "on"})
