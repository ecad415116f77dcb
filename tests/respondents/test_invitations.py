"""One-time tokens: each counts once, and nothing that is kept joins one with its
report.
"""

import re
import sqlite3
from contextlib import closing, contextmanager

import pytest
from calling import run
from pages import visitor
from places import ROOT
from respondent_pages import SHOWN, SURVEY

from ldp.wire.wire import decode_batch, read_frames
from ldp_client import Client, report_bytes
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.respondents.folder import Site, headers_of, page_files
from ldp_service.service import Service, Settings
from ldp_service.store.records import EVER, TOKENS
from ldp_service.store.sqlite import SQLiteStore
from ldp_service.uploads.invitations import (
    InvitationError,
    Invitations,
    new_invitations,
    tokens_file,
)
from ldp_service.uploads.page_visits import PageVisits
from ldp_service.uploads.public import Public
from ldp_service.uploads.tokens import TokenFile, Tokens

FIRST, SECOND = new_invitations(2)
DAY = 1_790_000_000.0


@contextmanager
def invited(folder):
    """A service that takes reports of those who are invited."""
    (folder / "invitations.txt").write_text(tokens_file("habits", [FIRST, SECOND]))
    (folder / "tokens.toml").write_text(Tokens().to_toml())
    site = Site(counted=True)
    public = Public(
        {"habits": page_files(SURVEY, SHOWN, site)},
        {"habits": headers_of(SHOWN, site)},
        PageVisits(folder / "reach.json", lambda: DAY),
        invitations=Invitations.read([folder / "invitations.txt"]),
    )
    settings = Settings(
        TokenFile(folder / "tokens.toml"), public=public, publication=LIVE
    )
    served = [Served(SURVEY, SURVEY.to_toml(), {})]
    service = Service(served, f"sqlite:///{folder}/store.db", settings)
    try:
        yield service
    finally:
        service.close()


def upload(value):
    """The bytes of one report."""
    return report_bytes([Client(SURVEY).record("smoker", value)])


def sent(service, body, token):
    """Status and outcome of an upload."""
    reply = visitor(service, token).post("/v1/reports", content=body)
    return reply.status_code, reply.json()


def test_a_token_is_good_once_for_each_question(tmp_path):
    """A retry is a duplicate, another report is refused, another question and person
    are not.
    """
    with invited(tmp_path) as service:
        body = upload(True)
        assert sent(service, body, FIRST)[1]["accepted"] == 1
        assert sent(service, body, FIRST)[1]["duplicate"] == 1
        assert sent(service, upload(True), FIRST)[1]["rejected"] == {"token-spent": 1}
        other = report_bytes([Client(SURVEY).record("way", "zebracar")])
        assert sent(service, other, FIRST)[1]["accepted"] == 1
        assert sent(service, upload(False), SECOND)[1]["accepted"] == 1
        assert service.analysis.accounts().outcomes["accepted"] == 3


def test_two_reports_of_a_token_in_one_upload_count_once(tmp_path):
    """One is taken and one is not; neither is one batch of two."""
    with invited(tmp_path) as service:
        outcomes = sent(service, upload(True) + upload(True), FIRST)[1]
        assert outcomes["accepted"] == 1
        assert outcomes["rejected"] == {"token-spent": 1}
        two = report_bytes([Client(SURVEY).record("smoker", True) for _ in range(2)])
        assert sent(service, two, SECOND)[1]["rejected"] == {"batch-size": 1}


def test_without_a_token_nobody_answers(tmp_path):
    """Nor with one that was never given; the page itself is open."""
    with invited(tmp_path) as service:
        assert sent(service, upload(True), "")[0] == 401
        assert sent(service, upload(True), new_invitations(1)[0])[0] == 401
        reply = visitor(service).get("/s/habits/")
        assert reply.status_code == 200
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert visitor(service, FIRST).get("/respondents").status_code != 200


def test_nothing_in_the_store_joins_a_token_with_its_report(tmp_path):
    """A table each, by hash; no token, no time; the order of arrival leaves no
    trace.
    """

    def stored(order, folder):
        folder.mkdir()
        with invited(folder) as service:
            for body, token in order:
                assert sent(service, body, token)[1]["accepted"] == 1
        with sqlite3.connect(folder / "store.db") as database:
            tables = [
                sql for (sql,) in database.execute("SELECT sql FROM sqlite_schema")
            ]
        database.close()
        assert all("WITHOUT ROWID" in table or "bucket" in table for table in tables)
        with closing(SQLiteStore(folder / "store.db")) as store:
            assert store.epochs() == [EVER, TOKENS]
            return [
                [id_ for some in store.ids(epoch) for id_ in some]
                for epoch in store.epochs()
            ]

    pairs = [(upload(True), FIRST), (upload(False), SECOND)]
    batches, tokens = stored(pairs, tmp_path / "one")
    assert batches == sorted(batches)
    assert tokens == sorted(tokens)
    assert len(tokens) == 2
    assert {*batches} == {
        decode_batch(p).id for body, _ in pairs for p in read_frames(body)
    }
    assert stored(pairs[::-1], tmp_path / "other") == [batches, tokens]


def test_nothing_is_left_beside_the_store_once_a_token_was_spent(tmp_path):
    """Its log has every change in the order of time: it is emptied, unless somebody
    reads.
    """
    log = tmp_path / "store.db-wal"
    with invited(tmp_path) as service:
        body = upload(True)
        for _ in range(20):
            sent(service, body, FIRST)
            if log.read_bytes() == b"":
                return
    pytest.fail("the log was never emptied")


def test_steps_are_counted_by_day_and_by_nothing_else(tmp_path):
    """How many were shown the page and began: over restarts, and without the body of a
    request.
    """
    with invited(tmp_path) as service:
        for step in ("shown", "shown", "started"):
            reply = visitor(service).post(
                f"/v1/surveys/habits/{step}", content=b"anything"
            )
            assert reply.status_code == 204
        assert visitor(service).post("/v1/surveys/other/shown").status_code == 404
    reach = PageVisits(tmp_path / "reach.json", lambda: DAY)
    assert reach.by_day("habits") == {"2026-09-21": {"shown": 2, "started": 1}}
    assert "anything" not in (tmp_path / "reach.json").read_text()


def test_a_file_of_invitations_has_hashes_in_order(tmp_path):
    """And one that is none is refused, without a word of what is in it."""
    first, *digests = tokens_file("habits", [FIRST, SECOND]).split("\n")[:-1]
    assert first == "survey habits"
    assert digests == sorted(digests)
    assert FIRST not in "".join(digests)
    path = tmp_path / "bad.txt"
    path.write_text("survey habits\nsecret\n")
    with pytest.raises(InvitationError) as caught:
        Invitations.read([path])
    assert "secret" not in str(caught.value)


def test_cards_are_called_what_the_page_is(tmp_path):
    """By its title, in place of the survey's name; and each has its own link."""
    survey = ROOT / "examples" / "affairs.toml"
    link = "https://ask.example/s/affairs/"
    options = (
        "--number",
        "3",
        "--link",
        link,
        "--invitations",
        tmp_path / "invitations.txt",
    )
    run(
        "store",
        "tokens",
        "respondents",
        survey,
        *options,
        "--cards",
        tmp_path / "cards.html",
    )
    cards = (tmp_path / "cards.html").read_text()
    assert cards.count("<p>Marriages and affairs, in private</p>") == 3
    assert len({*re.findall(r"#token=(\w+)", cards)}) == 3
