"""A database that is away for a while: probe, page, metrics and doctor say so, and no
more.
"""

from contextlib import closing

import pytest
from calling import run
from collecting import wait_for
from hostile_http import fresh
from pages import TOKEN, UPLOADING, visitor, write_tokens
from wire_samples import SURVEY, TEXT

from ldp_service.counting import submission_queue
from ldp_service.counting import writer as writing
from ldp_service.counting.served import Served
from ldp_service.service import Service, Settings
from ldp_service.uploads.tokens import TokenFile


def test_what_is_said_without_the_store(tmp_path, postgres_server, monkeypatch):
    """Metrics have what the process knows, so that whoever scrapes sees that it is not
    ready.
    """
    if not hasattr(postgres_server, "stop"):
        pytest.skip("expected a server of our own to stop")
    monkeypatch.setattr(writing, "ROOM_EVERY", 0.0)
    monkeypatch.setattr(submission_queue, "_IDLE", 0.02)
    url = postgres_server.emptied()
    settings = Settings(TokenFile(write_tokens(tmp_path)))
    with closing(Service([Served(SURVEY, TEXT)], url, settings)) as service:
        looker = visitor(service, TOKEN)
        bearer = {"authorization": f"Bearer {UPLOADING}"}

        def metrics():
            answer = looker.get("/metrics")
            assert answer.status_code == 200
            return answer.text

        assert (
            looker.post("/v1/reports", content=fresh(), headers=bearer).status_code
            == 202
        )
        assert "ldp_store_readable 1.0" in metrics()
        postgres_server.stop()
        try:
            wait_for(lambda: looker.get("/readyz").status_code == 503)
            assert "postgresql" not in looker.get("/readyz").text
            text = metrics()
            assert "ldp_ready 0.0" in text
            assert "ldp_store_readable 0.0" in text
            assert "ldp_batches_received_total" not in text
            page = looker.get("/")
            assert (page.status_code, page.headers["content-type"][:9]) == (
                503,
                "text/html",
            )
            assert "expected to use the store at postgresql://" in page.text
            assert (
                "expected to use the store at"
                in run("store", "doctor", url, code=1).stderr
            )
        finally:
            postgres_server.start()
        wait_for(lambda: looker.get("/readyz").status_code == 200)
        assert "ldp_batches_received_total 1.0" in metrics()
        assert (
            looker.post("/v1/reports", content=fresh(), headers=bearer).status_code
            == 202
        )
