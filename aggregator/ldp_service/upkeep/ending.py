"""Closing a survey: it takes no more reports, and all that came are shown, once.

A service shows reports many together, so that the last few of a survey would stay
unseen for good. Once nothing more comes, there is one more step to be seen: from what
was shown to everything. Of an epoch that was closed before nothing more is shown.

Processes that share a store on PostgreSQL see within a minute that a survey is over.
The one that has a store in SQLite has to be asked itself.
"""

from __future__ import annotations

from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urlsplit

from ldp_service.counting.books import Books
from ldp_service.counting.turn import begin
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import open_store
from ldp_service.upkeep.removal import surveys_in

_PATIENCE = 30.0


def close_survey(url: str, name: str) -> None:
    """Close all versions of a survey in a store: its services show all.

    Raises `StoreError` if it is not there, or if a process has a store in SQLite.
    """
    with closing(open_store(url)) as store:
        ending, _ = surveys_in(store, name)
        tallied = {
            part.fingerprint: part for survey in ending for part in survey.tally_parts
        }
        with begin(Books(store, tallied), alone=True) as turn:
            for fingerprint in tallied:
                turn.write("ended", fingerprint, b"")


def ask_to_close(address: str, name: str, token: str) -> None:
    """Have a running service close a survey. Raises `StoreError`, with what it says."""
    parts = urlsplit(address)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connect(parts.hostname or "", parts.port, timeout=_PATIENCE)
    path = f"{parts.path.rstrip('/')}/v1/surveys/{quote(name)}/close"
    try:
        connection.request("POST", path, b"", {"authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        said = answer.read(1000).decode(errors="replace")
    except (OSError, HTTPException) as error:
        raise StoreError(f"expected a service at {address}, got {error}") from None
    finally:
        connection.close()
    if answer.status != 303:
        raise StoreError(
            f"expected {address} to close {name}, got {answer.status}: {said}"
        )
