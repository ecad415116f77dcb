"""The page of `ldp demo`: a service on this computer, and a page that it does not have.

    GET  /demo     the question, what became of one's own answer, the estimate so far
    POST /demo     answer, as one more device; the made-up people come after the first
    GET  /...      the service: the page of analysts, styles, pictures

Reports are made by `ldp_client`, counted in the service's store, and estimated as its
page does. The page's script asks for it again every two seconds.
"""

from __future__ import annotations

import tempfile
import time
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import click
import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from ldp_aggregator.answers.options import Options
from ldp_aggregator.commands.reporting.sentences import headline
from ldp_aggregator.output.people import reading
from ldp_aggregator.output.pictures.picture import chart
from ldp_aggregator.output.sheet import Bars
from ldp_aggregator.output.templates import templates_of
from ldp_client import report_bytes
from ldp_service.commands.running import listening_at
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.http.app import Application
from ldp_service.page.access import of_own_page
from ldp_service.page.routes import HEADERS
from ldp_service.page.sections.questions import first_bar
from ldp_service.service import Service, Settings
from ldp_simulations.demo.crowd import (
    NAME,
    PEOPLE,
    QUESTION,
    STOPS,
    TRUTH,
    USUAL_EPSILON,
    YES,
    answers,
    is_sent_as_yes,
    reports_of,
    survey_of,
    truth_probability,
)

EPSILONS = ("0.25", "0.5", USUAL_EPSILON, "2", "4")
_USUAL_PLACE = EPSILONS.index(USUAL_EPSILON)
_STYLE = Path(__file__).parent / "templates" / "demo.css"
_PAUSE = 1.5
"""Seconds between two arrivals of people."""
_WORDS = {True: "Yes", False: "No"}


class Own(NamedTuple):
    """One answer of the visitor, and what was sent for it."""

    said: str
    sent: str


class Demonstration:
    """A demonstration on a service of its own; `pause` is between arrivals."""

    def __init__(self, store: str, pause: float = _PAUSE) -> None:
        self._surveys = [survey_of(epsilon) for epsilon in EPSILONS]
        self._usual = self._surveys[_USUAL_PLACE]
        served = [Served(survey, survey.to_toml()) for survey in self._surveys]
        self.service = Service(served, store, Settings(publication=LIVE))
        self._pause = pause
        self._own: Own | None = None
        self._people = Thread(target=self._arrive, daemon=True)
        self._templates = templates_of(
            "ldp_simulations.demo", "ldp_service.page", chart=chart, headline=headline
        )

    def application(self) -> Starlette:
        """Return the service with the page."""
        return Starlette(
            routes=[
                Route("/demo", self._show),
                Route("/demo", self._answer, methods=["POST"]),
                Route("/demo.css", _style),
                Mount("", Application(self.service)),
            ]
        )

    def wait(self) -> None:
        """Wait until all people came."""
        self._people.join()

    async def _show(self, request: Request) -> Response:
        step = request.query_params.get("step", "")
        place = _USUAL_PLACE
        if step in map(str, range(len(EPSILONS))):
            place = int(step)
        return HTMLResponse(await run_in_threadpool(self._page, place), headers=HEADERS)

    async def _answer(self, request: Request) -> Response:
        if of_own_page(request):
            said = (await request.body()) == f"{NAME}={YES}".encode()
            await run_in_threadpool(self._randomize, said)
        return RedirectResponse(request.url.path.rpartition("/")[2], 303, HEADERS)

    def _randomize(self, said: bool) -> None:
        """Send an answer as a device does, and let the people come."""
        [report] = reports_of(self._usual, [said])
        self.service.writer.write(report_bytes([report]))
        if self._own is None:
            self._people.start()
        self._own = Own(_WORDS[said], _WORDS[is_sent_as_yes(report)])

    def _arrive(self) -> None:
        """Count the people of all epsilons, some more at each stop."""
        people = answers()
        reports = [reports_of(survey, people) for survey in self._surveys]
        for first, last in zip((0, *STOPS), STOPS, strict=False):
            time.sleep(self._pause)
            parts = [report_bytes(one[first:last]) for one in reports]
            self.service.writer.write(b"".join(parts))

    def _page(self, place: int) -> str:
        survey = self._surveys[place]
        [served] = self.service.catalogue.by_name[survey.name]
        options = Options(estimand="population")
        estimates = self.service.analysis.estimates(served, options)[NAME]
        kept = truth_probability(survey)
        return self._templates.get_template("demo.html").render(
            title="Randomized response",
            root="",
            question=QUESTION,
            own=self._own,
            usual=truth_probability(self._usual),
            people=PEOPLE,
            place=place,
            epsilons=EPSILONS,
            kept=kept,
            estimates=estimates,
            result=first_bar(estimates.bars())._replace(truth=(TRUTH,)),
            revealed=_revealed(kept),
            truth=reading(TRUTH, TRUTH, TRUTH).value,
        )


def serve_demo() -> None:
    """Serve the demonstration until it is interrupted, and open a browser."""
    with tempfile.TemporaryDirectory() as folder, listening_at("127.0.0.1", 0) as at:
        shown = Demonstration(f"sqlite:///{folder}/demo.db")
        address = f"http://127.0.0.1:{at.getsockname()[1]}/demo"
        click.echo(f"{address}\nControl-C ends it.")
        # Some browsers come back only when they are closed.
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        server = uvicorn.Server(
            uvicorn.Config(shown.application(), log_level="warning")
        )
        with suppress(KeyboardInterrupt):
            server.run([at])
        shown.service.close()


def _revealed(kept: float) -> Bars:
    """Return the panel of what anyone may come to think of one answer, at most."""
    nothing = np.array([np.nan])
    return Bars(
        "What one report reveals",
        "",
        ["Surest guess at your answer"],
        lengths=np.array([round(kept, 2)]),
        low=nothing,
        high=nothing,
        within=(0, 1),
    )


async def _style(_: Request) -> Response:
    return FileResponse(_STYLE, headers=HEADERS)
