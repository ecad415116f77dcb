"""The service over HTTP, as an ASGI application, served by itself or mounted in
another.

    path                           scope            answer
    POST /v1/reports               upload           uploads (module `uploads.desk`)
    POST /v1/mixed                 relay            batches of a relay (module `uploads.mixed`)
    GET  /v1/surveys               analyst          names and fingerprints of all versions
    GET  /v1/surveys/NAME          upload, analyst  the newest version: survey file, fingerprint
    GET  /v1/surveys/NAME/stops    upload, analyst  the list of what is no longer asked
    GET  /v1/surveys/NAME/...
           estimates               analyst          JSON, or ?format=: `sections.downloads`
           tally                   analyst          the bytes that `ldp aggregate` writes
           batches                 analyst          what relays had mixed, and what that was worth
           history                 analyst          estimates by epoch, of one ?question=
           health                  analyst          checks of the reports, changes over epochs
    POST /v1/surveys/NAME/close    operator         closes it and shows all, then leads to its page
    GET  /register, /v1/register   none             the register of surveys (`http.register`)
    GET  /livez                    none             whether the process lives
    GET  /readyz                   none             whether it takes uploads
    GET  /version                  none             which version it is
    GET  /metrics                  metrics, analyst for Prometheus
    GET  /s/NAME/                  none             a survey's page, with --public
    GET  /respondents              analyst          its link, and who came (`respondents.routes`)
    GET  /                         analyst          the page for people, who sign in with a token

An analyst may ask for ?version=FINGERPRINT and ?epoch=NUMBER, and of estimates for what
`ldp estimate` has as options (`queries.OPTIONS`), of all questions or those of
?question=NAME,NAME. Tokens come in an Authorization header, or the page's cookie;
people through `ldp_service.people`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any
from urllib.parse import quote, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from ldp.errors import AnswerError, EstimateError, UnknownNameError
from ldp.transparency.entries import RegisterError
from ldp_aggregator.analyses.groups.group_estimates import GroupEstimates
from ldp_aggregator.output.files import FileError, without_comments
from ldp_aggregator.tallies.tally_file import encode_tally
from ldp_service.analysis.punctuality import punctuality
from ldp_service.analysis.queries import (
    GROUPS,
    OPTIONS,
    RequestError,
    check_parameters,
    groups_of,
    names_of,
    options_of,
    served_as,
)
from ldp_service.counting.served import Served
from ldp_service.http.audit import AuditedRequest
from ldp_service.http.headers import with_fields
from ldp_service.http.metrics import CONTENT_TYPE, Metrics
from ldp_service.http.register import refuse, register_routes
from ldp_service.http.upload import Receive, Scope, Send, UploadApp
from ldp_service.page.access import of_own_page, shown_token
from ldp_service.page.routes import page_routes
from ldp_service.page.sections.downloads import DOWNLOADS, download
from ldp_service.respondents.routes import respondent_routes
from ldp_service.service import Service
from ldp_service.store.errors import StoreError
from ldp_service.store.records import EVER, Epoch
from ldp_service.uploads.desk import PATH, UploadDesk
from ldp_service.uploads.mixed import MIXED_PATH, MixedDesk
from ldp_service.uploads.tokens import (
    ANALYST,
    GRANTED,
    METRICS,
    OPERATOR,
    UPLOAD,
    WRONG_SCOPE,
    WRONG_SURVEY,
)

Endpoint = Callable[[Request], Awaitable[Response]]


class Application:
    """The ASGI application of a service.

    The service is closed with it if it is `owned`, else by its owner.
    """

    def __init__(self, service: Service, *, owned: bool = False) -> None:
        self._metrics = Metrics(service)
        settings = service.settings
        self.service = service
        self.ending = False
        """As of `protocol.Ends`."""
        self.desk = UploadDesk(
            service.writer,
            None if settings.uploads.open_uploads else service.permission_of_sender,
            settings.uploads.origins,
            limits=settings.uploads.limits,
            tell=self._metrics.tell,
            board=service.board,
        )
        self._upload = UploadApp(self.desk)
        self._mixed: UploadApp | None = None
        if settings.uploads.opener is not None:
            desk = MixedDesk(
                service.writer,
                service.permission_of_sender,
                settings.uploads.opener,
                envelopes=service.catalogue.envelopes,
                limits=settings.uploads.limits,
                tell=self._metrics.tell,
            )
            self._mixed = UploadApp(desk)
        self._rest = _rest(service, self._metrics, owned=owned)

    @property
    def leaving(self) -> bool:
        """Whether the server ends, as in `protocol.Ends`."""
        return self.service.leaving

    def leave(self) -> None:
        """Say that uploads are taken for some seconds only."""
        self.service.leaving = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; uploads take the shortest way.

        Their path has to be spelled the one way that every proxy reads alike.
        """
        if scope["type"] != "http":
            await self._rest(scope, receive, send)
        elif _is_at(scope, PATH):
            await self._upload(scope, receive, with_fields(scope, send))
        elif self._mixed is not None and _is_at(scope, MIXED_PATH):
            await self._mixed(scope, receive, with_fields(scope, send))
        else:
            asked = AuditedRequest(self.service, scope)
            await asked.answer(self._rest, receive, with_fields(scope, send))


