"""Changes over closed epochs, remembered until another one closes.

Rules
- The rate of false alarms is that of a version of a survey: each of its questions is
  tested at its part.
- Only epochs that are closed are tested. What is known of them stays, so that looking
  often, as metrics do, costs one test for each epoch.
"""

from __future__ import annotations

from ldp.survey.survey import Question
from ldp_aggregator.analyses.series.changes import (
    ALARM_RATE,
    POPULATION,
    Changes,
    changes_in,
)
from ldp_aggregator.analyses.series.testing import MOST_VALUES
from ldp_aggregator.answers.estimates.question_estimation import estimate_question
from ldp_service.counting.served import Served
from ldp_service.store.reading import history
from ldp_service.store.records import Scanned, last_closed_epochs


class ChangeReader:
    """Reads what has changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[int, Changes]] = {}

    def changes(self, snapshot: Scanned, served: Served) -> dict[str, Changes]:
        """Return for each question with epochs whether it has changed."""
        closed = last_closed_epochs(snapshot)
        asked = [question for question in served.survey if question.epoch is not None]
        changes: dict[str, Changes] = {}
        for question in asked:
            last = closed.get(question.epoch or 0, -1)
            key = served.fingerprint, question.name
            if self._known.get(key, (None,))[0] != last:
                own = _changes(snapshot, served, question, last=last, among=len(asked))
                self._known[key] = last, own
            changes[question.name] = self._known[key][1]
        return changes


def _changes(
    snapshot: Scanned, served: Served, question: Question, *, last: int, among: int
) -> Changes:
    size = question.domain.size or 0
    rate = ALARM_RATE / among
    if (
        size > MOST_VALUES
        and question.domain.numbers is None
        and question.domain.scale is None
    ):
        # Not estimated in every epoch only to be told that there are too many.
        return Changes(rate, untested=f"it has more than {MOST_VALUES} values")
    texts = served.candidates.get(question.name)
    known = [
        (
            epoch.number,
            estimate_question(question, counts, POPULATION, candidates=texts),
        )
        for epoch, counts in history(snapshot, question)
        if epoch.length and epoch.number <= last
    ]
    return changes_in(known, alarm_rate=rate)
