"""Advice on the state file of a client, in sentences.

Rules
- What the last attempt came to is advised upon until there is another one.
- What was lost, or is kept for a version that no one serves, is advised upon for as
  long as the numbers last: the next success does not bring it back.
- Where the way to the collector fails as it would for a wrong address, that is said:
  doing nothing would be no advice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ldp_client.delivery.loss_counters import QUARANTINED
from ldp_client.delivery.schedule import BEGUN, Attempt
from ldp_client.keeping.locks import BusyError
from ldp_client.keeping.state_file import NoRoomError

SOUND = "sound"
_ABOUT = {
    "status 401": (
        "The collector wants another token: give the transport one that is valid."
    ),
    "status 403": (
        "The collector's token is for something else, or a firewall is in the way."
    ),
    "status 404": "There is no collector at this address: look for a mistake in it.",
    "status 405": "There is no collector at this address: look for a mistake in it.",
    "status 407 of the proxy": "The proxy wants a user and a password, in its address.",
    "gaierror": "If there is a network, no one has the collector's address: look for a "
    "mistake in its name.",
    "ConnectionRefusedError": "No one listens at the collector's address: look for a "
    "mistake in its port, or start the collector.",
    "TimeoutError": "No one answers at the collector's address: if that lasts, look "
    "for a mistake in its port, or a firewall.",
    "SSLCertVerificationError": "The collector's certificate is not for its address, "
    "has expired, or is vouched for by no one that this device knows: look at both.",
}
"""By the reason of an attempt, or what it has before a colon."""

_AFTER = {
    BEGUN: (
        "Nothing to do: the last attempt is under way, or the process ended during it."
    ),
    "retry": "Nothing to do: the same bytes are sent again after the pause.",
    "held": (
        "Mend what turns the reports away; they are kept, and sent again within two "
        "hours."
    ),
    "offline": "Nothing to do: they are sent within seconds once there is a network.",
}
_MENDED_BY_ITSELF = ("retry", "offline")

_OF_LOST = {
    "late": (
        "let the survey's grace be longer than devices are away, and look at this "
        "clock."
    ),
    "early": (
        "look at the device's clock, and at the collector's: one of them is wrong."
    ),
    "rejected": (
        "compare the survey of this app with the one that the collector serves."
    ),
    "refused": "the log of the collector says why it cannot take them.",
    "queue-full": "let more wait (limits=), or record less while nothing can be sent.",
    "too-old": "let them wait for more days (limits=), if apps are offline for longer.",
    QUARANTINED: "serve the version of the survey that this device answers: the "
    "collector keeps its reports for 30 days.",
}


class Facts(NamedTuple):
    """Facts that one transaction reads from a state file, as `Status` describes
    them.
    """

    consent: str
    said: str
    waiting: int
    elsewhere: int
    last: Attempt | None
    next_due: float | None
    pause: float
    dropped: Mapping[str, int]
    dropped_from: Mapping[str, Mapping[str, int]]
    quarantined: int
    waits_for_clock: bool
    """Whether the survey has epochs, and the clock was never set."""


def advice_about(error: Exception) -> str:
    """Advise on an error that keeps the state file from being used."""
    if isinstance(error, BusyError):
        return "Nothing to do: it is tried again once the other process has written."
    if isinstance(error, NoRoomError):
        return (
            "Let the state file lie where nothing removes it, on a disk that has room "
            "for it."
        )
    return (
        "If the file is damaged, close the client and call `ldp_client.recover` with "
        "its path, which says what that costs."
    )


def advice(known: Facts, *, sends: bool, by_itself: bool) -> Iterator[str]:
    """Yield advice. `sends` and `by_itself` are those of
    `ldp_client.embedding.status.status`.
    """
    if known.consent != "on":
        yield "Ask the person: nothing is recorded or sent until set_consent('on')."
    if known.waiting and not sends:
        yield "Name a collector: the reports wait for one."
    elif known.waiting and not by_itself and known.last is None:
        yield "Call flush(): with interval=None nothing is sent by itself."
    if known.waiting and known.waits_for_clock:
        yield (
            "Set the device's clock: reports of a survey with epochs wait until it was "
            "set."
        )
    if known.elsewhere:
        yield (
            f"{known.elsewhere} reports wait for other surveys or collectors: if this "
            "one's address was corrected, those of the old one wait for it, and are "
            "sent to no other."
        )
    if known.last is not None:
        yield from _about(known.last)
    running = {**known.dropped, QUARANTINED: known.quarantined}
    for reason, words in _OF_LOST.items():
        if running.get(reason):
            yield f"{running[reason]} reports, {reason}: {words}"


def _about(last: Attempt) -> Iterator[str]:
    hint = _ABOUT.get(last.reason) or _ABOUT.get(last.reason.partition(":")[0])
    if hint is not None:
        yield hint
    if last.verdict in _AFTER and (
        hint is None or last.verdict not in _MENDED_BY_ITSELF
    ):
        yield _AFTER[last.verdict]
