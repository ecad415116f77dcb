"""A collector's clock that jumps ahead or back: nothing is closed by it, and all of it
is told.
"""

import logging
from contextlib import closing

import pytest
from calling import run
from durable_work import CATALOGUE, START
from durable_work import upload as upload_of
from pages import visitor
from test_service_api import HOUR, TIMED, Clock, timed_batch, upload
from wire_samples import file_of

from ldp import parse_survey
from ldp_service.counting.admission import Admission, Rules
from ldp_service.counting.books import Books
from ldp_service.counting.housekeeping import jumps_of, tidy
from ldp_service.counting.served import Served
from ldp_service.counting.turn import begin
from ldp_service.repair.doctor import examine
from ldp_service.repair.reopening import confirm_clock, reopen
from ldp_service.service import Service, Settings
from ldp_service.store.errors import StoreError
from ldp_service.store.opening import open_store
from ldp_service.store.records import last_closed_epochs

YEAR = 365 * 24 * HOUR
NOW = 20_000 * 24 * HOUR + HOUR / 2
"""Half past something: a few minutes more or less change no epoch."""


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def opened(tmp_path, clock):
    """Opens services on one store, one after the other."""
    services = []

    def open_service(**settings):
        for service in services:
            service.close()
        url = f"sqlite:///{tmp_path}/s.db"
        served = [Served(parse_survey(TIMED), TIMED)]
        services.append(Service(served, url, Settings(**settings), clock=clock))
        return services[-1]

    yield open_service
    for service in services:
        service.close()


def outcome(service, hours):
    """What becomes of a batch that is made some hours later; None if it may come
    again.
    """
    batch = timed_batch("symbol", NOW + hours * HOUR)
    answer = upload(service, file_of(batch), None)
    # The writer looks at its clock after a turn: another one is answered after that.
    upload(service, b"x", None)
    if answer.status_code == 503:
        return None
    return next(iter(answer.json()["rejected"]), "accepted")


def health(service):
    """What the API says of the clock and of late and early batches."""
    return visitor(service).get("/v1/surveys/example/health").json()["service"]


def test_a_clock_that_jumps_ahead_closes_nothing_until_it_is_confirmed(
    opened, clock, caplog
):
    """Uploads are counted, the log says it once, health and metrics as long as it
    lasts.
    """
    caplog.set_level(logging.INFO)
    service = opened()
    assert outcome(service, 0) == "accepted"
    assert health(service)["clock"] is None
    caplog.clear()
    clock.now += YEAR
    for _ in range(3):
        clock.now += 61
        assert outcome(service, 0) == "accepted"
    assert "went ahead by 8,760 epochs" in health(service)["clock"]
    assert "ldp_clock_in_order 0.0" in visitor(service).get("/metrics").text
    assert caplog.text.count("expected a clock that goes on") == 1
    assert "closed all epochs" not in caplog.text
    clock.now -= YEAR
    assert outcome(service, 0) == "accepted"
    assert health(service)["clock"] is None
    clock.now += YEAR
    service = opened(confirm_clock=True)
    outcome(service, 0)
    assert outcome(service, 0) == "late"
    assert "closed all epochs of 3600 s" in caplog.text
    assert health(service)["late"]["share"] > 0


def test_a_clock_that_is_wrong_at_the_very_first_start(
    opened, clock, tmp_path, monkeypatch
):
    """Nothing is closed: until something was counted there is nothing to compare it
    with.
    """
    clock.now += YEAR
    service = opened()
    for _ in range(3):
        clock.now += 61
        upload(service, b"x", None)
    clock.now += 61
    assert outcome(service, 0) == "accepted"
    assert "went ahead by 8,758 epochs" in health(service)["clock"]
    service.close()
    monkeypatch.setattr("time.time", clock)
    assert (
        "went ahead by 8,758 epochs"
        in run("store", "doctor", f"sqlite:///{tmp_path}/s.db").output
    )
    clock.now = NOW
    service = opened()
    assert outcome(service, 0) == "accepted"
    assert health(service)["clock"] is None
    clock.now += 3 * HOUR
    outcome(service, 0)
    assert "went ahead by 3 epochs" in health(service)["clock"]


