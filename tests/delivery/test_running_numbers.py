"""What `status()` goes on saying: numbers since the file was made, by question, with
what to do.
"""

import socket
import time
from collections import Counter
from unittest.mock import patch

import pytest
from surveys import DEVICE_SURVEY, survey_of, yes_no

from ldp_client import EmbeddedClient
from ldp_client.delivery.limits import QueueLimits
from ldp_client.delivery.outcomes import ACCEPTED, LOST, OFFLINE, Outcome, retry
from ldp_client.testing import RecordingTransport


def opened(
    outcomes=(), state=None, survey=DEVICE_SURVEY, destination="here", **settings
):
    transport = RecordingTransport(outcomes)
    transport.destination = destination
    client = EmbeddedClient(
        survey, state=state, transport=transport, interval=None, **settings
    )
    return client, transport


@pytest.mark.parametrize("verdict", sorted(LOST | {"quarantined"}))
def test_what_became_of_reports_is_said_after_the_next_success(tmp_path, verdict):
    """The number stays, also over restarts, with the question and what there is to
    do.
    """
    client, _ = opened([Outcome(verdict)] * 2 + [ACCEPTED], tmp_path / "state")
    with client:
        for answer in ("red", "blue", "red"):
            client.record("mirror", answer)
        client.flush(30.0)
        client.record("once", "red")
        client.flush(30.0)
        client.record("mirror", "red")
        assert client.flush(30.0)
    again, _ = opened([], tmp_path / "state")
    with again:
        status = again.status()
        assert status.outcome == "accepted"
        numbers = {verdict: 4} if verdict in LOST else {}
        assert status.dropped == numbers
        by_question = {"mirror": {verdict: 3}, "once": {verdict: 1}} if numbers else {}
        assert status.dropped_from == by_question
        assert status.quarantined == (0 if numbers else 4)
        assert f"4 {verdict}" in str(status)
        (advice,) = status.advice
        assert advice.startswith(f"4 reports, {verdict}: ")


def test_a_full_queue_drops_what_can_be_given_again(tmp_path):
    """Reports to memoized questions go first, however new: a one-time report never
    comes again.
    """
    client, transport = opened(limits=QueueLimits(reports=20))
    with client:
        client.record("once", "red")
        client.record("bits", "red")
        for number in range(300):
            client.record("mirror", f"{number % 3}")
        client.flush(30.0)
        assert len(transport.reports(DEVICE_SURVEY, "once")) == 1
        assert len(transport.reports(DEVICE_SURVEY, "bits")) == 1
        assert len(transport.reports(DEVICE_SURVEY, "mirror")) == 18
        status = client.status()
        assert status.dropped == {"queue-full": 282}
        assert status.dropped_from == {"mirror": {"queue-full": 282}}
        assert "Dropped: 282 queue-full (282 of mirror)" in str(status)


def test_one_time_reports_go_where_nothing_else_is_left():
    """The oldest of them first, once a limit leaves no choice."""
    survey = survey_of(*(yes_no(f"q{number}") for number in range(5)))
    client, transport = opened(
        survey=survey, limits=QueueLimits(reports=3), lifetime_cap="100"
    )
    with client:
        for day, question in enumerate(survey):
            with patch.object(time, "time", return_value=1.75e9 + 86_400 * day):
                client.record(question.name, True)
        with patch.object(time, "time", return_value=1.75e9 + 86_400 * 4):
            client.flush(30.0)
        sent = [
            number for number in range(5) if transport.reports(survey, f"q{number}")
        ]
        assert sent == [2, 3, 4]
        assert client.status().dropped_from == {
            "q0": {"queue-full": 1},
            "q1": {"queue-full": 1},
        }


def test_forgetting_counts_what_waits_for_other_addresses(tmp_path):
    """All queues of a file are erased: those of another address are told of before and
    after.
    """
    wrong, _ = opened([retry(3600.0)], tmp_path / "state", destination="wrong")
    with wrong:
        wrong.record("once", "red")
        wrong.flush(30.0)
        wrong.record("mirror", "red")
    right, _ = opened([], tmp_path / "state", destination="right", lifetime_cap="100")
    with right:
        right.record("bits", "red")
        assert right.status().elsewhere == 2
        assert "Waiting: 1 reports, and 2 for other surveys or collectors" in str(
            right.status()
        )
        right.set_consent("forget")
        status = right.status()
        assert (status.waiting, status.elsewhere, status.dropped) == (
            0,
            0,
            {"forgotten": 3},
        )
        assert right.counts()["forgotten"] == 3
        assert {
            name: numbers["forgotten"] for name, numbers in status.dropped_from.items()
        } == {
            "once": 1,
            "mirror": 1,
            "bits": 1,
        }


