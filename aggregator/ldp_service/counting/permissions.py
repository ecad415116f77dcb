"""Permissions of a token: batches of its surveys, and so many reports a day.

Rules
- A piece of an upload is taken whole or not at all: who may not send one of its
  batches, or not as many reports, is told so, and can send the same bytes once that is
  mended.
- Reports are counted by token and day, in the transaction that counts them, whatever
  they may be.
- What is put aside for a survey to come has passed the same limits. A token that is for
  some surveys alone puts nothing aside, as no one knows yet of which survey that would
  be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ldp.errors import LDPError
from ldp.wire.wire import Batch
from ldp_aggregator.tallies.intake.screening import UNKNOWN, Rejection
from ldp_aggregator.tallies.tally import ACCEPTED
from ldp_service.counting.served import Catalogue
from ldp_service.counting.submissions import (
    QUARANTINED,
    NotPermittedError,
    QuotaError,
    UploadSender,
)
from ldp_service.counting.turn import Turn
from ldp_service.store.records import DAY


class Permissions:
    """Permissions of senders within one turn."""

    def __init__(self, turn: Turn, catalogue: Catalogue, now: float) -> None:
        self._turn = turn
        self._catalogue = catalogue
        self._day = int(now // DAY)
        self._until_tomorrow = int((self._day + 1) * DAY - now) + 1
        self._asked: dict[str, int] = {}
        """Reports of a token today, with those of this turn."""
        self._accepted: Counter[str] = Counter()

    def refusal(
        self, sender: UploadSender | None, items: Sequence[Batch | Rejection]
    ) -> LDPError | None:
        """Why these batches may not be sent; None if they may."""
        if sender is None or (not sender.surveys and sender.reports_a_day is None):
            return None
        if sender.surveys and not all(self._is_for(sender, item) for item in items):
            return NotPermittedError()
        if sender.reports_a_day is not None:
            asked = sum(item.size for item in items)
            if sender.name not in self._asked:
                self._asked[sender.name] = self._turn.reports_of_day(
                    self._day, sender.name
                )
            if self._asked[sender.name] + asked > sender.reports_a_day:
                return QuotaError(self._until_tomorrow)
            self._asked[sender.name] += asked
        return None

    def _is_for(self, sender: UploadSender, item: Batch | Rejection) -> bool:
        """Whether a batch is of a survey that a sender may send to, or counts for
        none.
        """
        if isinstance(item, Rejection):
            return item.reason != UNKNOWN
        return self._catalogue.owners[item.fingerprint].name in sender.surveys

    def note(
        self,
        sender: UploadSender | None,
        items: Sequence[Batch | Rejection],
        outcomes: Sequence[str],
    ) -> None:
        """Note the reports of batches that were accepted, or put aside."""
        # Nothing is counted by who was invited.
        if sender is None or sender.spent_as is not None:
            return
        self._accepted[sender.name] += sum(
            item.size
            for item, outcome in zip(items, outcomes, strict=True)
            if outcome in (ACCEPTED, QUARANTINED)
        )

    def count(self) -> None:
        """Count what was noted."""
        for name, reports in self._accepted.items():
            if reports:
                self._turn.send(self._day, name, reports)
