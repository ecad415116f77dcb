"""Signing people in through a provider, over HTTP (`people.oidc`).

GET /sign-in     on to the provider
GET /signed-in   back from there: a session, then the page; or words, and another try
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ldp_aggregator.service.people.admission import PERSON, SignIn
from ldp_aggregator.service.people.oidc import Provider
from ldp_aggregator.service.people.roles import PeopleError
from ldp_aggregator.service.people.sessions import COOKIE, Sessions

STATE = "ldp-sign-in"

_log = logging.getLogger("ldp.service")


def sign_in_routes(
    sign_in: SignIn | None, clock: Callable[[], float], refused: Callable[[str], Response]
) -> list[Route]:
    """The routes, if people sign in here; `refused` makes the answer that says why not."""
    if sign_in is None or sign_in.provider is None or sign_in.sessions is None:
        return []
    pages = _Pages(sign_in.provider, sign_in.sessions, clock, refused=refused)
    return [Route("/sign-in", pages.begin), Route("/signed-in", pages.end)]


def end_session(sign_in: SignIn | None, request: Request, answer: Response, now: float) -> None:
    """Sign someone out, where they have a session."""
    if sign_in is not None and sign_in.sessions is not None:
        sign_in.sessions.end(request.cookies.get(COOKIE), now)
        answer.set_cookie(COOKIE, max_age=0, path=None, httponly=True, samesite="lax")


class _Pages:
    def __init__(
        self,
        provider: Provider,
        sessions: Sessions,
        clock: Callable[[], float],
        refused: Callable[[str], Response],
    ) -> None:
        self._provider, self._sessions = provider, sessions
        self._clock, self._refused = clock, refused

    async def begin(self, request: Request) -> Response:
        """On to the provider."""
        now = self._clock()
        try:
            place, cookie = await run_in_threadpool(self._provider.begin, now, request.url.query)
        except PeopleError as error:
            return self._no(error)
        answer = RedirectResponse(place, 303, {"cache-control": "no-store"})
        self._keep(answer, STATE, cookie)
        return answer

    async def end(self, request: Request) -> Response:
        """Back from the provider."""
        query, now = request.query_params, self._clock()
        known = request.cookies.get(STATE)
        try:
            state, code = query.get("state", ""), query.get("code", "")

            def end() -> Any:
                return self._provider.end(known, state, code, now=now)

            person, asked = await run_in_threadpool(end)
        except PeopleError as error:
            answer = self._no(error)
        else:
            request.scope[PERSON] = person.name
            answer = RedirectResponse(f"./?{asked}" if asked else "./", 303)
            self._keep(answer, COOKIE, self._sessions.begun(person, now))
        answer.set_cookie(STATE, max_age=0, path=None, httponly=True, samesite="lax")
        return answer

    def _keep(self, answer: Response, name: str, value: str) -> None:
        answer.set_cookie(
            name, value, path=None, secure=self._provider.secure, httponly=True, samesite="lax"
        )

    def _no(self, error: PeopleError) -> Response:
        _log.warning("someone could not sign in: %s", error)
        return self._refused(str(error))
