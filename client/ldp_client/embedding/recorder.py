"""How an answer gets into the state file: charged for and queued in one transaction, or
later.

Rules
- A transaction is tried for a moment. Where others write for longer, the answer is
  randomized under what was last read of the file, and its draft waits in memory
  (`embedding.backlog`). It is charged for, and may be sent, only once it can be
  written; by then that may not be allowed.
- What came after something that waits waits as well: nothing overtakes.
- Of a store in memory there is no other writer, and no rollback.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from fractions import Fraction

from ldp.errors import AlreadyAnsweredError
from ldp.numbers.randomness import Random
from ldp.survey.survey import Survey
from ldp_client.answering.budget import Budget
from ldp_client.answering.consent import Consent
from ldp_client.answering.memory import Memory
from ldp_client.answering.reports import Report
from ldp_client.answering.respondent import Drafts, Respondent
from ldp_client.answering.state_snapshot import StateSnapshot
from ldp_client.delivery.counts import RECORDED, Counts
from ldp_client.delivery.outbox import Outbox
from ldp_client.embedding.adoption import Adoption
from ldp_client.embedding.backlog import Backlog
from ldp_client.keeping.database import Database
from ldp_client.keeping.hidden_answer import question_of
from ldp_client.keeping.locks import BusyError
from ldp_client.keeping.vault import Vault

PATIENCE = 0.1
"""Seconds that an answer waits for others to write."""

Make = Callable[[Respondent], Report | None]
Draw = Callable[[Respondent], Drafts | None]
Refusal = Callable[[Memory], str | None]
"""Why there is to be no report, as it is counted; called in the transaction that makes
it.
"""


class Recorder:
    """Records the answers to a survey in a store, whose reports then wait in an outbox.

    `derives`: what is drawn once comes from the device's secret, which is in the vault.
    `attributes`: what reports say openly of the device.
    """

    def __init__(
        self,
        survey: Survey,
        store: Database,
        adoption: Adoption,
        consent: Consent,
        outbox: Outbox,
        *,
        cap: Fraction | None,
        vault: Vault,
        random: Random,
        derives: bool,
        attributes: Mapping[str, str],
        counts: Counts,
    ) -> None:
        self._survey = survey
        self._store = store
        self._adoption = adoption
        self._consent = consent
        self._outbox = outbox
        self._cap = cap
        self._vault = vault
        self._random = random
        self._lasts = store.path is not None
        self._derives = derives and self._lasts
        self._attributes = attributes
        self._patience = PATIENCE if self._lasts else None
        self.snapshot: StateSnapshot | None = None
        self._spent: set[bytes] = set()
        # A backup that has a secret which a loss of power takes back would answer once
        # more.
        store.first = self.draw_secret
        self.backlog = Backlog(store.transact, counts.add, counts.note, tidy=self._tidy)

    def prepare(self) -> None:
        """Make the file, and do what is slow, before there is an answer. Raises
        `StateError`.
        """
        if self._lasts:
            self._store.prepare(self._look)

    def record(
        self, make: Make, draw: Draw, unless: Collection[Refusal] = ()
    ) -> str | None:
        """Record an answer; return the name that its outcome is counted under.

        None if its draft waits to be charged for. It is drawn where a report cannot be
        made at once. Raises the errors of `Respondent`.
        """
        if self.backlog or self._store.is_long:
            self.backlog.start()
        if not self.backlog:
            try:
                return self._store.transact(
                    self.put, make, unless, patience=self._patience
                )
            except BusyError:
                if self.snapshot is None:
                    raise
        return self._postpone(draw, unless)

    def settle_draw(self, name: str) -> None:
        """Draw by itself, so that an answer that cannot be paid for draws nothing
        anew.
        """

        def settle() -> None:
            if self._consent.records():
                self.respondent().is_drawn(question_of(self._survey, name))

        # What fails here fails again where it is counted.
        with suppress(Exception):
            if not self.backlog:
                self._store.transact(settle, patience=self._patience)

    def put(self, make: Make, unless: Collection[Refusal] = ()) -> str:
        """Let a report wait to be sent, unless it is refused. Called in a
        transaction.
        """
        if not self._consent.records():
            return "consent-off"
        for refusal in unless:
            if (reason := refusal(self.memory())) is not None:
                return reason
        report = make(self.respondent())
        if self._lasts and self.snapshot is None:
            self._look()
        if report is None:
            return "not-drawn"
        self._outbox.put(report)
        self._spent.add(report.fingerprint)
        return RECORDED

    # Under which scope a client keeps its records may be decided by another one
    # meanwhile: it is asked each time.

    def draw_secret(self) -> None:
        """See to it that there is a secret. Called in a transaction; raises
        `StateError`.
        """
        self.memory().secret(self._random)

    def memory(self) -> Memory:
        """Return the memory of the device."""
        return Memory(self._store, self._adoption.scope(), self._vault)

    def budget(self) -> Budget:
        """Return the budget of the device."""
        return self._budget_of(self.memory())

    def respondent(self) -> Respondent:
        """Return the respondent of the device."""
        return self._respondent_of(self.memory())

    def _budget_of(self, memory: Memory) -> Budget:
        return Budget(memory.store, self._survey, memory.scope, cap=self._cap)

    def _respondent_of(self, memory: Memory) -> Respondent:
        budget = self._budget_of(memory)
        return Respondent(
            self._survey,
            memory,
            budget,
            random=self._random,
            derives=self._derives,
            attributes=self._attributes,
        )

    def _look(self) -> None:
        budget = self.budget()
        self._spent |= {
            envelope.fingerprint
            for envelope in self._survey.envelopes
            if any(budget.has_charge(question) for question in envelope.members)
        }
        self.snapshot = StateSnapshot.read(
            self.memory(), self._consent.state(), self._random
        )

    def _postpone(self, draw: Draw, unless: Collection[Refusal]) -> str | None:
        snapshot = self.snapshot
        if self._consent.withdrawn:
            return "consent-off"
        if snapshot is None:
            raise BusyError("expected a state file that was read before, got none")
        if not self._consent.records(snapshot.said):
            return "consent-off"
        respondent = self._respondent_of(snapshot.memory)
        drafts = snapshot.memory.store.transact(lambda: draw(respondent))
        if drafts is None:
            return "not-drawn"
        members = drafts.envelope.members
        names = tuple(question.name for question in members if not question.memoizes)
        is_spent = bool(names) and drafts.envelope.fingerprint in self._spent
        if is_spent or self.backlog.names().intersection(names):
            raise AlreadyAnsweredError(
                f"{', '.join(names)}: expected one answer, got another after the "
                "report of the first was charged for, or while it waits to be"
            )
        # From here on nothing holds the answer.
        self.backlog.add(
            lambda: self.put(
                lambda respondent: respondent.report_drafts(drafts), unless
            ),
            names,
        )
        return None

    def _tidy(self) -> bool:
        if self._store.is_long:
            self._store.settle()
        return self._store.is_long
