"""Closing a survey: it takes no more reports, and all that came are shown, once.

A service shows reports many together, so that the last few of a survey would stay unseen for good.
Once nothing more comes, there is one more step to be seen: from what was shown to everything. Of an
epoch that was closed before nothing more is shown.
"""

from __future__ import annotations

from contextlib import closing

from ldp.survey import Question
from ldp_aggregator.service.counting.books import Books
from ldp_aggregator.service.counting.turn import begin
from ldp_aggregator.service.store.errors import StoreError
from ldp_aggregator.service.store.opening import open_store
from ldp_aggregator.service.store.records import shard_of
from ldp_aggregator.service.upkeep.removal import surveys_in
from ldp_aggregator.tallies.counting import total_reports


def close_survey(url: str, name: str) -> dict[str, int]:
    """Close all versions of a survey; how many reports to each question were shown by it.

    Reports to open epochs are meant, or to a survey without epochs. Raises `StoreError` if it is
    not there, or if a process writes to the store.
    """
    shown: dict[str, int] = {}
    with closing(open_store(url)) as store:
        ending, _ = surveys_in(store, name)
        tallied = {part.fingerprint: part for survey in ending for part in survey.tallied}
        for shard in sorted({shard_of(record) for record in store.scan("root")}):
            with store.standing_in(shard) as free:
                if not free:
                    raise StoreError(
                        "expected no process that writes to the store, found one; stop the service"
                    )
                books = Books(store, tallied, sound=True)
                with begin(books, alone=True) as turn:
                    for (fingerprint, epoch), counts in books.tallies.items():
                        turn.show(fingerprint, epoch, counts)
                        question = tallied.get(fingerprint)
                        if isinstance(question, Question):
                            reports = total_reports(counts, question.layout)
                            shown[question.name] = shown.get(question.name, 0) + reports
                    for fingerprint in tallied:
                        turn.end(fingerprint)
    return shown
