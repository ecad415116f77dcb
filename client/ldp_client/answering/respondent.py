"""Answers in, randomized reports out: what a device sends about one person, and its
price.

Rules
- A question whose budget is spent by one report is answered once.
- One with permanent responses is answered any number of times: an answer met before
  re-uses its permanent response. A new one is charged for, from what was set aside when
  the question was answered first (`answering.budget`). A value that comes too late is
  reported by the permanent response that was reported last, as if nothing had changed:
  silence would tell that it did. All such reports are about an earlier answer.
- Of the questions of a draw (`ldp.survey.draws`) a device answers one, which is drawn
  when any of them is answered first, and kept before there is a report. An answer to
  another has to fit its question as well, and is dropped: no report, and no charge.
- Questions of a group are answered together or not at all, each as it would be by
  itself, and travel as one report.
- Whatever is charged is charged before a report exists outside.
- Where randomness comes from the device's secret (`keeping.tapes`), all that is drawn
  once for a device does, and a report that is made once carries a mark that is the same
  after a rollback.
- A report says openly of the device what its client was opened with
  (`ldp.survey.attributes`), whatever is answered, and whenever it is charged for.
- A draft is an answer that is randomized and not charged for yet, where the store
  cannot be written. It holds the answer no more, and is worth a report only once it is
  charged for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn, cast

from ldp.answers.domain import Value
from ldp.errors import AnswerError, StateError
from ldp.mechanisms.contract import Memoized
from ldp.numbers.randomness import Random
from ldp.survey.attributes import NOTHING_SAID, combination_of
from ldp.survey.survey import Envelope, Group, Question, Survey
from ldp_client.answering.budget import Budget
from ldp_client.answering.memory import Memory
from ldp_client.answering.reports import MARK_SIZE, Report
from ldp_client.keeping.hidden_answer import HiddenAnswer, question_of
from ldp_client.keeping.tapes import Tape, encode_value

_ANSWER, _COHORT, _DRAW, _PERMANENT = b"answer", b"cohort", b"draw", b"permanent"
_REPORT, _FRESH, _MARK = b"report", b"fresh", b"mark"
"""What is drawn, as the first part of a tape."""


class Draft(NamedTuple):
    """A question's report, or the permanent response that one is to be made from."""

    drawn: int
    cohort: int = 0
    memo: bytes = b""
    """The key of the permanent response."""


class Drafts(NamedTuple):
    """Drafts to charge for and report together; the secret shows whether they are still
    due.
    """

    envelope: Envelope
    secret: bytes
    of: tuple[Draft, ...]


