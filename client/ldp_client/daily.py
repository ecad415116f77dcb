"""At most one report a day about a question that may be answered again and again.

A device that asks often would otherwise weigh more than others. It is the first answer of a day
that is reported, whatever it is; the day is that of the clock (UTC).
"""

from __future__ import annotations

from ldp.errors import AnswerError
from ldp.survey import Question
from ldp_client.days import this_day
from ldp_client.scope import Scope
from ldp_client.store import Store

REPORTED = "daily"


def is_first_of_day(store: Store, scope: Scope, question: Question) -> bool:
    """Whether a question was not reported today; from now on it was.

    Called in the transaction that makes the report. Raises `AnswerError` for a question that is
    answered once.
    """
    if not question.memoizes:
        raise AnswerError(
            f"question {question.name!r}: expected one whose responses are memoized, to be "
            "recorded daily, got one that a device answers once"
        )
    key = scope.key(question)
    if store.get(REPORTED, key) == (this_day(),):
        return False
    store.put(REPORTED, key, (this_day(),))
    return True
