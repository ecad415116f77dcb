"""What became of reports: what is held, dropped, counted, logged, and said by
`status()`.
"""

import asyncio
import logging
import subprocess
import sys
import threading
import time
from unittest.mock import patch

import pytest
from broken_stores import records_of
from moving_clocks import DAY, Clocks, moved_by
from pages import UPLOADING, service_of, visitor
from surveys import DEVICE_SURVEY
from wire_samples import BATCHES, TEXT

from ldp import AnswerError, StateError, parse_survey
from ldp.numbers.epochs import batch_id
from ldp.numbers.randomness import system
from ldp.wire.wire import Batch
from ldp_client import REASONS, AsyncClient, EmbeddedClient, Status, frames
from ldp_client.delivery.counts import HARMLESS
from ldp_client.delivery.outcomes import (
    ACCEPTED,
    HELD,
    LOST,
    REFUSED,
    VERDICTS,
    WAITING,
    Outcome,
    retry,
)
from ldp_client.delivery.verdicts import of_answer
from ldp_client.testing import RecordingTransport

TIMED = TEXT.replace('name = "example"', 'name = "example"\nepoch = "1h"\ngrace = "2h"')
TELLING = "a rather telling värde"


def timed(name, seconds):
    """A batch of a survey of that name, made some seconds from now."""
    question = parse_survey(TIMED.replace('"example"', f'"{name}"'))["symbol"]
    id_ = batch_id(system, question.epoch, time.time() + seconds)
    return Batch(question.fingerprint, id_, 3, rows=BATCHES["symbol"].rows)


@pytest.fixture
def clocks():
    with moved_by(Clocks()) as clocks:
        yield clocks


def opened(outcomes=(), state=None, interval=None, **settings):
    transport = RecordingTransport(outcomes)
    client = EmbeddedClient(
        DEVICE_SURVEY, state=state, transport=transport, interval=interval, **settings
    )
    return client, transport


@pytest.mark.parametrize("verdict", sorted(VERDICTS))
def test_each_verdict_is_counted_as_such(verdict, caplog):
    """None is taken for another; what is lost, or waits, makes `flush` say so, and is
    logged.
    """
    client, transport = opened([Outcome(verdict, reason="status 401")])
    with caplog.at_level(logging.DEBUG), client:
        client.record("once", "red")
        assert client.flush(30.0) is (verdict not in LOST | WAITING)
        assert client.counts() == {"recorded": 1, verdict: 1}
        assert client.waiting() == (verdict in WAITING)
        assert client.status().dropped == ({verdict: 1} if verdict in LOST else {})
        assert client.status().outcome == verdict
        if verdict in LOST:
            assert client.flush(30.0)  # what was lost before is not lost again
    lines = [line for line in caplog.messages if line.startswith(REASONS[verdict])]
    assert len(lines) == (verdict not in ("accepted", "duplicate"))
    assert all("status 401" in line for line in lines)
    assert len(transport.payloads) == 1


def test_the_first_failure_of_each_kind_is_logged(caplog, clocks):
    """Once for each status and exception, without what the exception says."""
    outcomes = [
        retry(0, "status 503"),
        retry(0, "status 503"),
        HELD._replace(reason="status 401"),
        ValueError(TELLING),
        OSError(5, "Input/output error", "a secret path"),
    ]
    client, _ = opened(outcomes * 2)
    client.record("once", "red")
    with caplog.at_level(logging.DEBUG), client:
        for _ in range(10):
            client._sender.send_all()
            clocks.pass_by(DAY)
    parts = [
        line.removesuffix(" (logged once)").partition(": ")[2]
        for line in caplog.messages
    ]
    assert parts == [
        "status 503",
        "status 401",
        "ValueError",
        "OSError: Input/output error",
    ]
    assert TELLING not in caplog.text
    assert "secret" not in caplog.text


def test_an_unknown_verdict_is_no_verdict(clocks):
    """Like anything else that a transport may return."""
    client, _ = opened([Outcome("sent"), "accepted", None])
    with client:
        client.record("once", "red")
        for _ in range(3):
            client._sender.send_all()
            clocks.pass_by(DAY)
        assert client.counts() == {"recorded": 1, "transport": 3, "retry": 3}
        assert client.waiting() == 1


def test_a_queue_that_overflows_is_no_success():
    """What `flush` sends is not all there was, if something was dropped meanwhile."""
    client, transport = opened()
    with client:
        client.record("once", "red")
        transport.send = lambda _: (client._counts.add("queue-full"), ACCEPTED)[1]
        assert not client.flush(30.0)


