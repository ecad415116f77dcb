"""Counts of answers and reports by reason; errors are logged once for each.

Once for each question, too, which is named; no answer ever is. What is documented to do
no harm is logged at DEBUG. Without any logging of the app's nothing is printed.
"""

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
from ldp_client.delivery.outcomes import LOST
from ldp_client.keeping.forks import renew_in_children
from ldp_client.keeping.locks import ClosedError

RECORDED, WAITING = "recorded", "waiting"
REASONS = {
    RECORDED: "reports that were made, to be sent",
    "consent-off": "answers that were not recorded because the person does not agree",
    "disabled": "answers that were not recorded because the environment has "
    "LDP_DISABLED or DO_NOT_TRACK",
    "not-drawn": (
        "answers that were dropped because the device answers another question of a "
        "draw"
    ),
    "daily": "answers beyond the first of a day, where an app records daily",
    "answered": "answers to questions that this device has answered before",
    "budget": "answers that would cost more than the device may spend",
    "answer": "answers that do not fit their question: a mistake in the app, which a "
    "strict client raises",
    "randomness": "answers for which the operating system had no randomness",
    "state": "answers, or attempts to send, for which the state file could not be used",
    "transport": (
        "errors of the transport, after each of which the batch is tried again"
    ),
    "stopped": "answers to questions that the collector has stopped",
    "not-sampled": "answers to questions that the collector has asked of a share of "
    "the devices, of which this is none",
    "no-stop-list": (
        "answers that were not recorded because no stop list was had for too long"
    ),
    "stop-list": "stop lists that could not be had, or are not to be followed",
    "closed": "answers that came after the client was closed",
    "unexpected": "errors that no one thought of",
    "queue-full": "reports that were dropped because newer ones took their place",
    "too-old": "reports that were dropped because no one took them for too long",
    "damaged": "reports that were dropped because the disk had changed them",
    "forgotten": (
        "reports that were dropped because the person wanted all to be forgotten"
    ),
    "accepted": "batches that the collector has, and counts",
    "duplicate": "batches that the collector had already, and counts once",
    "quarantined": (
        "batches that the collector keeps until it serves their version of the survey"
    ),
    "late": "batches that came after the collector had closed their epoch, or of a "
    "clock that is behind: dropped",
    "early": (
        "batches of an epoch that has not begun, of a clock that is ahead: dropped"
    ),
    "rejected": "batches that the collector had no use for: dropped",
    "refused": "batches that the collector can never take: dropped",
    "retry": "attempts that failed, after which a batch waits for another",
    "held": "attempts that were turned away (a token, an address, a firewall), after "
    "which a batch waits for hours",
    "offline": "attempts without a network, after which a batch waits for seconds",
}

DROPS = frozenset({"queue-full", "too-old", "damaged", *LOST})
"""Reasons for which reports are gone that no person wanted gone."""

HARMLESS = frozenset({"answered"})
"""What an app may do again and again."""

_MOST_LINES = 1000
"""Of the log, whatever a survey has for questions and a collector for reasons."""

_REASON_OF: dict[type[LDPError], str] = {
    AlreadyAnsweredError: "answered",
    BudgetError: "budget",
    AnswerError: "answer",
    RandomnessError: "randomness",
    ClosedError: "closed",
    StateError: "state",
}


class RecordOutcome(int):
    """Outcome of an answer: 1, if there is a report, or will be once a file can be
    written.

    Else 0. `reason` is one of `REASONS`, or `waiting` while another process writes to
    the state file. An outcome counts and compares as a `bool` does.

    >>> import ldp_client
    >>> outcome = ldp_client.RecordOutcome("answered")
    >>> bool(outcome), outcome.reason
    (False, 'answered')
    """

    reason: str

    def __new__(cls, reason: str) -> RecordOutcome:
        """Make the outcome that has this reason."""
        outcome = super().__new__(cls, reason in (RECORDED, WAITING))
        outcome.reason = reason
        return outcome

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        return (self.reason,)

    def __repr__(self) -> str:
        return f"RecordOutcome({self.reason!r})"


def reason_of(error: Exception, otherwise: str = "unexpected") -> str:
    """Return the reason under which an error is counted."""
    reasons = (name for kind, name in _REASON_OF.items() if isinstance(error, kind))
    return next(reasons, otherwise)


class Counts:
    """Numbers by reason, from any thread."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(int)
        self._logged: set[tuple[str, str]] = set()
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """A forked child goes on counting under a lock of its own."""
        # Reentrant: a signal handler may record, and count that, while its own thread
        # counts something else.
        self._lock = RLock()

    def add(self, reason: str, number: int = 1) -> None:
        """Count."""
        with self._lock:
            self._numbers[reason] += number

    def note(
        self, error: Exception, otherwise: str = "unexpected", question: str = ""
    ) -> None:
        """Count an error, and log the first for its reason and question.

        It is logged by its name only, unless its message is one of ours.

        That of an `AnswerError` may name a question that is none: an answer, if the app
        mixed up the two. So `question` is one of the survey's, or empty.
        """
        reason = reason_of(error, otherwise)
        self.add(reason)
        detail = type(error).__name__ if reason in ("answer", otherwise) else str(error)
        self.tell(reason, f"question {question!r}: {detail}" if question else detail)

    def tell(self, reason: str, detail: str) -> None:
        """Log a reason, unless that was done with the same beginning of its detail."""
        key = (reason, detail.partition(": ")[0])
        with self._lock:
            if key in self._logged or len(self._logged) == _MOST_LINES:
                return
            self._logged.add(key)
        # Imported here, since most devices never need it, and it takes its time to
        # load.
        try:
            import logging
        except ImportError:  # a finalizer recorded while Python ends
            return
        logger = logging.getLogger("ldp_client")
        if not any(
            isinstance(handler, logging.NullHandler) for handler in logger.handlers
        ):
            logger.addHandler(logging.NullHandler())
        level = logging.DEBUG if reason in HARMLESS else logging.WARNING
        logger.log(level, "%s: %s (logged once)", REASONS[reason], detail)

    def count_drops(self) -> int:
        """How much was dropped so far."""
        with self._lock:
            return sum(self._numbers[reason] for reason in DROPS)

    def numbers(self) -> dict[str, int]:
        """All that is not zero."""
        with self._lock:
            return {
                reason: number for reason, number in self._numbers.items() if number
            }