def _is_at(scope: Scope, place: str) -> bool:
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    raw_path = scope.get("raw_path") or place.encode()
    return path == place and raw_path.endswith(place.encode())


def routes_of(service: Service, metrics: Metrics) -> list[Route]:
    """All routes but that of uploads, each behind a check of its scope, if it has
    one.
    """
    endpoints = _Endpoints(service, metrics)
    return [
        *page_routes(service),
        *respondent_routes(service),
        *register_routes(service),
        Route("/livez", endpoints.lives),
        Route("/readyz", endpoints.ready),
        Route("/version", endpoints.version),
        Route("/metrics", endpoints.for_scope(METRICS, endpoints.metrics)),
        Route("/v1/surveys", endpoints.for_scope(ANALYST, endpoints.surveys)),
        Route("/v1/surveys/{name}", endpoints.for_scope(UPLOAD, endpoints.survey)),
        Route("/v1/surveys/{name}/stops", endpoints.for_scope(UPLOAD, endpoints.stops)),
        Route(
            "/v1/surveys/{name}/estimates",
            endpoints.for_scope(ANALYST, endpoints.estimates),
        ),
        Route(
            "/v1/surveys/{name}/tally", endpoints.for_scope(ANALYST, endpoints.tally)
        ),
        Route(
            "/v1/surveys/{name}/batches",
            endpoints.for_scope(ANALYST, endpoints.batches),
        ),
        Route(
            "/v1/surveys/{name}/history",
            endpoints.for_scope(ANALYST, endpoints.history),
        ),
        Route(
            "/v1/surveys/{name}/health", endpoints.for_scope(ANALYST, endpoints.health)
        ),
        Route(
            "/v1/surveys/{name}/close",
            endpoints.for_scope(OPERATOR, endpoints.close),
            methods=["POST"],
        ),
    ]


def _rest(service: Service, metrics: Metrics, *, owned: bool) -> Starlette:
    refusals = {
        RequestError: _refuse,
        EstimateError: _unable,
        AnswerError: _unable,
        UnknownNameError: _unable,
        # A client that left in the middle of a form gets no answer; without this, the
        # log would.
        ClientDisconnect: _unable,
        StoreError: _unavailable,
        FileError: _unavailable,
        RegisterError: refuse,
    }

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        if owned:
            await run_in_threadpool(service.close)

    rest = Starlette(
        routes=routes_of(service, metrics),
        exception_handlers=refusals,
        lifespan=lifespan,
    )
    # One spelling for each path, and no redirect to wherever Host says.
    rest.router.redirect_slashes = False
    return rest


