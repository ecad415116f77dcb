"""Devices that send through a relay: each message alone, sealed once, at a time of its
own.
"""

from unittest.mock import patch

import pytest
from hpke_reference import open_sealed, point, private_key

from ldp import parse_survey
from ldp.wire.sealed import decode_sealed_report, info_of, public_key_text, row_in
from ldp.wire.wire import read_frames
from ldp_client import EmbeddedClient, HTTPTransport, Relay, RelayTransport
from ldp_client.delivery.outcomes import retry
from ldp_client.delivery.schedule import LONGEST_PAUSE
from ldp_client.testing import RecordingTransport

TEXT = """
[survey]
name = "sealing"
joint = ["first", "second"]

[[question]]
name = "alone"
type = "boolean"
mechanism = "warner"
epsilon = "1"

[[question]]
name = "first"
type = "boolean"
mechanism = "grr"
epsilon = "1"

[[question]]
name = "second"
type = "boolean"
mechanism = "grr"
epsilon = "1"

[[question]]
name = "again"
type = "category"
values = ["a", "b", "c"]
mechanism = "l-grr"
epsilon_first = "1"
epsilon_lifetime = "2"
"""
SURVEY = parse_survey(TEXT)
KEY = private_key(bytes(31) + b"\7")
PUBLIC = public_key_text(point(KEY))
ENVELOPES = {envelope.fingerprint: envelope for envelope in SURVEY.envelopes}


@pytest.fixture
def opened(tmp_path):
    """Opens clients on one state file, and closes them in the end."""
    clients = []

    def open_client(outcomes=(), interval=None):
        transport = RecordingTransport(outcomes)
        relay = Relay("https://relay.example", PUBLIC, transport)
        client = EmbeddedClient(
            SURVEY,
            state=tmp_path / "state",
            relay=relay,
            interval=interval,
            strict=True,
        )
        clients.append(client)
        return client, transport

    yield open_client
    for client in clients:
        client.close()


def answer(client):
    """Three messages: a report, a row of two questions, a report that may come
    again.
    """
    client.record("alone", True)
    client.record_together({"first": True, "second": False})
    client.record("again", "b")


def sealed_in(payload):
    """What a payload of one frame holds."""
    (frame,) = read_frames(payload)
    return decode_sealed_report(frame)


def test_each_message_goes_alone_and_opens_for_the_collector(opened):
    """One report or row in each, under an id of its own, of which the envelope knows
    nothing.
    """
    client, transport = opened()
    answer(client)
    client.record("again", "b")
    client._sender.send_all()
    assert client.waiting() == 0
    sealed = [sealed_in(payload) for payload in transport.payloads]
    assert len({one.id for one in sealed}) == len(sealed) == 4
    names = []
    for one in sealed:
        info = info_of(one.fingerprint, bytes(4))
        plaintext = open_sealed(KEY, one.envelope, info, aad=b"")
        envelope = ENVELOPES[one.fingerprint]
        assert len(row_in(plaintext, one.fingerprint)) == envelope.width
        assert one.id not in plaintext
        names.append(envelope.name)
    assert sorted(names) == ["again", "again", "alone", "first+second"]


def test_a_retry_is_the_same_bytes_also_after_a_restart(opened):
    """Sealed once: an envelope that were made anew would be another report to a
    relay.
    """
    client, failing = opened([retry()] * 9 + [OSError("network")] * 99)
    answer(client)
    now = 20_000.0 * 86_400
    for turn in range(20):
        with patch(
            "ldp_client.keeping.clocks.time.time",
            return_value=now + turn * LONGEST_PAUSE,
        ):
            client._sender.send_all()
    client.close()
    again, transport = opened()
    again.flush(5)
    assert again.waiting() == 0
    assert len(failing.payloads) >= 20
    payloads = {*failing.payloads, *transport.payloads}
    assert len(payloads) == len({sealed_in(payload).id for payload in payloads}) == 3
    assert len(transport.payloads) == 3


def test_messages_leave_one_by_one_and_the_sooner_the_more_wait(opened):
    """Left to itself a client sends one at a time; asked to, all."""
    client, transport = opened(interval=3600.0)
    sender = client._sender
    sender.stop()
    answer(client)
    assert sender._shares() == 3
    spans = []
    with (
        patch.object(sender, "_stopping", False),
        patch.object(sender, "_is_time", return_value=True),
        # As if what was drawn before were over; in a transaction, as always.
        patch.object(sender._outbox, "wait_anew", side_effect=client._store.transact),
        patch.object(
            sender, "_uniform", side_effect=lambda most: spans.append(most) or 0.0
        ),
    ):
        for left in (2, 1, 0):
            sender.turn(asked=False)
            assert client.waiting() == left
        assert [span for span in spans if span >= 3600] == [3600.0, 7200.0, 7200.0]
        assert len(transport.payloads) == 3
    assert "state" not in client.counts()


def test_another_relay_gets_no_other_report(tmp_path):
    """Whose key seals is who gets the reports: the address of a relay may change."""
    outcomes = []
    for place in ("https://relay.example", "https://another.example"):
        relay = Relay(place, PUBLIC, RecordingTransport())
        with EmbeddedClient(
            SURVEY, state=tmp_path / "state", relay=relay, interval=None
        ) as client:
            outcomes.append(client.record(next(iter(SURVEY.alone)), True).reason)
    assert outcomes == ["recorded", "answered"]


def test_a_relay_stands_alone():
    """A collector beside it would get what the relay is there to mix."""
    relay = Relay("https://relay.example", PUBLIC)
    for other in (
        {"collector": "https://c.example"},
        {"transport": RecordingTransport()},
    ):
        with pytest.raises(ValueError, match="expected a relay alone"):
            EmbeddedClient(SURVEY, state=None, relay=relay, **other)
    assert RelayTransport("https://relay.example/x").destination.endswith(
        "/x/v1/sealed"
    )
    assert HTTPTransport("https://relay.example/x").destination.endswith(
        "/x/v1/reports"
    )