@pytest.mark.parametrize(
    ("batch", "verdict"),
    [
        (timed("example", 0), "accepted"),
        (timed("example", -100 * DAY), "late"),
        (timed("example", +100 * DAY), "retry"),
        (timed("elsewhere", 0), "quarantined"),
        (timed("example", 0)._replace(size=1), "rejected"),
    ],
    ids=["accepted", "late", "early", "quarantined", "rejected"],
)
def test_a_services_receipts_are_read(tmp_path, batch, verdict):
    """Those of the real service; sent again, what was counted is a duplicate."""
    with service_of(TIMED, folder=tmp_path) as service:
        answers = [
            visitor(service, UPLOADING).post("/v1/reports", content=frames([sent]))
            for sent in (timed("example", 0), batch, batch)
        ]
    verdicts = [
        of_answer(answer.status_code, None, answer.content).verdict
        for answer in answers
    ]
    known = verdict in ("accepted", "quarantined")
    assert verdicts == ["accepted", verdict, "duplicate" if known else verdict]


def test_questions_are_named_and_harmless_repeats_are_quiet(caplog):
    """A line for each question that is answered again, at DEBUG; an answer never."""
    client, _ = opened()
    with caplog.at_level(logging.DEBUG), client:
        for _ in range(3):
            for name in ("once", "bits"):
                client.record(name, "red")
            client.record("listed", TELLING)
    levels = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert {"answered"} == HARMLESS
    assert [level for level, _ in levels] == ["WARNING", "DEBUG", "DEBUG"]
    for (_, message), name in zip(levels, ("listed", "once", "bits"), strict=True):
        assert f"question {name!r}" in message
    assert TELLING not in caplog.text


def test_nothing_is_printed_without_logging(capfd):
    """An app that has not set up logging finds nothing of ours on its standard
    error.
    """
    logger = logging.getLogger("ldp_client")
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    root.handlers.clear()
    try:
        with opened()[0] as client:
            client.record("listed", TELLING)
    finally:
        root.handlers[:] = before
    assert capfd.readouterr().err == ""
    handlers = [one for one in logger.handlers if isinstance(one, logging.NullHandler)]
    assert len(handlers) == 1


def test_what_comes_after_close_is_refused(caplog):
    """It is counted, and logged once; a strict client raises."""
    client, _ = opened()
    client.close()
    assert not client.record("once", "red")
    assert not client.record_daily("mirror", "red")
    assert not client.record_together({})
    assert client.counts() == {"closed": 3}
    assert len(caplog.messages) == 1
    strict, _ = opened(strict=True)
    strict.close()
    with pytest.raises(StateError, match="before the client was closed"):
        strict.record("once", "red")
    assert strict.counts() == {"closed": 1}
    assert strict.flush()  # nothing waits


def test_daily_questions_are_reported_once_a_day(tmp_path, clocks):
    """The first answer of a day, whatever it is and the others are, across restarts."""
    client, transport = opened(state=tmp_path / "state")
    recorded = []
    for day in range(3):
        values = (f"{day}", "another", "a third")
        recorded += [client.record_daily("mirror", value) for value in values]
        client.close()
        client, transport = opened(state=tmp_path / "state")
        clocks.pass_by(DAY)
    assert recorded == [True, False, False] * 3
    assert client.record_daily("listed", "red")  # of its own
    client._sender.send_all()
    assert len(transport.reports(DEVICE_SURVEY, "mirror")) == 3
    assert not client.record_daily("listed", "red")
    assert client.counts() == {"recorded": 1, "daily": 1, "accepted": 2}
    client.close()


def test_a_daily_answer_that_is_refused_leaves_the_day_open(caplog):
    """Nothing is noted for what was not reported; and what is answered once is a
    mistake.
    """
    client, _ = opened(strict=True)
    with client:
        with pytest.raises(AnswerError):
            client.record_daily("mirror", "")
        assert client.record_daily("mirror", "red")
        with pytest.raises(
            AnswerError, match="expected one whose responses are memoized"
        ):
            client.record_daily("once", "red")
        with pytest.raises(AnswerError):
            client.record_daily("no such question", "red")
        assert len(records_of(client._store, "daily")) == 1


