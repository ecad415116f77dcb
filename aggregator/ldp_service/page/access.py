"""Tokens that browsers keep.

Rules
- The cookie holds the token itself, which is checked at every request: removed or
  expired, it is good for nothing at once, there are no sessions to keep or to end, and
  any process of a service can check it.
- No script can read it (HttpOnly), no other site can make a browser send it
  (SameSite=Strict), and where the browser sees HTTPS it never goes out without
  (Secure). It lasts until the browser is closed.
- It says no Path, so browsers send it to wherever /login lies: a service mounted at
  /ldp shares it with no one above.
- A request with an Authorization header is judged by that alone.
- Signing in and out is for the page's own forms. A browser says where a form came from
  in Sec-Fetch-Site, or where it has no HTTPS in Origin; what says neither is no
  browser, and has no cookie that another site could use.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from ldp_service.uploads.heads import bearer
from ldp_service.uploads.tokens import (
    EXPIRED,
    MISSING,
    UNKNOWN,
    WRONG_SCOPE,
    WRONG_SURVEY,
)

COOKIE = "ldp-token"

REFUSALS = {
    MISSING: (401, ""),
    UNKNOWN: (
        401,
        "This token is not known here: it was mistyped, or removed. Try again, or ask "
        "the operator for one.",
    ),
    EXPIRED: (401, "This token has expired. Ask the operator for a new one."),
    WRONG_SCOPE: (
        403,
        (
            "This token is good for something else. Looking at estimates takes one of "
            "scope analyst."
        ),
    ),
    WRONG_SURVEY: (
        403,
        "This token is for some surveys alone, and the page shows all of them. The API "
        "answers it: /v1/surveys/NAME/estimates.",
    ),
}
"""Status and words for each verdict but the good one."""


def shown_token(request: Request) -> str | None:
    """The token that a request shows, if any: in its header, or else in its cookie."""
    header = request.headers.get("authorization")
    if header is not None:
        return bearer(header)
    return request.cookies.get(COOKIE)


def keep(response: Response, token: str, request: Request) -> None:
    """Let the browser keep a token."""
    # A proxy may speak HTTPS for us: then the browser's Origin says so, and our own
    # scheme does not.
    schemes = (request.url.scheme, urlsplit(request.headers.get("origin", "")).scheme)
    response.set_cookie(
        COOKIE,
        token,
        path=None,
        secure="https" in schemes,
        httponly=True,
        samesite="strict",
    )


def forget(response: Response) -> None:
    """Let the browser keep it no longer."""
    response.set_cookie(COOKIE, max_age=0, path=None, httponly=True, samesite="strict")


def of_own_page(request: Request) -> bool:
    """Whether a form was sent by one of our pages."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
