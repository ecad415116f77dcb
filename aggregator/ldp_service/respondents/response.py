"""The response to a survey by day: how many were shown the page, began, and were
counted.

    page_shown, page_begun   what pages say of themselves, without an answer
    answered                 the most batches that were counted for any one question,
                             group or draw: a page sends one for each (of a draw as many
                             as it asks), so that as many people answered, if all did so
                             on pages
    batches                  all that were counted, of all questions, in whichever way
                             they came

What was counted is the store's: by epoch, on the day on which it began, where a survey
has epochs. Where it has none, the store knows no day; then its sums are looked at once
a minute, and their growth since the day before is that of the day. The columns add up
to what the store has.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from threading import Event, Thread
from typing import NamedTuple

from ldp.survey.survey import Survey
from ldp_service.service import Service
from ldp_service.store.errors import StoreError
from ldp_service.store.records import EVER
from ldp_service.uploads.page_visits import COUNTED, SHOWN, STARTED
from ldp_service.uploads.public import Public

EVERY = 60.0
"""Seconds between two looks at what was counted."""
EARLIER = "earlier"
"""What was counted before days were."""
_LAST = 2.0

_log = logging.getLogger("ldp.service")

Sums = Mapping[str, int]
"""Batches by question or group."""


class ResponseDay(NamedTuple):
    """One row: a day, or the time before days were counted."""

    day: str
    page_shown: int
    page_begun: int
    answered: int
    batches: int


def response(service: Service, public: Public, name: str) -> list[ResponseDay]:
    """The response to a survey, from the first day on."""
    survey = service.catalogue.by_name[name][-1].survey
    by_epoch = service.analysis.count_batches(name)
    public.reach.note(name, by_epoch.get(EVER, Counter()))
    days = public.reach.by_day(name)
    counted = _growth(
        {day: steps[COUNTED] for day, steps in days.items() if COUNTED in steps}
    )
    for epoch, sums in by_epoch.items():
        if epoch != EVER:
            began = datetime.fromtimestamp(epoch.start, UTC).date().isoformat()
            counted.setdefault(began, Counter()).update(sums)
    rows = []
    for day in sorted({*days, *counted}):
        steps, sums = days.get(day, {}), counted.get(day, Counter())
        most = _most(sums, survey)
        shown, begun = steps.get(SHOWN, 0), steps.get(STARTED, 0)
        row = ResponseDay(
            day or EARLIER, shown, begun, answered=most, batches=sums.total()
        )
        rows += [row] * any(row[1:])
    return rows


def _most(sums: Sums, survey: Survey) -> int:
    """The most batches of any one question or group; those of a draw by how many each
    answers.
    """
    drawn = {name for draw in survey.draws for name in draw.names}
    numbers = [number for name, number in sums.items() if name not in drawn]
    for draw in survey.draws:
        together = sum(sums.get(name, 0) for name in draw.names)
        numbers.append(-(-together // draw.answers))
    return max(numbers, default=0)


def _growth(totals: Mapping[str, Sums]) -> dict[str, Counter[str]]:
    """Return the increase on each day, from the totals at its end; before, all there
    was.
    """
    growth = {}
    before: Sums = {}
    for day, sums in sorted(totals.items()):
        growth[day] = Counter({name: sums[name] - before.get(name, 0) for name in sums})
        before = sums
    # Of a store that was put back there may be less than the day before.
    return {day: +sums for day, sums in growth.items()}


class DailyLook:
    """Looks at what was counted once a minute, for surveys whose store knows no day."""

    def __init__(self, service: Service, public: Public) -> None:
        self._service, self._public = service, public
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="ldp-response", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._stopping.set()
        self._thread.join(_LAST)

    def look(self) -> None:
        """Look once."""
        for name in self._public.files:
            versions = self._service.catalogue.by_name[name]
            if any(version.survey.epoch is None for version in versions):
                sums = self._service.analysis.count_batches(name).get(EVER, Counter())
                self._public.reach.note(name, sums)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
            except (
                StoreError
            ) as error:  # which the log says elsewhere; the next look may do better
                _log.debug("the response could not be looked at: %s", error)
            self._stopping.wait(EVERY)
