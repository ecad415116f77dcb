"""Sessions: what a browser keeps of someone who signed in, signed by us.

    base64(JSON).base64(HMAC-SHA256 over purpose and JSON)

Rules
- Secrets are of 32 bytes or more, one a line; the first signs, all are good: to change them, put a
  new one first, and take the old one out a day later. Without a secret there is one for the life of
  the process, and with it end all sessions.
- A session lasts eight hours, and is good for nothing beyond that, whatever the browser does. One
  that was signed out is good no more in the process that was asked; the cookie goes.
- What is signed for one purpose is good for no other.
- The cookie is HttpOnly and SameSite=Lax, as someone comes back to it from the provider's site, and
  Secure where the public address is https.
"""

from __future__ import annotations

import binascii
import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from ldp.texts import lines_of
from ldp_aggregator.service.people.roles import PeopleError, Person

COOKIE = "ldp-session"
LASTS = 8 * 3600
_LEAST = 32
_LONGEST = 4000
_MOST_ENDED = 10_000


class Seal:
    """Signs small records for a purpose. Raises `PeopleError`."""

    def __init__(self, given: str = "") -> None:
        lines = [line.strip() for line in lines_of(given) if line.strip()]
        if any(len(line) < _LEAST for line in lines):
            raise PeopleError(
                f"LDP_SESSION_SECRET: expected {_LEAST} characters or more a line, got fewer"
            )
        self._secrets: Sequence[bytes] = [line.encode() for line in lines] or [
            secrets.token_bytes(_LEAST)
        ]

    def sealed(self, purpose: str, record: Mapping[str, Any]) -> str:
        """A record as a cookie has it."""
        content = json.dumps(record, separators=(",", ":")).encode()
        return f"{_packed(content)}.{_packed(_mac(self._secrets[0], purpose, content))}"

    def opened(self, purpose: str, text: str | None, now: float) -> dict[str, Any] | None:
        """The record, if we have signed it for this purpose and it is not over."""
        if not text or len(text) > _LONGEST or not text.isascii():
            return None
        try:
            content, mac = (urlsafe_b64decode(part) for part in text.split("."))
        except (ValueError, binascii.Error):
            return None
        # A list, so that the work does not depend on which secret it is.
        good = [hmac.compare_digest(_mac(own, purpose, content), mac) for own in self._secrets]
        if not any(good):
            return None
        record: dict[str, Any] = json.loads(content)
        return record if now < record["until"] else None


class Sessions:
    """Those who have signed in."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal
        self._ended: OrderedDict[str, None] = OrderedDict()

    def begun(self, person: Person, now: float) -> str:
        """The cookie of a new one."""
        record = {
            "id": secrets.token_urlsafe(12),
            "name": person.name,
            "groups": sorted(person.groups),
            "until": int(now) + LASTS,
        }
        return self._seal.sealed("session", record)

    def person_of(self, cookie: str | None, now: float) -> Person | None:
        """Whose it is; None if it is no session, or one that is over."""
        record = self._seal.opened("session", cookie, now)
        if record is None or record["id"] in self._ended:
            return None
        return Person(record["name"], frozenset(record["groups"]))

    def end(self, cookie: str | None, now: float) -> None:
        """It is good no more."""
        record = self._seal.opened("session", cookie, now)
        if record is not None:
            self._ended[record["id"]] = None
            while len(self._ended) > _MOST_ENDED:
                self._ended.popitem(last=False)


def _mac(secret: bytes, purpose: str, content: bytes) -> bytes:
    return hmac.digest(secret, f"ldp {purpose}\n".encode() + content, "sha256")


def _packed(content: bytes) -> str:
    return urlsafe_b64encode(content).decode()