class _Endpoints:
    """Endpoints; reading and estimating run in threads, so that uploads go on."""

    def __init__(self, service: Service, metrics: Metrics) -> None:
        self._service = service
        self._metrics = metrics
        self._analysis = service.analysis

    def for_scope(self, scope: str, endpoint: Endpoint) -> Endpoint:
        """The endpoint, for those who may: analysts see what clients see, too."""
        scopes = (scope,) if scope != UPLOAD else (UPLOAD, ANALYST)

        async def check_first(request: Request) -> Response:
            if not (scope == UPLOAD and self._service.settings.uploads.open_uploads):
                # What has no name is about all surveys at once.
                name = request.path_params.get("name")
                token, check = shown_token(request), self._service.verdict
                verdicts = [check(request, token, good, survey=name) for good in scopes]
                if GRANTED not in verdicts:
                    status = 403 if {WRONG_SCOPE, WRONG_SURVEY} & {*verdicts} else 401
                    raise RequestError(
                        status, f"expected a token of scope {scope}, got {verdicts[-1]}"
                    )
            return await endpoint(request)

        return check_first

    async def lives(self, _: Request) -> Response:
        return PlainTextResponse("lives\n")

    async def ready(self, _: Request) -> Response:
        trouble = self._service.trouble
        if trouble is not None:
            return PlainTextResponse(f"{trouble}\n", 503)
        return PlainTextResponse("ready\n")

    async def version(self, _: Request) -> Response:
        return JSONResponse({"version": version("ldpkit-aggregator"), "wire": 1})

    async def metrics(self, _: Request) -> Response:
        return Response(
            await run_in_threadpool(self._metrics.text),
            headers={"content-type": CONTENT_TYPE},
        )

    async def surveys(self, _: Request) -> Response:
        surveys = [
            {"name": served.survey.name, "fingerprint": served.fingerprint}
            for served in self._service.catalogue.all
        ]
        return JSONResponse({"surveys": surveys})

    async def survey(self, request: Request) -> Response:
        served = self._find_survey(request)
        answer = {
            "name": served.survey.name,
            "fingerprint": served.fingerprint,
            "survey": without_comments(served.source),
        }
        return JSONResponse(answer, headers={"etag": f'"{served.fingerprint}"'})

    async def stops(self, request: Request) -> Response:
        name = self._find_survey(request).survey.name
        lists = self._service.settings.stop_lists
        content = await run_in_threadpool(lists.file_of, name)
        if content is None:
            raise RequestError(404, f"expected a stop list, got none for {name}")
        return Response(content, media_type="application/octet-stream")

    async def estimates(self, request: Request) -> Response:
        query = request.query_params
        check_parameters(
            query, ("version", "epoch", "question", "format", *GROUPS, *OPTIONS)
        )
        name = query.get("format", "json")
        if name not in DOWNLOADS:
            raise RequestError(
                400,
                (
                    f"expected format to be one of {', '.join(DOWNLOADS)}, got "
                    f"{name[:40]!r}"
                ),
            )
        form = DOWNLOADS[name]
        served = self._find_survey(request)
        options, names = options_of(query), names_of(served, query)
        epoch, groups = _epoch(request), groups_of(query)
        pooled = epoch is None and not query.get("version")

        def make() -> bytes:
            if groups is not None:
                at = self._at(served, epoch)
                return form.whole(
                    self._analysis.groups(
                        served, groups, options, epoch=at, names=names
                    ).sheet(in_full=False)
                )
            if pooled:
                return download(
                    self._analysis.pool(served.survey.name, options, names), form
                )
            at = self._at(served, epoch)
            return download(
                self._analysis.estimates(served, options, at, names=names), form
            )

        content = await run_in_threadpool(make)
        file = f"{served.survey.name}.{form.ending}"
        headers = {"content-disposition": f'attachment; filename="{file}"'}
        return Response(content, media_type=form.content_type, headers=headers)

    async def tally(self, request: Request) -> Response:
        check_parameters(request.query_params, ("version", "epoch"))
        served = self._find_survey(request)
        if served.survey.attributes:
            raise RequestError(
                403,
                "expected a survey without attributes: a tally has the counts of "
                "groups of any size, and is not handed out; ldp store export writes "
                "what its operator may count",
            )
        epoch = _epoch(request)
        content = await run_in_threadpool(
            lambda: encode_tally(self._analysis.tally(served, self._at(served, epoch)))
        )
        name = f"{served.survey.name}.tally"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/octet-stream", headers=headers)

    async def batches(self, request: Request) -> Response:
        check_parameters(request.query_params, ("version", "epoch"))
        served = self._find_survey(request)
        at = self._at(served, _epoch(request))
        mixed = await run_in_threadpool(self._analysis.batches, served, at)
        batches = [{**batch._asdict(), "worth": text} for batch, text in mixed]
        said = {"survey": served.survey.name, "fingerprint": served.fingerprint}
        return JSONResponse({**said, "batches": batches})

    async def history(self, request: Request) -> Response:
        served = self._find_survey(request)
        query = request.query_params
        check_parameters(query, ("version", "question", *GROUPS, *OPTIONS))
        options, name = options_of(query), query.get("question", "")
        groups = groups_of(query)
        if groups is not None:
            by_group = await run_in_threadpool(
                self._analysis.group_history, served, name, groups, options
            )
            return JSONResponse(_of_groups(served, name, by_group))
        history = await run_in_threadpool(self._analysis.history, served, name, options)
        epochs = [
            {
                "epoch": at.number,
                "start": at.start,
                "seconds": at.length,
                **estimates.to_dict(),
            }
            for at, estimates in history
        ]
        return JSONResponse(
            {"survey": served.survey.name, "question": name, "epochs": epochs}
        )

    async def health(self, request: Request) -> Response:
        check_parameters(request.query_params, ("version",))
        served = self._find_survey(request)
        by_question = await run_in_threadpool(self._analysis.health, served)
        checks = {
            name: [check._asdict() for check in those]
            for name, those in by_question.items()
        }
        changes = await run_in_threadpool(self._analysis.changes, served)
        outcomes = await run_in_threadpool(self._analysis.outcomes, served)
        late = punctuality(outcomes)
        service = {
            "trouble": self._service.trouble,
            "clock": self._service.writer.clock_trouble,
            "late": {
                **late._asdict(),
                "share": late.share,
                "alarming": late.is_alarming,
            },
            "early": self._service.writer.early,
        }
        answer = {
            "survey": served.survey.name,
            "questions": checks,
            "changes": {name: known.to_dict() for name, known in changes.items()},
            "service": service,
        }
        return JSONResponse(answer)

    async def close(self, request: Request) -> Response:
        if not of_own_page(request):
            raise RequestError(
                403, "expected a form of this page's own, got one of another site's"
            )
        name = self._find_survey(request).survey.name
        await run_in_threadpool(self._service.close_survey, name)
        # Relative, as we may be mounted anywhere.
        place = f"screen/{quote(name)}"
        if "screen" not in request.query_params:
            place = f"?{urlencode({'survey': name})}"
        return RedirectResponse(f"../../../{place}", 303)

    def _find_survey(self, request: Request) -> Served:
        return served_as(
            self._service.catalogue, request.path_params["name"], request.query_params
        )

    @staticmethod
    def _at(served: Served, number: int | None) -> Epoch | None:
        if number is None:
            return None
        length = served.survey.epoch
        if length is None and number != EVER.number:
            raise RequestError(400, "expected no epoch, as this survey has none")
        if length is None:
            return EVER
        return Epoch(length, number)


def _of_groups(
    served: Served, name: str, history: Sequence[tuple[Epoch, GroupEstimates]]
) -> dict[str, Any]:
    epochs = [
        {
            "epoch": at.number,
            "start": at.start,
            "seconds": at.length,
            **groups.to_dict(),
        }
        for at, groups in history
    ]
    return {"survey": served.survey.name, "question": name, "epochs": epochs}


def _epoch(request: Request) -> int | None:
    number = request.query_params.get("epoch")
    if number is not None and not (
        number.isascii() and number.isdigit() and len(number) <= 10
    ):
        raise RequestError(400, "expected epoch to be the number of an epoch")
    if number is None:
        return None
    return int(number)


def _answer(status: int, error: Exception, **headers: str) -> Response:
    return JSONResponse({"error": str(error)}, status, headers=headers)


async def _refuse(_: Request, error: Any) -> Response:
    headers = {}
    if error.status == 401:
        headers = {"www-authenticate": "Bearer"}
    return _answer(error.status, error, **headers)


async def _unable(_: Request, error: Exception) -> Response:
    return _answer(400, error)


async def _unavailable(_: Request, error: Exception) -> Response:
    return _answer(503, error, **{"retry-after": "30"})
