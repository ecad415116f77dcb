"""Observation of a running service.

What the store says is so for all processes; trouble, the clock and statuses of uploads
are those of this one. Checks of reports take long, so that they are looked at less
often.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from ldp_service.alerts.conditions import EARLY, NOISE, UNLIKELY, Condition, Observation
from ldp_service.alerts.volume_drop import HOUR, Hours
from ldp_service.store.opening import file_of, free_bytes, open_snapshot
from ldp_service.store.records import last_closed_epochs

if TYPE_CHECKING:
    from ldp_service.service import Service

CHECKS_EVERY = 300.0


class Sliding:
    """How much a counter that only rises has risen within an hour."""

    def __init__(self) -> None:
        self._known: deque[tuple[float, Counter[Any]]] = deque()

    def risen(self, moment: float, total: Counter[Any]) -> Counter[Any]:
        """Return the increase over the interval, by kind."""
        self._known.append((moment, Counter(total)))
        while len(self._known) > 1 and self._known[1][0] <= moment - HOUR:
            self._known.popleft()
        return total - self._known[0][1]


class Observer:
    """Looks at one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._file = file_of(service.url)
        self._hours = Hours()
        self._outcomes, self._uploads = Sliding(), Sliding()
        self._received: int | None = None
        self._checked = float("-inf")
        self._noise: tuple[Condition, ...] = ()

    def look(self, now: float, moment: float) -> Observation:
        """Observe: `now` is the time, `moment` that of a clock that only goes on.

        Raises `StoreError` where the store cannot be read.
        """
        service = self._service
        accounts = service.analysis.accounts()
        if self._received is not None:
            self._hours.count(now, max(0, accounts.received - self._received))
        self._received = accounts.received
        outcomes = Counter(accounts.outcomes)
        # Those that were told to come again are in no account.
        outcomes[EARLY] += service.writer.early
        if moment - self._checked >= CHECKS_EVERY:
            self._checked, self._noise = moment, self._checks()
        return Observation(
            service.trouble,
            service.writer.clock_trouble,
            room=None if self._file is None else free_bytes(self._file),
            outcomes=self._outcomes.risen(moment, outcomes),
            uploads=self._uploads.risen(moment, Counter(service.statuses.copy())),
            drop=self._hours.drop(now),
            noise=self._noise,
            closed=self._last_closed_epochs(),
            tokens=self._tokens(),
        )

    def _last_closed_epochs(self) -> dict[int, int]:
        with open_snapshot(self._service.url) as snapshot:
            return last_closed_epochs(snapshot)

    def _tokens(self) -> tuple[str, ...]:
        tokens = self._service.settings.tokens
        if tokens is None:
            return ()
        return tuple(token.name for token in tokens.tokens.all)

    def _checks(self) -> tuple[Condition, ...]:
        """Return the failed checks of published counts: a message says no more than the
        page.
        """
        analysis = self._service.analysis
        return tuple(
            Condition(
                NOISE,
                f"{served.survey.name}, {name}",
                f"{check.name}: reports do not look as the mechanism draws them",
            )
            for served in self._service.catalogue.all
            for name, checks in analysis.health(served).items()
            for check in checks
            if check.p_value < UNLIKELY
        )