class Respondent:
    """One person's answers to a survey on one device.

    `derives`: whether what is drawn once comes from the device's secret, not from
    `random`. `attributes`: what reports say openly of the device, by name.

    Methods are called in a transaction of the memory's store. Those that take answers
    raise `AnswerError` for an unknown question or an answer that does not fit it;
    `AlreadyAnsweredError` for a question that is answered once and was; `BudgetError`
    for what the device may not spend; `RandomnessError` and `StateError` if no report
    could be made.
    """

    __slots__ = (
        "_attributes",
        "_budget",
        "_derives",
        "_memory",
        "_random",
        "_scope",
        "_survey",
    )

    def __init__(
        self,
        survey: Survey,
        memory: Memory,
        budget: Budget,
        random: Random,
        *,
        derives: bool = False,
        attributes: Mapping[str, str] = NOTHING_SAID,
    ) -> None:
        self._survey = survey
        self._attributes = attributes
        self._memory = memory
        self._scope = memory.scope
        self._budget = budget
        self._random = random
        self._derives = derives

    def report(
        self, answers: HiddenAnswer[Mapping[str, object]], together: bool
    ) -> Report | None:
        """A report of answers, by question name; None if another question was drawn.

        They are the one to a question, or `together` those to all of a group.
        """
        envelope, values = self._values(answers.value, together=together)
        if not values:
            return None
        row = b""
        for question, value in values:
            if question.memoizes:
                row += self._permanent_row(question, value, once=not envelope.memoizes)
            else:
                self._budget.charge_once(question)
                row += self._randomize(question, value).to_bytes(
                    question.width, "little"
                )
        return self._build_report(envelope, row)

    def is_drawn(self, question: Question) -> bool:
        """Whether the device answers a question; it is drawn now, if that was not
        done.
        """
        draw = question.draw
        if draw is None:
            return True
        key = self._scope.draw_key(self._survey, draw)
        names = self._memory.drawn_questions(key)
        if names is None:
            # What was charged for is among them, should the record of it be lost.
            members = (question_of(self._survey, member) for member in draw.names)
            charged = [
                member.name for member in members if self._budget.has_charge(member)
            ]
            names = draw.draw_questions(self._source(_DRAW, key), known=charged)
            self._memory.keep_drawn(key, names)
        return question.name in names

    def drafts(
        self, answers: HiddenAnswer[Mapping[str, object]], together: bool
    ) -> Drafts | None:
        """Randomize answers without a charge; None if another question was drawn."""
        envelope, values = self._values(answers.value, together=together)
        if not values:
            return None
        drafts = [self._draft(question, value) for question, value in values]
        return Drafts(envelope, self._memory.secret(self._random), of=tuple(drafts))

    def report_drafts(self, drafts: Drafts) -> Report | None:
        """The report of what was randomized before, which is charged for now.

        None if another question was drawn meanwhile.
        """
        envelope, secret, of = drafts
        if isinstance(envelope, Question) and not self.is_drawn(envelope):
            return None
        if secret != self._memory.secret(self._random):
            raise StateError(
                "expected the secret under which an answer was randomized, got a new "
                "one: everything was forgotten, or renewed, while its report waited to "
                "be charged for"
            )
        rows = [
            self._row_of(question, draft, once=not envelope.memoizes)
            for question, draft in zip(envelope.members, of, strict=True)
        ]
        return self._build_report(envelope, b"".join(rows))

    def _values(
        self, answers: Mapping[str, object], *, together: bool
    ) -> tuple[Envelope, list[tuple[Question, Value]]]:
        """Return the question or group of answers, and the randomizer's input for each
        question.

        Nothing where the device drew another question.
        """
        envelope: Envelope
        if together:
            envelope = self._whole(answers)
            questions = envelope.members
        else:
            (name,) = answers
            envelope = question = self._survey.alone.get(name) or self._unknown(name)
            questions = (question,)
        values = []
        for question in questions:
            random = self._random
            if question.chooses and self._derives and not envelope.memoizes:
                # One tape whatever the answer is: it only rounds, or chooses one of
                # several records, and so the same answer is the same value again. What
                # is answered every day chooses anew.
                random = self._source(_ANSWER, self._scope.key(question))
            values.append((question, question.value(answers[question.name], random)))
        if not together and question.draw is not None and not self.is_drawn(question):
            values.clear()
        return envelope, values

    def _unknown(self, name: str) -> NoReturn:
        """Raise `AnswerError` for a question that is answered with others, or that
        there is not.
        """
        question = question_of(self._survey, name)
        together = self._survey.group_of[question.name].name
        raise AnswerError(
            f"expected the questions {together} to be answered together, with "
            "record_together"
        )

    def _whole(self, answers: Mapping[str, object]) -> Group:
        group = self._survey.group_of.get(next(iter(answers), ""))
        if (
            group is None
            or {question.name for question in group.members} != answers.keys()
        ):
            names = " or ".join(group.name for group in self._survey.groups)
            groups = names or "none: this survey has no groups"
            raise AnswerError(
                f"expected answers to all questions of a group ({groups}), got those "
                "to others"
            )
        return group

    def _permanent_row(self, question: Question, value: Value, *, once: bool) -> bytes:
        cohort, memo = self._memo(question, value)
        permanent = lambda: self._permanent(question, value, cohort, memo=memo)  # noqa: E731
        return self._instantaneous_row(
            question, cohort, memo, permanent=permanent, once=once
        )

    def _draft(self, question: Question, value: Value) -> Draft:
        if not question.memoizes:
            return Draft(self._randomize(question, value))
        cohort, memo = self._memo(question, value)
        return Draft(self._permanent(question, value, cohort, memo=memo), cohort, memo)

    def _row_of(self, question: Question, draft: Draft, *, once: bool) -> bytes:
        if not question.memoizes:
            self._budget.charge_once(question)
            return draft.drawn.to_bytes(question.width, "little")
        cohort = self._cohort(question)
        if cohort != draft.cohort:
            raise StateError(
                f"question {question.name!r}: expected the cohort in which an answer "
                "was randomized, got another that was drawn meanwhile"
            )
        return self._instantaneous_row(
            question, cohort, draft.memo, permanent=lambda: draft.drawn, once=once
        )

    def _instantaneous_row(
        self,
        question: Question,
        cohort: int,
        memo: bytes,
        permanent: Callable[[], int],
        *,
        once: bool,
    ) -> bytes:
        memory = self._memory
        kept = memory.permanent(memo)
        if kept is None and self._budget.charge_value(question):
            kept = permanent()
            memory.keep_permanent(memo, kept)
        elif kept is None:
            memo = memory.last(question)
            kept = memory.permanent(memo)
        if kept is None:
            raise StateError(
                f"question {question.name!r}: expected the permanent response that was "
                "reported last"
            )
        memory.keep_last(question, memo)
        # What travels with a report that is made once has to be the same again as well.
        fresh = self._random
        if once:
            fresh = self._source(_FRESH, memo)
        randomizer = cast(Memoized, question.randomizer)
        return randomizer.instantaneous(kept, cohort, fresh).to_bytes(
            question.width, "little"
        )

    def _randomize(self, question: Question, value: Value) -> int:
        random = self._random
        if self._derives:
            random = self._source(
                _REPORT, self._scope.key(question), encode_value(value)
            )
        return question.randomizer.randomize(value, random)

    def _cohort(self, question: Question) -> int:
        return self._memory.cohort(
            question, self._source(_COHORT, self._scope.key(question))
        )

    def _memo(self, question: Question, value: Value) -> tuple[int, bytes]:
        """The cohort, and the key of the permanent response to a value."""
        cohort = self._cohort(question)
        return cohort, self._memory.memo_key(
            question, cohort, value, random=self._random
        )

    def _permanent(
        self, question: Question, value: Value, cohort: int, memo: bytes
    ) -> int:
        randomizer = cast(Memoized, question.randomizer)
        # The key is a hash of the value under the secret.
        return randomizer.permanent(value, cohort, self._source(_PERMANENT, memo))

    def _build_report(self, envelope: Envelope, row: bytes) -> Report:
        combination = 0
        if envelope.attributes:
            combination = combination_of(envelope.attributes, self._attributes)
        mark = None
        if self._derives and not envelope.memoizes:
            key = envelope.fingerprint + self._scope.owner
            mark = self._source(_MARK, key, row)(MARK_SIZE)
        return Report(
            envelope.fingerprint,
            row,
            envelope.epoch,
            mark=mark,
            combination=combination,
        )

    def _source(self, *parts: bytes) -> Random:
        if not self._derives:
            return self._random
        return Tape(self._memory.secret(self._random), *parts)