def test_what_another_survey_loses_has_no_name_here(tmp_path):
    """Its questions are not this one's."""
    other = survey_of(yes_no("elsewhere"))
    client, _ = opened([], tmp_path / "state", survey=other)
    with client:
        client.record("elsewhere", True)
    client, _ = opened([], tmp_path / "state")
    with client:
        client.set_consent("forget")
        assert client.status().dropped_from == {
            "another survey or version": {"forgotten": 1}
        }


def test_status_says_what_the_person_said():
    """`said`, beside what follows from it."""
    client, _ = opened()
    with client:
        assert (client.status().consent, client.status().said) == ("on", "never asked")
        assert "Consent: on (the person said: never asked)" in str(client.status())
        for said in ("on", "off"):
            client.set_consent(said)
            assert client.status().said == client.said == said


def test_a_clock_of_1970_matters_to_epochs_alone():
    """A survey without epochs is sent by any clock, and says nothing of them."""
    client, _ = opened([OFFLINE] * 3)
    with client, patch.object(time, "time", return_value=1000.0):
        client.record("once", "red")
        assert not any("clock" in sentence for sentence in client.status().advice)


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("gaierror: Name or service not known", "mistake in its name"),
        ("ConnectionRefusedError: Connection refused", "mistake in its port"),
        ("TimeoutError: timed out", "mistake in its port"),
        ("SSLCertVerificationError", "certificate"),
    ],
)
def test_a_mistyped_address_is_named(reason, hint):
    """Where the way fails in a manner that a wrong address would, doing nothing is no
    advice.
    """
    for outcome in (OFFLINE._replace(reason=reason), retry(reason=reason)):
        client, _ = opened([outcome])
        with client:
            client.record("once", "red")
            client.flush(30.0)
            advice = " ".join(client.status().advice)
            assert hint in advice
            assert "Nothing to do" not in advice


def test_a_mistyped_port_is_named_by_the_system():
    """With the transport of apps: what it says of a port where no one listens is
    understood.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with EmbeddedClient(
        DEVICE_SURVEY, state=None, collector=f"http://127.0.0.1:{port}", interval=None
    ) as client:
        client.record("once", "red")
        assert not client.flush(30.0)
        assert "mistake in its port" in client.status().advice[0]


def test_a_long_queue_is_read_once_and_not_for_each_batch():
    """100 batches take one reading of all that waits, and one look at its size."""
    client, transport = opened(limits=QueueLimits(batch=5))
    with client:
        for number in range(500):
            client.record("mirror", f"{number % 3}")
        read = Counter()
        for name in "records", "size":
            whole = getattr(client._store, name)

            def count(kind, *given, name=name, whole=whole):
                read[name] += kind == "report"
                return whole(kind, *given)

            setattr(client._store, name, count)
        client._sender.send_all()
        assert len(transport.batches) == 100
        assert read["records"] <= 10
        assert read["size"] <= 10


def test_what_comes_while_a_long_queue_is_sent_is_sent_too():
    """As is what another process has sent or dropped by then: nothing twice, nothing
    left.
    """
    client, transport = opened(limits=QueueLimits(batch=5))
    send = transport.send

    def send_and_record(payload):
        if len(transport.batches) == 3:
            client.record("once", "red")
        return send(payload)

    transport.send = send_and_record
    with client:
        for number in range(40):
            client.record("mirror", f"{number % 3}")
        assert client.flush(30.0)
    assert len(transport.reports(DEVICE_SURVEY, "mirror")) == 40
    assert len(transport.reports(DEVICE_SURVEY, "once")) == 1


def test_the_limits_of_a_long_queue_are_not_looked_at_all_the_time():
    """Of a thousand reports to a queue that has room, few take longer than the
    others.
    """
    client, _ = opened(limits=QueueLimits(reports=10_000))
    with (
        client,
        patch.object(client._outbox, "_trim", wraps=client._outbox._trim) as trim,
    ):
        for number in range(1000):
            client.record("mirror", f"{number % 3}")
    assert trim.call_count <= 2
