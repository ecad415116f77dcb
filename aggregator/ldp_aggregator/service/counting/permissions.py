"""What a token may send: batches of its surveys, and so many reports a day.

Rules
- A piece of an upload is taken whole or not at all: who may not send one of its batches, or not as
  many reports, is told so, and can send the same bytes once that is mended.
- Reports are counted by token and day, in the transaction that counts them, whatever they may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ldp.errors import LDPError
from ldp.wire import Batch
from ldp_aggregator.service.counting.served import Catalogue
from ldp_aggregator.service.counting.submissions import NotPermittedError, QuotaError, Sender
from ldp_aggregator.service.counting.turn import Turn
from ldp_aggregator.service.store.records import DAY
from ldp_aggregator.tallies.tally import ACCEPTED


class Permissions:
    """What senders may still send within one turn."""

    def __init__(self, turn: Turn, catalogue: Catalogue, now: float) -> None:
        self._turn = turn
        self._catalogue = catalogue
        self._day = int(now // DAY)
        self._until_tomorrow = int((self._day + 1) * DAY - now) + 1
        self._asked: Counter[str] = Counter()
        self._accepted: Counter[str] = Counter()

    def refusal(self, sender: Sender | None, items: Sequence[Any]) -> LDPError | None:
        """Why these batches may not be sent; None if they may."""
        if sender is None or (not sender.surveys and sender.reports_a_day is None):
            return None
        batches = [item for item in items if isinstance(item, Batch)]
        if sender.surveys:
            owners = {self._catalogue.owners[batch.fingerprint].name for batch in batches}
            if not owners <= {*sender.surveys}:
                return NotPermittedError()
        if sender.reports_a_day is not None:
            asked = sum(batch.size for batch in batches)
            before = self._turn.sent(self._day, sender.name) + self._asked[sender.name]
            if before + asked > sender.reports_a_day:
                return QuotaError(self._until_tomorrow)
            self._asked[sender.name] += asked
        return None

    def note(self, sender: Sender | None, entries: Sequence[Any], outcomes: Sequence[str]) -> None:
        """Note the reports of batches that were accepted; an entry has its batch second."""
        # Nothing is counted by who was invited.
        if sender is None or sender.spent_as is not None:
            return
        self._accepted[sender.name] += sum(
            entry[1].size
            for entry, outcome in zip(entries, outcomes, strict=True)
            if outcome == ACCEPTED
        )

    def count(self) -> None:
        """Count what was noted."""
        for name, reports in self._accepted.items():
            if reports:
                self._turn.send(self._day, name, reports)