def test_status_says_all_of_it(tmp_path, clocks):
    """Step by step, in words; the same after a restart."""
    client, _ = opened(
        [
            HELD._replace(reason="status 401"),
            REFUSED._replace(reason="status 413, too-large"),
        ],
        state=tmp_path / "state",
    )
    before = client.status()
    assert before == Status("sound", "on", "never asked", waiting=0)
    client.record("once", "red")
    assert "Call flush()" in client.status().advice[0]
    client._sender.send_all()
    status = client.status()
    assert (status.outcome, status.reason, status.waiting) == ("held", "status 401", 1)
    assert status.last_attempt == clocks.wall
    assert status.advice[0].startswith("The collector wants another token")
    assert "Last attempt: 2024-10-04 00:00:00 UTC, held (status 401)" in str(status)
    clocks.pass_by(DAY)
    client._sender.send_all()
    client.close()
    client, _ = opened(state=tmp_path / "state", interval=3600.0)
    status = client.status()
    assert (status.outcome, status.waiting, status.dropped) == (
        "refused",
        0,
        {"refused": 1},
    )
    assert status.counts == {}
    assert "Dropped: 1 refused" in str(status)
    assert "Next upload: in " in str(status) or status.next_due is None
    client.set_consent("off")
    assert client.status().consent == "off"
    assert client.status().next_due is None
    assert "set_consent('on')" in str(client.status())
    client.close()
    with EmbeddedClient(DEVICE_SURVEY, state=None) as nowhere:
        nowhere.record("once", "red")
        assert "Name a collector" in str(nowhere.status())


@pytest.mark.parametrize("content", [b"damaged", b""])
def test_status_never_raises(content, tmp_path, clocks):
    """A file that cannot be used is said; so is a disk that is not there, or a clock
    gone mad.
    """
    (tmp_path / "state").write_bytes(content)
    (tmp_path / "a-file").touch()
    for place in ("state", "a-file/state"):
        client, _ = opened(state=tmp_path / place)
        status = client.status()
        client.close()
        if place == "a-file/state" or content:
            assert status.state != "sound"
            assert status.waiting is None
            assert "To do: " in str(status)
            assert "Waiting: unknown" in str(status)
    clocks.wall = 1e30
    assert "Last attempt: 1e+30" not in str(Status("sound", last_attempt=1e30))


def test_one_queue_says_nothing_of_another(tmp_path, clocks):
    """Pauses, due times, attempts and losses are kept for each collector."""
    places = []
    for name, outcomes in (("here", [REFUSED]), ("there", [HELD])):
        transport = RecordingTransport(outcomes)
        transport.destination = f"https://{name}.example"
        places.append(
            EmbeddedClient(
                DEVICE_SURVEY,
                state=tmp_path / "state",
                transport=transport,
                interval=None,
                lifetime_cap="1000",
            )
        )
    for client in places:
        client.record("once", "red")
        client._sender.send_all()
        client._outbox.wait_anew(lambda: 100.0)
    here, there = places
    assert (here.status().outcome, there.status().outcome) == ("refused", "held")
    assert (here.status().dropped, there.status().dropped) == ({"refused": 1}, {})
    assert here._outbox.pause() == 0 < there._outbox.pause()
    for client in places:
        client.close()


class Hanging:
    """A transport that takes its time."""

    def __init__(self):
        self.began, self.free = threading.Event(), threading.Event()

    def send(self, _payload):
        """Wait."""
        self.began.set()
        self.free.wait(300)
        return ACCEPTED


def test_a_loop_goes_on_while_its_client_works(tmp_path):
    """`await flush()` holds up no loop, can be cancelled, and lets the loop end at
    once.
    """
    transport = Hanging()

    async def use():
        client = AsyncClient(
            EmbeddedClient(
                DEVICE_SURVEY,
                state=tmp_path / "state",
                transport=transport,
                interval=None,
            )
        )
        assert await client.record("once", "red")
        assert not await client.record("once", "red")
        assert await client.record_daily("mirror", "red")
        assert not await client.record_together({})
        ticks = 0
        flushing = asyncio.create_task(client.flush(timeout=300.0))
        while ticks < 20 or not transport.began.is_set():
            await asyncio.sleep(0.005)
            ticks += 1
        flushing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await flushing
        assert not await client.flush(timeout=0.05)
        assert await client.waiting() == 2
        assert (await client.status()).outcome == "begun"

    begin = time.monotonic()
    asyncio.run(use())
    assert time.monotonic() - begin < 100
    transport.free.set()


def test_an_asynchronous_client_sends_and_closes(tmp_path):
    """All is as with the client within; a strict one raises where it is awaited."""
    transport = RecordingTransport()

    async def use():
        embedded = EmbeddedClient(
            DEVICE_SURVEY, state=None, transport=transport, interval=None, strict=True
        )
        async with AsyncClient(embedded) as client:
            await client.record("once", "red")
            assert await client.flush(30.0)
            await client.set_consent("off")
            assert not await client.record("bits", "red")
            with pytest.raises(ValueError, match="expected 'on'"):
                await client.set_consent("perhaps")
        with pytest.raises(StateError):
            await client.record("bare", "red")
        embedded._outbox.waiting = lambda: 1 / 0
        with pytest.raises(ZeroDivisionError):
            await client.flush(0.1)

    asyncio.run(use())
    assert len(transport.payloads) == 1


