"""Whoever asks: a token, or a person whom a proxy vouches for.

A request with an Authorization header is judged by that alone; else its cookie's token;
else who the proxy says it is. What it comes to is one of the verdicts of `tokens`.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol

from ldp_service.people.proxy import TrustedProxy
from ldp_service.people.roles import People
from ldp_service.uploads.tokens import MISSING

PERSON = "ldp.person"
"""Where a request's scope has who asked, for the audit log."""


class ScopedRequest(Protocol):
    """A request, as far as it is looked at."""

    scope: MutableMapping[str, Any]

    @property
    def headers(self) -> Mapping[str, str]:
        """By their names in lower case."""


@dataclass(frozen=True)
class SignIn:
    """The proxy by which people are known, and what they may do."""

    people: People
    proxy: TrustedProxy

    def verdict(
        self, request: ScopedRequest, scope: str, now: float, *, survey: str | None = ""
    ) -> str:
        """Return the permission of a person, who is noted for the audit log."""
        if "authorization" in request.headers:
            return MISSING
        person = self.proxy.person_of(request.scope)
        if person is not None:
            request.scope[PERSON] = person.name
        return self.people.check(person, scope, now, survey=survey)
