"""Status of a device's reports, and advice: one object, for people and programs.

It never raises: what cannot be read is said. What to do is in
`ldp_client.embedding.advice`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ldp.survey.survey import Survey
from ldp_client.answering.consent import OFF, UNKNOWN, Consent
from ldp_client.delivery.loss_counters import QUARANTINED
from ldp_client.delivery.outbox import CLOCK_WAS_SET, Outbox
from ldp_client.embedding.advice import SOUND, Facts, advice, advice_about
from ldp_client.keeping.clocks import now

OTHER = "another survey or version"
"""In place of the name of a question that this survey does not have."""


class Status(NamedTuple):
    """How things stand with a client.

    state         `sound`, or why the state file cannot be used
    consent       `on` or `off`; empty if that cannot be read
    said          what the person said about this version of the survey: one of `SAID`
    waiting       reports that wait to be sent; None if that cannot be read
    elsewhere     those that wait for other surveys, or for collectors at other
                  addresses
    last_attempt  when something was last sent, in seconds since 1970 by the device's
                  clock, or None
    outcome       what became of it: a key of `REASONS`, `begun`, or nothing
    reason        and why, in a word or two
    failures      and how many failed in a row
    next_due      seconds until something is sent without `flush`; None if that is never
    pause         seconds in which nothing is sent, after what failed
    dropped       reports that no collector will ever count, by reason, since the file
                  was made
    dropped_from  the same by question, and then by reason
    quarantined   reports that the collector keeps until it serves their version of the
                  survey, as far as the device knows, since the file was made
    counts        what happened since this client was opened (`REASONS`)
    advice        what to do, in sentences

    >>> import ldp, ldp_client
    >>> survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
    >>> with ldp_client.EmbeddedClient(survey, state=None) as client:
    ...     client.status().waiting
    0
    """

    state: str
    consent: str = ""
    said: str = UNKNOWN
    waiting: int | None = None
    elsewhere: int = 0
    last_attempt: float | None = None
    outcome: str = ""
    reason: str = ""
    failures: int = 0
    next_due: float | None = None
    pause: float = 0.0
    dropped: Mapping[str, int] = {}  # these are changed by no one
    dropped_from: Mapping[str, Mapping[str, int]] = {}
    quarantined: int = 0
    counts: Mapping[str, int] = {}
    advice: tuple[str, ...] = ()

    def __str__(self) -> str:
        waiting = "unknown"
        if self.waiting is not None:
            waiting = f"{self.waiting} reports"
        if self.elsewhere:
            waiting = f"{waiting}, and {self.elsewhere} for other surveys or collectors"
        lines = [
            f"State file: {self.state}",
            f"Consent: {self.consent or 'unknown'} (the person said: {self.said})",
            f"Waiting: {waiting}",
            f"Last attempt: {self._attempt()}",
            f"Next upload: {self._next()}",
            f"Dropped: {self._losses()}",
            f"Since this client was opened: {_list_numbers(self.counts)}",
        ]
        if self.quarantined:
            lines.insert(
                -1, f"Kept for a version to come: {self.quarantined} quarantined"
            )
        return "\n".join([*lines, *(f"To do: {sentence}" for sentence in self.advice)])

    def _attempt(self) -> str:
        if self.last_attempt is None:
            return "none"
        when = _date(self.last_attempt)
        reason = ""
        if self.reason:
            reason = f" ({self.reason})"
        return f"{when}, {self.outcome}{reason}"

    def _losses(self) -> str:
        texts = []
        for reason, number in self.dropped.items():
            of = [
                f"{numbers[reason]} of {name}"
                for name, numbers in self.dropped_from.items()
                if reason in numbers
            ]
            questions = ""
            if of:
                questions = f" ({', '.join(of)})"
            texts.append(f"{number} {reason}{questions}")
        return ", ".join(texts) or "nothing"

    def _next(self) -> str:
        if self.next_due is None:
            return "at flush only"
        if self.next_due:
            return f"in {self.next_due:.0f} s"
        return "now"


def facts(survey: Survey, outbox: Outbox, consent: Consent) -> Facts:
    """Read the facts of a survey's queue and of its consent. Called in a
    transaction.
    """
    wait = outbox.schedule.wait()
    numbers = outbox.losses.numbers()
    quarantined = sum(
        numbers.pop(key) for key in list(numbers) if key[0] == QUARANTINED
    )
    names = {envelope.fingerprint: envelope.name for envelope in survey.envelopes}
    dropped: Counter[str] = Counter()
    dropped_from: dict[str, Counter[str]] = {}
    for (reason, fingerprint), number in numbers.items():
        dropped[reason] += number
        if fingerprint:
            dropped_from.setdefault(names.get(fingerprint, OTHER), Counter())[
                reason
            ] += number
    return Facts(
        "on" if consent.records() else "off",
        consent.state(),
        outbox.count_waiting(),
        elsewhere=outbox.count_elsewhere(),
        last=outbox.schedule.last(),
        next_due=None if wait is None else wait.left(now()),
        pause=outbox.schedule.pause(),
        dropped=dict(dropped),
        dropped_from={
            name: dict(by_reason) for name, by_reason in dropped_from.items()
        },
        quarantined=quarantined,
        waits_for_clock=survey.epoch is not None and now().wall < CLOCK_WAS_SET,
    )


def status(
    read: Callable[[], Facts],
    write: Callable[[], object],
    counts: Callable[[], dict[str, int]],
    *,
    sends: bool,
    by_itself: bool,
) -> Status:
    """How things stand, as far as it can be read; `write` raises where nothing can be
    written.

    `sends` says whether there is a transport, `by_itself` whether a thread uses it.
    """
    try:
        known = read()
    except Exception as error:  # this is where trouble is looked at
        return Status(
            _error_text(error), counts=counts(), advice=(advice_about(error),)
        )
    state, to_do = SOUND, tuple(advice(known, sends=sends, by_itself=by_itself))
    try:
        write()
    except Exception as error:
        state, to_do = _error_text(error), (advice_about(error), *to_do)
    last = known.last
    return Status(
        state,
        known.consent,
        known.said,
        waiting=known.waiting,
        elsewhere=known.elsewhere,
        last_attempt=None if last is None else last.pause.wall / 1000,
        outcome="" if last is None else last.verdict,
        reason="" if last is None else last.reason,
        failures=0 if last is None else last.failures,
        pause=known.pause,
        next_due=known.next_due if by_itself and known.consent != OFF else None,
        dropped=known.dropped,
        dropped_from=known.dropped_from,
        quarantined=known.quarantined,
        counts=counts(),
        advice=to_do,
    )


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__


def _list_numbers(numbers: Mapping[str, int]) -> str:
    return (
        ", ".join(f"{number} {reason}" for reason, number in numbers.items())
        or "nothing"
    )


def _date(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):  # of a clock that is out of its mind
        return f"{seconds:.0f} s since 1970"
