"""The page over HTTP.

    GET  /                 of a survey, with what `views.view_request` reads off
                           the query; without one, of all surveys, if there are several;
                           304 while nothing has changed
    GET  /compare          two sides, as `views.sides` reads them
    GET  /embed            one question, for frames of the origins that may
    POST /login, /logout   take a token from a form and let the browser keep it, or
                           forget it; then back to the page
    GET  /page/...         style, script, icon

Rules
- The script of the page asks for the page itself, with the tag that it came under: the
  number of commits, and what else it depends on. Only then is anything estimated or
  sent.
- No page may be cached, or run a script or style that is not a file of ours. None may
  be framed but `/embed`, by the origins of the settings, and that one runs no script at
  all.
- Whoever may look may look at `/embed`; and everyone, of surveys that the settings make
  public.
- `same-origin` is the strictest referrer policy under which browsers say where a form
  comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from xxhash import xxh64_hexdigest

from ldp.errors import AnswerError, EstimateError, UnknownNameError
from ldp_aggregator.output.pictures.parts import STYLE
from ldp_service.analysis.queries import RequestError
from ldp_service.page.access import REFUSALS, forget, keep, of_own_page, shown_token
from ldp_service.page.document import (
    comparison_page,
    embedded_page,
    overview_page,
    problem_page,
    screen_page,
    sign_in_page,
    survey_page,
)
from ldp_service.page.views.overview import overview
from ldp_service.page.views.service import ServiceView
from ldp_service.page.views.sides import sides_view
from ldp_service.page.views.survey import SurveyView, survey_view
from ldp_service.page.views.view_request import ViewRequest
from ldp_service.service import Service
from ldp_service.store.errors import StoreError
from ldp_service.uploads.public import link_of
from ldp_service.uploads.tokens import ANALYST, GRANTED, OPERATOR

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src "
    "'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
_FRAMED = {
    name: value
    for name, value in HEADERS.items()
    if name not in ("content-security-policy", "cross-origin-opener-policy")
}
FILES = ("chart.css", "page.css", "print.css", "page.js", "icon.svg")
_STATIC = Path(__file__).parent / "static"
_MOST_FORM = 4096
_NO_ONE = "'none'"
_PLACES = re.compile(r"compare|screen/[\w%-][\w%.-]*", re.ASCII)
"""Pages that one comes back to after signing in."""


def page_routes(service: Service) -> list[Route]:
    """The routes of the page of a service."""
    pages = _Pages(service)
    return [
        Route("/", pages.survey),
        Route("/compare", pages.compared),
        Route("/screen/{name}", pages.screen),
        Route("/embed", pages.embedded),
        Route("/login", pages.sign_in, methods=["POST"]),
        Route("/login", _back),
        Route("/logout", pages.sign_out, methods=["POST"]),
        *(Route(f"/page/{name}", _file) for name in FILES),
    ]


class _Pages:
    def __init__(self, service: Service) -> None:
        self._service = service
        sources = [
            (served.source, served.candidates) for served in service.catalogue.all
        ]
        others = repr((version("ldpkit-aggregator"), sources))
        self._others = xxh64_hexdigest(others.encode())

    async def survey(self, request: Request) -> Response:
        """The page of a survey, or of all, for those who may."""
        service = self._service

        def make(query: Mapping[str, str], view: ServiceView) -> str:
            several = len(service.catalogue.by_name) > 1
            if "overview" in query or (several and "survey" not in query):
                return overview_page(
                    view, overview(service.analysis, service.catalogue)
                )
            asked = ViewRequest.of(service.catalogue, query)
            return survey_page(view, asked, self._survey(asked))

        return await self._answer(request, make)

    async def compared(self, request: Request) -> Response:
        """The page of two sides, for those who may."""
        service = self._service

        def make(query: Mapping[str, str], view: ServiceView) -> str:
            return comparison_page(
                view, sides_view(service.analysis, service.catalogue, query)
            )

        return await self._answer(request, make)

    async def screen(self, request: Request) -> Response:
        """A question of a survey on a wall, for those who may."""
        service, name = self._service, request.path_params["name"]
        public = service.settings.public
        address = ""
        if public is not None and name in public.files:
            base = public.address or str(request.base_url).rstrip("/")
            address = link_of(base, name)

        def make(query: Mapping[str, str], view: ServiceView) -> str:
            asked = ViewRequest.of(service.catalogue, {**query, "survey": name})
            return screen_page(view, asked, self._survey(asked), address=address)

        return await self._answer(request, make, root="../")

    async def embedded(self, request: Request) -> Response:
        """A question for a frame: for those who may, or of a survey that is public for
        everyone.
        """
        query, settings = dict(request.query_params), self._service.settings
        name = query.get("survey") or next(iter(self._service.catalogue.by_name), "")
        headers = {
            **_FRAMED,
            "content-security-policy": _framing(settings.page.frame_ancestors),
        }
        verdict = self._service.verdict(
            request, shown_token(request), ANALYST, survey=name
        )
        if verdict != GRANTED:
            # Everyone may look, but not have estimates made in ways of their own.
            query = {key: query[key] for key in ("survey", "question") if key in query}
            if name not in settings.page.shared_surveys:
                words = (
                    REFUSALS[verdict][1]
                    or "Sign in to the page of this service to see this."
                )
                return HTMLResponse(problem_page(words), REFUSALS[verdict][0], headers)

        def make() -> Response:
            try:
                asked = ViewRequest.of(self._service.catalogue, query)
                content, status = embedded_page(asked, self._survey(asked)), 200
            except (RequestError, AnswerError, EstimateError, StoreError) as error:
                content, status = problem_page(str(error)), _status_of(error)
            return HTMLResponse(content, status, headers)

        return await run_in_threadpool(make)

    async def _answer(
        self,
        request: Request,
        make: Callable[[Mapping[str, str], ServiceView], str],
        root: str = "",
    ) -> Response:
        query = dict(request.query_params)
        verdict = self._service.verdict(
            request, shown_token(request), ANALYST, survey=None
        )
        if verdict != GRANTED:
            *_, folder, page = request.url.path.split("/")
            return self._sign_in(
                verdict, query, f"{folder}/{page}" if root else page, root=root
            )
        operator = self._service.verdict(
            request, shown_token(request), OPERATOR, survey=None
        )
        operates = operator == GRANTED
        url = str(request.url.replace(query="", fragment="")).rpartition("/")[0] + "/"
        known_tag = request.headers.get("if-none-match")

        def answer() -> Response:
            try:
                # Read before all else: what changes meanwhile changes the tag of the
                # next answer.
                view = self._service_view(url, operates=operates)
                tag = self._tag(view)
                # What stands between may have packed an answer, and then calls its tag
                # weak.
                if known_tag is not None and known_tag.removeprefix("W/") == tag:
                    return Response(status_code=304, headers={**HEADERS, "etag": tag})
                return _page(make(query, view), 200, etag=tag)
            except (
                RequestError,
                AnswerError,
                EstimateError,
                UnknownNameError,
            ) as error:
                return _page(problem_page(str(error)), _status_of(error))
            except StoreError as error:
                return _page(problem_page(str(error)), 503, **{"retry-after": "30"})

        return await run_in_threadpool(answer)

    def _survey(self, asked: ViewRequest) -> SurveyView | str:
        """Return the view of a survey, or why there is none."""
        try:
            return survey_view(self._service.analysis, asked)
        except (EstimateError, UnknownNameError) as error:
            return str(error)

    def _tag(self, view: ServiceView) -> str:
        commits = self._service.analysis.commits()
        board = self._service.board
        shown = 0 if board is None else board.number
        said = f"{self._others} {shown} {view.trouble} {view.warnings} {view.notes}"
        said += f" {view.operates} {sorted(view.closed)}"
        return f'"{commits}-{xxh64_hexdigest(said.encode())}"'

    def _service_view(self, url: str, *, operates: bool) -> ServiceView:
        service, settings = self._service, self._service.settings
        notes = settings.page.notes
        known = () if notes is None else notes.notes()
        return ServiceView(
            surveys=tuple(service.catalogue.by_name),
            accounts=service.analysis.accounts(),
            trouble=service.trouble,
            signed_in=settings.tokens is not None,
            has_pages=settings.public is not None,
            together=settings.publication.least,
            debug=None if service.board is None else service.board.uploads(),
            warnings=tuple(self._warnings()),
            notes=known,
            frames=bool(settings.page.frame_ancestors),
            operates=operates,
            closed={
                name
                for name, versions in service.catalogue.by_name.items()
                if all(service.is_closed(served.survey) for served in versions)
            },
            url=url,
        )

    def _warnings(self) -> Iterator[str]:
        """Yield the warnings besides trouble that keeps reports out."""
        service, notes = self._service, self._service.settings.page.notes
        if (
            service.writer.clock_trouble
            and service.writer.clock_trouble != service.trouble
        ):
            yield f"No epoch is closed: {service.writer.clock_trouble}"
        for source in service.sources:
            if source.failure:
                yield f"{source.name} is not read any more: {source.failure}"
        if notes is not None and notes.trouble:
            yield f"Notes are those of an earlier file: {notes.trouble}"

    async def sign_in(self, request: Request) -> Response:
        """Keep a token, if it is good."""
        query = dict(request.query_params)
        if not of_own_page(request):
            return _page(
                problem_page(
                    "This form was sent by another site, so nothing was done."
                ),
                403,
            )
        token = await _token_of(request)
        request.scope["ldp.token"] = token
        verdict = self._service.permission(token, ANALYST, None)
        if verdict != GRANTED:
            return self._sign_in(verdict, query)
        answer = await _back(request)
        if token:
            keep(answer, token, request)
        return answer

    async def sign_out(self, request: Request) -> Response:
        """Forget the token."""
        if not of_own_page(request):
            return _page(
                problem_page(
                    "This form was sent by another site, so nothing was done."
                ),
                403,
            )
        answer = await _back(request)
        forget(answer)
        return answer

    def _sign_in(
        self, verdict: str, query: Mapping[str, str], page: str = "", root: str = ""
    ) -> Response:
        """The form to sign in with, which leads back to where one was."""
        status, words = REFUSALS[verdict]
        if _PLACES.fullmatch(page):
            query = {**query, "at": page}
        headers = {}
        if status == 401:
            headers = {"www-authenticate": "Bearer"}
        return _page(sign_in_page(words, query, root), status, **headers)


async def _token_of(request: Request) -> str | None:
    """The field of a form; None without, and for whatever is no such form."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_FORM:
            return None
    try:
        return parse_qs(body.decode())["token"][0].strip()
    except (ValueError, KeyError):
        return None


async def _back(request: Request) -> Response:
    # Relative, as we may be mounted anywhere.
    query = request.url.query
    fields = parse_qsl(query, keep_blank_values=True)
    at = dict(fields).get("at", "")
    place = at if _PLACES.fullmatch(at) else ""
    rest = urlencode([field for field in fields if field[0] != "at"])
    return RedirectResponse(f"./{place}?{rest}" if rest else f"./{place}", 303, HEADERS)


def _status_of(error: Exception) -> int:
    if isinstance(error, StoreError):
        return 503
    if isinstance(error, RequestError):
        return error.status
    return 400


def _framing(origins: Sequence[str]) -> str:
    """The policy of a page without scripts that these origins may frame."""
    return (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; "
        f"form-action 'none'; frame-ancestors {' '.join(origins) or _NO_ONE}"
    )


def _page(content: str, status: int, **headers: str) -> Response:
    return HTMLResponse(content, status, {**HEADERS, **headers})


async def _file(request: Request) -> Response:
    name = request.url.path.rpartition("/")[2]
    path = STYLE
    if name != STYLE.name:
        path = _STATIC / name
    return FileResponse(path, headers={**HEADERS, "cache-control": "no-cache"})
