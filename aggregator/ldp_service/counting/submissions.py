"""Submissions to the writer, and their receipts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ldp.errors import LDPError
from ldp_aggregator.tallies.tally import ACCEPTED, DUPLICATE

EARLY = "early"
QUARANTINED = "quarantined"
DEBUG = "debug"
"""Shown to developers, and not counted."""


class OverloadError(LDPError):
    """More is waiting than the service takes on; nothing was taken.

    `wait` says for how many seconds.
    """

    def __init__(self, wait: int = 1) -> None:
        self.wait = wait
        super().__init__(
            f"expected room in the queue, found none; try again in {wait} s"
        )


class EarlyError(LDPError):
    """Some batches are of an epoch that has not begun, or was closed before the clock
    went back.

    Time cures it, or the operator.
    """

    wait = 600

    def __init__(self, batches: int = 1) -> None:
        self.batches = batches
        super().__init__(
            "expected batches of epochs that are open, got early ones: our clock is "
            "behind, or was ahead, or that of a device is ahead"
        )


class QuotaError(LDPError):
    """A token has sent what it may send in a day; nothing more was taken.

    `wait` says for how many seconds.
    """

    def __init__(self, wait: int) -> None:
        self.wait = wait
        super().__init__(
            "expected at most the reports a day that the token may send, got more"
        )


class NotPermittedError(LDPError):
    """A token is not for the survey of a batch; nothing more was taken."""

    def __init__(self) -> None:
        super().__init__(
            "expected batches of the surveys that the token is for, got others"
        )


class UploadSender(NamedTuple):
    """Sender: a token, by its name.

    The surveys that it is for, all if there are none; the reports that one batch of its
    may have, and all in a day, None for what everyone may.
    """

    name: str
    surveys: tuple[str, ...] = ()
    most_reports: int | None = None
    reports_a_day: int | None = None
    spent_as: Callable[[bytes], bytes] | None = None
    """Of a token that is good once for each question: what is kept then, by
    fingerprint.
    """


class Receipt(NamedTuple):
    """Outcome of each batch of one submission, in order; it is written only after it
    lasts.

    `counted` is that by outcome, where it was counted piece by piece: a million at once
    would keep everyone waiting.
    """

    told: tuple[str, ...]
    counted: Counter[str] | None = None

    @property
    def outcomes(self) -> Counter[str]:
        """How many batches had which outcome."""
        if self.counted is None:
            return Counter(self.told)
        return Counter(self.counted)


def summed_up(outcomes: Counter[str]) -> dict[str, Any]:
    """Outcomes, ready for JSON: rejections under their reasons, the others by their
    names.
    """
    names = (ACCEPTED, DUPLICATE, QUARANTINED)
    others = {
        name: count for name, count in sorted(outcomes.items()) if name not in names
    }
    shown = {}
    if DEBUG in others:
        shown = {DEBUG: others.pop(DEBUG)}
    return {**{name: outcomes[name] for name in names}, "rejected": others, **shown}


class InternalError(LDPError):
    """We failed over a submission, and know no better; nothing of it was taken."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(
            f"expected to count a submission, but failed ({type(cause).__name__}); the "
            "log has more"
        )


Answer = Receipt | LDPError
Answers = Sequence[tuple[Any, Answer]]


@dataclass(slots=True)
class Submission:
    """Bytes of whole frames, and whom to answer.

    `marks` say how far a source has been read, where the bytes come from one that
    remembers. The writer hands `ticket` and the answer to `answer`, together with all
    others of the turn that answer there.
    """

    body: bytes
    ticket: Any
    answer: Callable[[Answers], None]
    marks: dict[str, bytes] = field(default_factory=dict)
    sender: UploadSender | None = None
    mixed: tuple[bytes, bytes] | None = None
    """What is kept of a part of a relay's batch, if it counts: a key and a content. Its
    reports are in the first frame.
    """
    waits: bool = False
    """Whether early batches are sent again, instead of being rejected."""
    wanted: bool = True
    """Whether someone waits for the answer; else it may be let go of before it is
    counted.
    """
    told: list[str] = field(default_factory=list)
    """What became of those that were counted so far, where it is taken in pieces."""
    counted: Counter[str] | None = None
    """The same by outcome."""


def to_futures(answers: Answers) -> None:
    """Answers for threads that wait."""
    future: Future[Receipt]
    for future, answer in answers:
        if isinstance(answer, Receipt):
            future.set_result(answer)
        else:
            future.set_exception(answer)


def hand_out(done: Sequence[tuple[Submission, Answer]]) -> None:
    """Answer, each place once."""
    by_place: dict[Callable[[Answers], None], list[tuple[Any, Answer]]] = {}
    for submission, answer in done:
        by_place.setdefault(submission.answer, []).append((submission.ticket, answer))
    for place, those in by_place.items():
        place(those)
