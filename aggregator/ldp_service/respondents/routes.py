"""The respondents' page from a service, and what it says of itself.

    GET  /s/NAME/            the page of a survey, and its files beside it
    POST /v1/surveys/NAME/shown, /started     one more was shown it, or began; the body is not read
    GET  /respondents        for analysts: links, QR codes, how many were shown it, began and sent
    GET  /respondents.csv    the same as a table, ?survey=NAME

Rules
- No page asks who is there: none sets a cookie, and none reads one but that of
  analysts.
- What counts steps takes nothing from a request but its path.
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ldp_service.analysis.queries import RequestError
from ldp_service.page.access import shown_token
from ldp_service.respondents.folder import CONTENT_TYPES
from ldp_service.respondents.overview import overview, response_table
from ldp_service.service import Service
from ldp_service.uploads.page_visits import STEPS
from ldp_service.uploads.public import Public
from ldp_service.uploads.tokens import ANALYST, GRANTED

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src data:; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "same-origin",
}
_UNAUTHORIZED = 401


def respondent_routes(service: Service) -> list[Route]:
    """The routes of a service's pages for respondents; none, if it has no such
    pages.
    """
    public = service.settings.public
    if public is None:
        return []
    pages = _Pages(service, public)
    return [
        Route("/s/{name}", _with_slash),
        Route("/s/{name}/", pages.file),
        Route("/s/{name}/{file}", pages.file),
        *(
            Route(f"/v1/surveys/{{name}}/{step}", pages.count, methods=["POST"])
            for step in STEPS
        ),
        Route("/respondents", pages.overview),
        Route("/respondents.csv", pages.table),
    ]


class _Pages:
    def __init__(self, service: Service, public: Public) -> None:
        self._service = service
        self._public = public

    async def file(self, request: Request) -> Response:
        """A file of a page."""
        name = request.path_params["name"]
        file = request.path_params.get("file", "index.html")
        content = self._public.files.get(name, {}).get(file)
        if content is None:
            raise RequestError(404, "expected a page of a survey, got another address")
        headers = {**self._public.headers[name], "content-type": CONTENT_TYPES[file]}
        # Files are asked for anew, as a survey may change; none says who asks.
        return Response(content, headers={**headers, "cache-control": "no-cache"})

    async def count(self, request: Request) -> Response:
        """One more was shown a page, or began."""
        name = request.path_params["name"]
        if name not in self._public.files:
            raise RequestError(404, "expected a page of a survey, got another address")
        step = request.url.path.rpartition("/")[2]
        await run_in_threadpool(self._public.reach.count, name, step)
        return Response(status_code=204)

    async def overview(self, request: Request) -> Response:
        """Links, codes and response, for analysts; who is none yet can sign in on the
        page.
        """
        if self._refusal(request) == _UNAUTHORIZED:
            return RedirectResponse("./", 303, _HEADERS)
        self._check(request)
        base = self._public.address or str(request.base_url).rstrip("/")
        page = await run_in_threadpool(overview, self._service, self._public, base)
        return Response(page, media_type="text/html", headers=_HEADERS)

    async def table(self, request: Request) -> Response:
        """Response by day, for analysts."""
        self._check(request)
        name = request.query_params.get("survey", "")
        if name not in self._public.files:
            raise RequestError(404, "expected ?survey=NAME of a survey with a page")
        content = await run_in_threadpool(
            response_table, self._service, self._public, name
        )
        headers = {"content-disposition": f'attachment; filename="{name}-response.csv"'}
        return PlainTextResponse(content, media_type="text/csv", headers=headers)

    def _check(self, request: Request) -> None:
        status = self._refusal(request)
        if status is not None:
            raise RequestError(
                status, "expected a token of scope analyst, got none that is good"
            )

    def _refusal(self, request: Request) -> int | None:
        """The status for whoever is no analyst."""
        verdict = self._service.verdict(
            request, shown_token(request), ANALYST, survey=None
        )
        if verdict == GRANTED:
            return None
        if verdict in ("missing", "unknown", "expired"):
            return _UNAUTHORIZED
        return 403


async def _with_slash(request: Request) -> Response:
    # Relative, as we may be mounted anywhere.
    return RedirectResponse(f"{request.path_params['name']}/", 308)
