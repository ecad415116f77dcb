"""Error guard of an app: our errors are counted, logged, and raised if the app is
strict.

No frame that has seen an answer goes with it (`ldp_client.keeping.hidden_answer`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ldp.survey.survey import Survey
from ldp_client.delivery.counts import Counts
from ldp_client.keeping.hidden_answer import forget_locals
from ldp_client.keeping.locks import ClosedError

Answer = TypeVar("Answer")


class ErrorGuard:
    """Error guard of one client. Questions are named in the log only if the survey has
    them.
    """

    __slots__ = ("_counts", "_names", "is_strict")

    def __init__(self, survey: Survey, counts: Counts, *, is_strict: bool) -> None:
        self._names = frozenset(question.name for question in survey)
        self._counts = counts
        self.is_strict = is_strict

    def ask(
        self, ask: Callable[[], Answer], *, otherwise: Answer, name: str = ""
    ) -> Answer:
        """Return an answer, or `otherwise` where that fails, unless the client is
        strict.
        """
        return self.ask_or(ask, lambda _: otherwise, name=name)

    def ask_or(
        self,
        ask: Callable[[], Answer],
        otherwise: Callable[[Exception], Answer],
        *,
        name: str = "",
    ) -> Answer:
        """Return an answer, or another made from the error."""
        try:
            return ask()
        except Exception as error:
            is_about = name in self._names and not isinstance(error, ClosedError)
            self._counts.note(error, question=name if is_about else "")
            if self.is_strict:
                forget_locals(error)
                raise
            return otherwise(error)
