"""At most one report a day about a question that may be answered again and again.

A device that asks often would otherwise weigh more than others. It is the first answer
of a day that is reported, whatever it is; the day is that of the clock (UTC).
"""

from __future__ import annotations

from ldp.errors import AnswerError
from ldp.survey.survey import Question
from ldp_client.answering.memory import Memory
from ldp_client.delivery.days import this_day

REPORTED = "daily"


def again_today(memory: Memory, question: Question) -> str | None:
    """Why a question is not reported now, if it was today; from now on it was.

    Called in the transaction that makes the report. Raises `AnswerError` for a question
    that is answered once.
    """
    if not question.memoizes:
        raise AnswerError(
            f"question {question.name!r}: expected one whose responses are memoized, "
            "to be recorded daily, got one that a device answers once"
        )
    key = memory.scope.key(question)
    if memory.store.get(REPORTED, key) == (this_day(),):
        return "daily"
    memory.store.put(REPORTED, key, (this_day(),))
    return None
