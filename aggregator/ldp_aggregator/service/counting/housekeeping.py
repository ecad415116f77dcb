"""What time does to a store: epochs close, and what was kept or put aside for so many days goes.

What a process had kept goes even if it never comes back: another one stands in for its shard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, takewhile

from ldp.epochs import epoch_at
from ldp.survey import FINGERPRINT_SIZE
from ldp.wire import decode_batch
from ldp_aggregator.service.counting.books import Books
from ldp_aggregator.service.counting.intake import Intake, Rules
from ldp_aggregator.service.counting.served import Catalogue
from ldp_aggregator.service.counting.submissions import QUARANTINED
from ldp_aggregator.service.counting.turn import begin
from ldp_aggregator.service.store.records import DAY, EVER, Record, read_kept_key, shard_of
from ldp_aggregator.service.store.store import Store
from ldp_aggregator.tallies.screening import UNKNOWN

EVERY, BACK_EVERY = 60.0, 3600.0
"""Seconds between two looks, and between two at what may be taken back."""
MOST = 5000
"""Batches that one turn lets go, or takes back: the turns of uploads come in between."""


def to_close(catalogue: Catalogue, closed: dict[int, int], now: float) -> dict[int, int]:
    """The last epoch of each length that has ended longer ago than the grace of all surveys with
    such epochs.
    """
    graces: dict[int, int] = {}
    for each in catalogue.all:
        if each.survey.epoch is not None:
            graces[each.survey.epoch] = max(each.survey.grace, graces.get(each.survey.epoch, 0))
    last = {length: epoch_at(now - grace, length) - 1 for length, grace in graces.items()}
    return {length: number for length, number in last.items() if number > closed.get(length, -1)}


def define(books: Books, catalogue: Catalogue) -> None:
    """Write down the files of the surveys that are served, where they are not, or were put
    differently.
    """
    known = {record.key[:FINGERPRINT_SIZE]: record.content for record in _own(books, "survey")}
    new = [
        each for each in catalogue.all if known.get(each.survey.fingerprint) != each.source.encode()
    ]
    if new:
        with begin(books) as turn:
            for each in new:
                turn.define(each.survey.fingerprint, each.source)


def look_around(
    books: Books, intake: Intake, catalogue: Catalogue, rules: Rules, now: float, *, back: bool
) -> bool:
    """Do what is due in this shard, and in those that no process has; whether there is more.

    With `back`, what was put aside is taken back where it can be. A process puts aside what it does
    not know, so there is something to find only after a start, or when another process has gone.
    """

    def look(those: Books) -> bool:
        return tidy(those, catalogue, rules, now) | (
            back and release(those, intake, catalogue, now)
        )

    store = books.store
    more = look(books)
    for shard in (
        _shards_with_something_due(store, catalogue, rules, now, back=back) if store.shared else ()
    ):
        with store.standing_in(shard) as free:
            if free:
                more |= look(Books(store, books.envelopes, sound=True))
    return more


def tidy(books: Books, catalogue: Catalogue, rules: Rules, now: float) -> bool:
    """Close what has to be closed, and let go of what was kept long enough.

    Whether there is more to let go of.
    """
    closing = to_close(catalogue, books.closed, now)
    kept = list(islice(_older(_own(books, "kept"), now, rules.kept_days), MOST))
    aside = list(islice(_older(_own(books, "aside"), now, rules.aside_days), MOST))
    if not (closing or kept or aside):
        return False
    with begin(books, alone=bool(closing)) as turn:
        for length, number in closing.items():
            turn.close(length, number)
        turn.drop([*kept, *aside])
        if aside:
            turn.tell(None, EVER, QUARANTINED, -len(aside))
            turn.tell(None, EVER, UNKNOWN, len(aside))
    return len(kept) == MOST or len(aside) == MOST


def release(books: Books, intake: Intake, catalogue: Catalogue, now: float) -> bool:
    """Take back what was put aside and is of a question that is served now.

    Whether there is more.
    """
    records = list(islice(_known(_own(books, "aside"), catalogue), MOST))
    if records:
        with begin(books) as turn:
            turn.drop(records)
            intake.release(turn, [each.content for each in records], now)
    return len(records) == MOST


def _shards_with_something_due(
    store: Store, catalogue: Catalogue, rules: Rules, now: float, *, back: bool
) -> list[int]:
    """Other ones, whether or not a process has them."""
    due = chain(
        islice(_older(store.scan("kept"), now, rules.kept_days), MOST),
        islice(_older(store.scan("aside"), now, rules.aside_days), MOST),
        islice(_known(store.scan("aside"), catalogue), MOST) if back else (),
    )
    return sorted({shard_of(each) for each in due} - {store.shard})


def _older(records: Iterable[Record], now: float, days: int) -> Iterator[Record]:
    """Those, in the order of days, of days longer ago."""
    first = int(now // DAY) - days
    return takewhile(lambda record: read_kept_key(record.key)[0] < first, records)


def _known(records: Iterable[Record], catalogue: Catalogue) -> Iterator[Record]:
    """Those of questions that are served."""
    return (
        each for each in records if decode_batch(each.content).fingerprint in catalogue.envelopes
    )


def _own(books: Books, kind: str) -> Iterator[Record]:
    return (record for record in books.store.scan(kind) if shard_of(record) == books.store.shard)
