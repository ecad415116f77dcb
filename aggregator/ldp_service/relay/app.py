"""The relay over HTTP, as an ASGI application.

    path               answer
    POST /v1/sealed    sealed reports, answered as uploads are (`uploads.desk`): 202
                       once they wait
    GET  /livez        whether the process lives
    GET  /readyz       whether it takes reports
    GET  /version      which version it is
    .../ohttp-gateway  under /.well-known, with --oblivious-key: GET its keys, POST sealed reports
                       that came through a hop of Oblivious HTTP (`gateway`)
    GET  /metrics      counts for Prometheus, to holders of the token LDP_TOKEN_METRICS

Devices show no token: one of its own would tell a device from others, and one that all
share keeps no one out. Nothing that is answered says more than counts, and no counter
is of one question.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ldp.wire.oblivious import GATEWAY_PATH, KEYS_TYPE, encode_keys
from ldp.wire.wire import REASONS
from ldp_service.http.headers import with_fields
from ldp_service.http.upload import Receive, Scope, Send, UploadApp
from ldp_service.relay.forwarding import Forwarder
from ldp_service.relay.gateway import GatewayDesk, GatewayKey
from ldp_service.relay.writer import RelayWriter
from ldp_service.uploads.desk import UploadDesk
from ldp_service.uploads.heads import bearer
from ldp_service.uploads.room import UploadLimits
from ldp_service.uploads.tokens import GRANTED, METRICS, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable

SEALED_PATH = "/v1/sealed"
LIMITS = UploadLimits(body=256 << 10)
"""Of one upload: a message, or some."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_TOTALS = {
    "mixed": "Reports that were made batches",
    "batches": "Batches that were made",
    "forwarded": "Parts of batches that the collector took",
    "discarded": "Reports of epochs that closed below the least number",
}


class RelayApplication:
    """The ASGI application of a relay, which it closes."""

    def __init__(
        self,
        writer: RelayWriter,
        forwarder: Forwarder,
        tokens: Tokens,
        *,
        clock: Callable[[], float],
        origins: Iterable[str] = (),
        gateway_keys: Sequence[GatewayKey] = (),
    ) -> None:
        self.writer = writer
        self.forwarder = forwarder
        self.leaving = False
        """Whether it was told to stop, and takes reports for some seconds only."""
        self.ending = False
        """As of `protocol.Ends`."""
        self._tokens = tokens
        self._clock = clock
        self._upload = UploadApp(
            UploadDesk(writer, None, origins=origins, limits=LIMITS)
        )
        self._keys = [key.configuration for key in gateway_keys]
        self._desk = GatewayDesk(writer, gateway_keys, SEALED_PATH, limits=LIMITS)
        self._gateway = UploadApp(self._desk)
        self._rest = Starlette(routes=self.routes(), lifespan=self._lifespan)
        self._rest.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            send = with_fields(scope, send)
            if scope["path"] == SEALED_PATH:
                await self._upload(scope, receive, send)
                return
            if (
                scope["path"] == GATEWAY_PATH
                and self._keys
                and scope["method"] == "POST"
            ):
                await self._gateway(scope, receive, send)
                return
        await self._rest(scope, receive, send)

    def routes(self) -> list[Route]:
        """All but that of reports."""
        return [
            Route("/livez", self.lives),
            Route("/readyz", self.ready),
            Route("/version", self.version),
            Route("/metrics", self.metrics),
            *([Route(GATEWAY_PATH, self.gateway_keys)] if self._keys else []),
        ]

    async def lives(self, _: Request) -> Response:
        """Whether the process lives."""
        return PlainTextResponse("lives\n")

    async def ready(self, _: Request) -> Response:
        """Whether it takes reports."""
        trouble: str | None = "expected to go on, but was told to stop"
        if not self.leaving:
            trouble = self.writer.trouble
        if trouble is not None:
            return PlainTextResponse(f"{trouble}\n", 503)
        return PlainTextResponse("ready\n")

    async def version(self, _: Request) -> Response:
        """Which version it is."""
        return JSONResponse({"version": version("ldpkit-aggregator"), "sealed": 3})

    async def gateway_keys(self, _: Request) -> Response:
        """The keys to which requests through a hop are encrypted."""
        return Response(encode_keys(self._keys), media_type=KEYS_TYPE)

    async def metrics(self, request: Request) -> Response:
        """Counts, to those who may see them."""
        shown = bearer(request.headers.get("authorization", ""))
        verdict = self._tokens.check(shown, METRICS, self._clock())
        if verdict != GRANTED:
            headers = {"www-authenticate": "Bearer"}
            text = f"expected the token LDP_TOKEN_METRICS, got {verdict}\n"
            return PlainTextResponse(text, 401, headers)
        return Response(self._text(), headers={"content-type": CONTENT_TYPE})

    def close(self) -> None:
        """End what goes on."""
        self._desk.close()
        self.forwarder.close()
        self.writer.close()

    def _text(self) -> str:
        counts = self.writer.counts
        outcomes = [
            "accepted",
            "duplicate",
            *(name for name in REASONS if counts[name]),
        ]
        lines = [
            "# HELP ldp_relay_reports_total Sealed reports by what became of them.",
            "# TYPE ldp_relay_reports_total counter",
            *(
                f'ldp_relay_reports_total{{outcome="{name}"}} {counts[name]}'
                for name in outcomes
            ),
        ]
        for name, words in _TOTALS.items():
            metric = f"ldp_relay_{name}_total"
            lines += [f"# HELP {metric} {words}.", f"# TYPE {metric} counter"]
            lines.append(f"{metric} {counts[name]}")
        gauges = {
            "waiting_reports": (
                "Reports that wait to be mixed",
                sum(self.writer.waiting.values()),
            ),
            "waiting_parts": (
                "Parts of batches that wait to be taken",
                self.writer.parts,
            ),
            "collector_up": (
                "Whether the last part was taken",
                int(not self.forwarder.trouble),
            ),
            "clock_in_order": (
                "Whether the clock goes on",
                int(not self.writer.clock_trouble),
            ),
        }
        for name, (words, number) in gauges.items():
            metric = f"ldp_relay_{name}"
            lines += [
                f"# HELP {metric} {words}.",
                f"# TYPE {metric} gauge",
                f"{metric} {number}",
            ]
        return "\n".join([*lines, ""])

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(self.close)
