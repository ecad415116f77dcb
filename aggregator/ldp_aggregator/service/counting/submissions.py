"""What is handed to the writer, and what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ldp.errors import LDPError
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE

QUARANTINED = "quarantined"
DEBUG = "debug"
"""Shown to developers, and not counted."""


class BusyError(LDPError):
    """More is waiting than the service takes on; nothing was taken.

    `wait` says for how many seconds.
    """

    def __init__(self, wait: int = 1) -> None:
        self.wait = wait
        super().__init__(f"expected room in the queue, found none; try again in {wait} s")


class Receipt(NamedTuple):
    """What became of each batch of one submission, in order; it is written only after it lasts."""

    told: tuple[str, ...]

    @property
    def outcomes(self) -> Counter[str]:
        """How many batches had which outcome."""
        return Counter(self.told)


def summed_up(outcomes: Counter[str]) -> dict[str, Any]:
    """Outcomes, ready for JSON: rejections under their reasons, the others by their names."""
    names = (ACCEPTED, DUPLICATE, QUARANTINED)
    others = {name: count for name, count in sorted(outcomes.items()) if name not in names}
    shown = {DEBUG: others.pop(DEBUG)} if DEBUG in others else {}
    return {**{name: outcomes[name] for name in names}, "rejected": others, **shown}


class InternalError(LDPError):
    """We failed over a submission, and know no better; nothing of it was taken."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(
            f"expected to count a submission, but failed ({type(cause).__name__}); the log has more"
        )


Answer = Receipt | LDPError
Answers = Sequence[tuple[Any, Answer]]


@dataclass(slots=True)
class Submission:
    """Bytes of whole frames, and whom to answer.

    `marks` say how far a source has been read, where the bytes come from one that remembers. The
    writer hands `ticket` and the answer to `answer`, together with all others of the turn that
    answer there.
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
