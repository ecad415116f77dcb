"""What became of a device's reports, and what there is to do: one object, for people and programs.

It never raises: what cannot be read is said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ldp_client.clocks import now
from ldp_client.outbox import CLOCK_WAS_SET, Outbox
from ldp_client.schedule import BEGUN, Attempt

SOUND = "sound"

_ABOUT = {
    "status 401": "The collector wants another token: give the transport one that is valid.",
    "status 403": "The collector's token is for something else, or a firewall is in the way.",
    "status 404": "There is no collector at this address: look for a mistake in it.",
    "status 405": "There is no collector at this address: look for a mistake in it.",
    "status 407 of the proxy": "The proxy wants a user and a password, in its address.",
}
_AFTER = {
    BEGUN: "Nothing to do: the last attempt is under way, or the process ended during it.",
    "retry": "Nothing to do: the same bytes are sent again after the pause.",
    "held": "Mend what turns the reports away; they are kept, and sent again within two hours.",
    "offline": "Nothing to do: they are sent within seconds once there is a network.",
    "quarantined": "Serve the version of the survey that this device answers: the collector keeps "
    "its reports for 30 days.",
    "late": "Let the survey's grace be longer than devices are away, and look at this clock.",
    "early": "Look at the device's clock, and at the collector's: one of them is wrong.",
    "rejected": "Compare the survey of this app with the one that the collector serves.",
    "refused": "The log of the collector says why it cannot take them.",
}


class Status(NamedTuple):
    """How things stand with a client.

    state         `sound`, or why the state file cannot be used
    consent       `on` or `off`; empty if that cannot be read
    waiting       reports that wait to be sent; None if that cannot be read
    last_attempt  when something was last sent, in seconds since 1970 by the device's clock, or None
    outcome       what became of it: a key of `REASONS`, `begun`, or nothing
    reason        and why, in a word or two
    next_due      seconds until something is sent without `flush`; None if that is never
    dropped       reports that no collector will ever count, by reason, since the file was made
    counts        what happened since this client was opened (`REASONS`)
    advice        what to do, in sentences
    """

    state: str
    consent: str = ""
    waiting: int | None = None
    last_attempt: float | None = None
    outcome: str = ""
    reason: str = ""
    next_due: float | None = None
    dropped: Mapping[str, int] = {}  # one that no one changes
    counts: Mapping[str, int] = {}
    advice: tuple[str, ...] = ()

    def __str__(self) -> str:
        waiting = "unknown" if self.waiting is None else f"{self.waiting} reports"
        lines = [
            f"State file: {self.state}",
            f"Consent: {self.consent or 'unknown'}",
            f"Waiting: {waiting}",
            f"Last attempt: {self._attempt()}",
            f"Next upload: {self._next()}",
            f"Dropped: {_listed(self.dropped)}",
            f"Since this client was opened: {_listed(self.counts)}",
        ]
        return "\n".join([*lines, *(f"To do: {sentence}" for sentence in self.advice)])

    def _attempt(self) -> str:
        if self.last_attempt is None:
            return "none"
        when = _date(self.last_attempt)
        reason = f" ({self.reason})" if self.reason else ""
        return f"{when}, {self.outcome}{reason}"

    def _next(self) -> str:
        if self.next_due is None:
            return "at flush only"
        return f"in {self.next_due:.0f} s" if self.next_due else "now"


class Facts(NamedTuple):
    """What can be read of a state file in one transaction."""

    consent: str
    waiting: int
    last: Attempt | None
    next_due: float | None
    dropped: dict[str, int]
    elsewhere: int
    """Reports that wait for other surveys, or other collectors."""
    is_set: bool
    """Whether the clock was ever set."""


def facts(outbox: Outbox, consent: str) -> Facts:
    """Those of a queue. Called in a transaction."""
    wait = outbox.schedule.wait()
    return Facts(
        consent,
        outbox.count_waiting(),
        outbox.schedule.last(),
        next_due=None if wait is None else wait.left(now()),
        dropped=outbox.losses(),
        elsewhere=outbox.count_elsewhere(),
        is_set=now().wall >= CLOCK_WAS_SET,
    )


def status(
    read: Callable[[], Facts],
    counts: Callable[[], dict[str, int]],
    *,
    sends: bool,
    by_itself: bool,
) -> Status:
    """How things stand, as far as it can be read.

    `sends` says whether there is a transport, `by_itself` whether a thread uses it.
    """
    try:
        known = read()
    except Exception as error:  # this is where trouble is looked at
        state = str(error) or type(error).__name__
        advice = (
            "See that the folder can be written to and the disk has room. A damaged file is kept "
            "as it is: docs/client.md says what there is to do.",
        )
        return Status(state, counts=counts(), advice=advice)
    last = known.last
    return Status(
        SOUND,
        known.consent,
        known.waiting,
        last_attempt=None if last is None else last.pause.wall / 1000,
        outcome="" if last is None else last.verdict,
        reason="" if last is None else last.reason,
        next_due=known.next_due if by_itself and known.consent == "on" else None,
        dropped=known.dropped,
        counts=counts(),
        advice=tuple(_advice(known, sends=sends, by_itself=by_itself)),
    )


def _advice(known: Facts, *, sends: bool, by_itself: bool) -> list[str]:
    sentences = []
    if known.consent != "on":
        sentences.append("Ask the person: nothing is recorded or sent until set_consent('on').")
    if known.waiting and not sends:
        sentences.append("Name a collector: the reports wait for one.")
    elif known.waiting and not by_itself and known.last is None:
        sentences.append("Call flush(): with interval=None nothing is sent by itself.")
    if known.waiting and not known.is_set:
        sentences.append(
            "Set the device's clock: reports of a survey with epochs wait until it was set."
        )
    if known.elsewhere:
        sentences.append(
            f"{known.elsewhere} reports wait for other surveys or collectors: if this one's "
            "address was corrected, those of the old one wait for it, and are sent to no other."
        )
    if known.last is not None:
        sentences += [
            words[key]
            for words, key in ((_ABOUT, known.last.reason), (_AFTER, known.last.verdict))
            if key in words
        ]
    return sentences


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in numbers.items()) or "nothing"


def _date(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):  # of a clock that is out of its mind
        return f"{seconds:.0f} s since 1970"
