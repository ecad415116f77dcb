"""Publication of tallies: not each report as it comes, but many together.

For someone new to it: a tally changes by exactly what a report says. Whoever can read
it before and after has the report, randomized as it is, and the moment at which it
came. So what analysts see, however they ask, is a copy of the tally that is renewed
only when enough reports have come since.

    shown      kind `shown`, beside `tally`, under the same keys: what may be looked at
    least      reports that have to be there before anything is shown, and new ones
               before more is
    minutes    time after which what has come is shown although fewer came; never,
               unless it is set

Rules
- What is shown changes by at least `least` reports, in each question or group, each
  epoch, and each shard (so that two processes give nothing away by differing).
- What shares reports, a group and its questions, is shown at the same moment, or not.
- Of an epoch that is closed nothing more is shown: fewer than `least` reports of it
  stay unseen, or none with `minutes`. A closed epoch of which nothing was ever shown,
  of any shard, is shown once, at a start.
- Of a survey that was closed everything is shown: one step more, from what was shown to
  all.
- `least` 1 is no protection: then everyone reads the tallies themselves, and nothing is
  copied.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from ldp.survey.survey import Envelope, Group, Question
from ldp_aggregator.numerics.arrays import Counts
from ldp_aggregator.tallies.counting.counting import empty_counts, total_reports
from ldp_aggregator.tallies.counting.joint_counting import joint_table
from ldp_service.counting.books import Books, Statistic
from ldp_service.counting.served import Catalogue
from ldp_service.counting.turn import begin
from ldp_service.store.combinations import PREFIX, of_combination
from ldp_service.store.reading import by_combination, history
from ldp_service.store.records import (
    SHOWN,
    Epoch,
    Record,
    Scanned,
    read_tally_key,
    shard_of,
)
from ldp_service.store.released_snapshot import ShownRecords, public_view
from ldp_service.store.store import Snapshot

LEAST = 20
PACE = 2.0
"""Seconds between two looks: as often as the page asks."""

Unit = frozenset[bytes]
"""Questions and groups that share reports, by their fingerprints."""


class Publication(NamedTuple):
    """How many reports are shown together, and after how many minutes fewer."""

    least: int = LEAST
    minutes: float | None = None

    @property
    def copies(self) -> bool:
        """Whether there are copies to be shown, and not the tallies themselves."""
        return self.least > 1

    def view(
        self, opened: AbstractContextManager[Snapshot]
    ) -> AbstractContextManager[Snapshot]:
        """A snapshot as those who look may read it."""
        if self.copies:
            return public_view(opened)
        return opened


LIVE = Publication(1)


class Publisher:
    """Renews what is shown of the shard that a process has."""

    def __init__(
        self,
        catalogue: Catalogue,
        publication: Publication,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._publication = publication
        self._clock = clock
        self._tally_parts = catalogue.tally_parts
        self._unit_of = _units(catalogue)
        self._reports: dict[Statistic, int] = {}
        self._since: dict[tuple[Unit, Epoch], float] = {}
        self._looked, self._commits = float("-inf"), -1

    def start(self, books: Books) -> None:
        """Learn what is shown, after books were opened; show what was closed and never
        shown.
        """
        if not self._publication.copies:
            return
        own = _Own(books)
        self._reports = {
            (fingerprint, epoch): reports_of(envelope, counts)
            for fingerprint, envelope in self._tally_parts.items()
            for epoch, counts in history(ShownRecords(own), envelope)
        }
        past = dict(self._closed_unseen(books, own))
        self._show(books, past, closed=True)
        self.look(books, at_once=True)

    def look(
        self,
        books: Books,
        *,
        at_once: bool = False,
        closing: Mapping[int, int] | None = None,
    ) -> None:
        """Show what is due, in a turn of its own.

        Of epochs that are `closing`, by length, it is the last time.
        """
        now = self._clock()
        idle = books.root.commits == self._commits and self._publication.minutes is None
        early = now - self._looked < PACE
        if not self._publication.copies or (
            not (at_once or closing) and (idle or early)
        ):
            return
        self._show(books, books.tallies, closing=closing or {})
        self._looked, self._commits = now, books.root.commits

    def _show(
        self,
        books: Books,
        tallies: Mapping[Statistic, Counts],
        closing: Mapping[int, int] | None = None,
        *,
        closed: bool = False,
    ) -> None:
        due = {
            (unit, epoch)
            for unit, epoch in self._places(tallies)
            if self._due(
                unit,
                epoch,
                tallies,
                ends=_ends(epoch, closing or {}),
                over=unit <= books.ended,
            )
        }
        if not due:
            return
        # Of closed epochs one process alone shows something, and only the first that
        # would.
        with begin(books, alone=closed) as turn:
            seen = self._visible_epochs(books.store) if closed else set()
            for unit, epoch in sorted(
                due, key=lambda place: (place[1], sorted(place[0]))
            ):
                # Another process may have closed it.
                is_past = not closed and epoch.number <= turn.epochs.last_closed(
                    epoch.length
                )
                if is_past or (unit, epoch) in seen:
                    continue
                prefixes = {fingerprint[:PREFIX] for fingerprint in unit}
                for (fingerprint, at), counts in tallies.items():
                    if at == epoch and fingerprint[:PREFIX] in prefixes:
                        turn.show(fingerprint, epoch, counts)
        for unit, epoch in due:
            self._since[unit, epoch] = self._clock()
            for fingerprint in unit:
                if (fingerprint, epoch) in tallies:
                    counts = tallies[fingerprint, epoch]
                    reports = reports_of(self._tally_parts[fingerprint], counts)
                    self._reports[fingerprint, epoch] = reports

    def _places(self, tallies: Mapping[Statistic, Counts]) -> set[tuple[Unit, Epoch]]:
        return {
            (self._unit_of[fingerprint], epoch)
            for fingerprint, epoch in tallies
            if fingerprint in self._unit_of
        }

    def _due(
        self,
        unit: Unit,
        epoch: Epoch,
        tallies: Mapping[Statistic, Counts],
        *,
        ends: bool,
        over: bool,
    ) -> bool:
        """Whether enough reports have come since anything was shown, or time enough has
        passed.

        Or whether what is new is the last, as all surveys that ask for it are over.
        """
        least, minutes = self._publication
        there, new = [], []
        for fingerprint in unit:
            counts = tallies.get((fingerprint, epoch))
            if counts is not None:
                reports = reports_of(self._tally_parts[fingerprint], counts)
                fresh = reports - self._reports.get((fingerprint, epoch), 0)
                there += [reports] if fresh else []
                new += [fresh] if fresh else []
        if not new or over or min(new) >= least:
            return bool(new)
        now = self._clock()
        waited = now - self._since.setdefault((unit, epoch), now)
        late = minutes is not None and (ends or waited >= 60 * minutes)
        return late and min(there) >= least

    def _closed_unseen(
        self, books: Books, own: Scanned
    ) -> Iterator[tuple[Statistic, Counts]]:
        """The tallies of closed epochs of which nothing was ever shown."""
        if not any(number >= 0 for number in books.closed.values()):
            return
        seen = self._visible_epochs(books.store)
        for fingerprint, envelope in self._tally_parts.items():
            parts = by_combination(own, envelope)
            for epoch, counts in history(own, envelope):
                is_open = epoch.number > books.closed.get(epoch.length, -1)
                if is_open or (self._unit_of[fingerprint], epoch) in seen:
                    continue
                yield (fingerprint, epoch), counts
                for (at, number), part in parts.items():
                    if at == epoch:
                        yield (of_combination(fingerprint, number), epoch), part

    def _visible_epochs(self, records: Scanned) -> set[tuple[Unit, Epoch]]:
        """Return the epochs of units with something published, in any shard."""
        keys = (read_tally_key(record.key)[:2] for record in records.scan(SHOWN))
        return {
            (self._unit_of[fingerprint], epoch)
            for fingerprint, epoch in keys
            if fingerprint in self._unit_of
        }


def reports_of(envelope: Envelope, counts: Counts) -> int:
    """How many reports a question or a group of them has."""
    if isinstance(envelope, Question):
        return total_reports(counts, envelope.layout)
    if not isinstance(envelope, Group):
        raise TypeError(
            f"expected a question or a group, got {type(envelope).__name__}"
        )
    # Every report of a group is one to its first question: what the joint counts say of
    # that.
    first = envelope.members[0]
    table = joint_table(envelope, counts, [first.name])
    return total_reports(table.reshape(empty_counts(first.layout).shape), first.layout)


class _Own:
    """The records of one shard."""

    def __init__(self, books: Books) -> None:
        self._store = books.store

    def scan(self, kind: str, prefix: bytes = b"") -> Iterator[Record]:
        """Yield records as the store does."""
        for record in self._store.scan(kind, prefix):
            if shard_of(record) == self._store.shard:
                yield record


def _ends(epoch: Epoch, closing: Mapping[int, int]) -> bool:
    return epoch.number <= closing.get(epoch.length, -1)


def _units(catalogue: Catalogue) -> dict[bytes, Unit]:
    """Return for each question or group all that share reports with it, itself among
    them.
    """
    unit_of = {
        fingerprint: frozenset([fingerprint]) for fingerprint in catalogue.tally_parts
    }
    for envelope in catalogue.envelopes.values():
        members = {
            envelope.fingerprint,
            *(member.fingerprint for member in envelope.members),
        }
        joined = frozenset().union(*(unit_of[fingerprint] for fingerprint in members))
        unit_of |= dict.fromkeys(joined, joined)
    return unit_of
