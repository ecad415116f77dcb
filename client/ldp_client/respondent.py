"""Answers in, randomized reports out: what a device sends about one person, and its price.

Rules
- A question whose budget is spent by one report is answered once.
- One with permanent responses is answered any number of times: an answer met before re-uses its
  permanent response. A new one is charged for, from what was set aside when the question was
  answered first (`ldp_client.budget`). A value that comes too late is reported by the permanent
  response that was reported last, as if nothing had changed: silence would tell that it did. All
  such reports are about an earlier answer.
- Of the questions of a draw (`ldp.draws`) a device answers one, which is drawn when any of them is
  answered first, and kept before there is a report. An answer to another has to fit its question
  as well, and is dropped: no report, and no charge.
- Questions of a group are answered together or not at all, each as it would be by itself, and
  travel as one report.
- Whatever is charged is charged before a report exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ldp.domain import Value
from ldp.errors import AnswerError, StateError
from ldp.mechanisms.contract import Memoized
from ldp.randomness import Random
from ldp.survey import Question, Survey
from ldp_client.budget import Budget
from ldp_client.memory import Memory
from ldp_client.reports import Report


class Respondent:
    """One person's answers to a survey on one device.

    Both methods are called in a transaction of the memory's store.

    They raise `AnswerError` for an unknown question or an answer that does not fit it;
    `AlreadyAnsweredError` if the question's budget is spent; `BudgetError` if the device's is;
    `RandomnessError` and `StateError` if no report could be made safely. An error rolls the
    transaction back: nothing is spent then.
    """

    __slots__ = ("_budget", "_memory", "_random", "_scope", "_survey")

    def __init__(self, survey: Survey, memory: Memory, budget: Budget, random: Random) -> None:
        self._survey = survey
        self._memory = memory
        self._scope = memory.scope
        self._budget = budget
        self._random = random

    def report(self, name: str, answer: object) -> Report | None:
        """A report of an answer to the question called `name`; None if another one was drawn."""
        survey = self._survey
        question = survey[name]
        value = question.value(answer, self._random)
        if name in survey.group_of:
            together = survey.group_of[name].name
            raise AnswerError(
                f"expected the questions {together} to be answered together, with record_together"
            )
        if not self.is_drawn(question):
            return None
        return Report(question.fingerprint, self._row(question, value), question.epoch)

    def is_drawn(self, question: Question) -> bool:
        """Whether the device answers a question; it is drawn now, if that was not done."""
        draw = question.draw
        if draw is None:
            return True
        key = self._scope.draw_key(self._survey, draw)
        names = self._memory.drawn(key)
        if names is None:
            # What was charged for is among them, should the record of it be lost.
            members = (self._survey[member] for member in draw.names)
            charged = [member.name for member in members if self._budget.answered(member)]
            names = draw.drawn(self._random, known=charged)
            self._memory.keep_drawn(key, names)
        return question.name in names

    def report_together(self, answers: Mapping[str, object]) -> Report:
        """A report of the answers, by question name, to all questions of a group."""
        group = self._survey.group_of.get(next(iter(answers), ""))
        if group is None or {question.name for question in group.members} != answers.keys():
            names = " or ".join(group.name for group in self._survey.groups)
            groups = names or "none: this survey has no groups"
            raise AnswerError(
                f"expected answers to all questions of a group ({groups}), got {', '.join(answers)}"
            )
        values = [
            question.value(answers[question.name], self._random) for question in group.members
        ]
        rows = [
            self._row(question, value)
            for question, value in zip(group.members, values, strict=True)
        ]
        return Report(group.fingerprint, b"".join(rows), group.epoch)

    def _row(self, question: Question, value: Value) -> bytes:
        if question.memoizes:
            report = self._repeated(question, value)
        else:
            self._budget.charge_once(question)
            report = question.randomizer.randomize(value, self._random)
        return report.to_bytes(question.width, "little")

    def _repeated(self, question: Question, value: Value) -> int:
        memory, random = self._memory, self._random
        randomizer = cast(Memoized, question.randomizer)
        cohort = memory.cohort(question, random)
        key = memory.memo_key(question, cohort, value, random=random)
        permanent = memory.permanent(key)
        if permanent is None and self._budget.charge_value(question):
            permanent = randomizer.permanent(value, cohort, random)
            memory.keep_permanent(key, permanent)
        elif permanent is None:
            key = memory.last(question)
            permanent = memory.permanent(key)
        if permanent is None:
            raise StateError(
                f"question {question.name!r}: expected the permanent response that was reported "
                f"last"
            )
        memory.keep_last(question, key)
        return randomizer.instantaneous(permanent, cohort, random)
