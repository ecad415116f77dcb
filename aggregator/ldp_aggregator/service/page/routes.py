"""The page over HTTP.

    GET  /                 the page, with what `views.Asked` reads off the query; 304 while nothing
                           has changed
    POST /login, /logout   take a token from a form and let the browser keep it, or forget it; then
                           back to the page
    GET  /page/...         style, script, icon

Rules
- The script of the page asks for the page itself, with the tag that it came under: the number of
  commits, and what else it depends on. Only then is anything estimated or sent.
- No page may be framed, cached, or run a script or style that is not a file of ours.
- `same-origin` is the strictest referrer policy under which browsers say where a form comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from xxhash import xxh64_hexdigest

from ldp.errors import AnswerError, EstimateError, UnknownNameError
from ldp_aggregator.service.analysis.queries import RequestError
from ldp_aggregator.service.page.access import REFUSALS, forget, keep, of_own_page, shown_token
from ldp_aggregator.service.page.charts import STATIC
from ldp_aggregator.service.page.document import problem_page, sign_in_page, survey_page
from ldp_aggregator.service.page.views import Asked, ServiceView, SurveyView, survey_view
from ldp_aggregator.service.people.routes import end_session, sign_in_routes
from ldp_aggregator.service.service import Service
from ldp_aggregator.service.store.errors import StoreError
from ldp_aggregator.service.uploads.tokens import ANALYST, GRANTED

HEADERS = {
    "content-security-policy": "default-src 'none'; "
    "script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
FILES = ("chart.css", "page.css", "page.js", "icon.svg")
_MOST_FORM = 4096


def page_routes(service: Service) -> list[Route]:
    """The routes of the page of a service."""
    pages = _Pages(service)
    return [
        Route("/", pages.survey),
        Route("/login", pages.sign_in, methods=["POST"]),
        Route("/login", _back),
        Route("/logout", pages.sign_out, methods=["POST"]),
        *sign_in_routes(service.settings.sign_in, service.clock, _not_signed_in),
        *(Route(f"/page/{name}", _file) for name in FILES),
    ]


class _Pages:
    def __init__(self, service: Service) -> None:
        self._service = service
        sources = [(served.source, served.candidates) for served in service.catalogue.all]
        others = repr((version("ldpkit-aggregator"), sources))
        self._others = xxh64_hexdigest(others.encode())

    async def survey(self, request: Request) -> Response:
        """The page of a survey, for those who may."""
        query = dict(request.query_params)
        verdict = self._service.verdict(request, shown_token(request), ANALYST, survey=None)
        if verdict != GRANTED:
            return self._refused(verdict, query)
        return await run_in_threadpool(self._shown, query, request.headers.get("if-none-match"))

    def _shown(self, query: Mapping[str, str], known_tag: str | None) -> Response:
        service, analysis = self._service, self._service.analysis
        try:
            asked = Asked.of(service.catalogue, query)
            # Read before all else: what changes meanwhile changes the tag of the next answer.
            trouble = service.trouble
            tag = self._tag(trouble)
            # What stands between may have packed an answer, and then calls its tag weak.
            if known_tag is not None and known_tag.removeprefix("W/") == tag:
                return Response(status_code=304, headers={**HEADERS, "etag": tag})
            try:
                shown: SurveyView | str = survey_view(analysis, asked)
            except (EstimateError, UnknownNameError) as error:
                shown = str(error)
            page = survey_page(self._service_view(trouble), asked, shown)
        except RequestError as error:
            return _page(problem_page(str(error)), error.status)
        except (AnswerError, EstimateError) as error:
            return _page(problem_page(str(error)), 400)
        except StoreError as error:
            return _page(problem_page(str(error)), 503, **{"retry-after": "30"})
        return _page(page, 200, etag=tag)

    def _tag(self, trouble: str | None) -> str:
        commits = self._service.analysis.commits()
        board = self._service.board
        shown = 0 if board is None else board.number
        clock = self._service.writer.clock_trouble
        others = xxh64_hexdigest(f"{self._others} {shown} {trouble} {clock}".encode())
        return f'"{commits}-{others}"'

    def _service_view(self, trouble: str | None) -> ServiceView:
        service = self._service
        return ServiceView(
            surveys=tuple(service.catalogue.by_name),
            accounts=service.analysis.accounts(),
            trouble=trouble,
            clock=service.writer.clock_trouble,
            signed_in=service.settings.tokens is not None,
            together=service.settings.publication.least,
            debug=None if service.board is None else service.board.uploads(),
        )

    async def sign_in(self, request: Request) -> Response:
        """Keep a token, if it is good."""
        query = dict(request.query_params)
        if not of_own_page(request):
            return _page(
                problem_page("This form was sent by another site, so nothing was done."), 403
            )
        token = await _token_of(request)
        request.scope["ldp.token"] = token
        verdict = self._service.permitted(token, ANALYST, None)
        if verdict != GRANTED:
            return self._refused(verdict, query)
        answer = await _back(request)
        if token:
            keep(answer, token, request)
        return answer

    async def sign_out(self, request: Request) -> Response:
        """Forget the token."""
        if not of_own_page(request):
            return _page(
                problem_page("This form was sent by another site, so nothing was done."), 403
            )
        answer = await _back(request)
        forget(answer)
        end_session(self._service.settings.sign_in, request, answer, now=self._service.clock())
        return answer

    def _refused(self, verdict: str, query: Mapping[str, str]) -> Response:
        status, words = REFUSALS[verdict]
        headers = {"www-authenticate": "Bearer"} if status == 401 else {}
        sign_in = self._service.settings.sign_in
        through = sign_in is not None and sign_in.provider is not None
        return _page(sign_in_page(words, query, through_provider=through), status, **headers)


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
    return RedirectResponse(f"./?{query}" if query else "./", 303, HEADERS)


def _not_signed_in(words: str) -> Response:
    return _page(problem_page(words), 403)


def _page(content: str, status: int, **headers: str) -> Response:
    return HTMLResponse(content, status, {**HEADERS, **headers})


async def _file(request: Request) -> Response:
    name = request.url.path.rpartition("/")[2]
    return FileResponse(STATIC / name, headers={**HEADERS, "cache-control": "no-cache"})
