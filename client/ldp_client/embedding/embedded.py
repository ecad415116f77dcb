"""The client that apps embed: a respondent, a queue and a sender over one state file.

Rules
- Our trouble is not the app's: a full disk, a damaged state, a spent budget or missing
  randomness mean that nothing is reported. It is counted by reason, logged once for
  each reason, and raised by no method, unless the app asked for `strict`. What raises
  is a mistake of the app's: a survey, a setting or a word that there is not.
- What is charged and what waits to be sent change in one transaction, before `record`
  returns. Where another process writes for long, the report waits in memory to be
  charged for (`ldp_client.embedding.recorder`).
- The file is made, and what is slow is done, when the client is opened: `record` costs
  no sync.
- Where the environment has `LDP_DISABLED` or `DO_NOT_TRACK`, other than 0, nothing is
  recorded or sent, and no file is made.
- What a person says about consent counts at once, even where it cannot be written down.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING
from weakref import WeakSet

from ldp.numbers.randomness import Random, system
from ldp.survey.attributes import NOTHING_SAID, check_given
from ldp.survey.survey import Survey
from ldp_client.answering.consent import FORGET, OFF, ON, UNKNOWN
from ldp_client.answering.ledger import Ledger
from ldp_client.answering.registered import Proof, require_registration
from ldp_client.answering.terms import Epsilon, read_survey, refuse_beyond
from ldp_client.delivery.counts import WAITING, RecordOutcome, reason_of
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.transport import Transport
from ldp_client.embedding.assembly import Wishes, assemble, carrier, is_set, sealed_way
from ldp_client.embedding.error_guard import ErrorGuard
from ldp_client.embedding.recorder import Draw, Make, Refusal
from ldp_client.keeping.database import Database
from ldp_client.keeping.hidden_answer import HiddenAnswer, forget_locals, question_of
from ldp_client.keeping.locks import ClosedError
from ldp_client.keeping.vault import Handed

if TYPE_CHECKING:
    from ldp_client.answering.memory import Memory
    from ldp_client.delivery.sealing import Relay
    from ldp_client.embedding.advice import Facts
    from ldp_client.embedding.preview import Preview
    from ldp_client.embedding.status import Status
    from ldp_client.embedding.stop_lists import StopRule


class EmbeddedClient:
    """A client that keeps what it makes and sends it.

    source           a survey, its file, or its text (which has more than one line)
    state            the file in which the device remembers; None to forget when the
                     process ends
    collector        the address that reports go to; or
    transport        a transport of your own; or
    relay            a `Relay` that mixes reports, and the key of the collector who
                     reads them; with none of these, reports wait
    lifetime_cap     the largest epsilon that all surveys in this state file may spend
                     together: 10, or what the first of them asks for if that is more,
                     unless given
    ceiling, pins    the largest epsilon that a question may ever cost; terms that are
                     accepted
    register_head    the head of a register of surveys that is trusted, SIZE:ROOT; and
    register_proof   the proof, or the file of it, that this survey is in it
                     (`ldp_client.answering.registered`)
    strict           raise what goes wrong while recording, instead of counting it
    debug            log what leaves in plain words (`ldp_client.delivery.debugging`)
    consent          "on" or "off": what holds until the person was asked
    secret           bytes, or a function that fetches them, from the platform's key
                     store: what the state file keeps of answers is of no use without
                     (`ldp_client.keeping.vault`)
    rollback_safe    make the same report of the same answer after the state file was
                     restored from a backup, or copied, so that it counts once
                     (`ldp_client.keeping.tapes`)
    attributes       what reports say openly of the device, of the attributes that the
                     survey lists: `{"platform": "ios"}`; what is not given is unknown.
                     Reports that wait keep what held when they were recorded
    stops            the key under which the collector may stop questions, or have fewer
                     devices asked, and what holds without word from it
                     (`ldp_client.embedding.stop_lists`)
    limits           of the queue
    interval         seconds between uploads, on average, up to 30 days; None to send at
                     `flush` only

    Raises `SurveyError` for a survey that cannot be used, or asks for too much;
    `AnswerError` for an attribute that the survey does not list.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> with ldp_client.EmbeddedClient(survey, state=None) as client:
    ...     client.record("mode", "bus"), client.record("mode", "bus")
    (RecordOutcome('recorded'), RecordOutcome('answered'))
    """

    _draw: Random = staticmethod(system)
    _database: Callable[[str | os.PathLike[str] | None], Database] = staticmethod(
        Database
    )

    def __init__(
        self,
        source: str | os.PathLike[str] | Survey,
        *,
        state: str | os.PathLike[str] | None,
        collector: str | None = None,
        transport: Transport | None = None,
        relay: Relay | None = None,
        lifetime_cap: Epsilon | None = None,
        ceiling: Epsilon | None = None,
        pins: Collection[str] | None = None,
        register_head: str | None = None,
        register_proof: Proof | None = None,
        strict: bool = False,
        consent: str = ON,
        secret: Handed | None = None,
        rollback_safe: bool = True,
        attributes: Mapping[str, str] = NOTHING_SAID,
        stops: StopRule | None = None,
        limits: QueueLimits | None = None,
        interval: float | None = 3600.0,
        debug: bool = False,
    ) -> None:
        survey = read_survey(source)
        refuse_beyond(survey, ceiling, pins)
        require_registration(survey, register_head, register_proof)
        check_given(survey.attributes, attributes)
        store = self._database(state)
        transport, seal = sealed_way(survey, relay, collector, transport=transport)
        transport = carrier(survey, collector, transport, is_watched=debug)
        wishes = Wishes(
            lifetime_cap,
            consent,
            secret,
            rollback_safe=rollback_safe,
            attributes=attributes,
            stops=stops,
            limits=limits,
            interval=interval,
            seal=seal,
            relay_key=None if relay is None else relay.key,
        )
        parts = assemble(survey, store, transport, wishes=wishes, random=self._draw)
        self.survey = survey
        self._store = store
        self._consent = parts.consent
        self._counts = parts.counts
        self._outbox = parts.outbox
        self._recorder = parts.recorder
        self._consent_actions = parts.consent_actions
        self._disabled = is_set("LDP_DISABLED") or is_set("DO_NOT_TRACK")
        self._sender = None if self._disabled else parts.sender
        self._sends_by_itself = transport is not None and interval is not None
        self._guard = ErrorGuard(survey, parts.counts, is_strict=strict)
        self._closed = False
        self._asking = parts.asking
        if not self._disabled:
            self._prepare()
        _open.add(self)
        if self._sender is not None:
            self._sender.start()

    def __enter__(self) -> EmbeddedClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def record(self, name: str, answer: object) -> RecordOutcome:
        """Randomize an answer now and let its report wait to be sent.

        The outcome is true if there is a report; its `reason` says why there is none.
        """
        answers: HiddenAnswer[Mapping[str, object]] = HiddenAnswer({name: answer})
        del answer
        return self._record_answers(name, answers)

    def record_daily(self, name: str, answer: object) -> RecordOutcome:
        """Record an answer at most once a day (UTC), to a question whose responses are
        memoized.
        """
        answers: HiddenAnswer[Mapping[str, object]] = HiddenAnswer({name: answer})
        del answer

        def again(memory: Memory) -> str | None:
            from ldp_client.embedding.daily import again_today

            return again_today(memory, question_of(self.survey, name))

        return self._record_answers(name, answers, again)

    def record_together(self, answers: Mapping[str, object]) -> RecordOutcome:
        """Record the answers to all questions of a group, by question name."""
        hidden = HiddenAnswer(answers)
        del answers
        return self._store_report(
            lambda respondent: respondent.report(hidden, together=True),
            lambda respondent: respondent.drafts(hidden, together=True),
            unless=self._stops(hidden.value.keys()),
        )

    def flush(self, timeout: float = 2.0) -> bool:
        """Send what waits, for at most `timeout` seconds.

        Whether all of it has arrived: nothing waits any more, and nothing was dropped.
        """

        def is_flush_complete() -> bool:
            written = self._recorder.backlog.drain()
            if self._sender is not None and self._store.transact(self._consent.sends):
                return self._sender.flush(timeout) and written
            return self._outbox.waiting() == 0 and written

        return self._guard.ask(is_flush_complete, otherwise=False)

    def waiting(self) -> int:
        """The number of reports that wait to be sent, or to be charged for first.

        Of those in a state file that cannot be read none is sent, and none is counted
        here.
        """
        backlog = self._recorder.backlog

        def count() -> int:
            # Of one moment: what is being written is in both places, before and after.
            return backlog.pending() + self._outbox.count_waiting()

        return self._guard.ask_or(
            lambda: self._store.transact(count), lambda _: backlog.pending()
        )

    def counts(self) -> dict[str, int]:
        """Return the counts since this client was opened, by reason (`REASONS`)."""
        numbers = self._counts.numbers()
        if self._store.damaged:
            numbers["damaged"] = self._store.damaged
        return numbers

    def ledger(self) -> Ledger:
        """Return all spending of this device, on all surveys in its state file.

        One that cannot be read is a ledger that says so (`Ledger.problem`).
        """
        return self._guard.ask_or(
            lambda: Ledger.read(self._store),
            lambda error: Ledger((), problem=str(error)),
        )

    def status(self) -> Status:
        """How things stand, and what there is to do. Never raises."""
        from ldp_client.embedding.status import status

        return status(
            lambda: self._store.transact(self._facts),
            lambda: self._store.prepare(lambda: None),
            self.counts,
            sends=self._sender is not None,
            by_itself=self._sends_by_itself and not self._closed,
        )

    def preview(self, name: str, answer: object) -> Preview:
        """Show the report of an answer and what it could reveal. Raises
        `AnswerError`.
        """
        from ldp_client.embedding.preview import preview

        answer = HiddenAnswer(answer)
        try:
            return preview(self.survey, name, answer.value, random=self._draw)
        except Exception as error:
            forget_locals(error)
            raise

    @property
    def consent(self) -> str:
        """Whether answers are recorded now, `on` or `off`: `off` if the state cannot be
        read.
        """
        is_on = not self._disabled and self._consent.records(self.said)
        if is_on:
            return ON
        return OFF

    @property
    def said(self) -> str:
        """Consent of the person to this version of the survey: one of `SAID`."""
        return self._guard.ask(self._consent_actions.state, otherwise=UNKNOWN)

    def set_consent(self, said: str) -> bool:
        """Note what the person says. Whether that is on disk, and outlives the process.

        `on`; `off`: nothing is recorded or sent from now on; or `forget`: as `off`, and
        what waits, the permanent responses and the secret are erased. The ledger stays,
        so that coming back does not renew the budget.

        `on` is consent to this version of the survey, its texts included: from then on
        it may spend what it asks for, even if a version before asked for less. Say it
        when a person has, and not at every start. `off` and `forget` are for all
        surveys in the state file, and hold in this process whatever becomes of the
        file; where another process writes to it for long, they are written as soon as
        that can be.
        """
        if said not in (ON, OFF, FORGET):
            raise ValueError(f"expected {ON!r}, {OFF!r} or {FORGET!r}, got {said!r}")
        self._consent.withdrawn = said != ON
        is_kept = self._guard.ask(
            lambda: self._consent_actions.keep(said), otherwise=False
        )
        if self._sender is not None:
            self._sender.start()
        return is_kept

    def rotate(self) -> bool:
        """Draw a new secret and new permanent responses from now on; they are charged
        anew.

        Whether that is on disk.
        """
        return self._guard.ask(self._consent_actions.rotate, otherwise=False)

    def close(self) -> None:
        """Stop sending, within moments, and close the state. What waits is sent another
        time.
        """
        self._closed = True
        _open.discard(self)
        self._recorder.backlog.close()
        if self._sender is not None:
            self._sender.stop()
        self._store.close()

    def _facts(self) -> Facts:
        from ldp_client.embedding.status import facts

        return facts(self.survey, self._outbox, self._consent)

    def _prepare(self) -> None:
        try:
            self._recorder.prepare()
        except (
            Exception
        ):  # what is wrong shows, and is counted, when something is recorded
            if self._guard.is_strict:
                raise

    def _record_answers(
        self, name: str, answers: HiddenAnswer[Mapping[str, object]], *unless: Refusal
    ) -> RecordOutcome:
        if not self._disabled and name in self.survey.drawn_names:
            self._recorder.settle_draw(name)
        return self._store_report(
            lambda respondent: respondent.report(answers, together=False),
            lambda respondent: respondent.drafts(answers, together=False),
            unless=(*self._stops((name,)), *unless),
            name=name,
        )

    def _stops(self, names: Collection[str]) -> tuple[Refusal, ...]:
        """Whether a stop list has questions not asked, of all devices or of this
        one.
        """
        asking = self._asking
        if asking is None:
            return ()
        return (lambda _: asking.refusal(names, self._draw),)

    def _store_report(
        self,
        make: Make,
        draw: Draw,
        *,
        unless: Collection[Refusal] = (),
        name: str = "",
    ) -> RecordOutcome:
        def put_report() -> RecordOutcome:
            if self._disabled:
                self._counts.add("disabled")
                return RecordOutcome("disabled")
            if self._closed:
                raise ClosedError(
                    "expected an answer before the client was closed, got a later one"
                )
            reason = self._recorder.record(make, draw, unless)
            if reason is not None:
                self._counts.add(reason)
            outcome = RecordOutcome(reason or WAITING)
            if outcome and self._sender is not None:
                self._sender.start()
            return outcome

        # An app that asks a question must not fall over it, whatever we did wrong.
        return self._guard.ask_or(
            put_report, lambda error: RecordOutcome(reason_of(error)), name=name
        )


_open: WeakSet[EmbeddedClient] = WeakSet()
"""Those to be closed at exit. One that an app forgot can be collected before."""


@atexit.register
def _close_all() -> None:
    for client in list(_open):
        client.close()