def test_an_asynchronous_client_has_every_member_of_the_client_within(tmp_path):
    """It opens its file in a thread; each method gives what that of the client
    gives.
    """

    async def use():
        within = EmbeddedClient
        opened = [threading.get_ident()]
        with patch.object(
            within, "_prepare", lambda _: opened.append(threading.get_ident())
        ):
            client = await AsyncClient.open(
                DEVICE_SURVEY, state=tmp_path / "state", interval=None
            )
        assert len(set(opened)) == 2
        async with client:
            names = {name for name in vars(within) if not name.startswith("_")}
            assert names <= vars(AsyncClient).keys()
            assert await client.set_consent("on") is True
            assert (await client.said(), await client.consent()) == ("on", "on")
            await client.record("once", "red")
            assert await client.counts() == {"recorded": 1}
            assert str(await client.ledger()) == str(client.embedded.ledger())
            assert (await client.preview("once", "red")).question == "once"
            assert await client.rotate() is True

    asyncio.run(use())


GEVENT = """
import os, sys, time
import ldp, ldp_client
from ldp_client.testing import RecordingTransport

survey = ldp.survey("trip", ldp.question("mode", ["car", "bus"], epsilon="1"))
transport = RecordingTransport()
client = ldp_client.EmbeddedClient(survey, state=sys.argv[1], transport=transport)
child = os.fork()
if child:
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
# As a worker of gunicorn does with --preload: the app is imported before.
from gevent import monkey, sleep, spawn
monkey.patch_all()
ticks = [time.monotonic()]
def tick():
    while True:
        ticks.append(time.monotonic())
        sleep(0.01)
spawn(tick)
assert client.record("mode", "bus")
sleep(0.3)
assert client.flush(5.0)
sleep(0.3)
longest = max(after - before for before, after in zip(ticks, ticks[1:]))
os._exit(longest > 4)
"""


@pytest.mark.needs("gevent")
def test_a_worker_that_gevent_patched_after_the_client_was_opened_goes_on(tmp_path):
    """The thread that sends is a greenlet by then, and holds up no other."""
    subprocess.run(
        [sys.executable, "-c", GEVENT, tmp_path / "state"], check=True, timeout=30
    )


def test_what_was_turned_away_is_tried_once_by_an_app_that_was_opened_anew(tmp_path):
    """It may have another token; the client that was turned away keeps to its pause."""
    client, transport = opened([HELD] * 3, tmp_path / "state")
    with client:
        client.record("once", "red")
        assert not client.flush(30.0)
        assert not client.flush(30.0)
        assert len(transport.payloads) == 1
    client, transport = opened(state=tmp_path / "state")
    with client:
        assert client.flush(30.0)
        assert len(transport.payloads) == 1


def test_a_pause_after_a_failure_outlives_the_first_flush(tmp_path):
    """What a collector that is down calls for is not what a token can mend."""
    client, _ = opened([retry(3600.0)], tmp_path / "state")
    with client:
        client.record("once", "red")
        assert not client.flush(30.0)
    client, transport = opened(state=tmp_path / "state")
    with client:
        assert not client.flush(30.0)
        assert transport.payloads == []


class Away:
    """A collector that is never there, under an address."""

    def __init__(self, destination):
        self.destination = destination

    def send(self, payload):  # noqa: ARG002
        """Nothing is taken."""
        return retry(3600.0)


def test_reports_that_were_tried_elsewhere_are_told_of(tmp_path):
    """What is in a batch already waits for the wrong address as well."""

    def opened_at(address):
        return EmbeddedClient(
            DEVICE_SURVEY,
            state=tmp_path / "state",
            transport=Away(address),
            interval=None,
        )

    with opened_at("wrong") as client:
        client.record("once", "red")
        assert not client.flush(30.0)
    with opened_at("right") as client:
        assert (
            "1 reports wait for other surveys or collectors"
            in client.status().advice[0]
        )
    with opened_at("wrong") as client:
        assert not any(
            "other surveys" in sentence for sentence in client.status().advice
        )


def test_reports_for_another_address_are_told_of(tmp_path):
    """Who corrects an address learns that what was recorded before waits for the wrong
    one.
    """
    with EmbeddedClient(
        DEVICE_SURVEY,
        state=tmp_path / "state",
        collector="https://wrong.example",
        interval=None,
    ) as client:
        client.record("once", "red")
        assert not any(
            "other surveys" in sentence for sentence in client.status().advice
        )
    with EmbeddedClient(
        DEVICE_SURVEY,
        state=tmp_path / "state",
        collector="https://right.example",
        interval=None,
    ) as client:
        assert (
            "1 reports wait for other surveys or collectors"
            in client.status().advice[0]
        )
