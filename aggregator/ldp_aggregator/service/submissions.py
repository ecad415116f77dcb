"""What is handed to the writer, and what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from ldp.errors import LDPError
from ldp_aggregator.tally import ACCEPTED, DUPLICATE

QUARANTINED = "quarantined"


class BusyError(LDPError):
    """More is waiting than the service takes on; nothing was taken. `wait` says for how many seconds."""

    def __init__(self, wait: int = 1) -> None:
        self.wait = wait
        super().__init__(f"expected room in the queue, found none; try again in {wait} s")


@dataclass
class Receipt:
    """What became of the batches of one submission, by outcome; it is written only after it lasts."""

    outcomes: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, outcomes: Iterable[tuple[str, int]]) -> Receipt:
        """The receipt for so many batches of each outcome."""
        return cls(Counter(dict(outcomes)))

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        known = (ACCEPTED, DUPLICATE, QUARANTINED)
        rejected = {name: count for name, count in sorted(self.outcomes.items()) if name not in known}
        return {**{name: self.outcomes[name] for name in known}, "rejected": rejected}


class InternalError(LDPError):
    """We failed over a submission, and know no better; nothing of it was taken."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(f"expected to count a submission, but failed ({type(cause).__name__}); the log has more")


Answer = Receipt | LDPError
Answers = Sequence[tuple[Any, Answer]]


@dataclass
class Submission:
    """Bytes of whole frames; where they come from, if that is a source which remembers how far it was read.

    The writer hands `ticket` and the answer to `answer`, together with all others of the turn that answer there.
    """

    body: bytes
    ticket: Any
    answer: Callable[[Answers], None]
    marks: dict[str, bytes] = field(default_factory=dict)


def to_futures(answers: Answers) -> None:
    """Answers for threads that wait."""
    future: Future[Receipt]
    for future, answer in answers:
        if isinstance(answer, Receipt):
            future.set_result(answer)
        else:
            future.set_exception(answer)
