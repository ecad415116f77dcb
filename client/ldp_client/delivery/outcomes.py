"""Outcomes of a batch that is sent, whoever carries it."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """Outcome of a batch: one of the verdicts below.

    If it is to be sent again, not before `wait` seconds. `reason` is a word or two
    about the cause, such as `status 503`: it is logged, and part of `status()`.

    >>> import ldp_client
    >>> ldp_client.retry(60, "busy").wait
    60
    """

    verdict: str
    wait: float = 0.0
    reason: str = ""


ACCEPTED = Outcome("accepted")
"""The collector has it, and counts it."""

REFUSED = Outcome("refused")
"""The collector can never take it: it is dropped."""

HELD = Outcome("held")
"""It was turned away for something that can be mended, such as a token: it is kept for
hours.
"""

OFFLINE = Outcome("offline")
"""There is no network: it reached no one, and is sent again within seconds."""


def retry(wait: float = 0.0, reason: str = "") -> Outcome:
    """The batch is to be sent again, the same bytes, and not before `wait` seconds.

    No collector has it, or no one knows.

    >>> import ldp_client
    >>> ldp_client.retry(60, "busy").reason
    'busy'
    """
    return Outcome("retry", wait, reason)


ARRIVED = frozenset({"accepted", "duplicate", "quarantined"})
"""A collector has it, for good."""

LOST = frozenset({"refused", "rejected", "late", "early"})
"""No collector will ever count it."""

WAITING = frozenset({"retry", "held", "offline"})
"""The same bytes are sent again."""

VERDICTS = ARRIVED | LOST | WAITING
