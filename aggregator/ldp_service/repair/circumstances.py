"""Circumstances of a sound store: a clock that has jumped, a disk without room.

Nothing of it is damage, and a repair mends none of it. The service says the same, on
its page and in its metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from ldp import parse_survey
from ldp_service.counting.clock import graces_of, in_words, jumps, presume_epochs
from ldp_service.store.errors import StoreError, StoreFullError
from ldp_service.store.opening import file_of, free_bytes, open_snapshot
from ldp_service.store.records import last_closed_epochs, last_seen

LEAST_ROOM = 1_000_000_000


def circumstances(url: str, now: float) -> Iterator[str]:
    """Yield the remarks at a time. Raises `StoreError`."""
    with open_snapshot(url) as snapshot:
        surveys = [
            parse_survey(record.content, "a survey in the store", len(record.content))
            for record in snapshot.scan("survey")
        ]
        seen = presume_epochs(
            last_seen(snapshot), snapshot.epochs(), graces_of(surveys), now=now
        )
        closed = last_closed_epochs(snapshot)
    words = in_words(jumps(seen, seen, now), closed, now)
    if words is not None:
        yield words
    path = file_of(url)
    if path is None:
        yield from _on_server(url)
        return
    room = free_bytes(path)
    if room < LEAST_ROOM:
        yield (
            f"expected room on the store's disk, got {room / 1e6:,.0f} MB that are left"
        )


def _on_server(url: str) -> Iterator[str]:
    """Yield the remarks of PostgreSQL where something would have to be written."""
    from ldp_service.store.postgres_connection import look_for_room

    try:
        look_for_room(url)
    except StoreFullError as error:
        yield str(error)
    except (
        StoreError
    ):  # a role that may not write: it was read, and that is all that was asked
        return
