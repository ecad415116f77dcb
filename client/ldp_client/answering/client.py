"""The client.

`Client(survey)` makes reports and hands them over: its caller batches, sends and deals
with errors. `EmbeddedClient` (`embedding.embedded`) is for apps: it keeps what it
makes, sends it by itself, and raises nothing where it records or sends.

Rules
- `record` randomizes at once; the answer is not kept, logged, or repeated in an error,
  nor in what error reporters send of local variables (`ldp_client.keeping.hidden_answer`).
- What was spent is remembered (on disk, if the state is kept there) before the report
  is handed out.
- The bytes of a report are made once. What uploads them sends the same bytes again on a
  retry.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from ldp.errors import NotDrawnError
from ldp.numbers.randomness import Random, system
from ldp.survey.attributes import NOTHING_SAID, check_given
from ldp.survey.survey import Survey
from ldp_client.answering.budget import Budget
from ldp_client.answering.ledger import Ledger
from ldp_client.answering.memory import Memory
from ldp_client.answering.registered import Proof, require_registration
from ldp_client.answering.reports import Report
from ldp_client.answering.respondent import Respondent
from ldp_client.keeping.hidden_answer import HiddenAnswer, forget_locals, question_of
from ldp_client.keeping.scope import Scope
from ldp_client.keeping.store import DeviceStore, ProcessStore
from ldp_client.keeping.vault import Handed, Vault

if TYPE_CHECKING:
    from ldp_client.answering.terms import Epsilon


class Client:
    """One device's side of a survey: it makes reports, and remembers what it has
    answered.

    survey        the survey
    state         the file in which the device remembers; without one it forgets when
                  the process ends
    collector     who gets the reports, where a state file serves several
    lifetime_cap  the largest epsilon that all surveys in a state file may spend
                  together: 10, or what the first of them asks for if that is more,
                  unless given
    secret        bytes, or a function that fetches them, from the platform's key store:
                  what the state file keeps of answers is of no use without
                  (`ldp_client.keeping.vault`)
    rollback_safe make the same report of the same answer after the state file was
    restored from a
                  backup, or copied, so that it counts once (`ldp_client.keeping.tapes`)
    attributes    what reports say openly of the device, of the attributes that the
                  survey lists: `{"platform": "ios"}`; what is not given is unknown
    register_head, register_proof
                  the head of a register of surveys that is trusted, SIZE:ROOT, and the
                  proof, or the file of it, that this survey is in it
                  (`ldp_client.answering.registered`)
    random        the source of randomness: the operating system's, unless a test or
                  simulation replaces it

    Raises `StateError` for a state file that cannot be used, `AnswerError` for an
    attribute that the survey does not list, `SurveyError` for a survey that is not in
    the register.

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> len(ldp_client.Client(survey).record("mode", "bus").row)
    1
    """

    def __init__(
        self,
        survey: Survey,
        *,
        state: str | os.PathLike[str] | None = None,
        collector: str = "",
        lifetime_cap: Epsilon | None = None,
        secret: Handed | None = None,
        rollback_safe: bool = True,
        attributes: Mapping[str, str] = NOTHING_SAID,
        register_head: str | None = None,
        register_proof: Proof | None = None,
        random: Random = system,
    ) -> None:
        check_given(survey.attributes, attributes)
        require_registration(survey, register_head, register_proof)
        self.survey = survey
        self._store = ProcessStore() if state is None else _open_store(state)
        scope = Scope.of(collector)
        self._memory = Memory(self._store, scope, Vault(secret))
        self._budget = Budget(self._store, survey, scope, cap=_bound(lifetime_cap))
        if state is not None:
            # Every backup that is made from now on has it.
            self._store.transact(self._memory.secret, random)
        self._respondent = Respondent(
            survey,
            self._memory,
            self._budget,
            random=random,
            # What is forgotten with the process cannot be restored.
            derives=rollback_safe and state is not None,
            attributes=dict(attributes),
        )

    def record(self, name: str, answer: object) -> Report:
        """A report of `answer` to the question called `name`.

        An answer is a bool, a number, a text, or a collection of texts.

        Raises `AnswerError` for an unknown question, one of a group, or an answer that
        does not fit it; `AlreadyAnsweredError` if the question's budget is spent,
        `BudgetError` if the device's is; `RandomnessError` or `StateError` if no report
        could be made safely. Raises `NotDrawnError` where the device answers another
        question of a draw: the answer is dropped.
        """
        answers: HiddenAnswer[Mapping[str, object]] = HiddenAnswer({name: answer})
        del answer
        if name in self.survey.drawn_names:
            # By itself, so that an answer that cannot be paid for draws nothing anew.
            question = question_of(self.survey, name)
            self._store.transact(self._respondent.is_drawn, question)
        report = self._make_report(answers, together=False)
        if report is None:
            raise NotDrawnError(
                f"question {name!r}: this device drew another question of the same "
                "draw, so that the answer was dropped, and nothing is charged"
            )
        return report

    def is_drawn(self, name: str) -> bool:
        """Whether the device answers a question: yes, unless it drew another of the
        same draw.

        It is drawn now, if that was not done. Raises the errors of `record`.
        """
        question = question_of(self.survey, name)
        is_drawn = self._store.transact(self._respondent.is_drawn, question)
        self._store.settle()
        return is_drawn

    def record_together(self, answers: Mapping[str, object]) -> Report:
        """A report of the answers, by question name, to all questions of a group.

        Raises the errors of `record`.

        A group can be answered again if every question of it can.
        """
        hidden = HiddenAnswer(answers)
        del answers
        return cast(Report, self._make_report(hidden, together=True))

    def agree(self) -> None:
        """Note that the person has agreed to this version of the survey.

        From now on it may spend what it asks for, even if one before asked for less.
        Raises `StateError`.
        """
        self._store.transact(self._budget.agree)
        self._store.settle()

    def ledger(self) -> Ledger:
        """Return the ledger of the device."""
        return Ledger.read(self._store)

    def _make_report(
        self, answers: HiddenAnswer[Mapping[str, object]], *, together: bool
    ) -> Report | None:
        try:
            report = self._store.transact(self._respondent.report, answers, together)
            self._store.settle()
        except Exception as error:
            forget_locals(error)
            raise
        return report


def _bound(lifetime_cap: Epsilon | None) -> Fraction | None:
    if lifetime_cap is None:
        return None
    # Imported here: it reads survey files, which most clients need not.
    from ldp_client.answering.terms import bound

    return bound(lifetime_cap)


def _open_store(state: str | os.PathLike[str]) -> DeviceStore:
    # Imported here: SQLite takes longer to load than everything else together.
    from ldp_client.keeping.database import Database

    return Database(state)
