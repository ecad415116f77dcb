"""The client that apps embed: a respondent, a queue and a sender over one state file.

Rules
- Our trouble is not the app's: a full disk, a damaged state, a spent budget or missing randomness
  mean that nothing is reported. It is counted by reason, logged once for each reason, and never
  raised, unless the app asked for `strict`.
- What is charged and what waits to be sent change in one transaction, before `record` returns.
- What a person says about consent counts at once, even where it cannot be written down; that alone
  is always raised.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from ldp.randomness import Random, system
from ldp.survey import Survey
from ldp_client.budget import Budget, renew
from ldp_client.counts import RECORDED, Counts
from ldp_client.database import Database
from ldp_client.heirs import Heirs
from ldp_client.ledger import Ledger
from ldp_client.memory import FORGET, OFF, ON, Memory
from ldp_client.outbox import Outbox, QueueLimits
from ldp_client.reports import Report
from ldp_client.respondent import Respondent
from ldp_client.scope import NO_COLLECTOR, Scope
from ldp_client.sender import Sender
from ldp_client.terms import Epsilon, bound, read_survey, refuse_beyond
from ldp_client.transport import NAMELESS, HTTPTransport, Transport

if TYPE_CHECKING:
    from ldp_client.preview import Preview


class EmbeddedClient:
    """A client that keeps what it makes and sends it.

    source           a survey, its file, or its text (which has more than one line)
    state            the file in which the device remembers; None to forget when the process ends
    collector        the address that reports go to; or
    transport        a transport of your own; with neither, reports wait
    lifetime_cap     the largest epsilon that all surveys in this state file may spend together: 10,
                     or what the first of them asks for if that is more, unless given
    ceiling, pins    the largest epsilon that a question may ever cost; terms that are accepted
    strict           raise what goes wrong while recording, instead of counting it
    debug            log what leaves in plain words (`ldp_client.debugging`)
    consent          "on" or "off": what holds until the person was asked
    limits           of the queue
    interval         seconds between uploads, on average; None to send at `flush` only

    Raises `SurveyError` for a survey that cannot be used, or asks for too much.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> with ldp_client.EmbeddedClient(survey, state=None) as client:
    ...     client.record("mode", "bus"), client.record("mode", "bus"), client.counts()
    (True, False, {'recorded': 1, 'answered': 1})
    """

    _draw: Random = staticmethod(system)
    _database: Callable[[str | os.PathLike[str] | None], Database] = staticmethod(Database)

    def __init__(
        self,
        source: str | os.PathLike[str] | Survey,
        *,
        state: str | os.PathLike[str] | None,
        collector: str | None = None,
        transport: Transport | None = None,
        lifetime_cap: Epsilon | None = None,
        ceiling: Epsilon | None = None,
        pins: Collection[str] | None = None,
        strict: bool = False,
        consent: str = ON,
        limits: QueueLimits | None = None,
        interval: float | None = 3600.0,
        debug: bool = False,
    ) -> None:
        survey = read_survey(source)
        refuse_beyond(survey, ceiling, pins)
        store = self._database(state)
        if transport is None and collector is not None:
            transport = HTTPTransport(collector)
        is_watched = debug or os.environ.get("LDP_LOG_BATCHES", "0") not in ("", "0")
        if transport is not None and is_watched:
            from ldp_client.debugging import LoggingTransport

            transport = LoggingTransport(transport, survey)
        if consent not in (ON, OFF):
            raise ValueError(f"expected consent {ON!r} or {OFF!r}, got {consent!r}")
        self.survey = survey
        self._store = store
        self._cap = None if lifetime_cap is None else bound(lifetime_cap)
        scope = NO_COLLECTOR
        if transport is not None:
            scope = Scope.of(getattr(transport, "destination", NAMELESS))
        self._memory = Memory(store, scope)
        self._heirs = Heirs(store, survey, scope)
        self._counts = Counts()
        self._outbox = Outbox(
            store,
            queue=scope.survey_key(survey),
            orphaned=NO_COLLECTOR.survey_key(survey),
            limits=limits or QueueLimits(),
            random=self._draw,
            count=self._counts.add,
            inherits=self._heirs.inherits,
        )
        self._sender: Sender | None = None
        if transport is not None:
            self._sender = Sender(
                self._outbox,
                transport,
                self._counts,
                allowed=self._agrees,
                interval=interval,
                random=self._draw,
            )
        self._strict = strict
        self._if_never_asked = consent
        self._withdrawn = False
        if strict:
            self.waiting()
        atexit.register(self.close)

    def __enter__(self) -> EmbeddedClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def record(self, name: str, answer: object) -> bool:
        """Randomize an answer now and let its report wait to be sent. Whether there is a report.

        There is none where the device answers another question of a draw.
        """
        if name in self.survey.drawn:
            self._settle_draw(name)
        return self._kept(lambda: self._respondent().report(name, answer))

    def record_together(self, answers: Mapping[str, object]) -> bool:
        """The same for the answers to all questions of a group, by question name."""
        return self._kept(lambda: self._respondent().report_together(answers))

    def flush(self, timeout: float = 2.0) -> bool:
        """Send what waits, for at most `timeout` seconds. Whether nothing waits any more."""
        try:
            if self._sender is None or self.consent == OFF:
                return self.waiting() == 0
            return self._sender.flush(timeout)
        except Exception as error:
            self._counts.note(error)
            if self._strict:
                raise
            return False

    def waiting(self) -> int:
        """The number of reports that wait to be sent. Raises `StateError`."""
        return self._outbox.waiting()

    def counts(self) -> dict[str, int]:
        """What happened since this client was opened, by reason (`REASONS`)."""
        numbers = self._counts.numbers()
        if self._store.damaged:
            numbers["damaged"] = self._store.damaged
        return numbers

    def ledger(self) -> Ledger:
        """What this device has spent, on all surveys in its state file. Raises `StateError`."""
        return Ledger.read(self._store)

    def preview(self, name: str, answer: object) -> Preview:
        """What would be sent, and what it could reveal, without spending. Raises `AnswerError`."""
        from ldp_client.preview import preview

        return preview(self.survey, name, answer, random=self._draw)

    @property
    def consent(self) -> str:
        """`on` or `off`. Raises `StateError`."""
        return ON if self._agrees() else OFF

    def set_consent(self, said: str) -> None:
        """Note what the person says.

        `on`; `off`: nothing is recorded or sent from now on; or `forget`: as `off`, and what waits,
        the permanent responses and the secret are erased. The ledger stays, so that coming back
        does not renew the budget.

        `on` is consent to this version of the survey: from then on it may spend what it asks for,
        even if a version before asked for less. Say it when a person has, and not at every start.
        Raises `StateError`.
        """
        if said not in (ON, OFF, FORGET):
            raise ValueError(f"expected {ON!r}, {OFF!r} or {FORGET!r}, got {said!r}")
        self._withdrawn = said != ON
        self._store.transact(lambda: self._keep_consent(said))
        self._store.settle()

    def rotate(self) -> None:
        """Draw a new secret and new permanent responses from now on; they are charged anew.

        Raises `StateError`.
        """
        self._store.transact(lambda: self._erase("the secret was renewed"))
        self._store.settle()

    def close(self) -> None:
        """Stop sending, within moments, and close the state. What waits is sent another time."""
        atexit.unregister(self.close)
        if self._sender is not None:
            self._sender.stop()
        self._store.close()

    # Under which scope a client keeps its records may be decided by another one meanwhile: it is
    # asked each time.

    def _budget(self) -> Budget:
        return Budget(self._store, self.survey, self._heirs.scope(), cap=self._cap)

    def _respondent(self) -> Respondent:
        memory = Memory(self._store, self._heirs.scope())
        return Respondent(self.survey, memory, self._budget(), random=self._draw)

    def _kept(self, make: Callable[[], Report | None]) -> bool:
        try:
            outcome = self._store.transact(lambda: self._put(make))
            self._counts.add(outcome)
            recorded = outcome == RECORDED
            if recorded and self._sender is not None:
                self._sender.start()
        # An app that asks a question must not fall over it, whatever we did wrong.
        except Exception as error:
            self._counts.note(error)
            if self._strict:
                raise
            return False
        return recorded

    def _settle_draw(self, name: str) -> None:
        """Draw by itself, so that an answer that cannot be paid for draws nothing anew."""

        def settle() -> None:
            if self._agreed():
                self._respondent().is_drawn(self.survey[name])

        # What fails here fails again where it is counted.
        with suppress(Exception):
            self._store.transact(settle)

    def _put(self, make: Callable[[], Report | None]) -> str:
        """What became of an answer, by the name that it is counted under."""
        if not self._agreed():
            return "consent-off"
        report = make()
        if report is None:
            return "not-drawn"
        self._outbox.put(report)
        return RECORDED

    def _keep_consent(self, said: str) -> None:
        self._memory.keep_consent(ON if said == ON else OFF)
        if said == ON:
            self._budget().agree()
        if said == FORGET:
            self._erase("everything but this ledger was forgotten")
            self._outbox.erase()

    def _erase(self, reason: str) -> None:
        self._memory.erase(reason)
        renew(self._store)

    def _agrees(self) -> bool:
        return self._store.transact(self._agreed)

    def _agreed(self) -> bool:
        """The same within a transaction."""
        return not self._withdrawn and self._memory.consent(self._if_never_asked) == ON
