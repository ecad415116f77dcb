"""Adoption of reports recorded before an app knew where to send.

That is the first collector of a survey, for good.

It gets the reports that wait for no one, so what they cost, their cohorts and their
permanent responses count for it as well: otherwise it would get a second report of a
question that is answered once, as soon as it has a name. From then on all that is
recorded without a collector is recorded for this one. To any other collector the device
is another.
"""

from __future__ import annotations

from typing import cast

from ldp.survey.survey import Survey
from ldp_client.answering.budget import LIMIT
from ldp_client.keeping.scope import NO_COLLECTOR, Scope
from ldp_client.keeping.store import DeviceStore

_HEIR = "heir"


class Adoption:
    """Adoption in a store, as a client of one survey and one collector (or of none yet)
    sees it.

    Both methods are called in a transaction of the store.
    """

    __slots__ = ("_own", "_store", "_survey")

    def __init__(self, store: DeviceStore, survey: Survey, own: Scope) -> None:
        self._store = store
        self._survey = survey
        self._own = own

    def scope(self) -> Scope:
        """Where the client keeps its records: under its own scope, or the one that it
        shares.
        """
        heir, shared = self._read_heir()
        if self._own.collector in (NO_COLLECTOR.collector, heir):
            return Scope.of(shared)
        return self._own

    def inherits(self) -> bool:
        """Whether what waits for no collector in particular is the client's to send."""
        return self._own.collector in (NO_COLLECTOR.collector, self._read_heir()[0])

    def _read_heir(self) -> tuple[str, str]:
        """The heir, and the collector under whose scope its records are kept.

        A first collector becomes it now.
        """
        key = NO_COLLECTOR.survey_key(self._survey)
        record = self._store.get(_HEIR, key)
        if record is not None:
            return cast("tuple[str, str]", record)
        heir = self._own.collector
        if self._own == NO_COLLECTOR:
            return heir, heir
        # Where nothing was recorded for no one, there is nothing to share.
        shared = heir if self._store.get(LIMIT, key) is None else NO_COLLECTOR.collector
        self._store.put(_HEIR, key, (heir, shared))
        return heir, shared
