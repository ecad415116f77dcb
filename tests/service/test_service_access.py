"""Who may do what over HTTP: forged, expired and new tokens, scopes, other origins."""

import asyncio
import http.client
import secrets
import time
from datetime import datetime, timedelta

import httpx
import pytest
from hostile_http import fresh
from pages import TOKEN, UPLOADING
from running_service import running_service
from wire_samples import TEXT

from ldp import parse_survey
from ldp.transparency.stops import Stops, encode_stop_list, message_of
from ldp_aggregator.answers.estimates.stop_lists import StopLists
from ldp_aggregator.versions.published import PublishedRegister
from ldp_aggregator.versions.register_file import add_version
from ldp_service.counting.served import Served
from ldp_service.http.app import Application, routes_of
from ldp_service.http.metrics import Metrics
from ldp_service.service import Service, Settings, UploadSettings
from ldp_service.uploads.tokens import (
    ANALYST,
    METRICS,
    UPLOAD,
    TokenFile,
    Tokens,
    token_record,
)

FORGED = 10_000
_ACCEPTED = 'ldp_batches_total{outcome="accepted",reason=""}'
_SCRAPING, _OLD = "metrics" + "m" * 40, "old" + "o" * 40
_SHOWN = {UPLOAD: UPLOADING, ANALYST: TOKEN, METRICS: _SCRAPING}
_QUERIES = {"history": "?question=symbol", "consistency": "?since=1"}
_ANYBODY, _SIGNED_IN = (UPLOAD, ANALYST, METRICS), (ANALYST,)
ROUTES = {
    "GET /": _SIGNED_IN,
    "GET /screen/{name}": _SIGNED_IN,
    "POST /login": _SIGNED_IN,
    "POST /logout": _ANYBODY,
    "GET /login": _ANYBODY,
    "GET /page/chart.css": _ANYBODY,
    "GET /page/page.css": _ANYBODY,
    "GET /page/page.js": _ANYBODY,
    "GET /page/icon.svg": _ANYBODY,
    "GET /page/print.css": _ANYBODY,
    "GET /compare": _SIGNED_IN,
    "GET /embed": _SIGNED_IN,
    "GET /livez": _ANYBODY,
    "GET /readyz": _ANYBODY,
    "GET /version": _ANYBODY,
    "GET /metrics": (METRICS, ANALYST),
    "GET /register": _ANYBODY,
    "GET /v1/register": _ANYBODY,
    "GET /v1/register/entries": _ANYBODY,
    "GET /v1/register/consistency": _ANYBODY,
    "GET /v1/surveys/{name}/registered": _ANYBODY,
    "GET /v1/surveys": (ANALYST,),
    "GET /v1/surveys/{name}": (UPLOAD, ANALYST),
    "GET /v1/surveys/{name}/stops": (UPLOAD, ANALYST),
    "GET /v1/surveys/{name}/estimates": (ANALYST,),
    "GET /v1/surveys/{name}/tally": (ANALYST,),
    "GET /v1/surveys/{name}/batches": (ANALYST,),
    "GET /v1/surveys/{name}/history": (ANALYST,),
    "GET /v1/surveys/{name}/health": (ANALYST,),
    "POST /v1/surveys/{name}/close": (),
}
"""Every route, and the scopes that open it.

Uploads are no route; a test of their own holds them.
"""


@pytest.fixture
def service(tmp_path):
    """A service with a token of each scope, and one that has expired."""
    yesterday = datetime.now().astimezone() - timedelta(days=1)
    tokens = [token_record(token, scope, scope) for scope, token in _SHOWN.items()]
    (tmp_path / "tokens.toml").write_text(
        Tokens(
            [*tokens, token_record(_OLD, "old", UPLOAD, expires=yesterday)]
        ).to_toml()
    )
    message = message_of(Stops(parse_survey(TEXT).name, 1, {}))
    (tmp_path / "list").write_bytes(encode_stop_list(message, bytes(64)))
    add_version(tmp_path / "log", parse_survey(TEXT), None)
    settings = Settings(
        TokenFile(tmp_path / "tokens.toml"),
        uploads=UploadSettings(origins=("https://app.example",)),
        register=PublishedRegister(tmp_path / "log", [parse_survey(TEXT)]),
        stop_lists=StopLists([tmp_path / "list"]),
    )
    service = Service(
        [Served(parse_survey(TEXT), TEXT)], f"sqlite:///{tmp_path}/store.db", settings
    )
    yield service
    service.close()


def _asked(service, method, path, token=None, **options):
    headers = options.pop("headers", {}) | (
        {} if token is None else {"authorization": f"Bearer {token}"}
    )

    async def ask():
        transport = httpx.ASGITransport(Application(service))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://service"
        ) as client:
            return await client.request(method, path, headers=headers, **options)

    return asyncio.run(ask())


def test_scopes_of_all_routes(service):
    """Each route is open to tokens of its scopes, and closed to all others.

    There is no route without a line here.
    """
    routes = [
        (method, route.path)
        for route in routes_of(service, Metrics(service))
        for method in route.methods - {"HEAD"}
    ]
    assert {f"{method} {path}" for method, path in routes} == {*ROUTES}
    for method, path in routes:
        opening = ROUTES[f"{method} {path}"]
        asked = path.format(name="example") + _QUERIES.get(path.rpartition("/")[2], "")
        for scope, token in _SHOWN.items():
            status = _shown(service, method, asked, token=token)
            assert (status < 400) if scope in opening else status == 403, (
                method,
                path,
                scope,
                status,
            )
        for token in (None, "", "x", _OLD, UPLOADING[:-1], f"{TOKEN}x", TOKEN.upper()):
            status = _shown(service, method, asked, token=token)
            assert opening == _ANYBODY or status == 401, (method, path, token, status)


