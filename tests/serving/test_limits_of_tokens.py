"""What a token may send: so many reports in a batch and in a day, to the surveys that
it is for.
"""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from calling import run
from collecting import wait_for
from pages import TOKEN, UPLOADING, visitor
from test_service_api import Clock, upload
from wire_samples import BATCHES, TEXT, batch_of, file_of

from ldp import parse_survey
from ldp.wire.wire import Batch
from ldp_service.counting.admission import Rules
from ldp_service.counting.publication import LIVE
from ldp_service.counting.served import Served
from ldp_service.service import Service, Settings
from ldp_service.uploads.tokens import ANALYST, UPLOAD, TokenFile, Tokens, token_record

RELAY, BOUND, SPARE = "relay" + "r" * 40, "bound" + "b" * 40, "spare" + "s" * 40
BOUND_ANALYST = "reads" + "x" * 40
OTHER = TEXT.replace('name = "example"', 'name = "elsewhere"')


@pytest.fixture
def clock():
    return Clock(20_000 * 86_400.0)


@pytest.fixture
def open_service(tmp_path, clock):
    """A service of two surveys with tokens of all kinds."""
    tokens = [
        token_record(UPLOADING, "app", UPLOAD),
        token_record(TOKEN, "looks", ANALYST),
        token_record(RELAY, "relay", UPLOAD, most_reports=100),
        token_record(BOUND, "bound", UPLOAD, surveys=("elsewhere",)),
        token_record(BOUND_ANALYST, "reads", ANALYST, surveys=("elsewhere",)),
        token_record(SPARE, "spare", UPLOAD, reports_a_day=5),
    ]
    (tmp_path / "tokens.toml").write_text(Tokens(tokens).to_toml())
    assert Tokens.read(tmp_path / "tokens.toml").all == tuple(tokens)
    services = []

    def opened():
        settings = Settings(
            TokenFile(tmp_path / "tokens.toml"), rules=Rules(most_reports=20)
        )
        served = [Served(parse_survey(text), text) for text in (TEXT, OTHER)]
        url = f"sqlite:///{tmp_path}/s.db"
        services.append(Service(served, url, settings, clock=clock))
        return services[-1]

    yield opened
    for service in services:
        service.close()


def test_a_batch_has_a_greatest_size(open_service):
    """That of a device's queue, unless the token is a relay's."""
    service = open_service()
    sizes = [file_of(batch_of("symbol", size, f"{size}")) for size in (20, 21, 101)]
    outcomes = [upload(service, body).json() for body in sizes]
    assert [answer["accepted"] for answer in outcomes] == [1, 0, 0]
    assert outcomes[1]["rejected"] == {"batch-size": 1}
    assert upload(service, sizes[1], RELAY).json()["accepted"] == 1
    assert upload(service, sizes[2], RELAY).json()["rejected"] == {"batch-size": 1}
    assert Rules().most_reports == 10_000
    assert service.permission_of_sender(UPLOADING, UPLOAD)[1].reports_a_day == 1_000_000


def test_a_token_has_a_quota_a_day(open_service, clock):
    """Reports beyond it are told to come tomorrow, and counted then; a restart forgets
    nothing.
    """
    service = open_service()
    first, second, third = (file_of(batch_of("symbol", 3, label)) for label in "abc")
    assert upload(service, first, SPARE).json()["accepted"] == 1
    refused = upload(service, second, SPARE)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "86401")
    assert service.analysis.accounts().received == 1
    metrics = visitor(service, TOKEN).get("/metrics").text
    assert 'ldp_token_reports_today{token="spare"} 3.0' in metrics
    service.close()
    service = open_service()
    assert upload(service, second, SPARE).status_code == 429
    assert (
        upload(service, file_of(batch_of("symbol", 2, "d")), SPARE).json()["accepted"]
        == 1
    )
    clock.now += 86_400
    assert upload(service, second, SPARE).json()["accepted"] == 1
    assert upload(service, third, SPARE).status_code == 429
    assert upload(service, third).json()["accepted"] == 1


