"""The client: answers in, randomized reports out.

Rules
- `record` randomizes at once; the answer is not kept, logged, or repeated in an error.
- A question whose budget is spent by one report is answered once; asking again is an `AlreadyAnsweredError`.
- A RAPPOR question may be answered any number of times: an answer met before re-uses its permanent response.
- What was spent is remembered (on disk, if the state is kept there) before the report is handed out.
- The bytes of a report are made once. Whoever uploads them sends the same bytes again on a retry.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple, cast

from ldp.domain import Value
from ldp.errors import AlreadyAnsweredError
from ldp.mechanisms.contract import Memoized
from ldp.randomness import Random, system
from ldp.survey import Question, Survey
from ldp.wire import ID_SIZE, MOST_PAYLOAD, MOST_REPORTS, Batch, encode_batch, encode_frame
from ldp_client.state import State, load


class Report(NamedTuple):
    """One randomized answer: the fingerprint of its question, and the bytes that may leave the device."""

    fingerprint: bytes
    row: bytes


class Client:
    """One device's side of a survey.

    `state` names the file in which the device remembers what it has answered; without one it forgets when the process
    ends. `random` is the source of randomness: the operating system's, unless a test or simulation replaces it.
    """

    def __init__(self, survey: Survey, *, state: str | os.PathLike[str] | None = None, random: Random = system) -> None:
        self.survey = survey
        self._state = State() if state is None else load(state)
        self._random = random

    def record(self, name: str, answer: object) -> Report:
        """A report of `answer` (a bool, or a text) to the question called `name`.

        Raises `AnswerError` for an unknown question or an answer that does not fit it, `AlreadyAnsweredError` if the
        question's budget is spent, `RandomnessError` or `StateError` if no report could be made safely.
        """
        question = self.survey[name]
        value = question.value(answer)
        randomizer = question.randomizer
        state = self._state
        if getattr(randomizer, "memoizes", False):
            return self._repeatable(question, cast(Memoized, randomizer), value)
        if question.fingerprint in state.answered:
            raise AlreadyAnsweredError(
                f"question {name!r} was answered on this device before, and one report spends its whole epsilon of "
                f"{question.declared.text}; send that report's bytes again, or ask a question with memoized responses"
            )
        report = randomizer.randomize(value, self._random)
        state.spend(question.fingerprint)
        return Report(question.fingerprint, report.to_bytes(question.width, "little"))

    def _repeatable(self, question: Question, randomizer: Memoized, value: Value) -> Report:
        state, random, fingerprint = self._state, self._random, question.fingerprint
        cohort = state.cohorts.get(fingerprint)
        if cohort is None:
            cohort = randomizer.draw_cohort(random)
        key = state.memo_key(fingerprint, cohort, value, random)
        permanent = state.permanent.get(key)
        if permanent is None:
            permanent = randomizer.permanent(value, cohort, random)
            state.keep(fingerprint, cohort, key, permanent)
        report = randomizer.instantaneous(permanent, cohort, random)
        return Report(fingerprint, report.to_bytes(question.width, "little"))


def batches(reports: Iterable[Report], *, size: int = 1000, random: Random = system) -> list[Batch]:
    """Reports grouped by question into batches of at most `size`, each under a fresh random id.

    Group only reports that may be seen together: whoever receives a batch learns that its reports travelled together.
    """
    by_question: dict[bytes, list[bytes]] = {}
    for report in reports:
        by_question.setdefault(report.fingerprint, []).append(report.row)
    made = []
    for fingerprint, rows in by_question.items():
        most = max(1, min(size, MOST_REPORTS, (MOST_PAYLOAD - 256) // len(rows[0])))
        for start in range(0, len(rows), most):
            chunk = rows[start : start + most]
            made.append(Batch(fingerprint, random(ID_SIZE), len(chunk), b"".join(chunk)))
    return made


def report_bytes(reports: Iterable[Report], *, size: int = 1000, random: Random = system) -> bytes:
    """Reports as the bytes of a report file or an upload: one frame for each batch. Files may be concatenated."""
    return b"".join(encode_frame(encode_batch(batch)) for batch in batches(reports, size=size, random=random))
