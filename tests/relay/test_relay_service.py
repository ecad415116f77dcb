"""The relay over HTTP and as a command; what its store holds, value by value."""

import asyncio
import sqlite3

import pytest
from calling import run
from pages import Visitor
from pools import (
    DAILY,
    DAILY_TEXT,
    DAY,
    EVER,
    NOON,
    SIZE,
    Collector,
    envelope_in,
    forwarder,
    give,
    look,
    message,
    relay_at,
)

from ldp.wire.sealed import decode_sealed_report
from ldp.wire.wire import read_frames
from ldp_service.relay.app import RelayApplication
from ldp_service.relay.forwarding import ForwardingResult
from ldp_service.store.unordered import ROOM
from ldp_service.uploads.tokens import METRICS, Tokens, token_record

ONE = EVER.questions[0]
TODAY = DAILY.questions[0]
METERING = "meter" + "m" * 40
ORIGIN = {"origin": "https://app.example"}


@pytest.fixture
def parties(tmp_path):
    """A relay's application, its writer and its collector, which takes nothing."""
    writer = relay_at(tmp_path / "relay.db", least=2)
    collector = Collector(lambda _: ForwardingResult(False, "status 503"))
    tokens = Tokens([token_record(METERING, "meter", METRICS)])
    application = RelayApplication(
        writer,
        forwarder(writer, collector),
        tokens,
        clock=lambda: NOON,
        origins=[ORIGIN["origin"]],
    )
    yield application, writer, collector
    application.close()


def test_what_is_asked_of_a_relay_and_answered(parties):
    """Sealed reports from anyone; counts for who may see them; nothing else."""
    application, writer, _ = parties
    anyone = Visitor(application)
    frame = message(ONE)
    for number in range(2):
        answer = anyone.post("/v1/sealed", content=frame)
        assert answer.status_code == 202
        assert (answer.json()["accepted"], answer.json()["duplicate"]) == (
            1 - number,
            number,
        )
    asked = asyncio.run(anyone._client.options("/v1/sealed", headers=ORIGIN))
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == ORIGIN["origin"]
    seen = anyone.post("/v1/sealed", content=message(ONE), headers=ORIGIN).headers
    assert seen["access-control-allow-origin"] == ORIGIN["origin"]
    strange = anyone.post(
        "/v1/sealed", content=frame, headers={"origin": "https://else.example"}
    )
    assert "access-control-allow-origin" not in strange.headers
    look(writer)
    assert anyone.get("/readyz").text == "ready\n"
    assert anyone.get("/livez").status_code == 200
    assert anyone.get("/version").json()["sealed"] == 3
    assert anyone.get("/metrics").status_code == 401
    assert anyone.get("/v1/sealed").status_code == 405
    for path in ("/v1/reports", "/v1/surveys", "/v1/sealed/", "/"):
        assert anyone.post(path, content=frame).status_code in (404, 405), path
    text = Visitor(application, METERING).get("/metrics").text
    for line in (
        'ldp_relay_reports_total{outcome="accepted"} 2',
        'ldp_relay_reports_total{outcome="duplicate"} 2',
        "ldp_relay_mixed_total 2",
        "ldp_relay_waiting_parts 1",
        "ldp_relay_waiting_reports 0",
    ):
        assert f"{line}\n" in text
    # Of no question, no epoch, and nobody.
    assert not {ONE.name, ONE.fingerprint.hex(), "127.0.0.1"} & {
        *text.replace('"', " ").split()
    }
    application.leaving = True
    assert anyone.get("/readyz").status_code == 503


def test_the_store_holds_nothing_that_it_need_not(tmp_path):
    """Each value: an envelope, a fingerprint, a part to be sent, what is hashed, or a
    small number.

    No number is as large as a time in seconds.
    """
    path = tmp_path / "relay.db"
    writer = relay_at(path, least=3, now=lambda: NOON + 1234.5)
    look(writer)
    frames = [message(question) for question in (ONE, TODAY) for _ in range(2)]
    frames += [message(ONE), *(message(EVER.questions[1]) for _ in range(2))]
    for frame in frames:
        give(writer, frame)
    look(writer)
    assert writer.counts["mixed"] == 3
    parts = {
        part: writer.ask(lambda pool, part=part: pool.part(part))
        for part in all_parts(writer)
    }
    writer.close()
    sealed = [decode_sealed_report(read_frames(frame)[0]) for frame in frames]
    ids = {one.id for one in sealed}
    envelopes = {envelope_in(frame) for frame in frames}
    mixed = {one.envelope for one in sealed if one.fingerprint == ONE.fingerprint}
    known = {
        *(b"\1" + envelope for envelope in envelopes - mixed),
        bytes(SIZE + 1),
        *(question.fingerprint for survey in (EVER, DAILY) for question in survey),
        *parts,
        *parts.values(),
    }
    seen = set()
    hashed = []
    with sqlite3.connect(path) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_schema")
        ]
        for table in tables:
            if table.startswith("seen_"):
                hashed += [
                    marks for _, marks in connection.execute(f"SELECT * FROM {table}")
                ]
            elif not table.startswith("sqlite_"):
                for row in connection.execute(f"SELECT * FROM {table}"):
                    seen.update(row)
    (key,) = {value for value in seen if isinstance(value, bytes)} - known
    assert len(key) == 32
    # Of each message two hashes under that key, of which nothing is sent and nothing
    # said.
    marks = {
        content[at : at + 16] for content in hashed for at in range(0, len(content), 16)
    }
    assert len(marks - {bytes(16)}) == 2 * len(frames)
    assert {len(content) for content in hashed} == {ROOM * 16}
    assert max(value for value in seen if isinstance(value, int)) <= DAY
    names = {value for value in seen if isinstance(value, str)}
    assert names <= {"commits", "accepted", "mixed", "batches", "marks"}
    # What was mixed is in a part, and no longer beside it.
    content = path.read_bytes()
    assert all(content.count(envelope) == 1 for envelope in envelopes)
    # No id of a device's is kept, here or in what is sent.
    assert not any(id_ in content for id_ in ids)


def all_parts(writer):
    """The ids of the parts that wait."""
    return writer.ask(lambda pool: pool.parts())


def test_what_the_command_cannot_begin_with(tmp_path, monkeypatch):
    """A collector over the open network, no token, one that is none, half of a
    certificate.
    """
    survey = tmp_path / "survey.toml"
    survey.write_text(DAILY_TEXT)
    store = ("--least-reports", "2", "--store", tmp_path / "relay.db", "--port", "0")
    monkeypatch.delenv("LDP_RELAY_TOKEN", raising=False)
    serve = ("relay", "serve", survey, *store, "--collector")
    assert "neither" in run(*serve, "https://c.example", code=1).output
    monkeypatch.setenv("LDP_RELAY_TOKEN", "ldp_\x07")
    assert "printable" in run(*serve, "https://c.example", code=1).output
    monkeypatch.setenv("LDP_RELAY_TOKEN", "ldp_" + "t" * 40)
    for address in (
        "http://c.example",
        "c.example",
        "https://",
        "https://c.example/?q=1",
    ):
        said = run(*serve, address, code=1).output
        assert "--collector: expected https://HOST" in said
    half = run(*serve, "https://c.example", "--tls-key", survey, code=2).output
    assert "both or neither" in half
    assert run(
        *serve[:-1], "--collector", "https://c.example", "--least-reports", "1", code=2
    )
