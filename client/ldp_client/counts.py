"""What happened to answers and reports, counted by reason; errors are logged once for each."""

from __future__ import annotations

from collections import defaultdict
from threading import RLock

from ldp.errors import (
    AlreadyAnsweredError,
    AnswerError,
    BudgetError,
    LDPError,
    RandomnessError,
    StateError,
)
from ldp_client.forks import renew_in_children

RECORDED = "recorded"
REASONS = {
    RECORDED: "reports that were made, to be sent",
    "consent-off": "answers that were not recorded because the person does not agree",
    "not-drawn": "answers that were dropped because the device answers another question of a draw",
    "answered": "answers to questions that this device has answered before",
    "budget": "answers that would cost more than the device may spend",
    "answer": "answers that do not fit their question: a mistake in the app, which a strict "
    "client raises",
    "randomness": "answers for which the operating system had no randomness",
    "state": "answers, or attempts to send, for which the state file could not be used",
    "transport": "errors of the transport, after each of which the batch is tried again",
    "unexpected": "errors that no one thought of",
    "queue-full": "reports that were dropped because newer ones took their place",
    "too-old": "reports that were dropped because no one took them for too long",
    "damaged": "reports that were dropped because the disk had changed them",
    "accepted": "batches that the collector has",
    "retry": "attempts after which a batch waits for another",
    "refused": "batches that the collector did not want",
}

_REASON_OF: dict[type[LDPError], str] = {
    AlreadyAnsweredError: "answered",
    BudgetError: "budget",
    AnswerError: "answer",
    RandomnessError: "randomness",
    StateError: "state",
}


class Counts:
    """Numbers by reason, from any thread."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(int)
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """A forked child goes on counting under a lock of its own."""
        # Reentrant: a signal handler may record, and count that, while its own thread counts
        # something else.
        self._lock = RLock()

    def add(self, reason: str, number: int = 1) -> bool:
        """Count. Whether this was the first for its reason."""
        with self._lock:
            self._numbers[reason] += number
            return self._numbers[reason] == number

    def note(self, error: Exception, otherwise: str = "unexpected") -> None:
        """Count an error, and log the first for its reason.

        It is logged by its name only, unless its message is one of ours.

        That of an `AnswerError` may name a question that is none: an answer, if the app mixed up
        the two.
        """
        reasons = (name for kind, name in _REASON_OF.items() if isinstance(error, kind))
        reason = next(reasons, otherwise)
        if self.add(reason):
            # Imported here, since most devices never need it, and it takes its time to load.
            import logging

            detail = type(error).__name__ if reason in ("answer", otherwise) else str(error)
            logging.getLogger("ldp_client").warning("%s: %s (logged once)", REASONS[reason], detail)

    def numbers(self) -> dict[str, int]:
        """All that is not zero."""
        with self._lock:
            return {reason: number for reason, number in self._numbers.items() if number}
