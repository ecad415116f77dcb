"""The client.

`Client(survey)` makes reports and hands them over: the code that calls it batches, sends and deals
with errors. `Client.open(...)` is for apps: it keeps what it makes, sends it by itself, and never
raises into the app.

Rules
- `record` randomizes at once; the answer is not kept, logged, or repeated in an error.
- What was spent is remembered (on disk, if the state is kept there) before the report is handed
  out.
- The bytes of a report are made once. What uploads them sends the same bytes again on a retry.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp.randomness import Random, system
from ldp.survey import Survey
from ldp_client.budget import Budget
from ldp_client.ledger import Ledger
from ldp_client.memory import Memory
from ldp_client.reports import Report
from ldp_client.respondent import Respondent
from ldp_client.scope import Scope
from ldp_client.store import ProcessStore, Store

if TYPE_CHECKING:
    from ldp_client.embedded import EmbeddedClient
    from ldp_client.outbox import Limits
    from ldp_client.terms import Epsilon
    from ldp_client.transport import Transport


class Client:
    """One device's side of a survey.

    `state` names the file in which the device remembers what it has answered; without one it
    forgets when the process ends. `collector` names who gets the reports, where a state file serves
    several. `lifetime_cap` is the largest epsilon that all surveys in a state file may spend
    together: 10, or what the first of them asks for if that is more, unless given. `random` is the
    source of randomness: the operating system's, unless a test or simulation replaces it.
    """

    def __init__(
        self,
        survey: Survey,
        *,
        state: str | os.PathLike[str] | None = None,
        collector: str = "",
        lifetime_cap: Epsilon | None = None,
        random: Random = system,
    ) -> None:
        self.survey = survey
        self._store = ProcessStore() if state is None else _opened(state)
        scope = Scope.of(collector)
        self._memory = Memory(self._store, scope)
        self._budget = Budget(self._store, survey, scope, cap=_bound(lifetime_cap))
        self._respondent = Respondent(survey, self._memory, self._budget, random=random)

    @staticmethod
    def open(
        source: str | os.PathLike[str] | Survey,
        *,
        state: str | os.PathLike[str] | None,
        collector: str | None = None,
        transport: Transport | None = None,
        lifetime_cap: Epsilon | None = None,
        ceiling: Epsilon | None = None,
        pins: Collection[str] | None = None,
        strict: bool = False,
        consent: str = "on",
        limits: Limits | None = None,
        interval: float | None = 3600.0,
    ) -> EmbeddedClient:
        """The client that apps embed.

        Raises `SurveyError` for a survey that cannot be used, or asks for too much.

        source           a survey, its file, or its text (which has more than one line)
        state            the file in which the device remembers; None to forget when the process
                         ends
        collector        the address that reports go to; or a `transport` of your own; with neither
                         they wait
        lifetime_cap     the largest epsilon that all surveys in this state file may spend together:
                         10, or what the first of them asks for if that is more, unless given
        ceiling, pins    the largest epsilon that a question may ever cost; terms that are accepted
        strict           raise what goes wrong while recording, instead of counting it
        consent          `on` or `off`: what holds until the person was asked
        limits           of the queue
        interval         seconds between uploads, on average; None to send at `flush` only
        """
        # Imported here: a client that only makes reports needs neither a queue nor a thread.
        from ldp_client.database import Database
        from ldp_client.embedded import EmbeddedClient
        from ldp_client.terms import read_survey, refuse_beyond
        from ldp_client.transport import HTTPTransport

        survey = read_survey(source)
        refuse_beyond(survey, ceiling, pins)
        if transport is None and collector is not None:
            transport = HTTPTransport(collector)
        return EmbeddedClient(
            survey,
            Database(state),
            transport,
            cap=_bound(lifetime_cap),
            strict=strict,
            consent=consent,
            limits=limits,
            interval=interval,
        )

    def record(self, name: str, answer: object) -> Report:
        """A report of `answer` to the question called `name`.

        An answer is a bool, a number, a text, or a collection of texts.

        Raises `AnswerError` for an unknown question, one of a group, or an answer that does not fit
        it; `AlreadyAnsweredError` if the question's budget is spent, `BudgetError` if the device's
        is; `RandomnessError` or `StateError` if no report could be made safely.
        """
        report = self._store.transact(lambda: self._respondent.report(name, answer))
        self._store.settle()
        return report

    def record_together(self, answers: Mapping[str, object]) -> Report:
        """A report of the answers, by question name, to all questions of a group.

        Raises the errors of `record`.

        A group can be answered again if every question of it can.
        """
        report = self._store.transact(lambda: self._respondent.report_together(answers))
        self._store.settle()
        return report

    def agree(self) -> None:
        """Note that the person has agreed to this version of the survey.

        From now on it may spend what it asks for, even if one before asked for less. Raises
        `StateError`.
        """
        self._store.transact(self._budget.agree)
        self._store.settle()

    def ledger(self) -> Ledger:
        """What the device has spent."""
        return Ledger.read(self._store)


def _bound(lifetime_cap: Epsilon | None) -> Fraction | None:
    if lifetime_cap is None:
        return None
    # Imported here: it reads survey files, which most clients need not.
    from ldp_client.terms import bound

    return bound(lifetime_cap)


def _opened(state: str | os.PathLike[str]) -> Store:
    # Imported here: SQLite takes longer to load than everything else together.
    from ldp_client.database import Database

    database = Database(state)
    database.transact(lambda: None)
    return database
