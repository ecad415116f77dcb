"""Housekeeping by time: epochs close, and records that were kept for their days go.

What a process had kept goes even if it never comes back: another one stands in for its
shard.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain, islice, takewhile
from os import urandom

from ldp.numbers.epochs import epoch_at
from ldp.survey.survey import FINGERPRINT_SIZE
from ldp.wire.wire import decode_batch
from ldp_aggregator.tallies.identity import STORE_SIZE
from ldp_aggregator.tallies.intake.screening import UNKNOWN
from ldp_service.counting.admission import Admission, Rules
from ldp_service.counting.books import Books
from ldp_service.counting.clock import graces_of, jumps, presume_epochs
from ldp_service.counting.served import Catalogue
from ldp_service.counting.submissions import QUARANTINED
from ldp_service.counting.turn import begin
from ldp_service.store.reading import least_groups, store_id
from ldp_service.store.records import (
    DAY,
    EVER,
    SHOWN,
    TALLY,
    Least,
    Record,
    read_tally_key,
    shard_of,
)
from ldp_service.store.store import Store

EVERY = 60.0
"""Seconds between two looks."""
BACK_EVERY = 3600.0
"""Seconds between two looks at what may be taken back."""
MOST = 5000
"""Batches that one turn lets go, or takes back: the turns of uploads come in between.
"""
SENT_DAYS = 7
"""Days for which it is kept how many reports a token has sent."""

_log = logging.getLogger("ldp.service")


def to_close(
    books: Books, catalogue: Catalogue, now: float, *, confirmed: bool = False
) -> dict[int, int]:
    """The last epoch of each length that has ended, and whose grace is over.

    Of surveys that share a length the longest grace counts. Nothing is closed of
    lengths in which nothing was ever counted, unless the clock is confirmed to be
    right.
    """
    graces = graces_of(served.survey for served in catalogue.all)
    last = {
        length: epoch_at(now - grace, length) - 1 for length, grace in graces.items()
    }
    known = graces if confirmed else _presume_epochs(books, catalogue, now)
    return {
        length: number
        for length, number in last.items()
        if length in known and number > books.closed.get(length, -1)
    }


def define(books: Books, catalogue: Catalogue) -> None:
    """Write down the files of the surveys that are served, where they are new or have
    changed.
    """
    sources = {
        record.key[:FINGERPRINT_SIZE]: record.content
        for record in _own(books, "survey")
    }
    changed = [
        served
        for served in catalogue.all
        if sources.get(served.survey.fingerprint) != served.source.encode()
    ]
    if changed:
        with begin(books) as turn:
            for served in changed:
                turn.write("survey", served.survey.fingerprint, served.source.encode())


def promise(books: Books, catalogue: Catalogue) -> None:
    """Note how many reports groups need, where a question is new or its surveys ask for
    more.

    What was shown by the first of its surveys stays: later ones show some of that.
    """
    if not _new_thresholds(books, catalogue):
        return
    with begin(books, alone=True) as turn:
        # Another process may have been faster.
        for fingerprint, least in _new_thresholds(books, catalogue).items():
            turn.write("least", fingerprint, least.pack())


def _new_thresholds(books: Books, catalogue: Catalogue) -> dict[bytes, Least]:
    """Return the thresholds to be noted anew."""
    leasts: dict[bytes, int] = {}
    for served in catalogue.all:
        for question in served.survey:
            if question.attributes:
                known = leasts.get(question.fingerprint, 0)
                leasts[question.fingerprint] = max(served.survey.least_group, known)
    changed = {}
    for fingerprint, least in leasts.items():
        noted = least_groups(books.store, fingerprint) or Least(least, 0)
        if noted.highest < least:
            changed[fingerprint] = noted._replace(highest=least)
    return changed


def name(books: Books) -> None:
    """Give a store an id, if it has none: what is downloaded from it says where it is
    from.
    """
    if store_id(books.store) is not None:
        return
    with begin(books, alone=True) as turn:
        # Another process may have been faster.
        if store_id(books.store) is None:
            turn.write("store", b"", urandom(STORE_SIZE))


def look_around(
    books: Books,
    admission: Admission,
    catalogue: Catalogue,
    rules: Rules,
    now: float,
    *,
    back: bool,
    confirmed: bool = False,
) -> bool:
    """Do what is due in this shard, and in those that no process has; whether there is
    more.

    With `confirmed` the clock is right, even if it has jumped. With `back`, what was
    put aside is taken back where it can be. A process puts aside what it does not know,
    so there is something to find only after a start, or when another process has gone.
    """

    def look(those: Books) -> bool:
        more_to_forget = tidy(those, catalogue, rules, now=now, confirmed=confirmed)
        more_to_release = back and release(
            those, admission, catalogue, rules=rules, now=now
        )
        return more_to_forget or more_to_release

    store = books.store
    more = look(books)
    if not store.shared:
        return more
    for shard in _shards_with_something_due(
        store, catalogue, rules, now=now, back=back
    ):
        with store.standing_in(shard) as free:
            if free:
                more |= look(Books(store, books.envelopes, sound=True))
    return more


def jumps_of(books: Books, catalogue: Catalogue, now: float) -> dict[int, int]:
    """By how many epochs the clock has jumped, for the lengths that surveys have."""
    seen = _presume_epochs(books, catalogue, now)
    return jumps(seen, catalogue.lengths, now)


def tidy(
    books: Books,
    catalogue: Catalogue,
    rules: Rules,
    now: float,
    *,
    confirmed: bool = False,
) -> bool:
    """Close what has to be closed, and let go of what was kept long enough.

    Nothing of that by a clock that has jumped. Whether there is more to let go of.
    """
    if not confirmed and jumps_of(books, catalogue, now):
        return False
    closing = to_close(books, catalogue, now, confirmed=confirmed)
    known = catalogue.lengths if confirmed else _presume_epochs(books, catalogue, now)
    seen = {
        length: epoch_at(now, length) for length in catalogue.lengths if length in known
    }
    seen = {
        length: number
        for length, number in seen.items()
        if number != books.seen.get(length)
    }
    expired = list(islice(_older(_own(books, "kept"), now, rules.kept_days), MOST))
    aside = list(islice(_older(_own(books, "aside"), now, rules.aside_days), MOST))
    closed = books.closed | closing
    past = []
    if closing:
        past = list(_past(books, closed, rules.kept_epochs))
    past += islice(_older(_own(books, "sent"), now, SENT_DAYS), MOST)
    if not (closing or seen or expired or aside or past):
        return False
    with begin(books, alone=bool(closing)) as turn:
        for length, number in closing.items():
            turn.epochs.close(length, number)
        for length, number in seen.items():
            turn.epochs.see(length, number)
        turn.drop([*expired, *aside, *past])
        if aside:
            turn.tell(None, EVER, QUARANTINED, batches=-len(aside))
            turn.tell(None, EVER, UNKNOWN, batches=len(aside))
    for length, number in closing.items():
        end = datetime.fromtimestamp(length * (number + 1), UTC)
        _log.info(
            (
                "closed all epochs of %d s up to number %d, which ended at %s: what "
                "comes now is late"
            ),
            length,
            number,
            end.isoformat(" "),
        )
    return MOST in (len(expired), len(aside), len(past))


def release(
    books: Books,
    admission: Admission,
    catalogue: Catalogue,
    *,
    rules: Rules,
    now: float,
) -> bool:
    """Take back what was put aside and is of a question that is served now.

    Whether there is more.
    """
    records = list(
        islice(_public_records(_own(books, "aside"), catalogue, rules), MOST)
    )
    if records:
        with begin(books) as turn:
            turn.drop(records)
            admission.release(turn, [record.content for record in records], now)
    return len(records) == MOST


def _presume_epochs(books: Books, catalogue: Catalogue, now: float) -> dict[int, int]:
    """In which epochs the clock was, of the lengths in which anything was counted."""
    graces = graces_of(served.survey for served in catalogue.all)
    return presume_epochs(books.seen, books.ids, graces, now=now)


def _shards_with_something_due(
    store: Store, catalogue: Catalogue, rules: Rules, now: float, *, back: bool
) -> list[int]:
    """Other ones, whether or not a process has them."""
    due = chain(
        islice(_older(store.scan("kept"), now, rules.kept_days), MOST),
        islice(_older(store.scan("aside"), now, rules.aside_days), MOST),
        islice(_public_records(store.scan("aside"), catalogue, rules), MOST)
        if back
        else (),
    )
    return sorted({shard_of(record) for record in due} - {store.shard})


def _past(
    books: Books, closed: Mapping[int, int], kept_epochs: int
) -> Iterator[Record]:
    """Tallies of epochs that were closed so many epochs ago, and what was shown of
    them.
    """
    for kind in (TALLY, SHOWN) if kept_epochs else ():
        for record in _own(books, kind):
            epoch = read_tally_key(record.key)[1]
            if (
                epoch.length
                and epoch.number <= closed.get(epoch.length, -1) - kept_epochs
            ):
                yield record


def _older(records: Iterable[Record], now: float, days: int) -> Iterator[Record]:
    """Yield the records, in the order of days, of days longer ago."""
    first = int(now // DAY) - days
    return takewhile(
        lambda record: int.from_bytes(record.key[:4], "big") < first, records
    )


def _public_records(
    records: Iterable[Record], catalogue: Catalogue, rules: Rules
) -> Iterator[Record]:
    """Yield the records of questions that are served to all holders of a token."""
    for record in records:
        fingerprint = decode_batch(record.content).fingerprint
        if fingerprint not in catalogue.envelopes:
            continue
        if catalogue.owners[fingerprint].name not in rules.invited:
            yield record


def _own(books: Books, kind: str) -> Iterator[Record]:
    return (
        record
        for record in books.store.scan(kind)
        if shard_of(record) == books.store.shard
    )