@pytest.mark.parametrize(
    ("hours", "jumped"), [(0, False), (-2, False), (-3, False), (-5, True)]
)
def test_a_first_batch_may_be_as_late_as_the_grace(opened, clock, hours, jumped):
    """Two hours here, and the epoch that is under way: that is no clock that has
    jumped.
    """
    service = opened()
    upload(service, b"x", None)
    for at in (hours, 0):
        clock.now += 61
        assert outcome(service, at) == "accepted"
        if at == hours:
            assert (health(service)["clock"] is not None) is jumped
    assert health(service)["clock"] is None


def test_epochs_that_a_wrong_clock_closed_are_opened_again(opened, clock, tmp_path):
    """Those in which nothing was counted; what was counted in the others cannot come
    twice.
    """
    service = opened()
    assert outcome(service, 0) == "accepted"
    clock.now += YEAR
    service = opened(confirm_clock=True)
    upload(service, b"x", None)
    upload(service, b"x", None)
    clock.now -= YEAR
    # Nothing is lost meanwhile: devices keep what they have, until someone has seen to
    # it.
    assert [outcome(service, hours) for hours in (0, 1)] == [None, None]
    clock.now += 61
    outcome(service, 0)
    assert "ldp store doctor STORE --reopen" in health(service)["clock"]
    assert "ldp_clock_in_order 0.0" in visitor(service).get("/metrics").text
    with pytest.raises(StoreError, match="another process does"):
        reopen(f"sqlite:///{tmp_path}/s.db", clock.now)
    service.close()
    for confirm in (
        lambda: confirm_clock(f"sqlite:///{tmp_path}/s.db", clock.now),
        lambda: opened(confirm_clock=True),
    ):
        with pytest.raises(StoreError, match="--reopen"):
            confirm()
    [said] = reopen(f"sqlite:///{tmp_path}/s.db", clock.now)
    assert "open again from number 480,001" in said
    service = opened()
    assert [outcome(service, hours) for hours in (0, 1)] == ["late", "accepted"]
    assert health(service)["clock"] is None
    service.close()
    assert run("store", "doctor", f"sqlite:///{tmp_path}/s.db").output.startswith(
        "sound"
    )


def test_a_shared_store_is_opened_again_for_all(postgres_server):
    """On PostgreSQL by one who stands in for those that closed its epochs, once they
    are gone.
    """
    url = postgres_server.emptied()
    with closing(open_store(url)) as store:
        books = Books(store, CATALOGUE.tally_parts)
        with begin(books) as turn:
            Admission(CATALOGUE, Rules()).take(turn, [upload_of(0).body], START)
        tidy(books, CATALOGUE, Rules(), now=START + YEAR, confirmed=True)
        with pytest.raises(StoreError, match="stop it first"):
            reopen(url, START)
    reopen(url, START)
    with closing(open_store(url)) as store:
        assert jumps_of(Books(store, CATALOGUE.tally_parts), CATALOGUE, START) == {}
        assert max(last_closed_epochs(store).values()) <= START // 600
        assert not examine(url, {}).troubles


def test_a_clock_is_confirmed_in_the_store(opened, clock, tmp_path):
    """By a command, for a service that starts as it always does; no store is made by
    it.
    """
    service = opened()
    outcome(service, 0)
    service.close()
    clock.now += YEAR
    confirm_clock(f"sqlite:///{tmp_path}/s.db", clock.now)
    service = opened()
    outcome(service, 0)
    assert outcome(service, 0) == "late"
    nothing = tmp_path / "nothing.db"
    assert (
        "no such file"
        in run("store", "doctor", f"sqlite:///{nothing}", "--reopen", code=1).output
    )
    assert not nothing.exists()


def test_a_clock_that_is_behind_drops_nothing(opened, clock):
    """What it takes for early is told to come again, and counted once the clock is
    right.
    """
    service = opened()
    assert outcome(service, 3) is None
    assert health(service)["early"] == 1
    assert "ldp_batches_early_total 1.0" in visitor(service).get("/metrics").text
    assert service.analysis.accounts().outcomes["early"] == 0
    clock.now += 2 * HOUR
    service = opened(confirm_clock=True)
    assert outcome(service, 3) == "accepted"
    clock.now -= 3 * HOUR
    assert outcome(service, 0) == "accepted"
    assert "went back by 3 epochs" in health(service)["clock"]
