"""A service with a page, on a store of its own, and people who look at it."""

import asyncio
import json
import threading
import time
from contextlib import contextmanager

import httpx
import uvicorn
from browser import free_port

from ldp import parse_survey
from ldp_aggregator.answers.estimates.stop_lists import StopLists
from ldp_client import Client, report_bytes
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.http.app import Application
from ldp_service.service import PageSettings, Service, Settings, UploadSettings
from ldp_service.uploads.tokens import ANALYST, UPLOAD, TokenFile, Tokens, token_record

COMMUTE = """
[survey]
name = "commute"
epoch = "1d"
[[question]]
name = "smoker"
text = "Do you <b>smoke</b>?"
type = "boolean"
mechanism = "warner"
epsilon = "1"
[[question]]
name = "transport"
type = "category"
values = ["car", "bus", "bike", "walk"]
mechanism = "oue"
epsilon = "2"
[[question]]
name = "hours"
type = "integer"
low = 0
high = 5
mechanism = "geometric"
epsilon = "2"
"""
HOSTILE_VALUES = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</title></style></svg><script>",
    "&lt;b&gt;",
    "\u202eabc",
)
HOSTILE = f"""
[survey]
name = "hostile"
[[question]]
name = "q"
text = {json.dumps(HOSTILE_VALUES[1])}
type = "category"
values = {json.dumps(HOSTILE_VALUES)}
mechanism = "grr"
epsilon = "3"
"""
UPLOADS, PAGE = UploadSettings(), PageSettings()
TOKEN, UPLOADING = "analyst" + "a" * 40, "upload" + "u" * 40


@contextmanager
def service_of(
    *texts,
    folder,
    tokens=True,
    candidates=None,
    stop_lists=(),
    uploads=UPLOADS,
    page=PAGE,
    geography=None,
    publication=LIVE,
    metrics_estimates=False,
    **options,
):
    """A service of surveys, given as texts; with a token file unless it needs none.

    Further options are those of the service, or its settings of uploads and pages.
    """
    token_file = TokenFile(write_tokens(folder)) if tokens else None
    lists = StopLists(stop_lists)
    chosen = Settings(
        token_file,
        uploads=uploads,
        page=page,
        stop_lists=lists,
        publication=publication,
        metrics_estimates=metrics_estimates,
        geography=geography,
    )
    served = [_served(text, candidates or {}) for text in texts]
    service = Service(served, f"sqlite:///{folder}/store.db", chosen, **options)
    try:
        yield service
    finally:
        service.close()


def _served(text, candidates):
    """A survey, with the texts to look for that are of its questions."""
    survey = parse_survey(text)
    names = {question.name for question in survey}
    return Served(
        survey, text, {name: candidates[name] for name in candidates if name in names}
    )


def write_tokens(folder, token=TOKEN, expires=None):
    """The path of a token file: one token that may look at the page, one that may
    not.
    """
    path = folder / "tokens.toml"
    tokens = [
        token_record(token, "looks", ANALYST, expires=expires),
        token_record(UPLOADING, "sends", UPLOAD),
    ]
    # Whole at any moment: a service that reads half of it, or nothing, knows none of
    # these.
    beside = path.with_suffix(".new")
    beside.write_text(Tokens(tokens).to_toml(), encoding="utf-8")
    return beside.replace(path)


def answers(survey, respondents, **options):
    """The bytes of reports: n respondents answer every question, its values in some
    order.
    """
    reports = []
    for number in range(respondents):
        client = Client(survey)
        for question in survey:
            values = question.domain.values or ("maps", "transit")
            place = number * number % len(values)
            reports.append(
                client.record(question.name, question.domain.parse(values[place]))
            )
    return report_bytes(reports, **options)


class Visitor:
    """Somebody with cookies and no screen; with a token in every header, or not."""

    def __init__(self, app, token=None):
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        settings = {
            "base_url": "http://service",
            "headers": headers,
            "follow_redirects": True,
        }
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(app), **settings)
        self.cookies = self._client.cookies

    def get(self, path, **options):
        """What is answered in the end, after redirects."""
        return asyncio.run(self._client.get(path, **options))

    def post(self, path, **options):
        """The same, of a form."""
        return asyncio.run(self._client.post(path, **options))


def visitor(service, token=None):
    """Somebody who visits a service that is served by itself."""
    return Visitor(Application(service), token)


@contextmanager
def serving(service, port=0, application=None):
    """The URL of a service, for browsers."""
    port = port or free_port()
    config = uvicorn.Config(
        application or Application(service),
        port=port,
        log_level="critical",
        access_log=False,
        ws="none",
        lifespan="off",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "expected a server that starts"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