def _shown(service, method, path, token):
    """The status for who shows a token in every way there is."""
    form = {"data": {"token": token}} if method == "POST" and token else {}
    return _asked(service, method, path, token=token, **form).status_code


def test_scopes_of_uploads(service):
    """Only tokens for uploads upload, and only while they are good."""
    for token, status in (
        (UPLOADING, 202),
        (TOKEN, 403),
        (_SCRAPING, 403),
        (_OLD, 401),
        (None, 401),
    ):
        assert (
            _asked(
                service, "POST", "/v1/reports", token=token, content=fresh()
            ).status_code
            == status
        )


def test_pages_of_other_origins(service):
    """Browsers are told what the pages of the origins named may send.

    Others are told nothing, and may not.
    """
    asking = {"origin": "https://app.example", "access-control-request-method": "POST"}
    allowed = _asked(service, "OPTIONS", "/v1/reports", headers=asking)
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == asking["origin"]
    assert allowed.headers["access-control-allow-methods"] == "POST"
    assert (
        allowed.headers["access-control-allow-headers"]
        == "authorization, content-type, ldp-debug-tag"
    )
    assert int(allowed.headers["access-control-max-age"]) > 0
    assert allowed.headers["vary"] == "origin"
    sent = _asked(
        service,
        "POST",
        "/v1/reports",
        token=UPLOADING,
        content=fresh(),
        headers={"origin": asking["origin"]},
    )
    assert (sent.status_code, sent.headers["access-control-allow-origin"]) == (
        202,
        asking["origin"],
    )
    for origin in ("https://other.example", "http://app.example", "null", ""):
        refused = _asked(
            service, "OPTIONS", "/v1/reports", headers={**asking, "origin": origin}
        )
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        assert "access-control-allow-origin" not in refused.headers


def test_forged_and_expired_tokens(tmp_path):
    """Of ten thousand forged and expired tokens over HTTP none is taken as good, or
    counted.
    """
    yesterday = datetime.now().astimezone() - timedelta(days=1)
    expired = [f"{number}-{'e' * 40}" for number in range(20)]
    tokens = [
        token_record(TOKEN, "looks", ANALYST),
        token_record(UPLOADING, "sends", UPLOAD),
    ]
    tokens += [
        token_record(token, f"expired-{number}", UPLOAD, expires=yesterday)
        for number, token in enumerate(expired)
    ]
    (tmp_path / "tokens.toml").write_text(Tokens(tokens).to_toml())
    with running_service(tmp_path) as service:
        before, statuses = service.accounts(), set()
        connection = http.client.HTTPConnection("127.0.0.1", service.port)
        for number in range(FORGED):
            flipped = number % len(UPLOADING)
            letter = "v" if UPLOADING[flipped] != "v" else "w"
            forged = (
                secrets.token_urlsafe(32),
                expired[number % len(expired)],
                f"{UPLOADING[:flipped]}{letter}{UPLOADING[flipped + 1 :]}",
                UPLOADING[:flipped],
                UPLOADING + secrets.token_hex(1 + flipped),
            )[number % 5]
            method, path = (
                ("POST", "/v1/reports"),
                ("GET", "/v1/surveys/example/estimates"),
            )[number // 5 % 2]
            connection.request(
                method, path, fresh(), {"authorization": f"Bearer {forged}"}
            )
            answer = connection.getresponse()
            answer.read()
            statuses.add(answer.status)
        connection.close()
        assert statuses == {401}
        assert service.accounts() == before


def test_tokens_change_without_loss(tmp_path):
    """While uploads go on, a token is added, handed out, the old removed: none is
    refused.
    """
    with running_service(tmp_path) as service:
        path, new = tmp_path / "tokens.toml", "new" + "n" * 40
        old_ones = token_record(UPLOADING, "sends", UPLOAD)
        looks = token_record(TOKEN, "looks", ANALYST)
        accepted, token = 0, UPLOADING
        with httpx.Client(base_url=service.url, timeout=60) as client:

            def upload():
                answer = client.post(
                    "/v1/reports",
                    content=fresh(),
                    headers={"authorization": f"Bearer {token}"},
                )
                return answer.status_code

            def upload_until(wanted):
                nonlocal accepted
                end = time.monotonic() + 90
                while time.monotonic() < end:
                    status = upload()
                    accepted += status == 202
                    if status == wanted:
                        return
                raise AssertionError(
                    f"expected {wanted} within a second or two, got none in 90"
                )

            upload_until(202)
            path.write_text(
                Tokens(
                    [looks, old_ones, token_record(new, "sends-2", UPLOAD)]
                ).to_toml()
            )
            assert upload() == 202
            accepted += 1
            token = new
            upload_until(202)
            path.write_text(
                Tokens([looks, token_record(new, "sends-2", UPLOAD)]).to_toml()
            )
            assert upload() == 202
            accepted += 1
            token = UPLOADING
            upload_until(401)
        assert service.accounts()[_ACCEPTED] == accepted
