"""Epochs that a wrong clock has closed, opened again; and a clock that has jumped,
confirmed.

A closed epoch whose ids were forgotten stays closed: what comes for it once more would
be counted twice. One in which nothing was ever counted has no ids to forget, and may be
open again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ldp.numbers.epochs import epoch_at
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE
from ldp_service.counting.books import Books
from ldp_service.counting.clock import check_confirmable
from ldp_service.counting.turn import begin
from ldp_service.repair.diagnosis import LOST
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import file_of, open_store
from ldp_service.store.reading import outcomes_by_question
from ldp_service.store.records import last_closed_epochs, last_seen, shard_of
from ldp_service.store.store import Store

_OF_IDS = (ACCEPTED, DUPLICATE, LOST)
"""Outcomes of batches whose ids were known."""


def confirm_clock(url: str, now: float) -> list[str]:
    """Take the time for right; what that means, in words. Raises `StoreError`."""
    with closing(_existing(url)) as store:
        check_confirmable(last_closed_epochs(store), now)
        of_ids = {epoch.length for epoch in store.epochs() if epoch.length}
        lengths = last_closed_epochs(store).keys() | last_seen(store).keys() | of_ids
        _set(store, dict.fromkeys(lengths), now)
    return [
        _words(length, epoch_at(now, length), "the clock is in")
        for length in sorted(lengths)
    ]


def reopen(url: str, now: float) -> list[str]:
    """Open closed epochs that have no ids, and take the time for right; what that
    means, in words.

    Raises `StoreError`.
    """
    with closing(_existing(url)) as store:
        used = [
            epoch
            for (_, epoch), outcomes in outcomes_by_question(store).items()
            if any(outcomes[name] for name in _OF_IDS)
        ]
        last: dict[int, int | None] = {}
        for length, number in last_closed_epochs(store).items():
            numbers = (epoch.number for epoch in used if epoch.length == length)
            last[length] = max((used for used in numbers if used <= number), default=-1)
        _set(store, last | dict.fromkeys(last_seen(store).keys() - last.keys()), now)
    return [
        _words(length, (number or 0) + 1, "open again from")
        for length, number in sorted(last.items())
    ]


def _existing(url: str) -> Store:
    path = file_of(url)
    if path is not None and not Path(path).exists():
        raise StoreError(f"expected a store at {path}, found no such file")
    return open_store(url)


def _set(store: Store, last: dict[int, int | None], now: float) -> None:
    """Let the clock be in order, and these be the last closed epochs, in every
    shard.
    """
    for shard in _shards(store):
        with store.standing_in(shard) as free:
            if not free and shard != store.shard:
                raise StoreError(
                    "expected a store that no service writes to, but one does; stop it "
                    "first"
                )
            with begin(Books(store, {}), alone=True) as turn:
                for length, number in last.items():
                    turn.epochs.see(length, epoch_at(now, length))
                    if number is not None and number < turn.epochs.last_closed(length):
                        turn.epochs.reopen(length, number)


def _shards(store: Store) -> Iterator[int]:
    """Our own first, in which what is new is written; then those that say something
    else.
    """
    others = {
        shard_of(record) for kind in ("closed", "seen") for record in store.scan(kind)
    }
    yield store.shard
    yield from sorted(others - {store.shard})


def _words(length: int, number: int, what: str) -> str:
    start = datetime.fromtimestamp(length * number, UTC)
    return (
        f"epochs of {length:,} s: {what} number {number:,}, from "
        f"{start:%Y-%m-%d %H:%M} UTC"
    )
