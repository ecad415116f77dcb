"""Verdicts on a batch by an answer over HTTP, or none.

Rules
- 202 is the collector's: its body says what became of the batch. Whatever else it says
  (nothing, or what we do not understand) is taken for acceptance.
- A batch is dropped only if the collector itself says that it can never take it: 400,
  413 or 415 with a `reason` of its own. A page of something in between has none.
- Any other 4xx can be mended, by another token, address or firewall: the batch is held,
  for hours.
- 408, 425, 429, and what is no answer of a collector (200 of a login page, a redirect,
  5xx), mean later.
- Without a network no one was reached, so that trying again costs no one anything.
"""

from __future__ import annotations

import errno

from ldp_client.delivery.outcomes import (
    ACCEPTED,
    HELD,
    OFFLINE,
    REFUSED,
    Outcome,
    retry,
)

ACCEPTED_STATUS = 202
NEVER = {400: "empty", 413: "too-large", 415: "encoded"}
"""By status, the reasons for which a collector will never take an upload."""

_LATER = (408, 425, 429)
_NO_NETWORK = (
    errno.ENETUNREACH,
    errno.ENETDOWN,
    errno.EHOSTUNREACH,
    errno.EADDRNOTAVAIL,
)
_LONGEST_WORD = 40
_LONGEST_WAIT = 1e9
"""Seconds. What follows has a lower limit; more digits are no shorter wait."""


def of_answer(status: int, retry_after: str | None, body: bytes) -> Outcome:
    """Return the outcome of an answer."""
    if status == ACCEPTED_STATUS:
        return _of_receipt(_object(body))
    reason = f"status {status}"
    if status in NEVER and _object(body).get("reason") == NEVER[status]:
        return REFUSED._replace(reason=f"{reason}, {NEVER[status]}")
    wait = seconds(retry_after)
    if 400 <= status < 500 and status not in _LATER:
        return HELD._replace(wait=wait, reason=reason)
    return retry(wait, reason)


def of_failure(error: Exception) -> Outcome:
    """Return the outcome of an error on the way, named without bytes or paths."""
    from socket import gaierror

    reason = type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        reason = f"{reason}: {error.strerror}"
    if isinstance(error, gaierror) or getattr(error, "errno", None) in _NO_NETWORK:
        return OFFLINE._replace(reason=reason)
    return retry(reason=reason)


def seconds(retry_after: str | None) -> float:
    """The wait that a header asks for, as seconds or as a date; 0 if it says
    neither.
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), _LONGEST_WAIT)
    import time
    from email.utils import mktime_tz, parsedate_tz

    parsed = None
    if text:
        parsed = parsedate_tz(text)
    if parsed is None:
        return 0.0
    return max(0.0, mktime_tz(parsed) - time.time())


def _of_receipt(receipt: dict[str, object]) -> Outcome:
    """Return the outcome of the one batch that an upload has."""
    rejected = receipt.get("rejected")
    if isinstance(rejected, dict) and rejected:
        reason = _word(next(iter(rejected)))
        return Outcome(
            reason if reason in ("late", "early") else "rejected", reason=reason
        )
    for verdict in ("quarantined", "duplicate"):
        if receipt.get(verdict):
            return Outcome(verdict)
    return ACCEPTED


def _object(body: bytes) -> dict[str, object]:
    """The JSON object that a body is; an empty one if it is none."""
    import json

    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if isinstance(content, dict):
        return content
    return {}


def _word(text: str) -> str:
    """A reason as it may be logged: somebody else wrote it."""
    plain = text.isascii() and text.replace("-", "").isalnum()
    if plain and len(text) <= _LONGEST_WORD:
        return text
    return "unknown"