def test_a_token_is_for_its_surveys(open_service):
    """Uploads to others count nothing and can be sent again; analysts see their own
    alone.
    """
    service = open_service()
    theirs = parse_survey(OTHER)["symbol"]
    ours = file_of(BATCHES["symbol"])
    own = file_of(Batch(theirs.fingerprint, b"o" * 16, 3, rows=BATCHES["symbol"].rows))
    assert upload(service, own + ours, BOUND).status_code == 403
    assert service.analysis.accounts().received == 0
    assert upload(service, own, BOUND).json()["accepted"] == 1
    for token, scoped in (
        (BOUND, "/v1/surveys/{}"),
        (BOUND_ANALYST, "/v1/surveys/{}/estimates"),
    ):
        looker = visitor(service, token)
        assert looker.get(scoped.format("elsewhere")).status_code == 200
        assert looker.get(scoped.format("example")).status_code == 403
    for path in ("/v1/surveys", "/metrics"):
        assert visitor(service, BOUND_ANALYST).get(path).status_code == 403
        assert visitor(service, TOKEN).get(path).status_code == 200


def test_limits_by_command(tmp_path):
    """They are written down, shown, and refused where they mean nothing."""
    path = tmp_path / "tokens.toml"
    words = ["--token-file", path, "--name", "x", "--survey", "a", "--survey", "b"]
    limits = ["--most-reports", "7", "--reports-a-day", "9"]
    run("store", "tokens", "new", "--scope", "analyst", *words, *limits, code=2)
    run("store", "tokens", "new", "--scope", "upload", *words, *limits)
    [token] = Tokens.read(path).all
    assert (token.surveys, token.most_reports, token.reports_a_day) == (
        ("a", "b"),
        7,
        9,
    )
    assert "for a, b" in run("store", "tokens", "list", "--token-file", path).output
    # In its place comes one that may as much.
    run("store", "tokens", "rotate", "x", "--overlap", 3, "--token-file", path)
    young, old = sorted(Tokens.read(path).all, key=lambda known: known.name)
    assert (young.name, old.name, old.digest) == ("x", "x-old", token.digest)
    assert (
        replace(young, digest=token.digest)
        == token
        == replace(old, name="x", expires=None)
    )
    assert timedelta(2) < old.expires - datetime.now(UTC) < timedelta(4)
    run("store", "tokens", "rotate", "x", "--token-file", path, code=1)
    run("store", "tokens", "remove", "x-old", "--token-file", path)
    run("store", "tokens", "rotate", "x", "--token-file", path)
    run("store", "tokens", "rotate", "y", "--token-file", path, code=1)


def test_limits_hold_for_what_is_put_aside(open_service, clock):
    """A question that no survey has yet takes neither larger batches nor more a day."""
    service = open_service()
    later = parse_survey(OTHER.replace("elsewhere", "later"))["symbol"]

    def batch(size, label, token):
        rows = batch_of("symbol", size, label).rows
        body = file_of(Batch(later.fingerprint, label.encode() * 16, size, rows=rows))
        return upload(service, body, token)

    assert batch(21, "a", UPLOADING).json()["rejected"] == {"batch-size": 1}
    assert batch(20, "b", UPLOADING).json()["quarantined"] == 1
    assert batch(1, "c", BOUND).status_code == 403
    assert batch(4, "d", SPARE).json()["quarantined"] == 1
    assert batch(4, "e", SPARE).status_code == 429
    clock.now += 86_400
    assert batch(4, "e", SPARE).json()["quarantined"] == 1


@pytest.mark.parametrize("invited", [True, False])
def test_nothing_that_was_put_aside_is_counted_where_people_are_invited(
    tmp_path, invited
):
    """Whoever sent it had no invitation."""
    url = f"sqlite:///{tmp_path}/s.db"
    early = file_of(BATCHES["symbol"])
    with closing(
        Service([Served(parse_survey(OTHER), OTHER)], url, Settings())
    ) as service:
        assert upload(service, early).json()["quarantined"] == 1
    served = [Served(parse_survey(TEXT), TEXT)]
    rules = Rules(invited=frozenset({"example"} if invited else ()))
    settings = Settings(rules=rules, publication=LIVE)
    with closing(Service(served, url, settings)) as service:
        service.writer.write(b"")
        wait_for(lambda: service.writer._took_back > 0)
        reports = service.analysis.tally(served[0]).reports("symbol")
    assert reports == (0 if invited else BATCHES["symbol"].size)
