"""The register of surveys over HTTP, for everyone: what it is for is that everyone may
look.

GET  /register                          all versions, what changed and why, as a page
GET  /v1/register                       its head, SIZE:ROOT
GET  /v1/register/entries               the file itself, one entry a line
GET  /v1/register/consistency?since=    the proof that it has only grown since so many entries
GET  /v1/surveys/NAME/registered        the proof that the version that is served is in it; of
?version=, and for those who keep a head of ?since=
"""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ldp.transparency.entries import Register, line_of
from ldp.transparency.proofs import head_of, prove_consistency, prove_inclusion
from ldp_aggregator.versions.published import PublishedRegister
from ldp_aggregator.versions.register_page import register_page
from ldp_service.analysis.queries import RequestError, check_parameters, served_as
from ldp_service.service import Service

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
}


def register_routes(service: Service) -> list[Route]:
    """The routes of a service's register; none, if it has none."""
    register = service.settings.register
    if register is None:
        return []
    pages = _Pages(service, register)
    return [
        Route("/register", pages.page),
        Route("/v1/register", pages.head),
        Route("/v1/register/entries", pages.entries),
        Route("/v1/register/consistency", pages.consistency),
        Route("/v1/surveys/{name}/registered", pages.inclusion),
    ]


class _Pages:
    def __init__(self, service: Service, register: PublishedRegister) -> None:
        self._service = service
        self._register = register

    async def page(self, _: Request) -> Response:
        """Return the page of changes and their reasons."""
        content = await run_in_threadpool(lambda: register_page(self._read()))
        return Response(content, media_type="text/html", headers=_HEADERS)

    async def head(self, _: Request) -> Response:
        """The head."""
        head = await run_in_threadpool(lambda: head_of(self._read()))
        record = {"head": head.text, "size": head.size, "root": head.root.hex()}
        return JSONResponse(record)

    async def entries(self, _: Request) -> Response:
        """The file."""
        register = await run_in_threadpool(self._read)
        content = "".join(f"{line_of(entry)}\n" for entry in register.entries)
        return Response(content, media_type="text/plain; charset=utf-8")

    async def consistency(self, request: Request) -> Response:
        """The proof that it has only grown."""
        check_parameters(request.query_params, ("since",))
        since = _since(request)
        if not since:
            raise RequestError(
                400, "expected ?since=SIZE, the number of entries of an older head"
            )
        proof = await run_in_threadpool(lambda: prove_consistency(self._read(), since))
        return JSONResponse(proof)

    async def inclusion(self, request: Request) -> Response:
        """The proof that what is served is in it."""
        query = request.query_params
        check_parameters(query, ("since", "version"))
        name, since = request.path_params["name"], _since(request)
        survey = served_as(self._service.catalogue, name, query).survey

        def prove() -> dict[str, object]:
            register = self._read()
            entry = register.find(survey)
            if entry is None:
                raise RequestError(
                    503, f"expected {name} in the register, got no such entry"
                )
            return prove_inclusion(register, entry.number, since)

        return JSONResponse(await run_in_threadpool(prove))

    def _read(self) -> Register:
        """The register as it is now, or the reason why it is not shown."""
        return self._register.read()


async def refuse(_: Request, error: Exception) -> Response:
    """A register that cannot be shown, or has not what is asked for."""
    status = 400 if "expected a size of the register" in str(error) else 503
    return Response(f"{error}\n", status, media_type="text/plain")


def _since(request: Request) -> int:
    text = request.query_params.get("since", "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 11):
        raise RequestError(
            400, f"expected since to be a number of entries, got {text[:40]!r}"
        )
    return int(text)
